// Where suspended units stand: the backtraces in reports.
//
// Written by whoever writes the report, on an OS thread of its own or, where there is none, on the stack at hand. A unit may go on while
// its stack is read: then that is said instead. Units that run have their frames in registers, which nobody but a debugger may read.
#pragma once

#include <cstdint>

#include "sched/report.hpp"

namespace weft::sched {

struct runtime;

// How frames are called, kept because many units wait in the same places and names are looked for in files. Large.
class frame_names {
 public:
  const char* of(std::uintptr_t code, names how);

 private:
  static constexpr unsigned capacity = 128;
  struct entry {
    std::uintptr_t code = 0;
    char name[352] = "";
  };
  entry entries_[capacity];
};

class backtraces {
 public:
  // known: null where there is no room for it.
  backtraces(runtime* rt, text* out, names how, frame_names* known) : rt_(rt), out_(out), how_(how), known_(known) {}

  // False: the system has no way to read memory that may be gone. What stands in its way is written then, in one line.
  bool begin(const char* margin) const;

  // Of a unit that is suspended, a line a frame; of another one, why there are none.
  void write(const unit_view& one, const char* margin) const;

 private:
  void write_frame(std::uint64_t number, std::uintptr_t code, const char* margin) const;

  runtime* rt_;
  text* out_;
  names how_;
  frame_names* known_;
};

}  // namespace weft::sched
