// Every WEFT_* variable in one table, and the one place that reads them. `weft info`, the guide's
// page and the messages below are made from the table, so none of them can be wrong about it.
//
// Called once by the runtime's start, on the OS thread that starts it. Promises: a value that
// cannot be used gives one line on stderr naming variable, value and what is accepted; a WEFT_*
// name that is not in the table gives one line with the nearest name that is, and is otherwise
// ignored. In a program with raised privileges, variables that name files or a signal are not even
// read: the user that starts such a program has fewer rights than it has. Names that start with
// WEFT_TEST_ belong to test programs, those with WEFT_THREADS to the threads interface, those with
// WEFT_LAUNCH_ and WEFT_DIST_ to programs that run on several ranks, those with WEFT_MPI_ to the
// library between programs and their message library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "os/process.hpp"

namespace weft::os {

enum class variable : std::uint8_t {
  workers,
  stack_size,
  fork_stack_size,
  wait_policy,
  spin,
  locality,
  bind,
  topology,
  guard,
  guard_size,
  stack_cache,
  deadlock,
  watchdog,
  dump_signal,
  dump_on,
  stack_report,
  migrate,
  held_locks,
  blocking,
  blocking_threads,
  schedule,
  stats,
  trace,
  trace_size,
};
inline constexpr unsigned variable_count = 24;

enum class value_type : std::uint8_t {
  count,     // a whole number
  bytes,     // a whole number, with K, M or G for powers of 1024
  duration,  // a whole number of nanoseconds, or with us, ms or s; 0 and "off" are the same, whatever the least
  choice,    // one of the words in range
  text,      // anything
  flag,      // 1 on yes true, or 0 off no false
};

struct variable_info {
  variable id;
  const char* name;
  value_type type;
  std::uint64_t least, most;  // of a number
  const char* range;          // for people; of a choice its words, separated by '|', in the order of the enumeration
  const char* default_text;   // a value as a user would write it; null: none
  const char* description;
  bool is_for_ordinary = false;  // ignored in a program with raised privileges: it names files or a signal
};

inline constexpr unsigned most_workers = 1024;  // of one runtime

enum class deadlock_action : std::uint8_t { report, abort, off };
// automatic: SIGQUIT, which then ends the program
enum class dump_signal : std::uint8_t { automatic, off, usr1, usr2, quit };
enum dump_occasion : std::uint8_t { at_deadlock = 1, at_stall = 2 };
enum class guard_choice : std::uint8_t { automatic, marker, mprotect, canary, none };

// What the environment says, with defaults where it says nothing.
struct settings {
  unsigned workers = 0;  // 0: as many as default_worker_count()
  std::size_t stack_bytes = 0;
  std::size_t fork_stack_bytes = 0;  // 0: the soft limit of RLIMIT_STACK
  weft_wait_policy wait_policy = WEFT_WAIT_HYBRID;
  std::uint64_t spin_ns = 0;
  weft_locality locality = WEFT_LOCALITY_STEAL;
  bool bind = false;
  const char* topology = nullptr;  // points into the environment; null: the machine's
  guard_choice guard = guard_choice::automatic;
  std::size_t guard_bytes = 0;  // 0: mem::guard_bytes chooses
  std::size_t stack_cache_bytes = 0;
  deadlock_action deadlock = deadlock_action::report;
  std::uint64_t watchdog_ns = 0;  // 0: off
  dump_signal dump_on_signal = dump_signal::automatic;
  std::uint8_t dump_on = 0;  // dump_occasion
  bool stack_report = false;
  bool migrate = false;
  bool held_locks = true;         // checked builds: warn of them
  std::uint64_t blocking_ns = 0;  // 0: at once
  std::uint64_t blocking_threads = 0;
  const char* schedule = nullptr;  // points into the environment; null: not asked for. seeded/schedule_text.hpp reads it
  bool stats = false;
  const char* trace = nullptr;  // points into the environment; null: no trace
  // What that says: the file (null: none, the trace is only kept), and whether the file is written
  // on demand instead of at the end.
  const char* trace_file = nullptr;
  bool keeps_trace = false;
  std::size_t trace_bytes = 0;  // for each worker
  std::uint32_t given = 0;      // which variables the user set: one bit each
  std::uint32_t ignored = 0;    // which were set and ignored, because the program has raised privileges; likewise

  bool is_given(variable which) const { return ((given >> static_cast<unsigned>(which)) & 1u) != 0; }
};

// The whole environment is read even after a bad value, so that one run shows all mistakes. An
// empty value counts as unset. Errors: invalid; *out is then untouched.
status read_settings(settings* out);
status read_settings(settings* out, const char* const* environment,  // "NAME=value" strings, then null
                     privileges of_program = privileges::ordinary);

// One line about what a program with raised privileges ignored; none if that is nothing.
void report_ignored(const settings& read);

const variable_info& info(variable which);

// What the environment has for this name now; null: nothing, or nothing but an empty value.
const char* value_in_environment(const char* name);
void walk_variables(void (*visit)(const variable_info& variable, void* context), void* context);

// The value in force, as a user would write it: "64K", "20us", "hybrid". At most capacity - 1
// bytes.
void format_setting(const settings& from, variable which, char* out, std::size_t capacity);

}  // namespace weft::os
