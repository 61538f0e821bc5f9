// The library form: programs with known answers, exceptions and cancellation, and random programs,
// whose answers must be those of their sequential run, whatever other workers ask for and when.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <weft/tascell.hpp>
#include <weft/weft.hpp>

#include "support.hpp"

namespace tascell = weft::tascell;
using tascell::context;

namespace {

long fib(context c, int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
  tascell::do_two(c, [&](context inner) { a = fib(inner, n - 1); }, [&](context inner) { b = fib(inner, n - 2); });
  return a + b;
}

// ---- random programs ----------------------------------------------------------------------------

constexpr std::size_t cells = 6;
struct workspace {
  std::uint64_t cell[cells] = {};
};

std::uint64_t mix(std::uint64_t x) {  // splitmix64
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// A node of a program: its number says what it is and what is below it.
struct node {
  std::uint64_t number;
  int depth;
  std::int64_t catches;  // the tag of the innermost catch; 0: none

  node below(std::uint64_t which) const { return {mix(number * 31 + which), depth - 1, catches}; }
  node caught() const { return {mix(number * 31 + 7), depth - 1, catches + 1}; }
};

enum what { leaf, two, many, wound, caught, throws, what_count };
what kind_of(const node& of) {
  if (of.depth <= 0) return of.catches != 0 && of.number % 61 == 0 ? throws : leaf;
  constexpr what kinds[] = {two, two, two, many, many, wound, wound, wound, caught, leaf};
  return kinds[of.number % std::size(kinds)];
}
std::int64_t iterations(const node& of) { return static_cast<std::int64_t>(of.number / 64 % 5); }

std::uint64_t value_of(const node& of, const workspace& w) {
  std::uint64_t result = of.number;
  for (int round = 0; round < 20; ++round)  // so long that other workers come in between
    for (const std::uint64_t each : w.cell) result = mix(result ^ each);
  return result;
}
void change(const node& of, workspace& w) { w.cell[of.number % cells] += mix(of.number); }
void change_back(const node& of, workspace& w) { w.cell[of.number % cells] -= mix(of.number); }

[[noreturn]] void leave(const node& of) {
  if (of.catches % 2 == 0) tascell::throw_tag(of.catches);
  throw std::runtime_error(std::to_string(of.catches));
}

// Whether body ended without what leave throws for these catches.
template <class Body>
bool ends(std::int64_t catches, Body&& body) {
  try {
    body();
    return true;
  } catch (const tascell::thrown& exception) {
    if (exception.tag() != catches) throw;
  } catch (const std::runtime_error& exception) {
    if (exception.what() != std::to_string(catches)) throw;
  }
  return false;
}

std::uint64_t run_alone(const node& of, workspace& w) {
  std::uint64_t sum = 0;
  switch (kind_of(of)) {
    case two: sum = run_alone(of.below(1), w); return mix(sum + 3 * run_alone(of.below(2), w));
    case many:
      for (std::int64_t i = 0; i < iterations(of); ++i) sum += run_alone(of.below(static_cast<std::uint64_t>(i) + 10), w);
      return mix(sum);
    case wound:
      struct back {
        const node& of;
        workspace& w;
        ~back() { change_back(of, w); }
      };
      {
        change(of, w);
        const back end{of, w};
        return run_alone(of.below(3), w);
      }
    case caught: return ends(of.caught().catches, [&] { sum = run_alone(of.caught(), w); }) ? sum : 17;
    case throws: leave(of);
    default: return value_of(of, w);
  }
}

std::uint64_t run_asked(context c, const node& of, workspace& w);

// The iterations from `from` up to `to` of a do_many, or the second half of a do_two, on a copy.
struct part {
  node of{};
  workspace w{};
  std::int64_t from = 0, to = 0;
  std::uint64_t sum = 0;

  void run(context c);
  template <class Archive>
  void in(Archive& archive) {
    archive(of, w, from, to);
  }
  template <class Archive>
  void out(Archive& archive) {
    archive(sum);
  }
};

std::uint64_t run_many(context c, const node& of, workspace& w, std::int64_t from, std::int64_t to) {
  std::uint64_t sum = 0;
  tascell::do_many(
      c, from, to,
      [&](std::int64_t i, context inner) { sum += run_asked(inner, of.below(static_cast<std::uint64_t>(i) + 10), w); },
      [&](std::int64_t begin, std::int64_t end) { return part{of, w, begin, end}; },
      [&](const part& given) { sum += given.sum; });
  return sum;
}

std::uint64_t run_two(context c, const node& of, workspace& w) {
  std::uint64_t a = 0, b = 0;
  tascell::do_two(
      c, [&](context inner) { a = run_asked(inner, of.below(1), w); },
      [&](context inner) { b = run_asked(inner, of.below(2), w); }, [&] { return part{of.below(2), w, -1, -1}; },
      [&](const part& given) { b = given.sum; });
  return mix(a + 3 * b);
}

std::uint64_t run_asked(context c, const node& of, workspace& w) {
  std::uint64_t sum = 0;
  switch (kind_of(of)) {
    case two: return run_two(c, of, w);
    case many: return mix(run_many(c, of, w, 0, iterations(of)));
    case wound:
      tascell::wind(
          c, [&] { change(of, w); }, [&](context inner) { sum = run_asked(inner, of.below(3), w); }, [&] { change_back(of, w); });
      return sum;
    case caught: return ends(of.caught().catches, [&] { sum = run_asked(c, of.caught(), w); }) ? sum : 17;
    case throws: leave(of);
    default: c.poll(); return value_of(of, w);
  }
}

void part::run(context c) {
  weft_tascell_watch(c.worker(), &w, sizeof w, nullptr);
  sum = to < 0 ? run_asked(c, of, w) : run_many(c, of, w, from, to);
}

// Runs the programs from first on; differ says how many are not as their sequential run.
struct outcome {
  int differ = 0;
  std::uint64_t given = 0, cancelled = 0;  // tasks
};
outcome run_programs(std::uint64_t first, int count, unsigned workers, int depth) {
  outcome all;
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(count); ++seed) {
    const node program{mix(seed) / 10 * 10, depth, 0};  // a do_two first
    workspace alone, asked;
    const std::uint64_t expected = run_alone(program, alone);
    std::uint64_t got = 0;
    tascell::run(
        [&](context c) {
          weft_tascell_watch(c.worker(), &asked, sizeof asked, nullptr);
          got = run_asked(c, program, asked);
        },
        {.workers = workers});
    all.given += counts().given;
    all.cancelled += counts().cancelled;
    if (got == expected) continue;
    ++all.differ;
    MESSAGE("program ", seed, " differs on ", workers, " workers");
  }
  MESSAGE("figure: tasks given by random programs = ", all.given, ", cancelled ", all.cancelled);
  return all;
}

int programs() {
  const char* wanted = std::getenv("TASCELL_PROGRAMS");
  return wanted != nullptr ? std::atoi(wanted) : IS_SLOW ? 30 : 300;
}

}  // namespace

TEST_CASE("fib has its answer on any number of workers, and in every mode") {
  weft::runtime runtime({.workers = 4});
  for (const unsigned workers : {1u, 2u, 4u})
    CHECK(tascell::run([](context c) { return fib(c, 20); }, {.workers = workers}) == 6765);
  const variable storm("WEFT_TASCELL_STORM", "1");
  CHECK(tascell::run([](context c) { return fib(c, 15); }, {.workers = 1}) == 610);
  CHECK(counts().given == 986);  // every do_two but none twice
}

TEST_CASE("random programs are as their sequential runs") {
  weft::runtime runtime({.workers = 4});
  const int third = programs() / 3;
  SUBCASE("asked at every poll, on one worker, compared") {
    const variable storm("WEFT_TASCELL_STORM", "1"), check("WEFT_TASCELL_CHECK", "on");
    CHECK(run_programs(0, third, 1, 20).differ == 0);
    CHECK(counts().live == 0);
  }
  SUBCASE("asked at some polls, on two workers, shipped") {
    const variable storm("WEFT_TASCELL_STORM", "3"), ship("WEFT_TASCELL_SHIP", "on");
    CHECK(run_programs(1000000, third, 2, 20).differ == 0);
    CHECK(counts().live == 0);
  }
  SUBCASE("by each other, on four workers") {
    const variable check("WEFT_TASCELL_CHECK", "on");
    CHECK(run_programs(2000000, third, 4, 26).differ == 0);
    CHECK(counts().live == 0);
  }
}

TEST_CASE("a guard of the library refuses, with its probability") {
  weft::runtime runtime({.workers = 1});
  const variable storm("WEFT_TASCELL_STORM", "1");
  const auto given = [](double refused) {
    long sum = 0;
    int asked = 0;
    tascell::run([&](context c) {
      struct part {
        long from, to, sum = 0;
        void run(context inner) {
          for (long i = from; i < to; ++i) inner.poll(), sum += i;
        }
      };
      const auto guard = [&] {
        ++asked;
        return refused;
      };
      tascell::do_many(
          c, 0, 40, [&](std::int64_t i, context) { sum += i; }, [](std::int64_t from, std::int64_t to) { return part{from, to}; },
          [&](part& task) { sum += task.sum; }, guard);
      tascell::do_two(
          c, [&](context) { sum += 100; }, [&](context) { sum += 1000; }, [] { return part{0, 2, 999}; },
          [&](part& task) { sum += task.sum; }, guard);
    });
    CHECK(asked > 1);
    CHECK(sum == 780 + 1100);
    return counts().given;
  };
  CHECK(given(0) > 2);
  CHECK(given(1) == 0);
}

TEST_CASE("a result comes back, and an exception of the root is thrown by run") {
  weft::runtime runtime({.workers = 2});
  CHECK(tascell::run([](context) { return std::string("text"); }) == "text");
  CHECK_THROWS_AS(tascell::run([](context) { throw std::runtime_error("not caught"); }), std::runtime_error);
  CHECK_THROWS_AS(tascell::run([](context) { tascell::throw_tag(5); }), tascell::thrown);
  CHECK(counts().live == 0);
}

TEST_CASE("an exception of a given task is thrown where it is joined, after everything was undone") {
  weft::runtime runtime({.workers = 2});
  const variable storm("WEFT_TASCELL_STORM", "1");
  int changes = 0, destroyed = 0;
  struct counted {
    int* count;
    ~counted() { ++*count; }
  };
  const auto program = [&](context c) {
    tascell::do_two(
        c,
        [&](context inner) {
          const counted object{&destroyed};
          tascell::wind(
              inner, [&] { ++changes; },
              [&](context deep) {
                for (;;) deep.poll();
              },
              [&] { --changes; });
        },
        [](context) { throw std::runtime_error("of the task"); });
  };
  CHECK_THROWS_WITH_AS(tascell::run(program, {.workers = 1}), "of the task", std::runtime_error);
  CHECK(changes == 0);
  CHECK(destroyed == 1);
  CHECK(counts().live == 0);
}

TEST_CASE("where a task and its giver both throw, one exception is thrown and the other is freed") {
  weft::runtime runtime({.workers = 1});
  const variable storm("WEFT_TASCELL_STORM", "1");
  struct holder {
    std::shared_ptr<int> held;
  };
  const auto token = std::make_shared<int>();
  const auto program = [&](context c) {
    tascell::do_two(c, [](context) { throw std::runtime_error("of the giver"); }, [&](context) { throw holder{token}; });
  };
  CHECK_THROWS_WITH_AS(tascell::run(program), "of the giver", std::runtime_error);
  CHECK(counts().given == 1);
  CHECK(counts().live == 0);
  CHECK(token.use_count() == 1);
}

TEST_CASE("an exception cancels what other workers do for the construct") {
  weft::runtime runtime({.workers = 2});
  weft_event has_begun = WEFT_EVENT_INIT;
  const auto program = [&](context c) {
    return tascell::catch_tag(c, 3, [&](context inner) {
      tascell::do_two(
          inner,
          [&](context deep) {
            while (!weft_event_is_set(&has_begun)) deep.poll();
            tascell::throw_tag(3);
          },
          [&](context deep) {  // for ever, unless it is cancelled
            CHECK(weft_event_set(&has_begun) == WEFT_OK);
            for (;;) deep.poll();
          });
    });
  };
  CHECK_FALSE(tascell::run(program));
  CHECK(counts().cancelled == 1);
  CHECK(counts().live == 0);
}
