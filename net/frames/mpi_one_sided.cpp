// Frames are written into a ring in the receiver's memory, one ring for each pair of nodes, so that
// no lock and no atomic addition is needed: the sender alone moves the ring's end, and the receiver
// tells it by a word in the sender's memory how far it has read (its credit). A ring is a stream of
// heads and bytes: a frame that does not fit goes in pieces, and one whose ring is full waits.
//
// Orders: the bytes are flushed before the end is put; the end is one word, which is seen whole
// (rma.hpp); the receiver looks at it in its own memory, between calls that let the MPI go on.
#include <stdlib.h>
#include <string.h>

#include "net/frames/choose.hpp"
#include "net/frames/mpi.hpp"

namespace weft::net {
namespace {

constexpr std::size_t ring_bytes = 1 << 20, credit_step = ring_bytes / 4;

// In the window of a rank, for each other rank.
struct ring {
  std::uint64_t end;     // how many bytes the other has put into this ring
  std::uint64_t credit;  // how many bytes the other has read of the ring that this rank fills
  std::uint64_t apart[6];
  std::byte bytes[ring_bytes];
};

// What a rank knows of its pair with another.
struct pair {
  std::uint64_t put, told_end;      // into the other's ring
  std::uint64_t read, told_credit;  // out of the own
  frame_stream arriving;
  base::linked_queue<departure> queued;  // that go to the other
  departure* given;                      // all of them was put; they stay until the flush
  frame_part piece;                      // of the first that is queued, what is left of it
};

struct one_sided : mpi_group {
  void* window;
  ring* own;
  pair* pairs;
  bool has_sent;  // since the last look
};

one_sided* of(frame_group* group) { return static_cast<one_sided*>(group); }

std::size_t offset_of(const one_sided* all, const void* in) {
  return static_cast<std::size_t>(static_cast<const std::byte*>(in) - reinterpret_cast<const std::byte*>(all->own));
}

// What the network wrote. The order against the bytes is the flush of the other rank, which no
// model of C++ knows; acquire keeps this rank's compiler and CPU from reading the bytes before.
std::uint64_t load(const std::uint64_t* word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

bool put_word(one_sided* all, int rank, std::size_t offset, const std::uint64_t& word) {
  return check_call(all, "MPI_Accumulate", all->module->put(all->window, rank, offset, &word, sizeof word));
}

bool flush(one_sided* all, int rank) {
  return check_call(all, "MPI_Win_flush", all->module->flush(all->window, rank), flush_calls);
}

// ---- sending ------------------------------------------------------------------------------------

// What is queued is sorted by where it goes: a full ring holds up the frames to one node alone.
void sort_departures(one_sided* all) {
  for (departure* each = front_departure(all); each != nullptr; each = front_departure(all)) {
    pop_departure(all);
    all->pairs[each->rank].queued.push_back(each);
  }
}

// Puts what the ring has room for, and the bytes reach to; false: the group is over.
bool put_piece(one_sided* all, int rank, pair* with, std::uint64_t room) {
  const std::size_t at = with->put % ring_bytes;
  std::size_t bytes = with->piece.bytes < room ? with->piece.bytes : static_cast<std::size_t>(room);
  if (bytes > ring_bytes - at) bytes = ring_bytes - at;
  const std::size_t offset = offset_of(all, &all->own[all->rank].bytes[at]);
  const int code = all->module->put_later(all->window, rank, offset, with->piece.at, bytes);  // until the flush
  if (!check_call(all, "MPI_Put", code)) return false;
  with->put += bytes;
  with->piece = {static_cast<const std::byte*>(with->piece.at) + bytes, with->piece.bytes - bytes};
  return true;
}

bool next_bytes(pair* with) {
  while (departure* const first = with->queued.front()) {
    if (next_piece(first, SIZE_MAX, &with->piece)) return true;
    departure* const sent = with->queued.pop_front();
    sent->next = with->given;
    with->given = sent;
  }
  return false;
}

void finish(one_sided* all, departure** list) {
  while (*list != nullptr) {
    departure* const of = *list;
    *list = of->next;
    finish_departure(all, of);
  }
}

// The bytes are there before the end says so.
void move_end(one_sided* all, int rank, pair* with) {
  const bool is_moved = with->put != with->told_end;
  if (is_moved && !flush(all, rank)) return;
  finish(all, &with->given);
  if (!is_moved) return;
  with->told_end = with->put;
  if (put_word(all, rank, offset_of(all, &all->own[all->rank].end), with->told_end)) flush(all, rank);
}

void send_to(one_sided* all, int rank) {
  pair* const with = &all->pairs[rank];
  const std::uint64_t credit = load(&all->own[rank].credit);
  while (with->piece.bytes != 0 || next_bytes(with)) {
    const std::uint64_t room = credit + ring_bytes - with->put;
    if (room == 0 || !put_piece(all, rank, with, room)) break;
  }
  if (!is_over(all)) move_end(all, rank, with);
}

void send_queued(one_sided* all) {
  sort_departures(all);
  for (int rank = 0; rank < all->ranks && !is_over(all); ++rank) {
    if (!all->pairs[rank].queued.is_empty()) send_to(all, rank);
  }
}

// ---- receiving ----------------------------------------------------------------------------------

bool receive_from(one_sided* all, int rank) {
  pair* const with = &all->pairs[rank];
  const ring& from = all->own[rank];
  const std::uint64_t end = load(&from.end);
  if (end == with->read) return false;
  if (end - with->read > ring_bytes) {
    end_group(all, "the end of a ring lies beyond it; start the same program everywhere", 0);
    return false;
  }
  while (with->read != end) {
    const std::size_t at = with->read % ring_bytes;
    const std::size_t in_a_row =
        end - with->read < ring_bytes - at ? static_cast<std::size_t>(end - with->read) : ring_bytes - at;
    if (!take_bytes(all, rank, &with->arriving, &from.bytes[at], in_a_row)) return false;
    with->read += in_a_row;
  }
  if (with->read - with->told_credit < credit_step) return true;
  with->told_credit = with->read;
  if (put_word(all, rank, offset_of(all, &all->own[all->rank].credit), with->told_credit)) flush(all, rank);
  return true;
}

bool receive(one_sided* all) {
  constexpr unsigned calls = 2;  // MPI_Iprobe, MPI_Win_sync
  if (is_over(all) || !check_call(all, "MPI_Iprobe", all->module->progress(all->window), calls)) return false;
  bool is_found = false;
  for (int rank = 0; rank < all->ranks && !is_over(all); ++rank) {
    if (rank != all->rank && receive_from(all, rank)) is_found = true;
  }
  if (!is_found) add_count(&all->counts.empty, calls);
  return is_found;
}

// ---- the table ----------------------------------------------------------------------------------

frame_group* open(const frame_options& options) {
  auto* const made = static_cast<one_sided*>(open_mpi(mpi_one_sided, options, WEFT_NET_SERIALIZED, sizeof(one_sided)));
  if (made == nullptr) return nullptr;
  const auto ranks = static_cast<std::size_t>(made->ranks);
  void* own = nullptr;
  made->pairs = static_cast<pair*>(calloc(ranks, sizeof(pair)));
  if (!check_call(made, "the opening of a window", made->module->open_window(nullptr, ranks * sizeof(ring), &own, &made->window)))
    return made;
  made->own = static_cast<ring*>(own);
  if (made->pairs == nullptr) end_group(made, "no memory", 0);
  return made;
}

// The first frame after a look goes at once. Those that follow wait for the next look, which sends
// them together: two flushes for all that go to one node.
void send(frame_group* group, const outgoing& what) {
  one_sided* const all = of(group);
  if (!queue_departure(all, what) || all->has_sent) return;
  all->has_sent = true;
  send_queued(all);
}

bool poll(frame_group* group, incoming* out) {
  one_sided* const all = of(group);
  if (take_arrival(all, out)) return true;
  const bool is_found = receive(all);
  if (is_found) all->idle_looks = 0;
  send_queued(all);
  all->has_sent = false;
  return take_arrival(all, out);
}

bool wait(frame_group* group, incoming* out, std::uint64_t deadline_ns) {
  return wait_and_look(of(group), out, deadline_ns, poll);
}

void close(frame_group* group) {
  one_sided* const all = of(group);
  queue_goodbyes(all);
  look_until_closed(all, poll);
  for (int rank = 0; all->pairs != nullptr && rank < all->ranks; ++rank) {
    while (departure* const of = all->pairs[rank].queued.pop_front()) finish_departure(all, of);
    finish(all, &all->pairs[rank].given);
  }
  free(all->pairs);
  close_mpi(all);
}

}  // namespace

const frames mpi_one_sided = {"mpi-onesided", false, false, open, send, poll, wait, wake_mpi, backlog_of_mpi, close};

}  // namespace weft::net
