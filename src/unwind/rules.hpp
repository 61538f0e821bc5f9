// How the registers of a function's caller are found, at one instruction of the function: a row of
// the table that DWARF 5, section 6.4.1 describes, made by running the programs of its entry
// (section 6.4.2). CFA: the caller's stack pointer, from which all else is counted.
#pragma once

#include <cstdint>

#include "arch/registers.hpp"
#include "unwind/memory.hpp"
#include "unwind/tables.hpp"

namespace weft::unwind {

enum class rule_kind : std::uint8_t {
  same,           // the function left it alone
  undefined,      // lost
  saved,          // lies at CFA + value
  offset,         // is CFA + value
  moved,          // is in register `value`
  saved_as_told,  // lies where the expression at `value` says
  as_told,        // is what the expression at `value` says
};

struct rule {
  rule_kind kind = rule_kind::same;
  std::int64_t value = 0;
};

struct row {
  std::uint64_t cfa_register = 0;
  std::int64_t cfa_offset = 0;
  std::uintptr_t cfa_expression = 0;  // instead, when it is not 0
  rule rules[arch::dwarf::count];
};

// False: the programs are damaged, or of a kind that no compiler makes for this CPU.
bool find_row(memory* from, const function_entry& function, std::uintptr_t code, row* out);

// How far a function's frame reaches at most beneath the CFA.
struct extent {
  std::int64_t bytes = 0;
  bool is_whole = true;  // false: some rows do not count from the stack pointer, and the frame may be larger there
};

// Of any CPU's code: stack_pointer is that register's number in DWARF. False as find_row().
bool find_extent(memory* from, const function_entry& function, std::uint64_t stack_pointer, extent* out);

}  // namespace weft::unwind
