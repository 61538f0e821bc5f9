// The model's arch/cpu.hpp: a thread that pauses goes on when it can see something new.
#pragma once

#include <cstdint>

#include "explorer/execution.hpp"

namespace weft::arch {

inline void pause(explorer::site where = explorer::site::current()) { explorer::pause(where); }
inline std::uint64_t cycles() { return 1; }
inline const char* stack_pointer() { return static_cast<const char*>(__builtin_frame_address(0)); }
// Reports alone look at it.
template <class Word>
void store_stack_address(Word*) {}

}  // namespace weft::arch
