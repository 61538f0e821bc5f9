// The state of a trace: the runtime's, and each unit's. For tracing.cpp, which records,
// trace_end.cpp, which writes what is left, and trace_dump.cpp, which writes what there is so far.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/align.hpp"
#include "base/atomic.hpp"
#include "queue/spinlock.hpp"
#include "run/end.hpp"
#include "run/fork.hpp"
#include "trace/recorder.hpp"
#include "unit/unit.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"
#include "worker/seam.hpp"

namespace weft::sched {

struct traced_state {
  std::uint64_t since;  // it became ready; 0: unknown
  std::uint64_t by;     // the id of the thread that made it ready; 0: none
  std::uint64_t left;   // the end of its last turn; 0: it had none
  std::uint64_t begin;  // of the open turn, or the last one
  const char* what;     // it waits for, or did before this turn
  std::uint16_t on;     // the worker on which `by` was
  std::uint16_t at;     // the worker of the open turn, or the last one
  trace::reason why;
  bool is_new;  // created, not yet ready
  bool is_ready;
  bool is_stolen;
  bool is_open;  // it runs
};

// Beside a unit; the owner of the unit has this. Zero at first. A dump reads it meanwhile.
struct traced : traced_state {
  base::atomic<std::uint32_t> changes;  // odd: the state changes right now, or the unit has ended
};

// A change of the state by its owner. Protocol H, docs/protocols/H.md.
class change_of {
 public:
  explicit change_of(traced* mark) : mark_(mark) {
    mark_->changes.store(mark_->changes.load(base::relaxed) | 1, base::relaxed);
    // [H10] light fence: the odd number is there before the state changes; pairs with [H13]
    base::light_fence();
  }
  ~change_of() {
    // [H11] release: publishes the state; pairs with [H12]
    mark_->changes.store(mark_->changes.load(base::relaxed) + 1, base::release);
  }
  change_of(const change_of&) = delete;
  change_of& operator=(const change_of&) = delete;

 private:
  traced* mark_;
};

// The unit has ended: its state is for no reader until it begins anew.
inline void leave_state(traced* mark) {
  mark->changes.store(mark->changes.load(base::relaxed) | 1, base::relaxed);
  // [H14] light fence: the odd number is there before the state is cleaned; pairs with [H13]
  base::light_fence();
}

struct tracing {
  runtime* rt;
  trace::recorder* recorded;
  queue::spinlock outside_lock;
  unit* running[most_workers];  // whose turn is open; its worker's own
};

inline traced* traced_of(const runtime*, unit* one) {
  return reinterpret_cast<traced*>(reinterpret_cast<char*>(one) + sizeof(unit) + base::round_up(seam::reserved_bytes(), 16));
}

inline trace::record turn_record(std::uint64_t id, const traced_state& mark, std::uint64_t end, trace::leave how) {
  trace::record made{};
  made.kind = trace::record_kind::turn;
  made.begin = mark.begin;
  made.end = end;
  made.thread = id;
  made.other = mark.by;
  made.since = mark.since;
  made.left = mark.left;
  made.about = mark.what;
  made.on = mark.on;
  made.why = mark.why;
  made.how = how;
  made.is_stolen = mark.is_stolen;
  return made;
}

// Around the writing of a dump, which gives up when what it is given becomes true: the program
// dies, and writes to the same file.
const base::atomic<bool>* begin_dump();
void end_dump();

// name: of name_bytes, or null.
// Of an adopted OS thread that was given none.
inline constexpr char adopted_name[name_bytes] = "adopted OS thread";

inline trace::record name_record(std::uint64_t id, unit::function_type function, const char* name, const void* made_at,
                                 bool of_main, std::uint64_t now) {
  static_assert(trace::name_bytes == name_bytes);
  trace::record made{};
  made.kind = trace::record_kind::name;
  made.begin = now;
  made.thread = id;
  made.end = reinterpret_cast<std::uintptr_t>(function);
  if (name != nullptr) std::memcpy(made.name, name, name_bytes);
  if (made.name[0] != '\0') return made;
  if (of_main) {
    std::strcpy(made.name, "main");
  } else {
    made.made_at = made_at;
  }
  return made;
}

}  // namespace weft::sched
