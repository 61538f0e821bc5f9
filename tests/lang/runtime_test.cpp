// The runtime under programs that were lowered by hand: answers, modes, exceptions, guards, memory,
// and workers that wait.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <new>
#include <string>

#include <doctest/doctest.h>
#include <weft/tascell.hpp>
#include <weft/weft.hpp>

#include "../support/child.hpp"
#include "lowered.h"
#include "support.hpp"

namespace tascell = weft::tascell;
using tascell::context;
using weft::test::child_end;

namespace {

weft_status run_on(weft_tascell_task* root, unsigned workers) {
  weft_tascell_options how = WEFT_TASCELL_OPTIONS_INIT;
  how.workers = workers;
  return weft_tascell_run(root, &how);
}

long run_fib(long n, unsigned workers) {
  auto* const root = reinterpret_cast<fib_task*>(weft_tascell_task_make(nullptr, &fib_kind));
  root->n = n;
  CHECK(run_on(&root->header, workers) == WEFT_OK);
  CHECK(weft_tascell_task_reason(&root->header, nullptr) == WEFT_TASCELL_RETURNED);
  const long result = root->result;
  weft_tascell_task_free(&root->header);
  return result;
}

long run_queens(int n, unsigned workers) {
  auto* const root = reinterpret_cast<queens_task*>(weft_tascell_task_make(nullptr, &queens_kind));
  queens_start(root, n);
  CHECK(run_on(&root->header, workers) == WEFT_OK);
  const long result = root->result;
  weft_tascell_task_free(&root->header);
  return result;
}

template <class Body>
child_end in_child(Body body) {
  return weft::test::wait_for(weft::test::start_child([body] {
    body();
    return 0;
  }));
}

void run_nothing(weft_tascell_task*, weft_tascell_worker*, weft_tascell_record*) {}
constexpr weft_tascell_kind nothing_kind = {"nothing",
                                            sizeof(weft_tascell_task),
                                            alignof(weft_tascell_task),
                                            {},
                                            run_nothing,
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            false};

// A choice point that always has a task to give, and a guard that refuses with a probability.
struct guarded {
  weft_tascell_choice choice;  // first
  context its;
  double refused;
  int asked = 0;

  guarded(context c, double probability) : its(c), refused(probability) {
    weft_tascell_choice_begin(&choice, c.newest(), &operations);
  }
  void poll() { weft_tascell_poll(its.worker(), &choice.record); }
  bool has_given() const { return choice.given != nullptr; }
  void join_all() {
    while (has_given()) weft_tascell_task_free(weft_tascell_join(its.worker(), &choice));
  }

  static weft_tascell_task* divide(weft_tascell_record*, weft_tascell_worker* worker) {
    return weft_tascell_task_make(worker, &nothing_kind);
  }
  static double guard(weft_tascell_record* record, weft_tascell_worker*) {
    auto* const self = reinterpret_cast<guarded*>(record);
    ++self->asked;
    return self->refused;
  }
  static constexpr weft_tascell_operations operations = {
      WEFT_TASCELL_CHOICE, {}, nullptr, nullptr, divide, guard, nullptr, nullptr, nullptr};
};

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

TEST_CASE("answers do not depend on workers, nor on who asks when") {
  weft::runtime runtime({.workers = 4});
  struct mode {
    const char* storm;
    const char* ship;
    const char* check;
  };
  for (const mode& each : {mode{"off", "off", "off"}, mode{"1", "off", "on"}, mode{"2", "on", "off"}, mode{"off", "on", "on"}}) {
    const variable storm("WEFT_TASCELL_STORM", each.storm), ship("WEFT_TASCELL_SHIP", each.ship),
        check("WEFT_TASCELL_CHECK", each.check);
    for (const unsigned workers : {1u, 2u, 4u}) {
      CHECK(run_fib(16, workers) == 987);
      CHECK(run_queens(7, workers) == 40);
      CHECK(counts().live == 0);
    }
  }
}

TEST_CASE("under the storm mode each choice point gives what it can") {
  weft::runtime runtime({.workers = 1});
  const variable storm("WEFT_TASCELL_STORM", "1");
  CHECK(run_fib(20, 1) == 6765);
  CHECK(counts().given == 6764);  // fib(n) has fib(n) - 1 constructs
  CHECK(counts().requests == 0);
}

TEST_CASE("a throw undoes, cancels what other workers do, and ends at its catch") {
  weft::runtime runtime({.workers = 3});
  struct scene {
    int open = 0, caught = -1;
  } its;
  const auto dig_to = [&its](int bottom, std::int64_t tag) {
    tascell::run([&its, bottom, tag](context c) {
      // until another worker has a task, or nothing can be given
      const auto is_time = [](void* argument) { return --*static_cast<int*>(argument) < 0; };
      int polls = bottom < 100 ? 0 : 20000;
      its.caught =
          tascell::call(c, try_to_dig, bottom, tag, &its.open, static_cast<dig_condition>(is_time), static_cast<void*>(&polls));
    });
  };
  dig_to(6, 5);
  CHECK(its.caught == 1);
  CHECK(its.open == 0);
  SUBCASE("through C frames into C++") {
    its.caught = -1;
    CHECK_THROWS_AS(dig_to(6, 4), tascell::thrown);
    CHECK(its.caught == -1);
    CHECK(its.open == 0);
  }
  SUBCASE("with tasks under way") {
    std::uint64_t cancelled = 0;
    for (int i = 0; i < 5 || cancelled == 0; ++i) {
      dig_to(200, 5);
      CHECK(its.open == 0);
      cancelled += counts().cancelled;
    }
  }
  CHECK(counts().live == 0);
}

TEST_CASE("a cancellation undoes the winds of C frames") {
  weft::runtime runtime({.workers = 2});
  int open = 0;
  std::atomic<bool> has_begun{false};
  const auto begin = [](void* argument) {
    static_cast<std::atomic<bool>*>(argument)->store(true);
    return false;  // the task digs until it is cancelled
  };
  const auto dig = [&](context c) {
    (void)tascell::call(c, try_to_dig, 6, std::int64_t{5}, &open, static_cast<dig_condition>(begin),
                        static_cast<void*>(&has_begun));
  };
  const auto throws_when_begun = [&](context c) {
    while (!has_begun.load()) c.poll();
    tascell::throw_tag(3);
  };
  const auto program = [&](context c) {
    return tascell::catch_tag(c, 3, [&](context inner) { tascell::do_two(inner, throws_when_begun, dig); });
  };
  CHECK_FALSE(tascell::run(program));
  CHECK(open == 0);
  CHECK(counts().live == 0);
}

TEST_CASE("a loop gives half of what has not begun, rounded up") {
  CHECK(weft_tascell_middle(0, 2) == 1);
  CHECK(weft_tascell_middle(0, 3) == 2);
  CHECK(weft_tascell_middle(0, 4) == 2);
  CHECK(weft_tascell_middle(-10, 90) == 40);
  CHECK(weft_tascell_middle(4, 5) == 5);  // nothing is left to give
  CHECK(weft_tascell_middle(5, 5) == 5);
  CHECK(weft_tascell_middle(7, 5) == 5);
}

TEST_CASE("without memory for a task the request is refused, and the run goes on") {
  weft::runtime runtime({.workers = 1});
  const variable storm("WEFT_TASCELL_STORM", "1");
  int sum = 0;
  tascell::run([&](context c) {
    tascell::do_many(
        c, 0, 10, [&](std::int64_t, context) { ++sum; },
        [](std::int64_t, std::int64_t) {
          struct task {
            task() { throw std::bad_alloc(); }
            void run(context) {}
          };
          return task();
        },
        [](auto&) {});
  });
  CHECK(sum == 10);
  CHECK(counts().given == 0);
  CHECK(counts().live == 0);
  weft_tascell_kind huge = fib_kind;
  huge.bytes = SIZE_MAX;
  CHECK(weft_tascell_task_make(nullptr, &huge) == nullptr);
}

TEST_CASE("a million tasks leave nothing") {
  weft::runtime runtime({.workers = 2});
  const variable storm("WEFT_TASCELL_STORM", IS_SLOW ? "100" : "1");
  CHECK(run_fib(30, 2) == 832040);
  CHECK(counts().given >= (IS_SLOW ? 1000 : 800000));
  CHECK(counts().live == 0);
}

TEST_CASE("a guard refuses, with its probability") {
  weft::runtime runtime({.workers = 1});
  const variable storm("WEFT_TASCELL_STORM", "1");
  const auto once = [](double refused) {
    tascell::run([refused](context c) {
      guarded choice(c, refused);
      for (int i = 0; i < 1000; ++i) choice.poll();
      choice.join_all();
    });
    return counts().given;
  };
  CHECK(once(0) == 1000);
  CHECK(once(1) == 0);
  const std::uint64_t half = once(0.5);
  CHECK(half > 350);  // binomial: ten standard deviations
  CHECK(half < 650);
}

TEST_CASE("a thief that a guard has refused asks again") {
  weft::runtime runtime({.workers = 2});
  tascell::run([](context c) {
    guarded choice(c, 1);
    while (choice.asked < 3) choice.poll();
    choice.refused = 0;
    while (!choice.has_given()) choice.poll();
    choice.join_all();
  });
  CHECK(counts().refused >= 3);
}

TEST_CASE("with a probability of 0 a worker gives nothing, in either way of guarding") {
  weft::runtime runtime({.workers = 2});
  for (const char* way : {"virtual", "refuse"}) {
    const variable guard("WEFT_TASCELL_GUARD", way);
    tascell::run([](context c) {
      c.set_probability(0);
      tascell::do_two(
          c,
          [](context inner) {
            for (int i = 0; i < 100000; ++i) inner.poll();
          },
          [](context) {});
    });
    CHECK(counts().given <= 1);  // one request may come before the probability is set
  }
}

TEST_CASE("a task that blocks keeps others going") {
  weft::runtime runtime({.workers = 2});
  weft_event done = WEFT_EVENT_INIT;
  std::atomic<bool> is_free{false};
  tascell::run([&](context c) {
    tascell::do_two(
        c,
        [&](context inner) {
          while (!is_free.load()) inner.poll();  // until another worker has the second part
          CHECK(weft_event_set(&done) == WEFT_OK);
        },
        [&](context) {
          weft::thread other([&] { is_free.store(true); });  // runs while this task waits
          other.join();
          CHECK(weft_event_wait(&done) == WEFT_OK);
        });
  });
  CHECK(counts().given == 1);
}

TEST_CASE("a worker that sleeps gets work while the one that kept the watch runs a task") {
  weft::runtime runtime({.workers = 3});
  std::atomic<bool> first_runs{false}, second_runs{false}, is_over{false};
  const auto poll_now_and_then = [](context c) {  // leaves the processors to the thieves
    c.poll();
    CHECK(weft_sleep_ns(100000) == WEFT_OK);
  };
  // Nothing can be given meanwhile: one thief keeps the watch, and the others sleep.
  const auto let_thieves_sleep = [&](context c) {
    for (int i = 0; i < 200; ++i) poll_now_and_then(c);
  };
  tascell::run([&](context c) {
    let_thieves_sleep(c);
    tascell::do_two(
        c,
        [&](context outer) {
          while (!first_runs.load()) outer.poll();
          let_thieves_sleep(outer);
          tascell::do_two(
              outer,
              [&](context inner) {
                while (!second_runs.load()) inner.poll();
              },
              [&](context) { second_runs.store(true); });
          is_over.store(true);
        },
        [&](context other) {
          first_runs.store(true);
          while (!is_over.load()) poll_now_and_then(other);
        });
  });
  CHECK(counts().given == 2);
}

TEST_CASE("idle workers sleep: a run that only sleeps costs no processor time") {
  weft::runtime runtime({.workers = 4});
  const double before = cpu_seconds();
  tascell::run([](context) { CHECK(weft_sleep_ns(300000000) == WEFT_OK); });
  CHECK(cpu_seconds() - before < (IS_SLOW ? 1.0 : 0.1));
}

TEST_CASE("the check mode names a wind whose undo does not undo") {
  const child_end end = in_child([] {
    setenv("WEFT_TASCELL_STORM", "1", 1);
    setenv("WEFT_TASCELL_CHECK", "1", 1);
    weft::runtime runtime({.workers = 1});
    tascell::run([](context c) {
      static int cells[4];
      static const weft_tascell_place place = {"cells.tc", "f", 12};
      weft_tascell_watch(c.worker(), cells, sizeof cells, &place);
      const auto change = [] { ++cells[2]; };
      tascell::wind(c, change, [](context inner) { inner.poll(); }, change);
    });
  });
  CHECK(end.signal == SIGABRT);
  CHECK(end.says("undo and redo of a wind do not restore the workspace"));
  CHECK(end.says("+8 of the workspace of cells.tc:12"));
}

TEST_CASE("bad arguments and settings are named") {
  const auto said = [] { return std::string(weft_last_error()); };
  CHECK(weft_tascell_run(nullptr, nullptr) == WEFT_INVALID);
  CHECK(said() == "weft_tascell_run: argument root: it is null");
  weft_tascell_task* const root = weft_tascell_task_make(nullptr, &fib_kind);
  CHECK(weft_tascell_run(root, nullptr) == WEFT_NOT_INITIALIZED);
  CHECK(said() == "weft_tascell_run: the runtime is not running: call weft_init first");
  {
    weft::runtime runtime({.workers = 1});
    weft_tascell_options how = WEFT_TASCELL_OPTIONS_INIT;
    how.stack_bytes = 1;
    CHECK(weft_tascell_run(root, &how) == WEFT_INVALID);
    CHECK(said() == "weft_tascell_run: argument options: stack_bytes is 1; at least 16384 (WEFT_STACK_MIN) are needed");
    how.stack_bytes = 0;
    how.data_alignment = 3;
    CHECK(weft_tascell_run(root, &how) == WEFT_INVALID);
    CHECK(said() == "weft_tascell_run: argument options: data_alignment is 3, which is no power of two");
  }
  weft_tascell_task_free(root);
  const child_end end = in_child([] {
    setenv("WEFT_TASCELL_STORM", "rain", 1);
    weft::runtime runtime({.workers = 1});
    weft_tascell_task* const task = weft_tascell_task_make(nullptr, &fib_kind);
    NEED(weft_tascell_run(task, nullptr) == WEFT_INVALID);
    weft_tascell_task_free(task);
  });
  CHECK(end.exit_code == 0);
  CHECK(end.says("WEFT_TASCELL_STORM=rain: want off, or 1 to 1000000000 polls"));
}

TEST_CASE("main says which throw was not caught") {
  const child_end end = in_child([] {
    setenv("WEFT_WORKERS", "1", 1);  // ThreadSanitizer lets a child start no OS threads
    const auto function = [](weft_tascell_worker* worker, weft_tascell_record* up, int, char**) -> int {
      weft_tascell_throw(worker, up, 9);
    };
    _exit(weft_tascell_main(function, 0, nullptr, nullptr));
  });
  INFO(end.errors);
  CHECK(end.exit_code == 70);
  CHECK(end.says("throw 9: there is no catch for it"));
}

TEST_CASE("the watchdog names a worker that does not poll") {
  if (IS_SLOW) return;  // as above
  const child_end end = in_child([] {
    setenv("WEFT_TASCELL_WATCHDOG", "5ms", 1);
    weft::runtime runtime({.workers = 2});
    tascell::run([](context c) {
      const std::uint64_t until = weft_deadline_in(100000000);
      while (weft_now_ns() < until) continue;
      c.poll();
    });
  });
  CHECK(end.exit_code == 0);
  CHECK(end.says("weft: tascell: worker 0 has not polled for"));
  CHECK(end.says("nor since its task began"));
  const child_end named = in_child([] {
    static constexpr weft_tascell_kind spinning = {"spinning",
                                                   sizeof(weft_tascell_task),
                                                   alignof(weft_tascell_task),
                                                   {"spin.tc", "spin", 9},
                                                   [](weft_tascell_task*, weft_tascell_worker* worker, weft_tascell_record* up) {
                                                     const std::uint64_t until = weft_deadline_in(100000000);
                                                     while (weft_now_ns() < until) continue;
                                                     weft_tascell_poll(worker, up);
                                                   },
                                                   nullptr,
                                                   nullptr,
                                                   nullptr,
                                                   nullptr,
                                                   nullptr,
                                                   false};
    setenv("WEFT_TASCELL_WATCHDOG", "5ms", 1);
    weft::runtime runtime({.workers = 2});
    weft_tascell_task* const root = weft_tascell_task_make(nullptr, &spinning);
    NEED(weft_tascell_run(root, nullptr) == WEFT_OK);
    weft_tascell_task_free(root);
  });
  CHECK(named.exit_code == 0);
  CHECK(named.says("its task began, or last answered, at spin.tc:9"));
}

TEST_CASE("each worker has its own data") {
  weft::runtime runtime({.workers = 2});
  static std::atomic<int> alive{0};
  weft_tascell_options how = WEFT_TASCELL_OPTIONS_INIT;
  how.data_bytes = 100;
  how.data_alignment = 256;
  how.data_start = [](weft_tascell_worker* worker) {
    CHECK(reinterpret_cast<std::uintptr_t>(worker->data) % 256 == 0);
    *static_cast<unsigned*>(worker->data) = worker->index + 7;
    ++alive;
  };
  how.data_end = [](weft_tascell_worker* worker) {
    CHECK(*static_cast<unsigned*>(worker->data) == worker->index + 7);
    --alive;
  };
  weft_tascell_task* const root = weft_tascell_task_make(nullptr, &fib_kind);
  CHECK(weft_tascell_run(root, &how) == WEFT_OK);
  CHECK(alive == 0);
  weft_tascell_task_free(root);
}
