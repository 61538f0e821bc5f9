// The order in which a worker robs the others, on a machine that is made up.
#include "run/victims.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "os/topology.hpp"

namespace {

using namespace weft;

// A worker on each CPU of "numa:2 core:4 pu:2": CPUs 2n and 2n + 1 share a core, the first eight a
// NUMA node.
class made_up {
 public:
  explicit made_up(unsigned workers) : machine_(std::make_unique<os::topology>()), rt_(std::make_unique<sched::runtime>()) {
    REQUIRE(os::read_topology(machine_.get(), "numa:2 core:4 pu:2") == status::ok);
    rt_->machine = machine_.get();
    add_up_to(workers);
  }
  void add_up_to(unsigned workers) { rt_->worker_slots.store(workers, base::relaxed); }
  void fill() {
    for (unsigned index = 0; index < rt_->worker_slots.load(base::relaxed); ++index) {
      others_.push_back(std::make_unique<sched::worker>());
      others_.back()->index = index;
      rt_->workers[index].store(others_.back().get(), base::relaxed);
    }
  }
  sched::runtime* runtime() { return rt_.get(); }
  unsigned distance(unsigned a, unsigned b) const { return os::distance(*machine_, a, b); }

 private:
  std::unique_ptr<os::topology> machine_;
  std::unique_ptr<sched::runtime> rt_;
  std::vector<std::unique_ptr<sched::worker>> others_;
};

class robber {
 public:
  robber(made_up& machine, unsigned index, std::uint64_t seed) : worker_(std::make_unique<sched::worker>()) {
    worker_->rt = machine.runtime();
    worker_->index = index;
    worker_->random = base::rng(seed);
  }

  std::vector<unsigned> order() {
    sched::order_victims(worker_.get());
    return {worker_->victims, worker_->victims + worker_->victim_count};
  }

  sched::worker* itself() { return worker_.get(); }

  // In which a search comes to them that finds nothing.
  std::vector<unsigned> search() {
    std::vector<unsigned> found;
    sched::take_from_first(worker_.get(), [&](sched::worker* victim) -> sched::unit* {
      found.push_back(victim->index);
      return nullptr;
    });
    return found;
  }

 private:
  std::unique_ptr<sched::worker> worker_;
};

}  // namespace

TEST_CASE("each other worker once, the near ones first") {
  made_up machine(16);
  for (unsigned index = 0; index < 16; ++index) {
    const std::vector<unsigned> order = robber(machine, index, index + 1).order();
    REQUIRE(order.size() == 15);
    std::vector<bool> seen(16);
    for (const unsigned each : order) seen[each] = true;
    CHECK_FALSE(seen[index]);
    CHECK(order[0] == (index ^ 1u));  // on the same core
    for (unsigned at = 1; at < 15; ++at) {
      CHECK(machine.distance(index, order[at - 1]) <= machine.distance(index, order[at]));
      CHECK((order[at] / 8 == index / 8) == (at < 7));  // its own NUMA node before the other one
    }
    seen[index] = true;
    CHECK(seen == std::vector<bool>(16, true));
  }
}

TEST_CASE("at equal distance each has an order of its own") {
  made_up machine(16);
  const std::vector<unsigned> first = robber(machine, 0, 1).order();
  bool differs = false;
  for (std::uint64_t seed = 2; seed < 10; ++seed) differs = differs || robber(machine, 0, seed).order() != first;
  CHECK(differs);
}

TEST_CASE("workers that came later are put in their place") {
  made_up machine(9);
  robber last(machine, 8, 1);
  CHECK(last.order().size() == 8);
  machine.add_up_to(16);
  const std::vector<unsigned> order = last.order();
  CHECK(order.size() == 15);
  CHECK(order[0] == 9);
}

TEST_CASE("a search comes to each worker once, near ones first, and begins with another one each time") {
  made_up machine(16);
  machine.fill();
  robber one(machine, 0, 1);
  const std::vector<unsigned> order = one.order();
  std::vector<bool> was_second(16);
  for (int round = 0; round < 200; ++round) {
    const std::vector<unsigned> met = one.search();
    REQUIRE(met.size() == 15);
    CHECK(met[0] == 1);
    for (unsigned at = 1; at < 15; ++at) CHECK(machine.distance(0, met[at - 1]) <= machine.distance(0, met[at]));
    CHECK(std::is_permutation(met.begin(), met.end(), order.begin()));
    was_second[met[1]] = true;
  }
  CHECK(std::count(was_second.begin(), was_second.end(), true) == 6);  // the others of its NUMA node
}

TEST_CASE("a search ends with the first worker that has something, and skips slots without a worker") {
  made_up machine(16);
  machine.fill();
  machine.runtime()->workers[1].store(nullptr, base::relaxed);
  robber one(machine, 0, 1);
  one.order();
  sched::unit found;
  unsigned met = 0;
  CHECK(sched::take_from_first(one.itself(), [&](sched::worker* victim) {
          ++met;
          return victim->index >= 8 ? &found : nullptr;
        }) == &found);
  CHECK(met == 7);
}
