// Protocol X over src/os/shared_fence.hpp: a shared fence orders as one of the caller's own does.
#include "arch/cpu.hpp"
#include "base/atomic.hpp"
#include "explorer/explorer.hpp"
#include "os/fence.hpp"
#include "os/shared_fence.hpp"

namespace base = weft::base;
using namespace explorer::words;
using weft::os::shared_fence;

namespace {

struct world {
  shared_fence fences;
  base::atomic<int> owner{0}, thieves[3] = {};
  int owner_saw[3] = {};
  int saw_owner[3] = {};

  void fence(unsigned patience) {
    fences.run(patience, [] { weft::os::heavy_fence(); }, [] { weft::arch::pause(); });
  }
  void own(int count) {
    owner.store(1, base::relaxed);
    base::light_fence();
    for (int i = 0; i < count; ++i) owner_saw[i] = thieves[i].load(base::relaxed);
  }
  void steal(int i, unsigned patience) {
    thieves[i].store(1, base::relaxed);
    fence(patience);
    saw_owner[i] = owner.load(base::relaxed);
  }
  void check_exclusion(int count) const {
    for (int i = 0; i < count; ++i) check(owner_saw[i] + saw_owner[i] > 0, "the owner or the thief sees the other");
  }
};

constexpr unsigned patient = 1000;

void an_owner_and_a_thief() {
  world it;
  threads(thread{"owner", [&] { it.own(1); }}, thread{"thief", [&] { it.steal(0, patient); }});
  it.check_exclusion(1);
}

void an_owner_and_two_thieves() {
  world it;
  threads(thread{"owner", [&] { it.own(2); }}, thread{"thief", [&] { it.steal(0, patient); }},
          thread{"other thief", [&] { it.steal(1, patient); }});
  it.check_exclusion(2);
}

// The second waits for the first's, the third may come before or after that has begun.
void three_thieves() {
  world it;
  threads(thread{"owner", [&] { it.own(3); }}, thread{"thief", [&] { it.steal(0, patient); }},
          thread{"other thief", [&] { it.steal(1, patient); }}, thread{"third thief", [&] { it.steal(2, patient); }});
  it.check_exclusion(3);
}

void a_thief_loses_its_patience() {
  world it;
  threads(thread{"owner", [&] { it.own(2); }}, thread{"thief", [&] { it.steal(0, patient); }},
          thread{"impatient", [&] { it.steal(1, 1); }});
  it.check_exclusion(2);
}

// Two that announce and look are ordered by heavy fences on both sides, too.
void two_that_announce() {
  world it;
  int seen[2] = {};
  const auto announce = [&](int i) {
    it.thieves[i].store(1, base::relaxed);
    it.fence(patient);
    seen[i] = it.thieves[1 - i].load(base::relaxed);
  };
  threads(thread{"a", [&] { announce(0); }}, thread{"b", [&] { announce(1); }});
  check(seen[0] + seen[1] > 0, "one sees the other");
}

// A second round counts on from the first.
void two_rounds() {
  world it;
  it.fence(patient);
  threads(thread{"owner", [&] { it.own(2); }},
          thread{"thief",
                 [&] {
                   it.fence(patient);
                   it.steal(0, patient);
                 }},
          thread{"other thief", [&] { it.steal(1, patient); }});
  it.check_exclusion(2);
}

constexpr explorer::bounds quick{.preemptions = 3, .weak = 2, .impatience = 1, .executions = 400'000};
constexpr explorer::bounds quick_many{.preemptions = 2, .weak = 2, .impatience = 1, .executions = 400'000};
constexpr explorer::bounds deep{.preemptions = 5, .weak = 3, .impatience = 1, .executions = 20'000'000};

const model one{"X owner and thief", {.at_least = 10, .quick = quick, .deep = {.impatience = 1}}, an_owner_and_a_thief};
const model two{"X owner and two thieves", {.at_least = 1000, .quick = quick, .deep = deep}, an_owner_and_two_thieves};
const model three{"X owner and three thieves", {.at_least = 1000, .quick = quick_many, .deep = deep}, three_thieves};
const model impatient{"X a thief is impatient", {.at_least = 100, .quick = quick, .deep = deep}, a_thief_loses_its_patience};
const model announced{"X two announce", {.at_least = 50, .quick = quick, .deep = {.impatience = 1}}, two_that_announce};
const model again{"X two rounds", {.at_least = 100, .quick = quick, .deep = deep}, two_rounds};

}  // namespace
