// See mpi.hpp: frames that go out, and frames that arrive.
#include <stdlib.h>
#include <string.h>

#include "net/frames/mpi.hpp"

namespace weft::net {
namespace {

std::size_t size_of(const outgoing& what) {
  std::size_t size = 0;
  for (unsigned i = 0; i < what.count; ++i) size += what.parts[i].bytes;
  return size;
}

void copy_parts(const outgoing& what, std::byte* into) {
  for (unsigned i = 0; i < what.count; ++i) {
    if (what.parts[i].bytes != 0) memcpy(into, what.parts[i].at, what.parts[i].bytes);
    into += what.parts[i].bytes;
  }
}

// Copied: a small frame, and one whose sender wants its bytes back at once.
departure* make_departure(const outgoing& what, std::size_t size, std::uint64_t* copied) {
  const bool is_small = size <= small_frame_bytes, is_copied = is_small || what.release == nullptr;
  const unsigned count = is_small ? 0 : is_copied ? 1 : what.count;
  const std::size_t behind = count * sizeof(frame_part) + (is_copied ? size : 0);
  auto* const made = static_cast<departure*>(malloc(sizeof(departure) + behind));
  if (made == nullptr) return nullptr;
  *made = {};
  made->count = count;
  auto* const copy = reinterpret_cast<std::byte*>(made->parts() + count);
  if (is_copied) copy_parts(what, copy);
  if (is_copied) add_count(copied, size);
  if (count != 0 && is_copied) made->parts()[0] = {copy, size};
  if (count != 0 && !is_copied) {
    memcpy(made->parts(), what.parts, count * sizeof(frame_part));
    made->release = what.release;
    made->owner = what.owner;
  }
  return made;
}

bool drop(const outgoing& what) {
  if (what.release != nullptr) what.release(what.owner);
  return false;
}

}  // namespace

bool queue_departure(mpi_group* group, const outgoing& what) {
  const std::size_t size = size_of(what);
  const int rank = rank_of(what.to);
  departure* const made = make_departure(what, size, &group->counts.copied);
  if (made == nullptr) {
    end_group(group, "no memory for a frame", 0);
    return drop(what);
  }
  made->rank = rank;
  {
    const group_guard held(group);
    if (group->is_over || (group->peers[rank].is_gone && what.type != goodbye)) {
      free(made);
      return drop(what);
    }
    made->head = {frame_magic, frame_version, what.type, size, what.to, group->self, ++group->peers[rank].sent};
    group->departures.push_back(made);
    group->backlog += sizeof(frame_head) + size;
  }
  add_count(&group->counts.sent, 1);
  if (made->release == nullptr && what.release != nullptr) what.release(what.owner);
  return true;
}

void queue_goodbyes(mpi_group* group) {
  for (int rank = 0; rank < group->ranks; ++rank) {
    outgoing what;
    what.to = node_of(rank);
    what.type = goodbye;
    if (rank != group->rank) queue_departure(group, what);
  }
}

departure* front_departure(mpi_group* group) {
  const group_guard held(group);
  return group->departures.front();
}

void pop_departure(mpi_group* group) {
  const group_guard held(group);
  (void)group->departures.pop_front();
}

bool next_piece(departure* of, std::size_t most, frame_part* out) {
  if (!of->is_head_given) {
    of->is_head_given = true;
    *out = {&of->head, sizeof(frame_head) + (of->count == 0 ? of->head.bytes : 0)};
    return true;
  }
  while (of->part < of->count) {
    const frame_part& part = of->parts()[of->part];
    const std::size_t left = part.bytes - of->offset;
    if (left == 0) {
      ++of->part;
      of->offset = 0;
      continue;
    }
    *out = {static_cast<const std::byte*>(part.at) + of->offset, left < most ? left : most};
    of->offset += out->bytes;
    return true;
  }
  return false;
}

void finish_departure(mpi_group* group, departure* of) {
  {
    const group_guard held(group);
    group->backlog -= sizeof(frame_head) + of->head.bytes;
  }
  if (of->release != nullptr) of->release(of->owner);
  free(of);
}

// ---- receiving ----------------------------------------------------------------------------------

bool begin_arrival(mpi_group* group, int rank, const frame_head& head, frame_part* room) {
  mpi_peer& peer = group->peers[rank];
  const bool is_right = head.magic == frame_magic && head.version == frame_version && head.to == group->self &&
                        head.from == node_of(rank) && head.sequence == peer.received + 1 && head.bytes <= most_frame_bytes;
  if (!is_right) {
    end_group(group, "a frame with a wrong head arrived; start the same program everywhere", 0);
    return false;
  }
  auto* const made = static_cast<arrival*>(calloc(1, sizeof(arrival)));
  const auto size = static_cast<std::size_t>(head.bytes);
  auto* const bytes = static_cast<std::byte*>(size != 0 && made != nullptr ? malloc(size) : nullptr);
  if (made == nullptr || (size != 0 && bytes == nullptr)) {
    free(made);
    end_group(group, "no memory for a frame that arrives", 0);
    return false;
  }
  made->what.type = head.type;
  made->what.from = head.from;
  made->what.sequence = head.sequence;
  made->what.bytes = bytes;
  made->what.size = size;
  peer.received = head.sequence;
  peer.partial = made;
  peer.filled = 0;
  *room = {bytes, size};
  if (size == 0) fill_arrival(group, rank, 0);
  return true;
}

void fill_arrival(mpi_group* group, int rank, std::size_t bytes) {
  mpi_peer& peer = group->peers[rank];
  peer.filled += bytes;
  if (peer.filled < peer.partial->what.size) return;
  arrival* const whole = peer.partial;
  peer.partial = nullptr;
  add_count(&group->counts.received, 1);
  const bool is_goodbye = whole->what.type == goodbye;
  const group_guard held(group);
  if (is_goodbye) {
    whole->what.what = happening::left;
    peer.is_gone = true;
    ++group->left;
  }
  group->arrivals.push_back(whole);
  pthread_cond_signal(&group->changed);
}

bool take_bytes(mpi_group* group, int rank, frame_stream* with, const std::byte* from, std::size_t bytes) {
  while (bytes != 0) {
    const bool is_of_head = with->head_filled < sizeof with->head;
    auto* const into = is_of_head ? reinterpret_cast<std::byte*>(&with->head) + with->head_filled
                                  : static_cast<std::byte*>(const_cast<void*>(with->room.at));
    const std::size_t left = is_of_head ? sizeof with->head - with->head_filled : with->room.bytes;
    const std::size_t now = bytes < left ? bytes : left;
    memcpy(into, from, now);
    add_count(&group->counts.copied, now);
    from += now;
    bytes -= now;
    if (is_of_head) {
      with->head_filled += now;
      if (with->head_filled < sizeof with->head) return true;
      if (!begin_arrival(group, rank, with->head, &with->room)) return false;
    } else {
      with->room = {into + now, with->room.bytes - now};
      fill_arrival(group, rank, now);
    }
    if (with->room.bytes == 0) with->head_filled = 0;
  }
  return true;
}

}  // namespace weft::net
