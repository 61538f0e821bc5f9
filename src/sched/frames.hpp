// Where suspended units stand: the backtraces in reports.
//
// Written on the OS thread that writes the report, which has a stack for it. A unit may go on while its own is read: then that is said
// instead. Units that run have their frames in registers, which nobody but a debugger may read.
#pragma once

#include <cstdint>

#include "sched/report.hpp"
#include "unwind/walk.hpp"

namespace weft::sched {

struct runtime;

// What was found out about frames, kept because many units wait in the same places and names are looked for in files. Large.
class known_frames {
 public:
  const char* name_of(std::uintptr_t code);
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
  backtraces(runtime* rt, text* out, known_frames* known) : rt_(rt), out_(out), known_(known) {}

  // False: the system has no way to read memory that may be gone. What stands in its way is written then, in one line.
  bool begin(const char* margin) const;

  // Of a unit that is suspended, a line a frame; of another one, why there are none.
  void write(const unit_view& one, const char* margin) const;

 private:
  void write_frame(std::uint64_t number, std::uintptr_t code, const char* margin) const;

  runtime* rt_;
  text* out_;
  known_frames* known_;
};

}  // namespace weft::sched
