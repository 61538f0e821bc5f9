// Priorities of a schedule: the worker with the highest one goes on, but for a few changes.
#include "seeded/schedule.hpp"
#include "worker/runtime.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace weft;
using sched::choice_kind;

constexpr unsigned workers = 4;

// A program whose workers could all go on at each call.
class program {
 public:
  explicit program(const std::string& schedule) {
    sched::schedule_wish wish;
    REQUIRE(sched::read_schedule(schedule.c_str(), &wish));
    REQUIRE(plan_->open(wish, 1, workers) == status::ok);
  }

  // The worker that goes on after the call of the one whose turn it is.
  unsigned call() {
    std::uint16_t candidates[workers];
    for (unsigned step = 0; step < workers; ++step) candidates[step] = static_cast<std::uint16_t>((running_ + step) % workers);
    running_ = candidates[plan_->choose(choice_kind::turn, workers, candidates)];
    return running_;
  }

  // The workers that had a turn, without repetitions.
  std::vector<unsigned> call_often(unsigned calls) {
    std::vector<unsigned> turns;
    for (unsigned each = 0; each < calls; ++each) {
      if (const unsigned next = call(); turns.empty() || turns.back() != next) turns.push_back(next);
    }
    return turns;
  }

  void put_last(unsigned worker) { plan_->put_last(worker); }

 private:
  std::unique_ptr<sched::schedule> plan_ = std::make_unique<sched::schedule>();
  unsigned running_ = 0;
};

std::string priorities(unsigned seed, unsigned depth) { return "seed:" + std::to_string(seed) + ",pct:" + std::to_string(depth); }

bool has_each_once(std::vector<unsigned> turns) {
  std::sort(turns.begin(), turns.end());
  return std::adjacent_find(turns.begin(), turns.end()) == turns.end();
}

TEST_CASE("the highest priority goes on; at most DEPTH - 1 changes give it the lowest") {
  for (unsigned depth = 1; depth <= workers; ++depth) {
    std::set<unsigned> first;
    std::size_t most = 0;
    for (unsigned seed = 1; seed <= 200; ++seed) {
      const std::vector<unsigned> turns = program(priorities(seed, depth)).call_often(3000);
      CHECK(turns.size() <= depth);
      CHECK(has_each_once(turns));  // a worker put last does not come before the others were, too
      first.insert(turns.front());
      most = std::max(most, turns.size());
    }
    CHECK(first.size() == workers);
    CHECK(most == depth);
  }
}

TEST_CASE("changes come within the first 1000 choices, or `length`") {
  for (const auto& [words, length] : {std::pair{"", 1000u}, std::pair{",length:40", 40u}}) {
    unsigned in_second_half = 0;
    for (unsigned seed = 1; seed <= 200; ++seed) {
      program run(priorities(seed, 3) + words);
      run.call_often(length / 2);
      in_second_half += run.call_often(length / 2).size() > 1 ? 1 : 0;
      CHECK(run.call_often(3000).size() == 1);
    }
    CHECK(in_second_half > 20);
  }
}

// Two workers, of which one makes a single step, that of its first turn, and the other many.
unsigned steps_before(const std::string& words, unsigned most) {
  program run(words);
  unsigned steps = 0;
  while (steps < most && run.call() == 0) ++steps;
  return steps;
}

TEST_CASE("samples draw each step's worker anew") {
  std::vector<unsigned> turns_of(workers);
  unsigned at_once = 0, late = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    const std::string words = "seed:" + std::to_string(seed) + ",sample:pos";
    program run(words);
    for (unsigned each = 0; each < 100; ++each) ++turns_of[run.call()];
    const unsigned before = steps_before(words, 20);
    at_once += before == 0 ? 1 : 0;
    late += before >= 3 ? 1 : 0;
  }
  for (const unsigned each : turns_of) CHECK(each > 300 * 100 / workers / 2);
  CHECK(at_once > 300 / 4);
  CHECK(late > 0);
  CHECK(late < 300 / 4);
}

TEST_CASE("a worker that waits in circles lets all others go first") {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    program run(priorities(seed, 1));
    std::vector<unsigned> turns;
    for (unsigned each = 0; each < 2 * workers; ++each) {
      turns.push_back(run.call());
      run.put_last(turns.back());
    }
    const std::vector<unsigned> first(turns.begin(), turns.begin() + workers), second(turns.begin() + workers, turns.end());
    CHECK(has_each_once(first));
    CHECK(first == second);
  }
}

}  // namespace
