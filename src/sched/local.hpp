// The calling OS thread's place in the runtime: the only thread-locals of the core, and the one runtime pointer.
//
// A ULT may continue on another OS thread after any switch, and gcc keeps the address of a thread-local in a register across it: so
// current_worker() is read afresh each time (arch/local_word.hpp), and asked again after every possible switch.
#pragma once

#include <cstdint>

#include "arch/local_word.hpp"
#include "base/atomic.hpp"
#include "base/list.hpp"
#include "sched/details.hpp"

namespace weft::sched {

struct worker;
struct unit;
struct runtime;

// An OS thread outside that has used Weft.
struct outside : base::list_link {
  base::atomic<std::uint32_t> is_blocked{0};  // in one of our waits
  base::atomic<const char*> waits_for{nullptr};
  int id = 0;
  key_value* keys = nullptr;
  std::uint32_t key_capacity = 0;
};

namespace local {

inline worker* current_worker() { return static_cast<worker*>(arch::local_word()); }  // null outside
inline void set_worker(worker* w) { arch::set_local_word(w); }

// null outside and while a worker chooses or runs a callback
unit* current_unit();

runtime* current_runtime();  // null before start
void set_runtime(runtime* rt);

// This OS thread's record; made at the first call, unmade when the OS thread ends. Null: no memory.
outside* this_outside();

// Calls each(state, record) for every OS thread that has a record, inside a lock.
void walk_outside(void (*each)(void* state, outside* one), void* state);

}  // namespace local
}  // namespace weft::sched
