// The environment variables of Qthreads 1.23, QT_NAME or QTHREAD_NAME (the first wins). A value
// that cannot be used is answered by one line on stderr, and so are variables that mean nothing
// here, all in one line; each once a process.
#pragma once

#include <cstddef>

namespace weft::qthreads {

enum class scheduler_kind { weft, nemesis, sherwood, distrib };

struct settings {
  unsigned shepherds;           // NUM_SHEPHERDS, else by HWPAR, the CPUs or the layout
  unsigned workers_each;        // NUM_WORKERS_PER_SHEPHERD, else by HWPAR or the layout
  std::size_t stack_bytes;      // STACK_SIZE; 0: Weft's
  std::size_t tasklocal_bytes;  // TASKLOCAL_SIZE
  scheduler_kind scheduler;     // SCHEDULER
  bool steals;                  // it is one that steals, and STEAL_RATIO of distrib is not 0
  std::size_t steal_chunk;      // STEAL_CHUNK: most tasks that a theft of sherwood takes; 0: half
  bool binds;                   // AFFINITY; without it, whether the layout names CPUs
  unsigned info;                // INFO: 1: the start tells what it made
};

class layout;
settings read_settings(const layout& where);

struct variable {
  char name[64];     // with its prefix
  const char* text;  // null: not set
};
variable look_up(const char* suffix);

// Once a process for each name.
bool is_first_report_of(const char* name);

// "weft-qthread: " and a line on stderr.
[[gnu::format(printf, 1, 2)]] void report(const char* format, ...);

}  // namespace weft::qthreads
