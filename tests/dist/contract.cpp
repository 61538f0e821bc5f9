// What single calls promise (dist.h, uni_threads.h, remote_error.hpp), which programs of many forks
// do not show.
//
//   contract CASE
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"  // those of C
#include <weft/uni_threads.h>
#pragma GCC diagnostic pop
#include <weft/dist.hpp>

#include "dist/rank/engine.hpp"
#include "dist/values/global.hpp"
#include "policy.hpp"
#include "shared_words.hpp"

namespace {

using namespace weft::dist;

shared_words words;

bool is_as_said(bool is_right, const char* what) {
  if (!is_right) std::printf("rank %d: not as it was said: %s\n", rank(), what);
  return is_right;
}

// ---- roots that are refused ----

void nothing(void*) {}
void count_up(void* work) { ++*static_cast<unsigned char*>(work); }

// And weft_last_error() says why.
bool is_refused(void (*run)(void*), void* work, std::size_t bytes, const char* why) {
  return weft_dist_root(run, work, bytes) == WEFT_INVALID && std::strncmp(weft_last_error(), why, std::strlen(why)) == 0;
}

bool root_is_refused() {
  const std::size_t most = all.set.stack_bytes / 2;
  std::vector<unsigned char> large(most + 1);
  bool is_right = is_as_said(is_refused(nullptr, large.data(), 1, "weft_dist_root: argument run: it is null"),
                             "a root without a function is refused") &&
                  is_as_said(is_refused(nothing, nullptr, 1, "weft_dist_root: argument work: it is null, and bytes is 1"),
                             "a root of no work with bytes is refused") &&
                  is_as_said(is_refused(nothing, large.data(), most + 1, "weft_dist_root: argument bytes: "),
                             "a root of more bytes than half of a stack is refused");
  bool is_refused_there = false;
  std::thread([&] {
    is_refused_there = is_refused(nothing, large.data(), 1, "weft_dist_root: the caller is not the OS thread");
  }).join();
  is_right = is_as_said(is_refused_there, "a root from another OS thread is refused") && is_right;
  return is_as_said(weft_dist_root(count_up, large.data(), most) == WEFT_OK && large[0] == 1, "half of a stack is work") &&
         is_as_said(weft_dist_root(nothing, nullptr, 0) == WEFT_OK, "no work is work") && is_right;
}

// ---- a root's work, of every length: it lies above the root's frames, which move ----

unsigned char byte_at(std::size_t length, std::size_t at) { return static_cast<unsigned char>(length + 7 * at); }

std::size_t work_bytes;  // each rank's

void stay_until_taken(void*) { forkers_go_on() ? words[0].store(1) : words.wait_for(0, 1); }

void fork_and_complement(void* work) {
  long none = 0;
  weft_forked* const forked = weft_fork(stay_until_taken, &none, sizeof none);
  if (ranks() > 1) forkers_go_on() ? words.wait_for(0, 1) : words[0].store(1);
  weft_fork_join(forked, stay_until_taken, &none, sizeof none);
  auto* const bytes = static_cast<unsigned char*>(work);
  for (std::size_t at = 0; at < work_bytes; ++at) bytes[at] = static_cast<unsigned char>(~bytes[at]);
}

bool works_of_each_length() {
  constexpr std::size_t most = 200, behind = 8;
  for (std::size_t length = 0; length <= most; ++length) {
    unsigned char work[most + behind];
    for (std::size_t at = 0; at < sizeof work; ++at) work[at] = byte_at(length, at);
    work_bytes = length;
    words[0].store(0);
    bool is_right = weft_dist_root(fork_and_complement, work, length) == WEFT_OK;
    for (std::size_t at = 0; at < sizeof work; ++at)
      is_right &= work[at] == static_cast<unsigned char>(at < length ? ~byte_at(length, at) : byte_at(length, at));
    if (!is_as_said(is_right, "a root's work comes to the root, and back")) return false;
  }
  return true;
}

// ---- the guard below a rank's stack, and the stack ----

bool is_readable(std::uintptr_t address) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const bool result = write(ends[1], reinterpret_cast<const void*>(address), 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return result;
}

bool guard_is_whole() {
  bool is_right = is_readable(all.guard - 1) && is_readable(all.guard + guard_bytes);
  for (std::size_t at = 0; at < guard_bytes; at += 4096) is_right &= !is_readable(all.guard + at);
  return is_as_said(is_right && !is_readable(all.guard + guard_bytes - 1), "each page of the guard, and no other, is protected");
}

// ---- in and outside a root, and on another OS thread meanwhile ----

bool tells_where() {
  const auto is_outside = [] {
    int value = 1;
    weft_forked* const forked = weft_fork(count_up, &value, sizeof value);
    weft_fork_join(forked, count_up, &value, sizeof value);
    return weft_worker_count() == 0 && weft_worker_self() == -1 && !weft_forks_move() && forked == nullptr && value == 2;
  };
  bool is_right = is_as_said(is_outside(), "outside a root there is no worker, and forks run in their joins");
  is_right &= is_as_said(weft::dist::root([is_outside] {
                           bool is_outside_there = false;
                           std::thread([&] { is_outside_there = is_outside(); }).join();
                           return is_outside_there && weft_worker_self() == rank() && weft_forks_move() &&
                                  weft_worker_count() == static_cast<unsigned>(ranks());
                         }),
                         "a root's thread is on the worker of its rank, and no other OS thread is");
  return is_as_said(is_outside(), "after a root there is no worker") && is_right;
}

// ---- counts ----

bool counts_are_read() {
  counters& its = all.mine->count;
  const counters before = its;
  its.steals = 1;
  its.stolen_bytes = 2;
  its.evacuations = 3;
  its.resumed = 4;
  its.waits_in_place = 5;
  its.kept = 6;
  its.full = 7;
  its.claim_ticks = 8;
  its.copy_ticks = 9;
  its.take_up_ticks = 10;
  weft_dist_counts read;
  weft_dist_read_counts(&read);
  its = before;
  return is_as_said(read.steals == 1 && read.stolen_bytes == 2 && read.evacuations == 3 && read.resumed == 4 &&
                        read.waits_in_place == 5 && read.kept == 6 && read.full == 7 && read.claim_ticks == 8 &&
                        read.copy_ticks == 9 && read.take_up_ticks == 10,
                    "each count has its name");
}

// On two ranks: one takes something from the other, and both count.
bool steals_take_time() {
  words[0].store(0);
  weft::dist::root([] {
    long none = 0;
    weft_forked* const forked = weft_fork(stay_until_taken, &none, sizeof none);
    forkers_go_on() ? words.wait_for(0, 1) : words[0].store(1);
    weft_fork_join(forked, stay_until_taken, &none, sizeof none);
  });
  std::uint64_t steals = 0;
  bool is_right = true;
  for (int each = 0; each < ranks(); ++each) {
    const counters& its = control_of(each)->count;
    steals += its.steals;
    const bool has_all = its.claim_ticks != 0 && its.take_up_ticks != 0 && (forkers_go_on() || its.copy_ticks != 0);
    is_right &= its.steals == 0 || (has_all && its.stolen_bytes != 0);
  }
  return is_as_said(steals != 0 && is_right, "a steal takes time: for the claim, the copy of frames, and the rest");
}

// ---- threads with the paper's names ----

int less_int(int value) { return value - 7; }
long less_long(long value) { return value - 7; }
long load(long address) { return *reinterpret_cast<const long*>(address); }

bool threads_return() {
  return is_as_said(weft::dist::root([] {
                      constexpr long large = 1L << 40;
                      const long own = 42;
                      const thread_t address = thread_create(load, reinterpret_cast<long>(&own));
                      const thread_t first = thread_create(less_int, 2), second = thread_create(less_long, -large);
                      const bool is_right = thread_join(second) == -large - 7 && thread_join(first) == -5;
                      return thread_join(address) == 42 && is_right;
                    }),
                    "a thread returns its function's word, with its sign");
}

// ---- exceptions ----

bool texts_are_cut() {
  const std::string type(200, 't'), what(400, 'w');
  void* const first = weft_dist_keep_exception(&words, type.c_str(), what.c_str());
  void* const second = weft_dist_keep_exception(&words, "another", "short");
  const char *its_type = nullptr, *its_what = nullptr;
  bool is_right = weft_dist_find_exception(first, &its_type, &its_what) == &words && type.starts_with(its_type) &&
                  std::strlen(its_type) == sizeof(kept_exception::type) - 1 && what.starts_with(its_what) &&
                  std::strlen(its_what) == sizeof(kept_exception::what) - 1;
  static_cast<kept_exception*>(first)->drop(true);
  // In the same place; the texts are as long again.
  is_right &= weft_dist_keep_exception(&words, type.c_str(), what.c_str()) == first;
  is_right &= weft_dist_keep_exception(&words, "a third", "") != second;
  (void)weft_dist_find_exception(second, &its_type, &its_what);
  return is_as_said(is_right && std::strcmp(its_type, "another") == 0 && std::strcmp(its_what, "short") == 0,
                    "long texts of an exception are cut, and lie in its place alone");
}

struct counted : std::out_of_range {
  static inline int alive = 0;

  counted() : out_of_range("counted") { ++alive; }
  counted(const counted& other) : out_of_range(other) { ++alive; }
  ~counted() override { --alive; }
};

// A root's exception lives until the next root.
bool exceptions_of_roots_are_deleted() {
  constexpr int rounds = 10;
  for (int round = 0; round < rounds; ++round) {
    try {
      weft::dist::root([] { throw counted(); });
      return false;
    } catch (const std::runtime_error&) {  // remote_error
    } catch (const counted&) {
    }
    if (!is_as_said(counted::alive <= 1, "one exception of a root lives")) return false;
  }
  weft::dist::root([] {});
  return is_as_said(counted::alive == 0, "an exception of a root lives until the next root");
}

// An exception that main has caught lies on no thread of the root: its forks move as always.
bool root_in_handler_moves() {
  const auto offers = [] { return weft::fork([] { return all.mine->split != all.mine->base; }).join(); };
  if (ranks() == 1) return false;
  try {
    throw std::out_of_range("open");
  } catch (const std::out_of_range& error) {
    const bool is_right = is_as_said(weft::dist::root(offers), "in a handler of main a root's forker is offered");
    return is_as_said(std::strcmp(error.what(), "open") == 0, "main's exception is as it was") && is_right;
  }
}

// ---- a fork that is discarded counts before its child can find that out: the root ends once the count is 0

enum { forker_went_on, was_discarded, all_words };

weft::net::rma looking;
const join_record* discarded_record = nullptr;
std::uint64_t state_at_count = ~std::uint64_t{0};

std::uint64_t look_and_add(const weft::net::window& in, int rank, std::size_t offset, std::uint64_t by) {
  const bool is_count = rank == 0 && by == 1 && offset == shared_heap.at + offsetof(heap_words, discarded);
  if (is_count) state_at_count = discarded_record->state.load(weft::base::relaxed);
  return (weft::net::shm.fetch_add)(in, rank, offset, by);
}

void end_once_discarded(void*) {
  words.wait_for(forker_went_on, 1);
  words.wait_for(was_discarded, 1);
}

bool discarded_forks_count_first() {
  looking = weft::net::shm;
  looking.fetch_add = look_and_add;
  shared_heap.by = &looking;
  for (int word = 0; word < all_words; ++word) words[word].store(0);
  return is_as_said(weft::dist::root([] {
                      long none = 0;
                      weft_forked* const forked = weft_fork(end_once_discarded, &none, sizeof none);
                      words[forker_went_on].store(1);
                      discarded_record = static_cast<const join_record*>(forked->taker);
                      weft_dist_discard(forked, end_once_discarded, &none, sizeof none);
                      const bool was_running = state_at_count == join_record::running;
                      words[was_discarded].store(1);
                      return was_running;
                    }),
                    "a discarded fork counts while its child still takes it for one that is joined");
}

// ---- a newer fork whose child has ended here, and an older one that is joined or discarded first ----

void end_once_told(void*) { words.wait_for(was_discarded, 1); }

void leave_seven(void* work) { *static_cast<long*>(work) = 7; }

// The forker leaves the older child, which waits; the newer one ends before its fork returns.
void fork_two(weft_forked* (&forked)[2], long* value) {
  words[was_discarded].store(0);
  forked[0] = weft_fork(end_once_told, value, sizeof *value);
  forked[1] = weft_fork(leave_seven, value, sizeof *value);
}

bool newer_forks_end_last() {
  return is_as_said(weft::dist::root([] {
                      weft_forked* forked[2];
                      weft_forked* after[2];
                      long value = 0;
                      fork_two(forked, &value);
                      words[was_discarded].store(1);
                      weft_fork_join(forked[0], end_once_told, &value, sizeof value);
                      weft_dist_discard(forked[1], leave_seven, &value, sizeof value);
                      const bool is_joined = value == 7;

                      value = 0;
                      fork_two(after, &value);
                      const bool is_free_after_join = after[0] == forked[0];
                      weft_dist_discard(after[0], end_once_told, &value, sizeof value);
                      words[was_discarded].store(1);
                      weft_fork_join(after[1], leave_seven, &value, sizeof value);
                      const bool is_seven = value == 7;
                      weft_forked* const last = weft_fork(leave_seven, &value, sizeof value);
                      weft_fork_join(last, leave_seven, &value, sizeof value);
                      return is_joined && is_seven && is_free_after_join && last == after[0];
                    }),
                    "a newer fork is discarded, or joined, after an older one, and both places are free again");
}

// ---- memory of an array that was freed ----

// So many futures of one heap, if not one came back.
bool futures_come_back() {
  constexpr std::size_t bytes = 64;  // with what says whether it is set, more than an object of so many has
  for (std::size_t made = 0; made < all.set.heap_bytes / bytes; ++made) {
    weft_global future = 0;
    if (weft_global_future_make(rank(), bytes, &future) != WEFT_OK) return is_as_said(false, "a future's memory comes back");
    weft_global_future_free(future, bytes);
  }
  return true;
}

// Rank 1 looks at the end of a long value, once rank 0 has set the future.
bool futures_are_set_at_last() {
  constexpr std::size_t bytes = std::size_t{4} << 20;
  constexpr int rounds = 10;
  const global_array<weft_global> at(1);
  bool is_right = true;
  for (int round = 1; round <= rounds; ++round) {
    const std::vector<unsigned char> value(bytes, static_cast<unsigned char>(round));
    weft_global future = 0;
    words[0].store(0);
    if (rank() == 0) {
      if (weft_global_future_make(0, bytes, &future) != WEFT_OK) return is_as_said(false, "a future's memory comes back");
      at[0].put(future);
    }
    weft::dist::root([] {});
    if (rank() == 0) {
      words.wait_for(0, 1);
      weft_global_future_set(future, value.data(), bytes);
    } else {
      future = at[0].get();
      words[0].store(1);
      while (!weft_global_future_is_set(future)) continue;
      unsigned char last = 0;
      weft_global_get(&last, future + sizeof(put_word) + bytes - 1, 1);
      is_right &= is_as_said(last == value[0], "a future is set once its value is there");
    }
    weft::dist::root([] {});
    if (rank() == 0) weft_global_future_free(future, bytes);
  }
  return is_right;
}

// What is left is too little for the object until both arrays are gone.
bool memory_comes_back() {
  const std::size_t bytes = all.set.heap_bytes, most = static_cast<std::size_t>(ranks()) * (bytes / 8 * 3);
  weft_global lower = 0, upper = 0, object = 0;
  const bool are_made = weft_global_array(most, 1, &lower) == WEFT_OK && weft_global_array(most, 1, &upper) == WEFT_OK;
  if (!is_as_said(are_made, "three quarters of a heap are for two arrays")) return false;
  const auto is_full = [&] { return weft_global_make(rank(), bytes / 2, &object) == WEFT_NOMEM; };
  bool is_right = is_as_said(is_full(), "a quarter is too little for an object of a half");
  is_right &= weft_global_array_free(lower) == WEFT_OK;
  is_right &= is_as_said(is_full(), "below an array there is no memory for objects");
  is_right &= weft_global_array_free(upper) == WEFT_OK;
  return is_as_said(!is_full(), "an array's memory comes back to objects") && is_right;
}

const struct {
  const char* name;
  bool (*run)();
} cases[] = {{"refused", root_is_refused},
             {"where", tells_where},
             {"counts", counts_are_read},
             {"ticks", steals_take_time},
             {"works", works_of_each_length},
             {"guard", guard_is_whole},
             {"threads", threads_return},
             {"texts", texts_are_cut},
             {"exceptions", exceptions_of_roots_are_deleted},
             {"handler", root_in_handler_moves},
             {"discards", discarded_forks_count_first},
             {"newer", newer_forks_end_last},
             {"memory", memory_comes_back},
             {"futures", futures_come_back},
             {"values", futures_are_set_at_last}};

}  // namespace

int main(int count, char** line) {
  for (const auto& each : cases) {
    if (count == 2 && std::strcmp(line[1], each.name) == 0) return each.run() ? 0 : 1;
  }
  return 2;
}
