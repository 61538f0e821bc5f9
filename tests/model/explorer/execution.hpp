// One execution of a model under the explorer: what the shadow headers (include/) call for every
// atomic operation, fence, pause and futex call, and what the runner uses to start it. There is one
// execution at a time, on one OS thread.
#pragma once

#include <source_location>
#include <string>
#include <vector>

#include "explorer/memory.hpp"

namespace explorer {

using site = std::source_location;

// ---- bounds and results -------------------------------------------------------------------------

inline constexpr int unlimited = -1;

struct bounds {
  int preemptions = unlimited;  // switches away from a thread that could go on
  int weak = unlimited;         // stale reads, and stores put before others in modification order
  int promises = 0;             // reads of stores that have yet to be made
  int impatience = 0;           // times that a thread which pauses goes on without news: 1 or more for loops with a patience
  int timeouts = 0;             // timed waits that end although others could run
  int spurious = 0;             // weak compare-exchanges and waits that fail for no reason
  int steps = 5000;             // operations before an execution counts as a livelock
  long executions = 3'000'000;  // then the exploration is cut, and says so
};

enum class ending { finished, failed, pruned };

struct step {
  int thread;
  std::string text;
  site where;
};

struct report {
  ending end;
  std::string kind;  // of a failure: "assertion", "data race", "deadlock"...
  std::string detail;
  std::string outcome;
  std::vector<step> steps;  // only of a traced execution
  std::vector<std::string> names;
};

// Runs body once along path.
report run(void (*body)(), choices& path, const bounds& limits, bool traced);

// ---- called by models ---------------------------------------------------------------------------

struct start {
  const char* name;
  void (*call)(void*);
  void* object;
};
void run_threads(const start* first, int count);
void record_outcome(const std::string& text);
void name_address(const void* address, const char* name);
void note(const std::string& text);  // a line in the schedule
[[noreturn]] void fail(const char* kind, const std::string& detail);
int any_of(int options);  // a choice of the model's own
void be_alone();          // the body is a process with one OS thread, until it runs threads

// ---- called by the shadow headers ---------------------------------------------------------------

// An atomic is known by its address; what memory holds there counts only if it was never
// constructed.
struct cell {
  const void* address;
  std::size_t size;
};
void construct_atomic(const void* address);
void destroy_atomic(const void* address);
word atomic_load(cell at, order o, site where);
void atomic_store(cell at, word value, order o, site where);
word atomic_exchange(cell at, rmw_kind kind, word operand, word mask, order o, site where);
bool atomic_compare_exchange(cell at, word& expected, word desired, order success, order failure, bool weak, site where);
// A load, and a store that other threads may come before; false, too, when it was left between the
// two: see replace_restartably in src/arch/restart.hpp.
bool replace_restartably(cell at, word expected, word wanted, site where);
void restart_fence(site where);  // and every thread leaves the sequence that it is in
bool is_alone();
void atomic_fence(order o, site where);
void light_fence(site where);
void heavy_fence(site where);
void pause(site where);
inline constexpr std::uint64_t no_deadline = UINT64_MAX;
inline constexpr std::uint64_t never_ns = std::uint64_t{1} << 62;                // deadlines from here on do not come
bool futex_wait(cell at, word expected, std::uint64_t deadline_ns, site where);  // false: timed out
bool has_timed_out();  // whether a wait of the calling thread has ended so
void futex_wake(cell at, int count, site where);
std::uint64_t now_ns();
void peek(void* to, const void* from, std::size_t bytes);  // copies without looking for races
void* local_word();                                        // what a thread-local is to a logical thread; null at first
void set_local_word(void* to);

// ---- called by the parts of the explorer --------------------------------------------------------

[[noreturn]] void prune();  // this execution does not count
void prune_if_owing();  // before a failure is told: what fails while promises are open fails afterwards, too, if they can be kept
inline int running_thread = -1;  // 0: the body; -1: no execution. The scheduler alone sets it
inline int current_thread() { return running_thread; }
std::string thread_name(int thread);
std::uint32_t thread_time(int thread);
bool thread_covers(int thread, int other, std::uint32_t time);

}  // namespace explorer
