// Where suspended units stand: the backtraces in reports.
//
// Written by whoever writes the report, on an OS thread of its own or, where there is none, on the stack at hand. A unit may go on while
// its stack is read: then that is said instead. Units that run have their frames in registers, which nobody but a debugger may read.
#pragma once

#include <cstdint>

#include "sched/report.hpp"
#include "unwind/walk.hpp"

namespace weft::sched {

struct runtime;

// What was found out about frames, kept because many units wait in the same places and names are looked for in files. Large.
class known_frames {
 public:
  const char* name_of(std::uintptr_t code, names how);
  unwind::known_rows* rows() { return &rows_; }

 private:
  static constexpr unsigned capacity = 128;
  struct entry {
    std::uintptr_t code = 0;
    char name[352] = "";
  };
  entry entries_[capacity];
  unwind::known_rows rows_;
};

class backtraces {
 public:
  // known: null where there is no room for it.
  backtraces(runtime* rt, text* out, names how, known_frames* known) : rt_(rt), out_(out), how_(how), known_(known) {}

  // False: the system has no way to read memory that may be gone. What stands in its way is written then, in one line.
  bool begin(const char* margin) const;

  // Of a unit that is suspended, a line a frame; of another one, why there are none.
  void write(const unit_view& one, const char* margin) const;

 private:
  void write_frame(std::uint64_t number, std::uintptr_t code, const char* margin) const;

  runtime* rt_;
  text* out_;
  names how_;
  known_frames* known_;
};

}  // namespace weft::sched
