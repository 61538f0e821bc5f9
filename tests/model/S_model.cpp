// Protocol S over src/queue/spinlock.hpp and biased_spinlock.hpp: one thread inside at a time, the
// next one sees what was written, none is left waiting.
#include "base/atomic.hpp"
#include "explorer/explorer.hpp"
#include "queue/biased_spinlock.hpp"
#include "queue/spinlock.hpp"

namespace base = weft::base;
using namespace explorer::words;
using weft::queue::guard;
using weft::queue::spinlock;

namespace {

void three_lock() {
  spinlock lock;
  int inside = 0;
  const auto work = [&] {
    const guard hold(lock);
    ++inside;
  };
  threads(thread{"a", work}, thread{"b", work}, thread{"c", work});
  check(inside == 3, "everybody was inside once");
}

void two_lock_twice() {
  spinlock lock;
  int inside = 0;
  const auto work = [&] {
    for (int round = 0; round < 2; ++round) {
      const guard hold(lock);
      ++inside;
    }
  };
  threads(thread{"a", work}, thread{"b", work});
  check(inside == 4, "everybody was inside twice");
}

void try_to_lock() {
  spinlock lock;
  int inside = 0;
  int refused = 0;
  threads(thread{"locks",
                 [&] {
                   const guard hold(lock);
                   ++inside;
                 }},
          thread{"tries", [&] {
                   if (lock.try_lock()) {
                     ++inside;
                     lock.unlock();
                   } else {
                     refused = 1;
                   }
                 }});
  check(inside + refused == 2, "inside, or refused");
}

// ---- the biased one ----

using weft::queue::bias_limits;
using weft::queue::biased_spinlock;

constexpr bias_limits biased_for_good{1, 0, 1};  // each comes late enough
constexpr bias_limits ended_by_the_first{2, 100, 1};

struct taker {};

template <bias_limits Limits>
struct world {
  biased_spinlock<taker, Limits> lock;
  taker owner;
  int inside = 0;

  void enter_as(const taker* who) {
    lock.lock(who);
    ++inside;
    lock.unlock(who);
  }
  void come_for_it(const taker* who) {
    lock.lock(who);
    ++inside;
    lock.unlock_and_lean_to(who);
  }
  void make_owner() {
    come_for_it(&owner);
    come_for_it(&owner);
    check(lock.is_owner(&owner), "the thread that came often is the owner");
  }
};

void an_owner_and_another() {
  world<biased_for_good> it;
  it.make_owner();
  threads(thread{"owner",
                 [&] {
                   it.enter_as(&it.owner);
                   it.enter_as(&it.owner);
                 }},
          thread{"another", [&] { it.enter_as(nullptr); }});
  check(it.inside == 5, "everybody was inside");
  check(it.lock.is_owner(&it.owner), "the bias stays");
}

void an_owner_and_two() {
  world<biased_for_good> it;
  it.make_owner();
  threads(thread{"owner", [&] { it.enter_as(&it.owner); }}, thread{"another", [&] { it.enter_as(nullptr); }},
          thread{"a third", [&] { it.enter_as(nullptr); }});
  check(it.inside == 5, "everybody was inside");
}

void the_bias_ends() {
  world<ended_by_the_first> it;
  it.make_owner();
  threads(thread{"owner",
                 [&] {
                   it.enter_as(&it.owner);
                   it.enter_as(&it.owner);
                 }},
          thread{"another", [&] {
                   it.enter_as(nullptr);
                   it.enter_as(nullptr);
                 }});
  check(it.inside == 6, "everybody was inside");
  check(!it.lock.is_owner(&it.owner), "no thread is the owner");
}

void the_bias_begins() {
  world<biased_for_good> it;
  taker other;
  threads(thread{"comes often",
                 [&] {
                   it.come_for_it(&it.owner);
                   it.come_for_it(&it.owner);
                   it.come_for_it(&it.owner);
                 }},
          thread{"comes once", [&] { it.come_for_it(&other); }});
  check(it.inside == 4, "everybody was inside");
}

void the_bias_comes_back() {
  world<ended_by_the_first> it;
  it.make_owner();
  threads(thread{"owner",
                 [&] {
                   for (int i = 0; i < 4; ++i) it.come_for_it(&it.owner);
                 }},
          thread{"another", [&] { it.enter_as(nullptr); }});
  check(it.inside == 7, "everybody was inside");
  for (int i = 0; i < 5; ++i) it.come_for_it(&it.owner);
  check(it.lock.is_owner(&it.owner), "the former owner is the owner again");
}

void try_an_owned_one() {
  world<biased_for_good> it;
  it.make_owner();
  int refused = 0;
  threads(thread{"owner",
                 [&] {
                   if (it.lock.try_enter()) {
                     ++it.inside;
                     it.lock.leave();
                   } else {
                     refused = 1;
                   }
                 }},
          thread{"another", [&] { it.enter_as(nullptr); }});
  check(it.inside + refused == 4, "inside, or refused");
}

constexpr bounds quick{.preemptions = 3, .weak = 3, .executions = 60'000};
constexpr bounds deep{.preemptions = 5, .weak = 4, .executions = 10'000'000};

const model owned{"S an owner and another", {.at_least = 20}, an_owner_and_another};
const model owned_by_one_of_three{"S an owner and two", {.at_least = 100, .quick = quick, .deep = deep}, an_owner_and_two};
const model ends{"S the bias ends", {.at_least = 20, .quick = quick, .deep = deep}, the_bias_ends};
const model comes_back{"S the bias comes back", {.at_least = 20, .quick = quick, .deep = deep}, the_bias_comes_back};
const model begins{"S the bias begins", {.at_least = 20, .quick = quick, .deep = deep}, the_bias_begins};
const model tries_owned{"S try an owned one", {.at_least = 3}, try_an_owned_one};

const model three{"S three lock", {.at_least = 100}, three_lock};
const model twice{"S two lock twice", {.at_least = 20, .quick = {.impatience = 1}, .deep = {.impatience = 2}}, two_lock_twice};
const model tries{"S one tries", {.at_least = 3}, try_to_lock};

}  // namespace
