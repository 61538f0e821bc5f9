// What runs a kernel's threads or tasks, and which kernels it runs. A runtime is started before a
// body is called and stopped after it, outside the measured time; the body is called by the
// first caller that the runtime wants (Weft's adopted main thread).
//
// Each program has its own table of runtimes: bench/runtimes/weft.cpp is the weft command's; every
// rival is a program of its own.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/kernel.hpp"

namespace bench {

inline constexpr std::string_view not_written_yet = "not written for this runtime";

// A kernel on a runtime. Where a body is missing, a reason is there: the runtime's model cannot
// express the kernel, or its text was not written.
struct cell {
  const kernel* of;
  kernel_body body = nullptr;
  std::string_view why_not = {};
};

// What a child of the measured programs is: a plain call; a thread, which may block and be switched
// away; a tasklet where it is known to be a leaf, and a thread elsewhere; a task, which runs to its
// end.
enum class child_kind { call, thread, tasklet, task };
std::string_view name_of(child_kind kind);

struct runtime {
  std::string_view name;
  std::string_view title;
  child_kind children;
  unsigned (*start)(unsigned workers);  // 0: as many as the machine offers; returns how many there are. Throws std::runtime_error
  void (*stop)();
  std::span<const cell> cells;
  std::string (*version)();                   // of what is measured, as it names itself
  std::string (*settings)(unsigned workers);  // those that make a difference; empty: as it comes
  // Calls function(argument) as the runtime's first caller; null: the caller of start is it.
  void (*enter)(void (*function)(void*), void* argument) = nullptr;

  [[nodiscard]] bool is_parallel() const { return children != child_kind::call; }
};

std::span<const runtime> all_runtimes();                       // the program's own
const runtime* find_runtime(std::string_view name);            // null: no such runtime
const cell* find_cell(const runtime& of, const kernel& what);  // null: not in the runtime's list
const cell* find_cell(std::string_view runtime, const kernel& what);

}  // namespace bench
