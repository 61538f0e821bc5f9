// The environment variables of Argobots, ABT_NAME or ABT_ENV_NAME (the first wins). A value that
// cannot be used is answered by one line on stderr, and so are variables that mean nothing here,
// all in one line; each once a process.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::abt {

struct settings {
  unsigned most_streams;              // MAX_NUM_XSTREAMS: what is answered when a program asks; not a limit
  unsigned key_table_size;            // KEY_TABLE_SIZE: a power of two
  std::size_t thread_stack_bytes;     // THREAD_STACKSIZE, else WEFT_STACK_SIZE
  std::size_t scheduler_stack_bytes;  // SCHED_STACKSIZE
  unsigned event_frequency;           // SCHED_EVENT_FREQ: units between two looks at events
  std::uint64_t sleep_ns;             // SCHED_SLEEP_NSEC: what is answered; idle streams sleep until there is work
  bool has_affinity;                  // SET_AFFINITY is there and is not "no"
  const char* affinity;               // its list of CPUs; null: one for each stream; points into the environment
  bool is_strict_about_stacks;        // STACK_OVERFLOW_CHECK=mprotect_strict: guards in stacks of the program's own too
  bool has_affinity_calls;            // SET_AFFINITY, or ENABLE_AFFINITY: ABT_xstream_set_affinity and the like work
  bool answers_tool;                  // ENABLE_TOOL, ENABLE_LAZY_STACK_ALLOC: what is answered; both are there always
  bool answers_lazy_stacks;
  bool prints_config;     // PRINT_CONFIG: at ABT_init
  bool prints_raw_stack;  // PRINT_RAW_STACK: dumps of stacks show their memory
  bool uses_log;          // USE_LOG, USE_DEBUG: what is answered
  bool uses_debug;
};

// Reads them; called by the first ABT_init, before anything else.
const settings& read_settings();
// The stacks of ULTs that ask for no size have so many bytes, although the program may want others:
// it has started Weft itself.
void take_default_stacks(std::size_t bytes);
// As read last.
[[gnu::visibility("hidden")]] extern settings settings_in_force;
inline const settings& current_settings() { return settings_in_force; }

// "weft-abt: " and a line on stderr.
[[gnu::format(printf, 1, 2)]] void report(const char* format, ...);

}  // namespace weft::abt
