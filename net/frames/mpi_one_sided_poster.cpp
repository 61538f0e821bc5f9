// Frames are written into a ring in the receiver's memory, one for all senders, as Kojima,
// Hiraishi, Nakashima and Yasugi have it (poster of "Implementing the Tascell task-parallel
// language using multithreaded MPI"): a sender reserves bytes by an atomic addition to the ring's
// tail, puts the parts of the frame from where they lie, completes the puts, and notifies the
// receiver by a message.
//
// Two things differ. Where the poster locks the window and unlocks it, the puts are completed by a
// flush: the module holds its windows' locks for good. And a full ring blocks its sender, where the
// poster writes over what was not read: the receiver keeps a word that says how far it has read.
// A sender that waits for room receives meanwhile, so that two full rings do not stand still. A
// frame that is larger than half of a ring goes in several reservations.
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "net/frames/choose.hpp"
#include "net/frames/mpi.hpp"
#include "net/frames/mpi_ring_notices.hpp"

namespace weft::net {
namespace {

constexpr std::size_t ring_bytes = 1 << 20, most_reserved = ring_bytes / 2;
constexpr std::uint64_t poster_sleep_ns = 20000;

// The window of a rank.
struct ring {
  std::uint64_t tail;  // how many bytes the others have reserved
  std::uint64_t read;  // how many of them the owner has read, without a gap
  std::uint64_t apart[6];
  std::byte bytes[ring_bytes];
};

struct shared_ring : mpi_group {
  void* window;
  ring* own;
  frame_stream* arriving;  // of each rank
  std::uint64_t* seen;     // of each rank: the `read` of its ring, as it was when it was last asked for
  read_behind_gap taken;
  bool is_sending;
};

shared_ring* of(frame_group* group) { return static_cast<shared_ring*>(group); }

bool flush(shared_ring* all, int rank) {
  return check_call(all, "MPI_Win_flush", all->module->flush(all->window, rank), flush_calls);
}

// ---- receiving ----------------------------------------------------------------------------------

// Gives free what was read.
void move_read(shared_ring* all) {
  const std::uint64_t read = pass_read(&all->taken, all->own->read);
  if (read == all->own->read) return;
  const int code = all->module->put(all->window, all->rank, offsetof(ring, read), &read, sizeof read);
  if (check_call(all, "MPI_Accumulate", code)) flush(all, all->rank);
}

bool receive(shared_ring* all) {
  weft_net_message found = {};
  ring_notice got = {};
  const int code = all->module->find(&found);
  const bool is_there = code == 0 && found.is_there != 0;
  if (!is_there) add_count(&all->counts.empty, 1);
  if (!check_call(all, "MPI_Improbe", code, is_there ? 2 : 1) || !is_there) return false;
  if (found.bytes != sizeof got) {
    end_group(all, "a message that is no notice arrived; start the same program everywhere", 0);
    return false;
  }
  if (!check_call(all, "MPI_Mrecv", all->module->receive(&found, &got))) return false;
  if (!check_call(all, "MPI_Win_sync", all->module->progress(all->window), 2)) return false;
  if (got.bytes > most_reserved || got.at - all->own->read > ring_bytes - padded(got.bytes)) {
    end_group(all, "a notice of bytes that are not in the ring arrived; start the same program everywhere", 0);
    return false;
  }
  const std::size_t at = got.at % ring_bytes, bytes = static_cast<std::size_t>(got.bytes);
  const std::size_t in_a_row = bytes < ring_bytes - at ? bytes : ring_bytes - at;
  frame_stream* const into = &all->arriving[found.rank];
  if (!take_bytes(all, found.rank, into, &all->own->bytes[at], in_a_row)) return false;
  if (!take_bytes(all, found.rank, into, all->own->bytes, bytes - in_a_row)) return false;
  if (!note_read(&all->taken, {got.at, padded(got.bytes)})) {
    end_group(all, "no memory", 0);
    return false;
  }
  move_read(all);
  return true;
}

// ---- sending ------------------------------------------------------------------------------------

bool add(shared_ring* all, int rank, std::size_t offset, std::uint64_t by, std::uint64_t* before) {
  constexpr unsigned calls = 4;  // MPI_Win_sync, MPI_Rget_accumulate, MPI_Test, MPI_Win_flush
  return check_call(all, "MPI_Rget_accumulate", all->module->fetch_add(all->window, rank, offset, by, before), calls);
}

// Reserves bytes, and waits until they are free. `read` only grows, so an old value of it shows
// less room than there is: it is asked for where that does not suffice.
bool reserve(shared_ring* all, int rank, std::uint64_t bytes, std::uint64_t* at) {
  if (!add(all, rank, offsetof(ring, tail), bytes, at)) return false;
  while (!is_over(all)) {
    if (*at + bytes - all->seen[rank] <= ring_bytes) return true;
    if (!add(all, rank, offsetof(ring, read), 0, &all->seen[rank])) return false;
    if (!receive(all)) sched_yield();
  }
  return false;
}

bool put(shared_ring* all, int rank, std::uint64_t at, frame_part what) {
  while (what.bytes != 0) {
    const std::size_t begin = at % ring_bytes;
    const std::size_t now = what.bytes < ring_bytes - begin ? what.bytes : ring_bytes - begin;
    const int code = all->module->put_later(all->window, rank, offsetof(ring, bytes) + begin, what.at, now);
    if (!check_call(all, "MPI_Put", code)) return false;
    at += now;
    what = {static_cast<const std::byte*>(what.at) + now, what.bytes - now};
  }
  return true;
}

bool notify(shared_ring* all, int rank, const ring_notice& what) {
  void* request = nullptr;
  if (!check_call(all, "MPI_Isend", all->module->send(&what, sizeof what, rank, &request))) return false;
  for (int is_sent = 0; is_sent == 0;) {
    if (!check_call(all, "MPI_Test", all->module->is_sent(&request, &is_sent))) return false;
    if (is_sent == 0) sched_yield();
  }
  return true;
}

bool send_frame(shared_ring* all, departure* what) {
  std::uint64_t left = sizeof(frame_head) + what->head.bytes;
  while (left != 0) {
    const std::uint64_t bytes = left < most_reserved ? left : most_reserved;
    std::uint64_t at = 0;
    if (!reserve(all, what->rank, padded(bytes), &at)) return false;
    frame_part piece = {};
    for (std::uint64_t done = 0; done < bytes; done += piece.bytes) {
      if (!next_piece(what, static_cast<std::size_t>(bytes - done), &piece)) return false;
      if (!put(all, what->rank, at + done, piece)) return false;
    }
    if (!flush(all, what->rank)) return false;
    if (!notify(all, what->rank, {at, bytes})) return false;
    left -= bytes;
  }
  return true;
}

void send_queued(shared_ring* all) {
  if (all->is_sending) return;
  all->is_sending = true;
  for (departure* each = front_departure(all); each != nullptr && !is_over(all); each = front_departure(all)) {
    pop_departure(all);
    (void)send_frame(all, each);
    finish_departure(all, each);
  }
  all->is_sending = false;
}

// ---- the table ----------------------------------------------------------------------------------

frame_group* open(const frame_options& options) {
  frame_options its = options;
  if (its.idle_sleep_ns == 0) its.idle_sleep_ns = poster_sleep_ns;
  auto* const made = static_cast<shared_ring*>(open_mpi(mpi_one_sided_poster, its, WEFT_NET_SERIALIZED, sizeof(shared_ring)));
  if (made == nullptr) return nullptr;
  made->has_even_sleeps = true;
  made->arriving = static_cast<frame_stream*>(calloc(static_cast<std::size_t>(made->ranks), sizeof(frame_stream)));
  made->seen = static_cast<std::uint64_t*>(calloc(static_cast<std::size_t>(made->ranks), sizeof(std::uint64_t)));
  void* own = nullptr;
  if (!check_call(made, "the opening of a window", made->module->open_window(nullptr, sizeof(ring), &own, &made->window)))
    return made;
  made->own = static_cast<ring*>(own);
  if (made->arriving == nullptr || made->seen == nullptr) end_group(made, "no memory", 0);
  return made;
}

void send(frame_group* group, const outgoing& what) {
  if (queue_departure(of(group), what)) send_queued(of(group));
}

bool poll(frame_group* group, incoming* out) {
  shared_ring* const all = of(group);
  if (take_arrival(all, out)) return true;
  const bool is_found = !is_over(all) && receive(all);
  send_queued(all);
  if (is_found) all->idle_looks = 0;
  return take_arrival(all, out);
}

bool wait(frame_group* group, incoming* out, std::uint64_t deadline_ns) {
  return wait_and_look(of(group), out, deadline_ns, poll);
}

void close(frame_group* group) {
  shared_ring* const all = of(group);
  queue_goodbyes(all);
  look_until_closed(all, poll);
  free(all->arriving);
  free(all->seen);
  free(all->taken.notices);
  close_mpi(all);
}

}  // namespace

const frames mpi_one_sided_poster = {"mpi-onesided-poster", false, false, open, send, poll, wait, wake_mpi,
                                     backlog_of_mpi,        close};

}  // namespace weft::net
