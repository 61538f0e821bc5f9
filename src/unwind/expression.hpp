// Where something lies or what it is, as a small stack machine computes it: DWARF 5, section 2.5,
// the part that unwind tables use (entries of PLTs, frames of signals, functions that align their
// stack anew).
#pragma once

#include <cstdint>

#include "arch/registers.hpp"
#include "unwind/memory.hpp"

namespace weft::unwind {

// at: its length, then its operations. first: what lies on the machine's stack at the beginning;
// null: nothing. False: it is damaged, asks for a register or memory that is not known, or uses an
// operation that unwind tables have no use for.
bool evaluate(memory* from, std::uintptr_t at, const arch::registers& registers, const std::uintptr_t* first,
              std::uintptr_t* out);

}  // namespace weft::unwind
