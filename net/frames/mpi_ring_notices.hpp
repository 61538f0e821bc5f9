// How far the owner of a ring for all senders has read it. Notices of bytes that are there arrive
// in another order than that in which the bytes were reserved, and a sender may only be given room
// up to the first gap. All zeros is a good initial state.
#pragma once

#include <stdlib.h>

#include <cstddef>
#include <cstdint>

namespace weft::net {

// A message: these bytes of the ring are there, counted from the ring's beginning of all times.
struct ring_notice {
  std::uint64_t at, bytes;
};

// Of bytes that were read, those behind a gap.
struct read_behind_gap {
  ring_notice* notices;
  std::size_t count, room;
};

// Notes bytes that were read. False: no memory.
inline bool note_read(read_behind_gap* all, const ring_notice& what) {
  if (all->count == all->room) {
    const std::size_t room = all->room == 0 ? 16 : 2 * all->room;
    void* const grown = realloc(all->notices, room * sizeof(ring_notice));
    if (grown == nullptr) return false;
    all->notices = static_cast<ring_notice*>(grown);
    all->room = room;
  }
  all->notices[all->count++] = what;
  return true;
}

// Up to where all bytes are read, if all below `read` are; forgets what lies below.
inline std::uint64_t pass_read(read_behind_gap* all, std::uint64_t read) {
  for (std::size_t i = 0; i < all->count;) {
    if (all->notices[i].at != read) {
      ++i;
      continue;
    }
    read += all->notices[i].bytes;
    all->notices[i] = all->notices[--all->count];
    i = 0;  // an earlier notice may continue this one
  }
  return read;
}

}  // namespace weft::net
