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
  const runtime* const running = current_runtime();  // null: the parts are done here
  const bool is_placed = all->is_placed && running != nullptr && running->has_pools();
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
// A part in two, and the second half is a task, which its maker joins, and so runs itself if no
// other worker has begun it. It is offered to a worker that looks for work, unless this body is the
// last one whose first part took less time than it takes another worker to get one.

struct branch {
  crew* all;
  std::size_t first, last;
  bool is_offered;
};

constexpr std::uint64_t short_part_ns = 2000;

// The first part, on the caller's stack: it is as long as the others, as far as is known.
void do_first_part(crew* all) {
  const std::uint64_t start_ns = weft_now_ns();
  all->do_part(all->work, 0);
  const bool is_short = weft_now_ns() - start_ns < short_part_ns;
  const runtime* const where = current_runtime();
  const int here = where != nullptr ? worker_here(where) : -1;
  if (here < 0) return;
  const void*& last_short = where->workers[here].body_of_short_parts;
  if (is_short) {
    last_short = all->body;
  } else if (last_short == all->body) {
    last_short = nullptr;
  }
}

aligned_t run_branch(void* argument) {
  const branch mine = *static_cast<branch*>(argument);
  if (mine.last - mine.first == 1) {
    mine.first == 0 && mine.all->count > 1 ? do_first_part(mine.all) : mine.all->do_part(mine.all->work, mine.first);
    return 0;
  }
  const std::size_t middle = mine.first + (mine.last - mine.first + 1) / 2;
  branch left{mine.all, mine.first, middle, mine.is_offered}, right{mine.all, middle, mine.last, mine.is_offered};
  weft_thread* const other = start_joined_task(run_branch, &right, mine.all->features, mine.is_offered);
  run_branch(&left);
  if (other == nullptr) {
    run_branch(&right);
  } else {
    join_task(other);
  }
  return 0;
}

// False: not with this scheduler, or for this caller. Nothing was done.
bool run_branches(crew* all) {
  const runtime* const where = current_runtime();
  if (where == nullptr || where->has_pools()) return false;
  const int here = worker_here(where);
  if (here < 0) return false;
  branch whole{all, 0, all->count, where->workers[here].body_of_short_parts != all->body};
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

void do_number(void* work, std::size_t number) {
  const auto* const all = static_cast<const index_loop*>(work);
  all->function(all->range.start + number, all->range.start + number + 1, all->argument);
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
  crew indexes{do_number, &all, stop - start, false, 0, reinterpret_cast<const void*>(function), {}};
  if (run_branches(&indexes)) return;
  qt_sinc_init(&all.done, 0, nullptr, nullptr, stop - start);
  crew starters{start_indexes, &all, all.range.count, true, 0, nullptr, {}};
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
  crew doers{do_balanced, &all, all.range.count, true, features, reinterpret_cast<const void*>(function), {}};
  run_crew(&doers);
}

}  // namespace

void run_crew(crew* all) {
  if (run_branches(all)) return;
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
