// How large the guard beneath a stack is, and which of its pages fault. Plain arithmetic, for any
// size of pages.
//
//      base                                             low                       high
//      |               gap              |    marked     | stack grows down ... |
//
// What counts is that a frame which leaves the stack lands in memory of no other stack. A marker
// costs 10 ns when a slot is first used, and a page table of the address space that a slot takes is
// paid for each blocked thread; the two numbers for what is marked are small, therefore, and so is
// the distance between the slots of a crowd. docs/decisions/0091 has the measurements.
#pragma once

#include <cstddef>

#include "base/align.hpp"
#include "os/vm.hpp"

namespace weft::mem {

inline constexpr std::size_t K = 1024;

// The largest frame of a library that is called from threads in masses has 131,160 bytes; what such
// a frame calls touches the bytes beneath it.
inline constexpr std::size_t masses_frame_bytes = 132 * K + 4 * K;
inline constexpr std::size_t any_frame_bytes = 1024 * K;         // of any library
inline constexpr std::size_t told_frame_bytes = 64 * K + 4 * K;  // that every guard tells, and what it calls

// Neighbours an odd number of pages apart spread over all sets of a TLB.
inline std::size_t guard_for(std::size_t stack_bytes, std::size_t frame_bytes) {
  const std::size_t page = os::page_bytes();
  const std::size_t bytes = base::round_up(frame_bytes, page);
  return (stack_bytes / page + bytes / page) % 2 == 0 ? bytes + page : bytes;
}

// Of a guard, next to the stack. Where the frame of a library may fit into the stack, what lies
// beneath stays a gap. A stack that is too small for it has all marked that such a frame reaches.
inline std::size_t marked_of(std::size_t guard_bytes, std::size_t stack_bytes) {
  const std::size_t told = stack_bytes < masses_frame_bytes ? masses_frame_bytes : told_frame_bytes;
  const std::size_t bytes = base::round_up(told, os::page_bytes());
  return bytes < guard_bytes ? bytes : guard_bytes;
}

}  // namespace weft::mem
