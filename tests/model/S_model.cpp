// Protocol S over src/queue/spinlock.hpp: one inside at a time, who comes next sees what was written, nobody is left waiting.
#include "base/atomic.hpp"
#include "explorer/explorer.hpp"
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

const model three{"S three lock", {.at_least = 100}, three_lock};
const model twice{"S two lock twice", {.at_least = 20, .quick = {.impatience = 1}, .deep = {.impatience = 2}}, two_lock_twice};
const model tries{"S one tries", {.at_least = 3}, try_to_lock};

}  // namespace
