// qt_loop and qt_loop_balance.
#include "loop.hpp"

#include "children.hpp"
#include "task.hpp"

namespace weft::qthreads {

bool start_task(qthread_f function, const void* argument, std::size_t bytes, std::size_t shepherd, unsigned features) {
  const qthread_shepherd_id_t target =
      shepherd == anywhere
          ? NO_SHEPHERD
          : static_cast<qthread_shepherd_id_t>(shepherd % std::max<std::size_t>(1, qthread_readstate(TOTAL_SHEPHERDS)));
  return qthread_spawn(function, argument, bytes, nullptr, 0, nullptr, target, features) == QTHREAD_SUCCESS;
}

namespace {

// ---- parts ----

struct span {
  crew* all;
  std::size_t first, last;
};

aligned_t run_span(void* argument);

void do_here(crew* all, std::size_t number) {
  all->do_part(all->work, number);
  qt_sinc_submit(&all->done, nullptr);
}

void start_span(span one) {
  crew* const all = one.all;
  const bool is_placed = all->is_placed && current_runtime()->has_pools();
  if (start_task(run_span, &one, sizeof one, is_placed ? one.first : anywhere, all->features)) return;
  for (std::size_t i = one.first; i < one.last; ++i) do_here(all, i);
}

// Gives its second half away until one part is left.
aligned_t run_span(void* argument) {
  span mine = *static_cast<span*>(argument);
  while (mine.last - mine.first > 1) {
    const std::size_t middle = mine.first + (mine.last - mine.first + 1) / 2;
    start_span({mine.all, middle, mine.last});
    mine.last = middle;
  }
  do_here(mine.all, mine.first);
  return 0;
}

// ---- parts, where workers without work take them ----
//
// A part in two, and the second half is a task, which its maker reads, and so runs itself if it was
// not taken.

struct branch {
  crew* all;
  std::size_t first, last;
};

aligned_t run_branch(void* argument) {
  const branch mine = *static_cast<branch*>(argument);
  if (mine.last - mine.first == 1) {
    mine.all->do_part(mine.all->work, mine.first);
    return 0;
  }
  const std::size_t middle = mine.first + (mine.last - mine.first + 1) / 2;
  branch left{mine.all, mine.first, middle}, right{mine.all, middle, mine.last};
  aligned_t end = 0;
  const bool is_made = qthread_spawn(run_branch, &right, 0, &end, 0, nullptr, NO_SHEPHERD, mine.all->features) == QTHREAD_SUCCESS;
  run_branch(&left);
  aligned_t value = 0;
  if (!is_made) {
    run_branch(&right);
  } else if (!run_child_of(&end, &value)) {  // no call of this interface: the body's task may be simple, and tell of waits
    static_cast<void>(weft_feb_read_ff(&end, nullptr));
  }
  return 0;
}

bool run_branches(crew* all) {
  branch whole{all, 0, all->count};
  return run_as_task(run_branch, &whole, (all->features & QTHREAD_SPAWN_SIMPLE) != 0 ? is_simple : 0);
}

// ---- a task an index ----

constexpr std::size_t indexes_between_yields = 64;

struct index_loop {
  qt_loop_f function;
  void* argument;
  parts range;
  qt_sinc_t done;
};

struct one_index {
  index_loop* all;
  std::size_t index;
};

void do_index(index_loop* all, std::size_t index) {
  all->function(index, index + 1, all->argument);
  qt_sinc_submit(&all->done, nullptr);
}

aligned_t run_index(void* argument) {
  const one_index mine = *static_cast<one_index*>(argument);
  do_index(mine.all, mine.index);
  return 0;
}

// The last index is this task's own. The yields keep few of the tasks waiting to begin.
void start_indexes(void* work, std::size_t number) {
  auto* const all = static_cast<index_loop*>(work);
  const std::size_t last = all->range.end(number) - 1;
  for (std::size_t i = all->range.begin(number); i < last; ++i) {
    const one_index next{all, i};
    if (!start_task(run_index, &next, sizeof next, anywhere)) do_index(all, i);
    if (i % indexes_between_yields == 0) qthread_yield();
  }
  do_index(all, last);
}

void run_loop(std::size_t start, std::size_t stop, qt_loop_f function, void* argument) {
  if (stop <= start) return;
  index_loop all{function, argument, part_a_worker(start, stop), {}};
  qt_sinc_init(&all.done, 0, nullptr, nullptr, stop - start);
  crew starters{start_indexes, &all, all.range.count, true, 0, {}};
  run_crew(&starters);
  qt_sinc_wait(&all.done, nullptr);
}

// ---- a task a worker ----

struct balanced_loop {
  qt_loop_f function;
  void* argument;
  parts range;
};

void do_balanced(void* work, std::size_t number) {
  const auto* const all = static_cast<const balanced_loop*>(work);
  all->function(all->range.begin(number), all->range.end(number), all->argument);
}

void run_balanced(std::size_t start, std::size_t stop, qt_loop_f function, void* argument, unsigned features = 0) {
  if (stop <= start) return;
  balanced_loop all{function, argument, part_a_worker(start, stop)};
  crew doers{do_balanced, &all, all.range.count, true, features, {}};
  run_crew(&doers);
}

}  // namespace

void run_crew(crew* all) {
  const runtime* const where = current_runtime();
  if (where != nullptr && !where->has_pools() && run_branches(all)) return;
  qt_sinc_init(&all->done, 0, nullptr, nullptr, all->count);
  start_span({all, 0, all->count});
  qt_sinc_wait(&all->done, nullptr);
}

}  // namespace weft::qthreads

using namespace weft::qthreads;

extern "C" {

void qt_loop(size_t start, size_t stop, qt_loop_f func, void* argptr) { run_loop(start, stop, func, argptr); }
void qt_loop_simple(size_t start, size_t stop, qt_loop_f func, void* argptr) { run_loop(start, stop, func, argptr); }
void qt_loop_sv(size_t start, size_t stop, qt_loop_f func, void* argptr) { run_loop(start, stop, func, argptr); }
void qt_loop_dc(size_t start, size_t stop, qt_loop_f func, void* argptr) { run_loop(start, stop, func, argptr); }
void qt_loop_aligned(size_t start, size_t stop, qt_loop_f func, void* argptr) { run_loop(start, stop, func, argptr); }
void qt_loop_sinc(size_t start, size_t stop, qt_loop_f func, void* argptr) { run_loop(start, stop, func, argptr); }

void qt_loop_balance(size_t start, size_t stop, qt_loop_f func, void* argptr) { run_balanced(start, stop, func, argptr); }
void qt_loop_balance_simple(size_t start, size_t stop, qt_loop_f func, void* argptr) {
  run_balanced(start, stop, func, argptr, QTHREAD_SPAWN_SIMPLE);
}
void qt_loop_balance_sv(size_t start, size_t stop, qt_loop_f func, void* argptr) { run_balanced(start, stop, func, argptr); }
void qt_loop_balance_dc(size_t start, size_t stop, qt_loop_f func, void* argptr) { run_balanced(start, stop, func, argptr); }
void qt_loop_balance_aligned(size_t start, size_t stop, qt_loop_f func, void* argptr) { run_balanced(start, stop, func, argptr); }
void qt_loop_balance_sinc(size_t start, size_t stop, qt_loop_f func, void* argptr) { run_balanced(start, stop, func, argptr); }
}
