// What the headers promise beside answers: probabilities, cancellations that come at a bad time,
// notes of the check mode, runs on many workers and on workers with gaps between, tasks that carry
// vectors.
#include <atomic>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>
#include <weft/ext.h>
#include <weft/tascell.hpp>
#include <weft/weft.hpp>

#include "../support/child.hpp"
#include "lowered.h"
#include "support.hpp"

namespace tascell = weft::tascell;
using tascell::context;
using weft::test::child_end;

namespace {

long fib(context c, int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
  tascell::do_two(c, [&](context inner) { a = fib(inner, n - 1); }, [&](context inner) { b = fib(inner, n - 2); });
  return a + b;
}

bool is_wanted_no_more(context c) {
  constexpr std::uint32_t wants_end = 2;  // of words.hpp
  return (__atomic_load_n(&c.worker()->attention, __ATOMIC_RELAXED) & wants_end) != 0;
}

}  // namespace

TEST_CASE("the probability is 1 at the start of a task, and what it was after it") {
  weft::runtime runtime({.workers = 1});
  const variable storm("WEFT_TASCELL_STORM", "1");
  double in_task = -1, behind = -1;
  tascell::run([&](context c) {
    c.set_probability(7);
    CHECK(c.worker()->probability == 1);
    c.set_probability(-7);
    CHECK(c.worker()->probability == 0);
    c.set_probability(0.25);
    tascell::do_two(
        c, [&](context inner) { behind = inner.worker()->probability; },  // the poll before it has run the task
        [&](context inner) { in_task = inner.worker()->probability; });
  });
  CHECK(counts().given == 1);
  CHECK(in_task == 1);
  CHECK(behind == 0.25);
}

TEST_CASE("a seed repeats the random choices of a run, and another seed chooses otherwise") {
  weft::runtime runtime({.workers = 1});
  const variable storm("WEFT_TASCELL_STORM", "3");
  const auto given = [](const char* number) {
    const variable seed("WEFT_TASCELL_SEED", number);
    CHECK(tascell::run([](context c) { return fib(c, 15); }, {.workers = 1}) == 610);
    return counts().given;
  };
  std::set<std::uint64_t> of_seeds;
  for (const char* number : {"1", "2", "3", "4", "5"}) {
    const std::uint64_t first = given(number);
    CHECK(given(number) == first);
    of_seeds.insert(first);
  }
  CHECK(of_seeds.size() > 1);
}

TEST_CASE("a cancellation that comes while a task joins holds after the join") {
  weft::runtime runtime({.workers = 3});
  std::atomic<bool> outer_runs{false}, inner_runs{false}, joins{false};
  const auto inner_task = [&](context c) {
    inner_runs.store(true);
    while (!is_wanted_no_more(c)) CHECK(weft_sleep_ns(100000) == WEFT_OK);  // and ends without a poll: normally
  };
  const auto outer_task = [&](context c) {
    outer_runs.store(true);
    tascell::do_two(
        c,
        [&](context inner) {
          while (!inner_runs.load()) inner.poll();
          joins.store(true);
        },
        inner_task);
    for (;;) c.poll();  // for ever, unless it is cancelled
  };
  const auto giver = [&](context c) {
    while (!outer_runs.load()) c.poll();
    while (!joins.load()) CHECK(weft_sleep_ns(100000) == WEFT_OK);
    CHECK(weft_sleep_ns(5000000) == WEFT_OK);  // it joins now, as a rule
    tascell::throw_tag(3);
  };
  CHECK_FALSE(tascell::run(
      [&](context c) { return tascell::catch_tag(c, 3, [&](context inner) { tascell::do_two(inner, giver, outer_task); }); }));
  CHECK(counts().live == 0);
}

TEST_CASE("a cancellation reaches a task below the one that its worker runs") {
  weft::runtime runtime({.workers = 3});
  std::atomic<bool> first_runs{false}, second_runs{false}, third_runs{false};
  const auto third = [&](context c) {  // its worker is the one that waits for the second
    third_runs.store(true);
    for (;;) c.poll();
  };
  const auto second = [&](context c) {
    second_runs.store(true);
    tascell::do_two(
        c,
        [](context inner) {
          for (;;) inner.poll();
        },
        third);
  };
  const auto first = [&](context c) {
    first_runs.store(true);
    tascell::do_two(
        c,
        [&](context inner) {
          while (!second_runs.load()) inner.poll();
        },
        second);
  };
  const auto giver = [&](context c) {
    while (!first_runs.load()) c.poll();
    while (!third_runs.load()) CHECK(weft_sleep_ns(100000) == WEFT_OK);
    tascell::throw_tag(3);
  };
  CHECK_FALSE(tascell::run(
      [&](context c) { return tascell::catch_tag(c, 3, [&](context inner) { tascell::do_two(inner, giver, first); }); }));
  CHECK(counts().stolen_back == 1);
  CHECK(counts().cancelled == 3);
  CHECK(counts().live == 0);
}

TEST_CASE("an exception of a given task ends what its giver runs in C") {
  weft::runtime runtime({.workers = 1});
  const variable storm("WEFT_TASCELL_STORM", "1");
  int open = 0;
  const auto digs_on = [](void*) { return false; };
  const auto program = [&](context c) {
    tascell::do_two(
        c,
        [&](context inner) {
          (void)tascell::call(inner, try_to_dig, 6, std::int64_t{5}, &open, static_cast<dig_condition>(digs_on),
                              static_cast<void*>(nullptr));
        },
        [](context) { throw std::range_error("of the task"); });
  };
  CHECK_THROWS_WITH_AS(tascell::run(program), "of the task", std::range_error);
  CHECK(open == 0);
  CHECK(counts().live == 0);
}

TEST_CASE("the check mode tells records at one address apart") {
  const child_end end = weft::test::wait_for(weft::test::start_child([] {
    setenv("WEFT_TASCELL_CHECK", "on", 1);
    weft::runtime runtime({.workers = 1});
    static int cell = 0;
    static const auto gives_nothing = [](weft_tascell_record*, weft_tascell_worker*) -> weft_tascell_task* { return nullptr; };
    static const auto watch = [](weft_tascell_record*, weft_tascell_worker* worker) {
      weft_tascell_watch(worker, &cell, sizeof cell, nullptr);
    };
    static constexpr weft_tascell_operations watched = {
        WEFT_TASCELL_CHOICE, {}, nullptr, nullptr, gives_nothing, nullptr, watch, nullptr, nullptr};
    static constexpr weft_tascell_operations plain = {
        WEFT_TASCELL_CHOICE, {}, nullptr, nullptr, gives_nothing, nullptr, nullptr, nullptr, nullptr};
    tascell::run([](context c) {
      weft_tascell_choice choice;
      weft_tascell_choice_begin(&choice, c.newest(), &watched);
      weft_tascell_poll(c.worker(), &choice.record);
      ++cell;  // behind that construct
      weft_tascell_choice_begin(&choice, c.newest(), &plain);
      const context inner(c.worker(), &choice.record);
      tascell::do_two(inner, [](context deep) { deep.poll(); }, [](context) {});
    });
    return cell == 1 ? 0 : 1;
  }));
  CHECK(end.exit_code == 0);
}

TEST_CASE("the check mode compares no memory that is watched no more") {
  const child_end end = weft::test::wait_for(weft::test::start_child([] {
    setenv("WEFT_TASCELL_CHECK", "on", 1);
    weft::runtime runtime({.workers = 1});
    tascell::run([](context c) {
      const auto poll_under = [](context outer) { tascell::do_two(outer, [](context inner) { inner.poll(); }, [](context) {}); };
      int cell = 0;
      tascell::do_two(
          c,
          [&](context inner) {
            weft_tascell_watch(inner.worker(), &cell, sizeof cell, nullptr);
            tascell::do_two(
                inner,
                [&](context deep) {
                  weft_tascell_unwatch(deep.worker());
                  cell = 1;
                  poll_under(deep);
                },
                [](context) {});
          },
          [](context) {});
    });
    return 0;
  }));
  CHECK(end.exit_code == 0);
}

TEST_CASE("more workers than a word has bits") {
  weft::runtime runtime({.workers = 80});
  CHECK(tascell::run([](context c) {
          CHECK(weft_tascell_worker_count(c.worker()) == 80);
          return fib(c, 16);
        }) == 987);
  for (int i = 0; i < 3; ++i) {
    // All idle workers ask the one that runs the second part, which answers them when it is idle.
    tascell::run([](context c) {
      std::atomic<bool> is_given{false};
      tascell::do_two(
          c,
          [&](context inner) {
            while (!is_given.load()) inner.poll();
          },
          [&](context) {
            is_given.store(true);
            CHECK(weft_sleep_ns(10000000) == WEFT_OK);
          });
    });
    CHECK(counts().given == 1);
    CHECK(counts().live == 0);
  }
}

TEST_CASE("a run has all workers, where their indexes have gaps") {
  weft::runtime runtime({.workers = 4});
  weft::runtime::remove_worker(1);
  CHECK(tascell::run([](context c) {
          CHECK(weft_tascell_worker_count(c.worker()) == 3);
          return fib(c, 12);
        }) == 144);
}

TEST_CASE("a task is freed where taking its results throws") {
  weft::runtime runtime({.workers = 1});
  const variable storm("WEFT_TASCELL_STORM", "1");
  struct part {
    void run(context) {}
  };
  CHECK_THROWS_AS(tascell::run([](context c) {
                    tascell::do_many(
                        c, 0, 8, [](std::int64_t, context) {}, [](std::int64_t, std::int64_t) { return part{}; },
                        [](part&) { throw std::range_error("of take"); });
                  }),
                  std::range_error);
  CHECK(counts().given > 1);
  CHECK(counts().live == 0);
}

TEST_CASE("a task carries vectors as a whole") {
  weft::runtime runtime({.workers = 1});
  const variable storm("WEFT_TASCELL_STORM", "1"), ship("WEFT_TASCELL_SHIP", "on");
  struct part {
    std::vector<double> given;
    std::vector<std::int64_t> result;
    bool was_shipped = false;
    void in(tascell::archive& by) { by(given); }
    void out(tascell::archive& by) {
      by(result);
      was_shipped = true;
    }
    void run(context) {
      for (const double each : given) result.push_back(static_cast<std::int64_t>(2 * each));
    }
  };
  std::vector<std::int64_t> got;
  const std::vector<double> many(5000, 0.5);  // more at once than what is packed before it
  tascell::run([&](context c) {
    tascell::do_two(
        c, [](context) {}, [](context) { FAIL("it was given"); }, [&] { return part{many, {}}; },
        [&](part& task) {
          CHECK(task.was_shipped);
          got = task.result;
        });
  });
  CHECK(got == std::vector<std::int64_t>(many.size(), 1));
}
