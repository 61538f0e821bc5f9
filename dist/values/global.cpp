// See global.hpp: the arrays, and what programs call.
#include "dist/values/global.hpp"

#include <pthread.h>

#include <bit>
#include <cstring>
#include <new>

#include "base/align.hpp"
#include "base/assert.hpp"
#include "base/failure.hpp"
#include "dist/far/far.hpp"
#include "dist/far/far_state.hpp"

namespace weft::dist {

constinit global_heap shared_heap;

namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 47;  // of an array
constexpr std::size_t most_object_bytes = std::size_t{1} << 31;
constexpr std::size_t most_at_once = std::size_t{1} << 28;  // of a transport's copy
static_assert(object_memory::bytes_of(heap_words::classes - 1) == most_object_bytes);

pthread_t main_thread;
std::uint32_t ticks_seen = 0;

[[noreturn]] void fail_outside(weft_global at, std::size_t bytes, const char* what) {
  net::fail(all.job, "rank %d of %d: %s of %zu bytes at %#llx: they are no part of an array or of a rank's heap", all.job.rank,
            all.job.ranks, what, bytes, static_cast<unsigned long long>(at));
}

// The class of memory for so many bytes.
unsigned class_of(std::size_t bytes) {
  const std::size_t blocks = (bytes + object_memory::smallest - 1) / object_memory::smallest;
  return static_cast<unsigned>(std::bit_width(blocks - 1));
}

heap_words& own_words() { return *reinterpret_cast<heap_words*>(reinterpret_cast<std::byte*>(all.part) + shared_heap.at); }

// ---- copies ----

// Calls each(place, bytes done so far, bytes of the piece) for each piece that lies in one rank's
// memory.
template <class Each>
void for_pieces(weft_global at, std::size_t bytes, const char* what, Each&& each) {
  for (std::size_t done = 0; done != bytes;) {
    const global_place place = place_of(at + done, bytes - done, what);
    std::size_t piece = place.run < bytes - done ? place.run : bytes - done;
    if (piece > most_at_once) piece = most_at_once;
    each(place, done, piece);
    done += piece;
  }
}

// Of a copy whose pieces lie on ranks one after the other, those that were on other nodes.
struct far_pieces {
  int first = -1, last = -1;

  void add(int rank) {
    if (first < 0) first = rank;
    last = rank;
  }
  void flush() const {
    for (int rank = first; rank >= 0 && rank <= last; ++rank) {
      if (!net::is_near(all.job, rank)) shared_heap.by->flush(shared_heap.window, rank);
    }
  }
};

void get(void* into, weft_global from, std::size_t bytes, const char* what) {
  far_pieces far;
  for_pieces(from, bytes, what, [&](const global_place& at, std::size_t done, std::size_t piece) {
    auto* const to = static_cast<std::byte*>(into) + done;
    if (const std::byte* const near = near_bytes(at); near != nullptr) {
      std::memcpy(to, near, piece);
      return;
    }
    require_main_thread(what);  // of the network
    far.add(at.rank);
    shared_heap.by->get(shared_heap.window, at.rank, at.offset, to, piece);
  });
  far.flush();
}

void put(weft_global into, const void* from, std::size_t bytes, const char* what) {
  far_pieces far;
  for_pieces(into, bytes, what, [&](const global_place& at, std::size_t done, std::size_t piece) {
    const auto* const source = static_cast<const std::byte*>(from) + done;
    if (std::byte* const near = near_bytes(at); near != nullptr) {
      std::memcpy(near, source, piece);
      return;
    }
    require_main_thread(what);  // of the network
    far.add(at.rank);
    shared_heap.by->put(shared_heap.window, at.rank, at.offset, source, piece);
  });
  far.flush();
}

// Between two nodes, neither of which is this rank's.
void copy_by_way_of_here(weft_global into, weft_global from, std::size_t bytes) {
  static std::byte between[64 * 1024];
  for (std::size_t done = 0; done != bytes;) {
    const std::size_t piece = bytes - done < sizeof between ? bytes - done : sizeof between;
    get(between, from + done, piece, "weft_global_copy");
    put(into + done, between, piece, "weft_global_copy");
    done += piece;
  }
}

void copy(weft_global into, weft_global from, std::size_t bytes) {
  for_pieces(from, bytes, "weft_global_copy", [&](const global_place& at, std::size_t done, std::size_t piece) {
    if (const std::byte* const near = near_bytes(at); near != nullptr) return put(into + done, near, piece, "weft_global_copy");
    for_pieces(into + done, piece, "weft_global_copy", [&](const global_place& to, std::size_t more, std::size_t part) {
      if (std::byte* const near = near_bytes(to); near != nullptr) return get(near, from + done + more, part, "weft_global_copy");
      copy_by_way_of_here(into + done + more, from + done + more, part);
    });
  });
}

global_place word_at(weft_global word, const char* what) {
  const global_place at = place_of(word, sizeof(std::uint64_t), what);
  if (word % sizeof(std::uint64_t) != 0)
    net::fail(all.job, "rank %d of %d: %s at %#llx: the word is not aligned to 8 bytes", all.job.rank, all.job.ranks, what,
              static_cast<unsigned long long>(word));
  require_thread_for_network(what);
  return at;
}

// ---- arrays ----

struct array_call {
  std::size_t count, bytes;
  std::uint64_t room;
};

// Of all ranks, in a collective call: whether they are the same, and the least room.
std::uint64_t compare_calls(std::size_t count, std::size_t bytes, const char* what) {
  static array_call calls[net::most_ranks];
  const array_call mine{
      count, bytes,
      (shared_heap.by->fetch_add)(shared_heap.window, all.job.rank, shared_heap.at + offsetof(heap_words, room), 0)};
  net::gather(all.job, &mine, sizeof mine, calls);
  std::uint64_t least = mine.room;
  for (int rank = 0; rank < all.job.ranks; ++rank) {
    const array_call& its = calls[rank];
    if (its.room < least) least = its.room;
    if (its.count == calls[0].count && its.bytes == calls[0].bytes) continue;
    net::fail(all.job,
              "rank %d of %d called %s with %zu and %zu, rank 0 with %zu and %zu; call the same in the same order on all ranks",
              rank, all.job.ranks, what, its.count, its.bytes, calls[0].count, calls[0].bytes);
  }
  return least;
}

// The lowest gap of so many bytes among the arrays, or their end.
std::size_t find_gap(std::size_t bytes) {
  std::size_t at = base::round_up(sizeof(heap_words), object_memory::smallest);
  for (bool has_moved = true; has_moved;) {
    has_moved = false;
    for (const global_heap::array& each : shared_heap.arrays) {
      const std::size_t end = each.offset + base::round_up(each.block, object_memory::smallest);
      if (each.block == 0 || at >= end || at + bytes <= each.offset) continue;
      at = end;
      has_moved = true;
    }
  }
  return at;
}

std::size_t find_end() {
  std::size_t end = base::round_up(sizeof(heap_words), object_memory::smallest);
  for (const global_heap::array& each : shared_heap.arrays) {
    const std::size_t its = each.offset + base::round_up(each.block, object_memory::smallest);
    if (each.block != 0 && its > end) end = its;
  }
  return end;
}

// Every rank knows the new end, and changes its own heap's room by the difference.
void set_end(std::size_t end) {
  const std::uint64_t less = std::uint64_t{shared_heap.arrays_end} - end;
  (void)(shared_heap.by->fetch_add)(shared_heap.window, all.job.rank, shared_heap.at + offsetof(heap_words, room), less);
  shared_heap.arrays_end = end;
}

weft_status refuse_caller(const char* call) {
  const bool is_in_root = here()->is_worker;
  return weft::fail(WEFT_INVALID, call, nullptr,
                    is_in_root ? "the caller is in a root" : "the caller is on another OS thread than the main thread");
}

weft_status make_array(std::size_t count, std::size_t bytes, weft_global* out) {
  const std::uint64_t room = compare_calls(count, bytes, "weft_global_array");
  const auto ranks = static_cast<std::size_t>(all.job.ranks);
  const std::size_t block = (count + ranks - 1) / ranks * bytes;
  const std::size_t taken = base::round_up(block, object_memory::smallest);
  unsigned id = 1;
  while (id != global_heap::most_arrays && shared_heap.arrays[id].block != 0) ++id;
  const std::size_t at = find_gap(taken);
  if (id == global_heap::most_arrays)
    return weft::fail(WEFT_NOMEM, "weft_global_array", nullptr, "there are 1023 arrays already, and no more are possible");
  static_assert(global_heap::most_arrays == 1024);
  if (at + taken > shared_heap.arrays_end && at + taken - shared_heap.arrays_end > room)
    return weft::fail(WEFT_NOMEM, "weft_global_array", nullptr, "a rank's heap of WEFT_DIST_HEAP bytes has no room for %u",
                      nullptr, block);
  shared_heap.arrays[id] = {at, block, count * bytes};
  if (at + taken > shared_heap.arrays_end) set_end(at + taken);
  *out = std::uint64_t{id} << global_heap::id_at;
  return WEFT_OK;
}

bool may_call_together() { return is_main_thread() && !here()->is_worker; }

}  // namespace

global_place place_of(weft_global at, std::size_t bytes, const char* what) {
  const std::uint64_t id = at >> global_heap::id_at, byte = at & global_heap::offset_mask;
  if ((id & global_heap::of_object) != 0) {
    const auto rank = static_cast<int>(id - global_heap::of_object);
    if (rank >= all.job.ranks || byte > shared_heap.bytes || bytes > shared_heap.bytes - byte) fail_outside(at, bytes, what);
    return {rank, shared_heap.at + byte, shared_heap.bytes - byte};
  }
  if (id >= global_heap::most_arrays) fail_outside(at, bytes, what);
  const global_heap::array& its = shared_heap.arrays[id];
  if (byte > its.bytes || bytes > its.bytes - byte || its.block == 0) fail_outside(at, bytes, what);
  const std::size_t nth = byte / its.block, in_block = byte - nth * its.block;
  const std::size_t left = its.bytes - byte, of_block = its.block - in_block;
  return {static_cast<int>(nth), shared_heap.at + its.offset + in_block, of_block < left ? of_block : left};
}

void start_global(std::size_t at, std::size_t bytes) {
  main_thread = pthread_self();
  shared_heap.at = at;
  shared_heap.bytes = bytes;
  shared_heap.arrays_end = base::round_up(sizeof(heap_words), object_memory::smallest);
  if (all.is_far) {
    shared_heap.by = all.job.network->by;
    shared_heap.window = all.job.network->shared;
  } else {
    shared_heap.by = &net::shm;
    shared_heap.window = {&all.job, all.job.shared, all.job.shared_bytes, nullptr};
  }
  auto* const words = new (&own_words()) heap_words{};
  words->room.store(bytes - shared_heap.arrays_end, base::relaxed);  // behind it is a barrier
}

void require_main_thread(const char* what) {
  if (pthread_equal(main_thread, pthread_self()) != 0) return;
  net::fail(all.job, "rank %d of %d called %s from another OS thread than the one that runs main", all.job.rank, all.job.ranks,
            what);
}

void require_thread_for_network(const char* what) {
  if (all.is_far) require_main_thread(what);
}

void poll_while_near() {
  if (!all.is_far || pthread_equal(main_thread, pthread_self()) == 0) return;
  const std::uint32_t now = ticks();
  if (now == ticks_seen && all.mine->is_serving) return;
  ticks_seen = now;
  poll_far();
}

void count_discarded(std::uint64_t by) {
  (void)(shared_heap.by->fetch_add)(shared_heap.window, 0, shared_heap.at + offsetof(heap_words, discarded), by);
}

weft_status make_object(const char* call, int rank, std::size_t bytes, weft_global* out) {
  if (rank < 0 || rank >= all.job.ranks)
    return weft::fail(WEFT_INVALID, call, "rank", "there is no rank %d", nullptr, static_cast<std::uint64_t>(rank));
  if (bytes == 0 || bytes > most_object_bytes)
    return weft::fail(WEFT_INVALID, call, "bytes", "it is %u; 1 to 2^31 are possible", nullptr, bytes);
  require_thread_for_network(call);
  const std::uint64_t offset = shared_heap.objects_of(rank).take(class_of(bytes), shared_heap.arrays_end);
  if (offset == 0)
    return weft::fail(WEFT_NOMEM, call, nullptr, "the heap of WEFT_DIST_HEAP bytes of rank %d has no room", nullptr,
                      static_cast<std::uint64_t>(rank));
  *out = (global_heap::of_object | static_cast<std::uint64_t>(rank)) << global_heap::id_at | offset;
  return WEFT_OK;
}

bool has_discarded() {
  return (shared_heap.by->fetch_add)(shared_heap.window, 0, shared_heap.at + offsetof(heap_words, discarded), 0) != 0;
}

}  // namespace weft::dist

using namespace weft::dist;

extern "C" {

weft_status weft_global_array(size_t count, size_t bytes, weft_global* out) {
  std::size_t whole = 0;
  static constexpr char call[] = "weft_global_array";
  if (count == 0) return weft::fail(WEFT_INVALID, call, "count", "it is 0");
  if (bytes == 0) return weft::fail(WEFT_INVALID, call, "bytes", "it is 0");
  if (__builtin_mul_overflow(count, bytes, &whole) || whole > most_bytes)
    return weft::fail(WEFT_INVALID, call, "count", "%u elements would have more than 2^47 bytes", nullptr, count);
  if (!may_call_together()) return refuse_caller(call);
  const char* const outer = weft::net::begin_together(all.job, "weft_global_array");
  weft_global made = 0;
  const weft_status status = make_array(count, bytes, &made);
  weft::net::barrier(all.job);
  weft::net::end_together(all.job, outer);
  if (status == WEFT_OK) *out = made;
  return status;
}

weft_status weft_global_array_free(weft_global array) {
  const std::uint64_t id = array >> global_heap::id_at;
  static constexpr char call[] = "weft_global_array_free";
  if (!may_call_together()) return refuse_caller(call);
  if ((array & global_heap::offset_mask) != 0 || id == 0 || id >= global_heap::most_arrays || shared_heap.arrays[id].block == 0)
    return weft::fail(WEFT_INVALID, call, "array", "%p is not the address of an array's first element", nullptr, array);
  const char* const outer = weft::net::begin_together(all.job, "weft_global_array_free");
  (void)compare_calls(id, 0, "weft_global_array_free");
  shared_heap.arrays[id] = {};
  if (const std::size_t end = find_end(); end != shared_heap.arrays_end) set_end(end);
  weft::net::barrier(all.job);
  weft::net::end_together(all.job, outer);
  return WEFT_OK;
}

weft_status weft_global_make(int rank, size_t bytes, weft_global* out) {
  return make_object("weft_global_make", rank, bytes, out);
}

void weft_global_free(weft_global object, size_t bytes) {
  require_thread_for_network("weft_global_free");
  const global_place at = place_of(object, bytes, "weft_global_free");
  shared_heap.objects_of(at.rank).give(class_of(bytes), object & global_heap::offset_mask);
}

int weft_global_rank(weft_global at) { return place_of(at, 1, "weft_global_rank").rank; }

size_t weft_global_run(weft_global at) { return place_of(at, 1, "weft_global_run").run; }

void* weft_global_local(weft_global at) { return near_bytes(place_of(at, 1, "weft_global_local")); }

void weft_global_get(void* into, weft_global from, size_t bytes) {
  poll_while_near();
  get(into, from, bytes, "weft_global_get");
}

void weft_global_put(weft_global into, const void* from, size_t bytes) {
  poll_while_near();
  put(into, from, bytes, "weft_global_put");
}

void weft_global_copy(weft_global into, weft_global from, size_t bytes) {
  poll_while_near();
  copy(into, from, bytes);
}

uint64_t weft_global_add(weft_global word, uint64_t by) {
  const global_place at = word_at(word, "weft_global_add");
  return (shared_heap.by->fetch_add)(shared_heap.window, at.rank, at.offset, by);
}

uint64_t weft_global_swap(weft_global word, uint64_t expected, uint64_t desired) {
  const global_place at = word_at(word, "weft_global_swap");
  return shared_heap.by->compare_swap(shared_heap.window, at.rank, at.offset, expected, desired);
}

}  // extern "C"
