// Where units stand: the backtraces in reports, and those of suspended ones that a builder asks
// for.
//
// Read on an OS thread of its own, that of the report, which has a stack for it. A unit may go on
// while its own is read: then that is said instead. Those that run: running_frames.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "see/report.hpp"
#include "unwind/walk.hpp"
#include "worker/hooks.hpp"

namespace weft::sched {

struct runtime;

inline constexpr std::size_t frame_name_bytes = 352;

// What was found out about frames, kept because many units wait in the same places and names are
// looked for in files. Large.
class known_frames {
 public:
  const char* name_of(std::uintptr_t code, bool is_exact);
  unwind::known_rows* rows() { return &rows_; }

 private:
  static constexpr unsigned capacity = 128;
  struct entry {
    std::uintptr_t code = 0;
    bool is_exact = false;
    char name[frame_name_bytes] = "";
  };
  entry entries_[capacity];
  unwind::known_rows rows_;
};

class backtraces {
 public:
  backtraces(runtime* rt, text* out, known_frames* known) : rt_(rt), out_(out), known_(known) {}

  // False: the system has no way to read memory that may be gone. What stands in its way is written
  // then, in one line.
  bool begin(const char* margin) const;

  // A line a frame, or why there are none; one line for all in a row that are Weft's own. No
  // other lock is held.
  void write(const unit_view& one, const char* margin) const;

 private:
  void write_suspended(const unit_view& one, const char* margin) const;
  void write_running(const unit_view& one, const char* margin) const;
  void write_frames(const unwind::backtrace& found, const char* margin) const;
  unsigned end_of_own(const unwind::backtrace& found, unsigned first) const;

  runtime* rt_;
  text* out_;
  known_frames* known_;
};

using frame_visitor = void (*)(void* state, const void* code, const char* name);

// Calls visit for every frame of a suspended unit, innermost first; code null: why there are no
// more. Errors: busy (it runs, or goes on meanwhile), unsupported (no way to read memory that may
// be gone, or no OS thread), nomem.
status visit_frames(runtime* rt, const unit* one, frame_visitor visit, void* state);

}  // namespace weft::sched
