// The state of a trace: the runtime's, and each unit's. For tracing.cpp, which records, and
// trace_end.cpp, which writes what is left.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/align.hpp"
#include "queue/spinlock.hpp"
#include "run/end.hpp"
#include "run/fork.hpp"
#include "trace/recorder.hpp"
#include "unit/unit.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"
#include "worker/seam.hpp"

namespace weft::sched {

// Beside a unit; the owner of the unit has this. Zero at first.
struct traced {
  std::uint64_t since;  // it became ready; 0: unknown
  std::uint64_t by;     // the id of the thread that made it ready; 0: none
  std::uint64_t left;   // the end of its last turn; 0: it had none
  std::uint64_t begin;  // of the open turn
  const char* what;     // it waits for, or did before this turn
  std::uint16_t on;     // the worker on which `by` was
  trace::reason why;
  bool is_new;  // created, not yet ready
  bool is_ready;
  bool is_stolen;
  bool is_open;  // it runs
};

struct tracing {
  runtime* rt;
  trace::recorder* recorded;
  queue::spinlock outside_lock;
  unit* running[most_workers];  // whose turn is open; its worker's own
};

inline traced* traced_of(const runtime*, unit* one) {
  return reinterpret_cast<traced*>(reinterpret_cast<char*>(one) + sizeof(unit) + base::round_up(seam::reserved_bytes(), 16));
}

inline trace::record turn_record(std::uint64_t id, const traced& mark, std::uint64_t end, trace::leave how) {
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
