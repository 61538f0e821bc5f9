// A trace that WEFT_TRACE has written (docs/guide/tracing.md): what weft profile needs of it. Times
// are ns since the trace's begin.
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace cli {

// From a thread's start or return to a worker until it leaves it.
struct traced_turn {
  std::uint64_t thread = 0;
  unsigned worker = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::string why;          // "create", "fork", "wake", "yield", "migrate", "start"
  std::uint64_t by = 0;     // the thread that made it ready; 0: none
  std::int64_t since = -1;  // when; -1: unknown
  bool ends = false;        // the thread ended with it
  bool is_stolen = false;
};

// A fork that its forker ran itself, in its join.
struct traced_fork {
  std::uint64_t thread = 0;
  std::string name;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t since = 0;  // when it was forked
};

struct traced_join {
  std::int64_t at = 0;
  std::uint64_t thread = 0;
  std::uint64_t by = 0;  // 0: an OS thread outside
};

// A phase of a rank's steal: it claims, copies, and takes up a continuation of another.
enum class steal_phase : std::uint8_t { claim, copy, take_up };
inline constexpr std::size_t steal_phases = 3;
inline constexpr const char* names_of_phases[steal_phases] = {"claim", "copy", "take up"};  // in the file, too

struct traced_steal {
  steal_phase phase = steal_phase::claim;
  unsigned worker = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// Of ranks on several machines: how far the times of a worker may be off.
struct traced_clock {
  std::string node;
  std::int64_t error = 0;  // ns
};

// What a builder has told: weft_ext_trace_note.
struct traced_note {
  std::string name;
  std::uint64_t value = 0;
};

struct trace {
  std::vector<traced_turn> turns;
  std::vector<traced_fork> forks;
  std::vector<traced_join> joins;
  std::vector<traced_note> notes;
  std::vector<traced_steal> steals;
  std::vector<traced_clock> clocks;            // of each worker; none: all have one clock
  unsigned workers = 0;                        // that there were; 0: unknown
  std::map<std::uint64_t, std::string> names;  // of threads: as the program names them, or their functions
  std::string ended;
  std::uint64_t lost = 0;
  std::uint64_t lost_without_memory = 0;  // of these

  [[nodiscard]] std::string name_of(std::uint64_t thread) const;
};

struct trace_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws trace_error: what is wrong with it.
trace read_trace(std::istream& from);

}  // namespace cli
