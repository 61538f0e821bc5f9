// How reports, traces and race reports name what a unit runs, and where it was made.
//
// What a unit runs is named by its function. All units that the C++ headers start begin with a
// function of those headers; there it is, in this order: the place in the source where the unit was
// made ("main.cpp:31"), if its maker told it; the callable's type ("main::{lambda#2}"), or its name
// if it is a function; the code that made the unit.
#pragma once

#include <cstdint>

#include "os/symbol.hpp"
#include "see/report.hpp"
#include "worker/hooks.hpp"

namespace weft::sched {

text& code_name(text& out, const void* code, bool is_entry, names how);

// "ask+0x2d (main.c:12)". is_exact: the instruction there, else the call before it.
text& code_with_line(text& out, std::uintptr_t code, bool is_exact, names how);

// By the function alone.
text& start_name(text& out, unit::function_type function, names how);

// Of one: function, argument, made_at. Cut to capacity - 1 characters.
void write_what_runs(const unit_view& one, names how, char* out, std::size_t capacity);

// `before` and then the user's function from which the unit was made, if that is known: "main
// (main.cpp:31)", "main+0x152", "main+0x152 (main.c:31)". Where a container of the C++ library
// makes it, as by vector::emplace_back, that is the function in which the lambda that it runs is
// written.
text& name_maker(text& out, const char* before, const unit_view& one, names how);

}  // namespace weft::sched
