// Protocol A: what is allocated and goes again while others look: a pool that a worker visits, a
// builder's pool that is pushed to, a scheduler that is replaced, a unit's details that two want to
// make. Over src/place/pool.cpp, serving.cpp, wait_for_work.cpp, choose.cpp and thread.cpp.
// Built with src/place/pool.cpp src/place/serving.cpp src/place/wait_for_work.cpp
// Built with src/run/choose.cpp src/run/end.cpp src/worker/extras.cpp src/thread/thread.cpp
// Built with src/unit/timer.cpp
#include <cstdlib>

#include "core_world.hpp"
#include "os/heap.hpp"
#include "place/pool.hpp"
#include "place/serving.hpp"
#include "place/wait_for_work.hpp"
#include "run/choose.hpp"
#include "run/fork.hpp"
#include "run/next.hpp"
#include "run/ready.hpp"
#include "run/resume.hpp"
#include "run/wait.hpp"
#include "run/wake.hpp"
#include "thread/thread.hpp"
#include "unit/pool_record.hpp"
#include "unit/waiter.hpp"
#include "worker/extras.hpp"

// Zeroes small ones where the explorer sees it: a thread that reads a zero must know of it.
void* weft::os::allocate(std::size_t bytes) {
  constexpr std::size_t small = 256;
  void* memory = std::calloc(1, bytes);
  auto* each = static_cast<volatile unsigned char*>(memory);
  for (std::size_t index = 0; bytes <= small && index < bytes; ++index) each[index] = 0;
  return memory;
}

namespace weft::sched {

bool wake(waiter*) { explorer::fail("assertion", "no thread waits in these models"); }
unit* take_to_wake(waiter*) { explorer::fail("assertion", "no thread waits in these models"); }
wait_result wait(waiter*, queue::spinlock*) { explorer::fail("assertion", "no thread waits in these models"); }
wait_result wait_published(waiter*, bool (*)(void*), void*) { explorer::fail("assertion", "no thread waits in these models"); }
void make_ready(worker*, unit*, push_reason) {}

}  // namespace weft::sched

namespace {

using namespace core_world::words;

// ---- a pool goes --------------------------------------------------------------------------------

void detached_during(void (*visit)(worker*)) {
  core_world::make(1);
  pool* one = nullptr;
  static_cast<void>(create_pool(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &one));
  static_cast<void>(attach_pool(the.rt, one, 0));
  threads(thread{"worker",
                 [&] {
                   local::set_worker(the.workers[0]);
                   visit(the.workers[0]);
                 }},
          thread{"outside", [&] {
                   check(detach_pool(the.rt, one, 0) == status::ok, "it was attached");
                   one->~pool();  // from here on no thread may touch it
                 }});
  std::free(one);
}
void detached_while_popped() {
  detached_during([](worker* w) { static_cast<void>(pop_from_pools(w)); });
}
void detached_while_counted() {
  detached_during([](worker* w) { static_cast<void>(pools_have_work(w)); });
}

void detached_while_fellows_are_woken() { detached_during(wake_fellow_servers); }

// ---- a builder's pool goes ----------------------------------------------------------------------

struct shelf {
  base::atomic<weft_thread*> place{nullptr};
  int notes = 0;  // written by push, after the unit can be taken, and by destroy
  base::atomic<bool> is_looked_at{false};
};

void destroyed_after_push() {
  core_world::make(1);
  shelf here;
  weft_pool_ops ops{};
  ops.push = [](void* state, weft_thread* one, weft_push_reason) {
    static_cast<shelf*>(state)->place.store(one, base::release);
    static_cast<shelf*>(state)->notes = 1;
  };
  ops.count = [](void* state) -> std::size_t { return static_cast<shelf*>(state)->place.load(base::relaxed) != nullptr ? 1 : 0; };
  ops.destroy = [](void* state) { static_cast<shelf*>(state)->notes = 2; };
  pool* one = nullptr;
  static_cast<void>(create_custom_pool(ops, &here, WEFT_POOL_SHARED, &one));
  unit pushed{};
  threads(thread{"pusher", [&] { push_to_pool(one, &pushed, push_reason::created); }},
          thread{"taker", [&] {
                   while (here.place.load(base::acquire) == nullptr) weft::arch::pause();
                   here.place.store(nullptr, base::relaxed);
                   check(destroy_pool(one) == status::ok, "nothing is in it");
                 }});
  check(here.notes == 2, "the push had ended before");
}

// A builder's pool in which a thread waited for work. destroy_pool is asked again and again while
// it refuses.
void destroyed_after_watch() {
  core_world::make(1);
  shelf here;
  weft_pool_ops ops{};
  ops.count = [](void* state) -> std::size_t {
    static_cast<shelf*>(state)->is_looked_at.store(true, base::release);
    return static_cast<shelf*>(state)->notes == 0 ? 0 : 1;
  };
  ops.destroy = [](void* state) { static_cast<shelf*>(state)->notes = 2; };
  pool* one = nullptr;
  static_cast<void>(create_custom_pool(ops, &here, WEFT_POOL_SHARED, &one));
  const auto need_not_wait = [](void*) { return true; };
  threads(thread{"watcher", [&] { check(wait_for_work(&one, 1, forever, need_not_wait, nullptr) == status::ok, "it need not"); }},
          thread{"destroyer", [&] {
                   while (!here.is_looked_at.load(base::acquire)) weft::arch::pause();
                   while (destroy_pool(one) != status::ok) weft::arch::pause();
                 }});
  check(here.notes == 2, "it is gone");
}

// ---- what a pool counts -------------------------------------------------------------------------

void comes_back_while_counted() {
  core_world::make(1);
  pool* home = nullptr;
  static_cast<void>(create_pool(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &home));
  unit one{};
  home->note_blocked();
  threads(thread{"wakes it", [&] { return_to_pool(home, &one); }},
          thread{"counts", [&] { check(total_units(home) >= 1, "it is blocked, or ready"); }});
  std::free(home);
}

// ---- a scheduler is replaced --------------------------------------------------------------------

struct script {
  int line = 0;  // written before the scheduler is set
};

void replaced_while_asked() {
  core_world::make(1);
  script first{1}, second{0};
  weft_scheduler_ops ops{};
  ops.next = [](void* state, unsigned) -> weft_thread* {
    check(static_cast<script*>(state)->line == 1, "the state is what was written before");
    return nullptr;
  };
  static_cast<void>(set_scheduler(the.rt, 0, &ops, &first));
  threads(thread{"worker",
                 [&] {
                   local::set_worker(the.workers[0]);
                   check(find_own(the.workers[0]) == nullptr, "nothing is ready");
                 }},
          thread{"outside", [&] {
                   second.line = 1;
                   check(set_scheduler(the.rt, 0, &ops, &second) == status::ok, "there is memory");
                   first.line = 2;  // it is not asked any more
                 }});
}

// ---- details that two want ----------------------------------------------------------------------

void details_of_two() {
  core_world::make(1);
  unit one{};
  details* seen[2] = {};
  threads(thread{"one",
                 [&] {
                   seen[0] = details_of(&one);
                   check(seen[0]->key_capacity == 0, "laid out");
                 }},
          thread{"other",
                 [&] {
                   seen[1] = details_of(&one);
                   check(seen[1]->key_capacity == 0, "laid out");
                 }},
          thread{"reader", [&] {
                   if (const details* extra = details_if_any(&one); extra != nullptr) check(extra->key_capacity == 0, "laid out");
                 }});
  check(seen[0] == seen[1], "one of them");
  std::free(seen[0]);
}

constexpr bounds quick{.preemptions = 2, .weak = 2, .executions = 20'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 10'000'000};

const model m1{"A pool detached while popped", {.at_least = 20, .quick = quick, .deep = deep}, detached_while_popped};
const model m2{"A pool detached while counted", {.at_least = 20, .quick = quick, .deep = deep}, detached_while_counted};
const model m11{"A pool detached while fellow servers are woken",
                {.at_least = 20, .quick = quick, .deep = deep},
                detached_while_fellows_are_woken};
const model m3{"A builder's pool destroyed after a push", {.at_least = 5, .quick = quick, .deep = deep}, destroyed_after_push};
const model m7{"A builder's pool destroyed after a watch", {.at_least = 2, .quick = quick, .deep = deep}, destroyed_after_watch};
const model m5{
    "A a unit comes back while its pool is counted", {.at_least = 5, .quick = quick, .deep = deep}, comes_back_while_counted};
const model m6{"A a scheduler is replaced while asked", {.at_least = 10, .quick = quick, .deep = deep}, replaced_while_asked};
const model m4{"A details wanted by two", {.at_least = 20, .quick = quick, .deep = deep}, details_of_two};

}  // namespace
