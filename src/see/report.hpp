// What reports say of a unit, and how they write it. Used by the overflow message (in a signal
// handler), the deadlock report and dumps.
//
// A unit may be looked at while it runs, waits, or ends: then its descriptor, its record of waiting
// and its name are copied through the kernel, so that what has just vanished reads as unknown and
// is no fault.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mem/stack.hpp"
#include "unit/details.hpp"
#include "unit/unit.hpp"

namespace weft::sched {

struct runtime;
struct worker;

// Text for a file descriptor, or for a function that takes it in pieces, in a buffer of its own:
// whole lines go out in one write(2) as long as they fit. Allocates nothing.
class text {
 public:
  explicit text(int fd) : fd_(fd) {}
  explicit text(void (*take)(const char* words)) : take_(take) {}
  ~text() { flush(); }
  text(const text&) = delete;
  text& operator=(const text&) = delete;

  text& operator<<(const char* words);
  text& operator<<(std::uint64_t number);
  text& address(const void* value);
  text& bytes(std::uint64_t value);                                      // "64 KiB"
  text& interval(std::uint64_t ns);                                      // "1.2 s", "3 ms"
  text& count(std::uint64_t number, const char* one, const char* many);  // "3 threads"
  void flush();

  bool has_failed() const { return has_failed_; }

 private:
  void put(char one);

  static constexpr std::size_t room = 1024;

  int fd_ = -1;
  void (*take_)(const char* words) = nullptr;
  bool has_failed_ = false;
  std::size_t used_ = 0;
  char buffer_[room + 1];
};

// How code is named in a report: in a signal handler and on a small stack, names that need the C++
// library stay as the linker knows them.
enum class names { raw, readable };

// A copy of what reports want to know.
struct unit_view {
  const unit* where = nullptr;
  unit::function_type function = nullptr;
  const void* argument = nullptr;
  unit_state state = unit_state::free;
  bool has_ended = false;
  bool has_started = false;  // if it is ready
  unsigned flags = 0;
  bool is_borrowing = false;
  std::uint64_t id = 0;
  const void* made_at = nullptr;  // see os/place.hpp
  const unit* owner = nullptr;    // parent, when dispatched
  char name[name_bytes] = "";
  const void* saved = nullptr;    // its context, when it is suspended
  bool is_in_call = false;        // in a blocking region, whose worker another OS thread runs
  bool runs_another = false;      // it is away for a unit that it joins or dispatched
  std::uint16_t home_worker = 0;  // where it is pinned, if it stays put
  int worker = -1;                // on which it runs; look_at_runner knows
  bool lends_worker = false;      // in a blocking region, and no other OS thread runs the worker
  unsigned lack_place = 0;        // among those for which no OS thread is left; 0: none
  bool awaits_turn = false;       // of its worker, which is a virtual one
  bool waits = false;
  char what[128] = "";  // what it waits for, which a builder may say at length
  const void* object = nullptr;
  std::uint64_t since_ns = 0;
  const void* record = nullptr;  // of the wait
  bool is_endless = false;       // it has no deadline
  std::uintptr_t holder = 0;     // its holder, see holders.hpp; 0: unknown
  bool is_holder_address = false;
  const unit* held_by = nullptr;      // that of the word above; holder_of knows
  const mem::stack* stack = nullptr;  // while it is parked; null: the adopted caller's
};

// The function that reports name for a unit that begins with function(argument): a builder's units
// may all begin with one of the builder's (ext.h: weft_ext_show_function), and one with copied
// bytes begins with one of copied.hpp.
unit::function_type shown_function(const unit* one, unit::function_type function, void* argument);
inline unit::function_type shown_function(const unit* one) { return shown_function(one, function_of(one), one->argument); }
// Whether units begin so that a builder made in its own name.
bool is_builders_start(unit::function_type function);

// False: it is no unit, or cannot be read.
bool look_at(const unit* one, unit_view* out);

// Adds on which worker a running unit is, and its context where that is a virtual worker waiting
// for its turn.
void look_at_runner(runtime* rt, unit_view* one);

// The running unit, by its worker; gives it an id.
bool look_at_own(unit* one, unit_view* out);

// `main`, or `thread 7 "name" (entry)`; forks and tasklets say so.
text& identity(text& out, const unit_view& one, names how);

// One line with everything. `now_ns` as of os::coarse_ns().
void describe(text& out, const unit_view& one, std::uint64_t now_ns, names how);

// Ends the program: `weft: fatal: thread 7 "name" (entry) `, what it did, and how many of what.
// By the worker that runs the unit.
[[noreturn]] void panic_about(unit* one, const char* did, std::uint64_t number, const char* thing, const char* things);

// The worker whose OS thread has that number of the kernel's; null: none has.
const worker* worker_with(const runtime* rt, int os_thread_id);

// Calls each(state, unit) for every unit that lives, the adopted caller first. No lock is held
// meanwhile.
void walk_units(runtime* rt, void (*each)(void* state, unit* one), void* state);

// Runs body(argument) on an OS thread of its own, with a stack on which names can be made readable,
// or right here if there is none.
void run_beside(void (*body)(void* argument, names how), void* argument);

}  // namespace weft::sched
