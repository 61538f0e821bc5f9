// The file in which a run's choices are recorded, and from which they are replayed. Text, a line a
// choice that was not the usual one:
//
//      weft schedule 1
//      run 1, 4 workers              the first runtime that the process starts
//      17 turn 2/4 8f3a0112          choice 17: whose turn it is; of the alternatives 0 to 3 the one numbered 2, 0 being usual
//      end 120 5b0c9d31              after 120 choices; missing when the program did not come to its end
//
// The last word sums up kind and number of alternatives of all choices so far, so that a replay
// notices that the program took another way also when no recorded choice was touched by that. Lines
// are written one by one: a crash loses none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"

namespace weft::sched {

enum class choice_kind : std::uint8_t {
  turn,    // at a call: goes on, or another worker does
  yield,   // at a yield: another worker does, or goes on
  rest,    // a worker has nothing to do: which other one goes on
  unit,    // which of its ready units a worker takes
  victim,  // from which an idle worker takes some
  region,  // at either end of a blocking region: whether other units of the worker run meanwhile
};

struct recorded_choice {
  std::uint64_t number;  // from 1
  choice_kind kind;
  std::uint32_t chosen;
  std::uint32_t alternatives;
  std::uint32_t sum;
};

const char* name_of(choice_kind kind);

class schedule_writer {
 public:
  // run: which runtime of this process it is, from 1; the first one begins the file. Errors:
  // invalid, after a line on stderr.
  status open(const char* path, unsigned run, unsigned workers);
  void write(const recorded_choice& one);
  void close(std::uint64_t choices, std::uint32_t sum);

  bool is_open() const { return descriptor_ >= 0; }

 private:
  void put(const char* line, int bytes);

  int descriptor_ = -1;
};

class schedule_reader {
 public:
  // Errors: invalid, after a line on stderr.
  status open(const char* path, unsigned run, unsigned workers);
  void close();

  // The next choice of this run; false: there is none.
  bool next(recorded_choice* out);
  // After the last one: whether the recorded run came to its end, and after how many choices.
  bool next_is_end(std::uint64_t* choices, std::uint32_t* sum) const;

 private:
  char* text_ = nullptr;
  const char* at_ = nullptr;
};

}  // namespace weft::sched
