// What loops, reductions and sorts share: parts of a range, and tasks that do them.
#pragma once

#include <algorithm>
#include <cstddef>

#include <qthread/qloop.h>
#include <qthread/qthread.h>
#include <qthread/sinc.h>

namespace weft::qthreads {

// A range in `count` parts; the first ones have one index more where it does not come out even.
struct parts {
  std::size_t start, length, count;

  std::size_t begin(std::size_t number) const { return start + number * (length / count) + std::min(number, length % count); }
  std::size_t end(std::size_t number) const { return begin(number + 1); }
};

inline std::size_t length_of(std::size_t start, std::size_t stop) { return stop > start ? stop - start : 0; }

// As many parts as there are workers, or indexes if these are fewer.
inline parts part_a_worker(std::size_t start, std::size_t stop) {
  const std::size_t length = length_of(start, stop), workers = qthread_num_workers();
  return {start, length, std::max<std::size_t>(1, std::min(length, workers))};
}

// A task on a shepherd, taken modulo their number, or where the scheduler chooses; it has a copy of
// the bytes. False: there is none.
inline constexpr std::size_t anywhere = SIZE_MAX;
bool start_task(qthread_f function, const void* argument, std::size_t bytes, std::size_t shepherd, unsigned features = 0);

// Calls do_part(work, number) for each number below count, in a task of its own, and returns when
// all have returned. If is_placed is true, number n stays on shepherd n, modulo how many there are,
// unless the scheduler is weft: then workers without work take parts.
struct crew {
  void (*do_part)(void* work, std::size_t number);
  void* work;
  std::size_t count;
  bool is_placed;
  unsigned features;
  const void* body;  // what the program calls the same again: the parts of its loops are as long
  qt_sinc_t done;
};
void run_crew(crew* all);

// qt_loopaccum_balance, for parts.
struct accumulation {
  qt_loopr_f function;
  void* argument;
  qt_accum_f combine;
  std::size_t result_bytes;
  void* out;
  bool is_placed;
};
void accumulate(const accumulation& how, const parts& range);

}  // namespace weft::qthreads
