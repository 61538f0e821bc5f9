// The command line of a runtime's program on the machine of many CPUs, and how its kernels are
// measured: `many-RUNTIME fib 27 [repeats]`, `many-RUNTIME loop STEPS NANOSECONDS [repeats]`.
#pragma once

#include <cstdint>
#include <span>

#include "harness/kernel.hpp"

namespace many_program {

struct program {
  const char* name;
  const bench::kernel* of;  // knows the right answer
  bench::kernel_body body;
  std::uint64_t size;  // if the command line names none
  // A sequential count would take long: the size from which on the answer is only compared between
  // repeats.
  std::uint64_t most_checked;
};

struct runtime {
  const char* name;
  std::span<const program> programs;
  void (*loop)(std::uint64_t steps);  // runs step() so many times, in parallel, one step at a time
  void (*tell)();                     // numbers of its own for the report; null: none
  void (*forget)();                   // those numbers begin here; null: none
};

// Called from where the runtime wants its first caller. What main() returns.
int drive(const runtime& by, int argument_count, char** arguments);

// A step of a loop: computes as long as the command line says.
void step();

}  // namespace many_program
