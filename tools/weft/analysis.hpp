// Work, span and what else follows from a trace.
//
// Work is the time that threads spent on workers. Span is the longest chain of pieces of it of
// which each had to wait for the one before: a thread's turns follow each other; a thread or fork
// begins after the moment at which it was made; a joiner goes on after the end of what it joined; a
// thread that was woken goes on after the moment at which its waker woke it. Work / span is the
// parallelism: with any number of workers the program cannot become faster than by that factor.
// (Cilkview: He, Leiserson, Leiserson, SPAA 2010, doi:10.1145/1810479.1810509. There the terms are
// instructions; here time, with what the runtime and the trace took in it.)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace_file.hpp"

namespace cli {

struct worker_use {
  unsigned worker;
  std::int64_t busy;  // ns
  std::uint64_t turns;
  std::uint64_t stolen;            // turns of what it took from others
  std::vector<double> busy_parts;  // how busy in each of equal parts of the whole time, from 0 to 1
  // Of a rank, what its steals took, by phase.
  std::int64_t stealing[steal_phases] = {};
  std::vector<double> stealing_parts[steal_phases] = {};
  std::string node = {};  // the machine; "": there is one

  [[nodiscard]] std::int64_t stolen_for() const { return stealing[0] + stealing[1] + stealing[2]; }
};

// Threads and forks of one name.
struct name_cost {
  std::string name;
  std::uint64_t count = 0;
  std::int64_t own = 0;      // ns on workers, without forks that they made and ran in their joins
  std::int64_t longest = 0;  // of one, with these
};

// Of all ranks' steals.
struct phase_cost {
  std::uint64_t count = 0;
  std::int64_t sum = 0;   // ns
  std::int64_t most = 0;  // of one
};

// Notes of one name.
struct note_sum {
  std::string name;
  std::uint64_t count = 0;
  double sum = 0;
  std::uint64_t most = 0;
};

struct analysis {
  std::int64_t wall = 0;  // ns, from the first turn's begin to the last one's end
  std::int64_t work = 0;
  std::int64_t span = 0;
  std::uint64_t threads = 0;
  std::uint64_t forks = 0;        // all that were made
  std::uint64_t forks_taken = 0;  // that became threads of their own
  std::uint64_t thefts = 0;       // turns that began by one
  std::vector<worker_use> workers;
  std::vector<name_cost> names;  // the costliest first
  std::vector<note_sum> notes;   // by name
  phase_cost steals[steal_phases] = {};
  std::size_t nodes = 1;
  std::int64_t clock_error = 0;  // ns: how far times of two machines may be off, each

  [[nodiscard]] bool has_steals() const { return steals[0].count != 0; }

  [[nodiscard]] double parallelism() const { return span > 0 ? static_cast<double>(work) / static_cast<double>(span) : 1; }
};

analysis analyse(const trace& of);

}  // namespace cli
