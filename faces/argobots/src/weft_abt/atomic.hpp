// The atomics of the face, and what its loops say to the CPU while they look at one. Models put a
// file of the same name before this one on the include path, so that the code that ships runs on
// the explorer's atomics; nothing else in the face names std::atomic.
//
// Every operation names its order. Every one that is not relaxed carries a tag, see
// docs/protocols/Z.md.
#pragma once

#include <atomic>

#include "arch/cpu.hpp"

namespace weft::abt {

template <class T>
using atomic = std::atomic<T>;

// In a loop that looks until another thread has written.
inline void spin_hint() { arch::pause(); }

}  // namespace weft::abt
