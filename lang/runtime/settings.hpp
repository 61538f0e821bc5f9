// The variables WEFT_TASCELL_* of the environment, read at the start of each run.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::tascell_runtime {

// When a node kills itself, for tests: the n-th time that it is in a state.
struct death {
  std::uint32_t state = 0;
  std::uint64_t n = 0;  // 0: never
};

struct settings {
  std::uint64_t storm = 0;  // n: a worker asks itself at one in n polls; 0: never
  std::uint64_t seed = 1;   // of random choices
  std::uint64_t stack_bytes = std::uint64_t{8} << 20;
  std::uint64_t watchdog_ns = 0;  // 0: off
  bool ships = false;             // every task is packed and unpacked
  bool checks = false;            // the workspace is compared around undo and redo
  bool checks_puts = false;       // and before each division
  bool refuses = false;           // guards: the victim refuses; else victims are drawn in proportion
  bool yields = false;            // at every poll: for schedules from a seed, whose workers share a CPU
  bool tells_counts = false;      // at the end of a run
  death dies;
};

// A variable, for people.
struct description {
  const char* name;
  const char* accepted;
  const char* usual;  // the default
  const char* text;
};

// Calls each with every variable and its value in the environment, or its default.
void walk_settings(void (*each)(const description& of, const char* value, void* state), void* state);

// False: a value cannot be used, which a line on stderr names.
bool read_settings(settings* out);

}  // namespace weft::tascell_runtime
