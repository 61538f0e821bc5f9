// The calling OS thread's place in the runtime: the thread-locals of the core, but that of
// blocking_call.hpp, and the one runtime pointer.
//
// A ULT may continue on another OS thread after any switch, and gcc keeps the address of a
// thread-local in a register across it: so current_worker() is read afresh each time
// (arch/local_word.hpp), and asked again after every possible switch.
#pragma once

#include <cstdint>

#include <weft/hot.h>

#include "arch/local_word.hpp"
#include "base/atomic.hpp"
#include "base/list.hpp"
#include "fiber/sanitizer.hpp"
#include "unit/details.hpp"

namespace weft::sched {

struct delivery;
struct worker;
struct unit;
struct runtime;

// spare: it waits for a worker to run (life/hosts.hpp), which no report counts as a wait.
enum class wait_kind : std::uint8_t { none, endless, with_deadline, spare };

// An OS thread outside that has used Weft.
struct outside : base::list_link {
  // the OS thread itself writes, reports read
  base::atomic<wait_kind> is_blocked{wait_kind::none};  // in one of our waits
  base::atomic<const char*> waits_for{nullptr};
  base::atomic<std::uint64_t> since_ns{0};
  base::atomic<std::uint64_t> waits{0};  // begun so far
  // When the last attempt began that failed; 0: the wait is none by attempts (run/try_until.hpp).
  base::atomic<std::uint64_t> tried_ns{0};

  int id = 0;
  std::uint64_t number = 0;  // ascending in the list
  key_value* keys = nullptr;
  std::uint32_t key_capacity = 0;
  void (*end_keys)(key_value** values, std::uint32_t* capacity) = nullptr;  // set with the first of them
  failure* failed = nullptr;                                                // worker/failure.hpp
  mem::stack* standing = nullptr;     // of a context that has outlived its runtime; null: its own
  fiber::sanitizer::side own_side{};  // while it stands on another stack
};

// What reports say of one, copied.
struct outside_copy {
  std::uint64_t number;
  int id;
  wait_kind is_blocked;
  const char* waits_for;
  std::uint64_t since_ns;
};

namespace local {

// For debuggers, by capi/debug.cpp: the addresses of the word that holds the runtime's address, and
// of the list of records of OS threads outside, which is all zero before the first one.
extern const void* const debug_roots[2];

inline worker* current_worker() { return static_cast<worker*>(arch::local_word()); }  // null outside
inline void set_worker(worker* w) { arch::set_local_word(w); }

void set_hot(worker* w);  // what hot.h finds; null outside

// null outside and while a worker chooses or runs a callback
unit* current_unit();

runtime* current_runtime();     // null before start
void set_runtime(runtime* rt);  // null: waits for the OS threads that hold it

// In a child of fork(2): the OS threads that the parent had besides the caller are not here, and
// hold no lock.
void forget_others();
// As set_runtime(nullptr), without a wait; the caller is no worker any more.
void forget_runtime();

// Which runtime of this process a starting one is, among those that run under a schedule: from 1.
unsigned count_run();
// The number of a runtime that starts, from 1.
std::uint32_t count_start();

// Holds the runtime, or the absence of one, against its end, for OS threads outside that look into
// it. One holder at a time; try_hold is false while there is another; hold sleeps. For reports, and
// what is seldom done outside: a slow report keeps the next holder waiting.
void hold(runtime** rt);
bool try_hold(runtime** rt);
// By the holder: whether another one waits for it.
bool is_hold_wanted();
void let_go();
// The runtime, or the absence of one, which stays as long as this lives: OS threads outside hold
// it, and it does not end before its units. For the step after which the runtime waits for the
// caller (begin_call). The holder must not switch.
class steady_runtime {
 public:
  steady_runtime();
  ~steady_runtime();
  steady_runtime(const steady_runtime&) = delete;
  steady_runtime& operator=(const steady_runtime&) = delete;

  runtime* get() const { return rt_; }

 private:
  runtime* rt_ = nullptr;
  bool is_held_;
};

// Whether the calling OS thread holds the runtime, or was interrupted as it was about to: hold
// would wait for ever in its signal handlers.
bool is_holder_or_about_to_be();

// Where this OS thread calls the ready of awaiters as long as it is no worker.
delivery* delivery_outside();

// This OS thread's record; made at the first call, unmade when the OS thread ends. Null: no memory.
outside* this_outside();
outside* outside_if_any();  // does not make it

// Calls each(state, record) for every OS thread that has a record, inside a lock: each must be
// short.
void walk_outside(void (*each)(void* state, outside* one), void* state);

// The next ones after the one with that number (0: from the first); how many there were.
unsigned copy_outside(std::uint64_t after, outside_copy* out, unsigned capacity);

}  // namespace local
}  // namespace weft::sched
