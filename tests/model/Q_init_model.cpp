// The runtime of the Qthreads face over init.cpp and runtime.hpp: a caller that finds it there, by
// asking or by initialising it as well, finds it laid out, in each of its lives.
#include "qthread_life.hpp"
#include "qthread_world.hpp"

namespace {

using namespace qthread_world::words;
using qthread_life::life;

void check_that_it_is_laid_out() {
  const runtime* const all = current_runtime();
  check(all->worker_count() == 1 && all->shepherds[0].staying == all->workers[0].open, "the shepherd");
  check(task_of(all->main_thread)->home == all->shepherds[0].staying, "the main task");
}

void initialise() { check(qthread_initialize() == QTHREAD_SUCCESS, "nothing is refused"); }

void found_by_another() {
  life shared;
  threads(thread{"initialises", initialise}, thread{"asks", [] {
                                                      while (current_runtime() == nullptr) weft::arch::pause();
                                                      check_that_it_is_laid_out();
                                                    }});
}

void initialised_by_two() {
  life shared;
  const auto work = [] {
    initialise();
    check_that_it_is_laid_out();
  };
  threads(thread{"a", work}, thread{"b", work});
}

// The runtime of the second life is another one.
void found_in_the_next_life() {
  life shared;
  flag is_over;
  std::uint64_t first = 0;
  threads(thread{"main",
                 [&] {
                   initialise();
                   first = current_runtime()->life;
                   qthread_finalize();
                   check(face_heap::live() == 0, "its memory is gone");
                   is_over.raise();
                   initialise();
                 }},
          thread{"asks", [&] {
                   is_over.await();
                   while (current_runtime() == nullptr) weft::arch::pause();
                   check_that_it_is_laid_out();
                   check(current_runtime()->life == first + 1, "the next one");
                 }});
}

constexpr bounds quick{.preemptions = 2, .weak = 2, .executions = 20'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 300'000};

const model m1{"Q the runtime is found by another", {.at_least = 3, .quick = quick, .deep = deep}, found_by_another};
const model m2{"Q the runtime is initialised by two", {.at_least = 10, .quick = quick, .deep = deep}, initialised_by_two};
const model m3{"Q the runtime of the next life", {.at_least = 3, .quick = quick, .deep = deep}, found_in_the_next_life};

}  // namespace
