// What may not move, looked for: addresses of a rank's heap, in the frames that leave it. The words
// of a frame are not typed, so a finding is told, once for a job, and nothing is refused.
//
// The rank that loses the frames writes down where its heap is; the one that takes them looks.
// Where is read from /proc/self/maps when the first root begins, and again each time that the
// number of publications has doubled: the ranges may be out of date, so that an address may be
// missed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::dist {

struct range {
  std::uintptr_t begin, end;
};

// The owner: at its start, before the program has allocated; when a root begins; and at a
// publication.
void note_first_mappings();
void note_heap();
void note_publication();

// Gives memory to what search_moved() writes.
void touch_searches();
// The frame [from, to), whose forker forked `run`, has come from the rank `owner`.
void search_moved(int owner, void (*run)(void* work), const void* from, const void* to);

// The callable or function that a fork runs, as users know it.
void name_fork(void (*run)(void* work), char* out, std::size_t capacity);

}  // namespace weft::dist
