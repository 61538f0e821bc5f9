// Units that wait for a stack, while none can be had: which worker runs them then, and that they do
// run.
#include <doctest/doctest.h>
#include <weft/ext.h>
#include <weft/weft.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "os/vm.hpp"
#include "with_workers.hpp"

using namespace weft::fault_test::families;
using weft::fault_test::fine;
using weft::fault_test::is_refusal;
using weft::os::call;

namespace {

// ---- a private pool: what waits for a stack is run by its worker, too ----

struct residence {
  weft_event may_end = WEFT_EVENT_INIT;
  std::atomic<int> elsewhere{0};
};

void reside(void* argument) {
  auto* const here = static_cast<residence*>(argument);
  if (weft_worker_self() != 1) here->elsewhere.fetch_add(1);
  static_cast<void>(weft_event_wait(&here->may_end));
}

bool use_private_pool() {
  return with_workers(3, [] {
    residence here;
    weft_pool* pool = nullptr;
    if (const weft_status made = weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_PRIVATE, &pool); made != WEFT_OK)
      return is_refusal(made);
    bool good = weft_pool_attach(pool, 1) == WEFT_OK;
    std::thread opener([&here] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      static_cast<void>(weft_event_set(&here.may_end));
    });
    good = run_threads(200, reside, &here, pool) >= 0 && good;
    opener.join();
    good = weft_pool_detach(pool, 1) == WEFT_OK && weft_pool_destroy(pool) == WEFT_OK && good;
    return good && here.elsewhere.load() == 0;
  });
}

// ---- a scheduler that always has a ready unit: not only units with a stack run ----

struct household {
  weft_pool* pool;
  weft_event may_end = WEFT_EVENT_INIT;
  bool is_good = true;
};

void stay(void* event) { static_cast<void>(weft_event_wait(static_cast<weft_event*>(event))); }

void arrive(void* has_come) { static_cast<std::atomic<bool>*>(has_come)->store(true); }

// Whether it came before many turns of others; where stacks fail for ever it cannot.
bool comes_in_turn(const std::atomic<bool>& has_come) {
  constexpr int many = 20'000;
  for (int turns = 0; turns < many && !has_come.load(); ++turns) weft_yield();
  const weft::os::fault::plan* plan = weft::os::fault::installed.load(weft::base::relaxed);
  return has_come.load() || (plan != nullptr && plan->how == weft::os::fault::repeat::for_ever);
}

// A thread that stays takes a stack away; one that arrives needs one more, and cannot always have
// it at once.
void keep_house(void* argument) {
  auto* const house = static_cast<household*>(argument);
  constexpr int rounds = 100;
  std::vector<weft_thread*> threads;
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = house->pool;
  const auto start = [&](weft_function function, void* given) {
    weft_thread* made = nullptr;
    const weft_status created = weft_thread_create(function, given, &attr, &made);
    house->is_good = fine(created) && house->is_good;
    if (created == WEFT_OK) threads.push_back(made);
    return created == WEFT_OK;
  };
  std::vector<std::atomic<bool>> have_come(rounds);
  for (std::atomic<bool>& each : have_come) {
    start(stay, &house->may_end);
    if (start(arrive, &each)) house->is_good = comes_in_turn(each) && house->is_good;
  }
  static_cast<void>(weft_event_set(&house->may_end));
  for (weft_thread* each : threads) house->is_good = weft_thread_join(each) == WEFT_OK && house->is_good;
}

bool use_busy_scheduler() {
  return with_workers(1, [] {
    household house{nullptr};
    if (const weft_status made = weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &house.pool); made != WEFT_OK)
      return is_refusal(made);
    const weft_scheduler_ops ops{sizeof ops, take_from_pool};
    const weft_status set = weft_ext_worker_set_scheduler(0, &ops, house.pool);
    bool good = fine(set);
    if (set == WEFT_OK) {
      good = run_threads(1, keep_house, &house, house.pool) >= 0 && house.is_good;
      good = weft_ext_worker_set_scheduler(0, nullptr, nullptr) == WEFT_OK && good;
    }
    return weft_pool_destroy(house.pool) == WEFT_OK && good;
  });
}

// ---- a builder's pool: it hears that a unit that waits for a stack comes back ----

struct listening_pool {
  std::mutex mutex;
  std::deque<weft_thread*> units;
  int heard[4] = {};  // by weft_push_reason

  static listening_pool* of(void* state) { return static_cast<listening_pool*>(state); }
  static void push(void* state, weft_thread* unit, weft_push_reason reason) {
    const std::lock_guard hold(of(state)->mutex);
    of(state)->units.push_back(unit);
    ++of(state)->heard[reason];
  }
  static weft_thread* pop(void* state) {
    const std::lock_guard hold(of(state)->mutex);
    if (of(state)->units.empty()) return nullptr;
    weft_thread* const first = of(state)->units.front();
    of(state)->units.pop_front();
    return first;
  }
  static std::size_t count(void* state) {
    const std::lock_guard hold(of(state)->mutex);
    return of(state)->units.size();
  }
};

// No unit yields; without memory for stacks some come back all the same.
bool comes_back_as_one_that_yields(bool has_memory) {
  constexpr int many = 200;
  listening_pool all;
  const bool good = with_workers(1, [&] {
    const weft_pool_ops ops{sizeof ops, all.push, all.pop, all.count, nullptr, nullptr};
    weft_pool* pool = nullptr;
    if (weft_ext_pool_create(&ops, &all, WEFT_POOL_SHARED, &pool) != WEFT_OK || weft_pool_attach(pool, 0) != WEFT_OK)
      return false;
    weft::os::fault::plan plan;
    plan.which = call::madvise;
    plan.nth = 1;
    plan.how = weft::os::fault::repeat::for_ever;
    if (!has_memory) weft::os::fault::installed.store(&plan, weft::base::relaxed);
    weft_event may_end = WEFT_EVENT_INIT;
    std::thread opener([&may_end] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      static_cast<void>(weft_event_set(&may_end));
    });
    const int ran = run_threads(many, stay, &may_end, pool);
    opener.join();
    weft::os::fault::installed.store(nullptr, weft::base::relaxed);
    return ran == many && weft_pool_detach(pool, 0) == WEFT_OK && weft_pool_destroy(pool) == WEFT_OK;
  });
  CHECK(good);
  CHECK(all.heard[WEFT_PUSH_NEW] == many);
  return all.heard[WEFT_PUSH_YIELDED] != 0;
}

// ---- deadlines that give stacks back, later than the runtime's patience ----

void stay_until(void* deadline) {
  const std::uint64_t now = weft_now_ns(), until = *static_cast<std::uint64_t*>(deadline);
  if (now < until) static_cast<void>(weft_sleep_ns(until - now));
}

int run_more_than_there_are_stacks_for() {
  weft::os::fault::plan plan;
  plan.which = call::madvise;
  plan.nth = 1;
  plan.how = weft::os::fault::repeat::for_ever;
  const bool good = with_workers(1, [&] {
    weft::os::fault::installed.store(&plan, weft::base::relaxed);
    std::uint64_t deadline = weft_now_ns() + 6'500'000'000;
    return run_threads(200, stay_until, &deadline) == 200 && plan.failed.load(weft::base::relaxed) != 0;
  });
  return good ? 0 : 1;
}

// ---- guards that cannot be had: the stacks made from then on have canaries ----

// Writes where an overflow would have, and comes back; perhaps from another fiber than the
// carrier's.
void reach_below(void* must_park) {
  constexpr std::uintptr_t stack_bytes = 65536, guard_bytes = 4096;
  char here = 0;
  if (must_park != nullptr) static_cast<void>(weft_sleep_ns(1000));
  volatile std::uintptr_t top = reinterpret_cast<std::uintptr_t>(&here);
  const std::uintptr_t highest = stack_bytes - guard_bytes / 2;
  for (std::uintptr_t down = highest; down < highest + guard_bytes; ++down) *reinterpret_cast<volatile char*>(top - down) = 1;
}

int overflow_without_guards(bool parks) {
  setenv("WEFT_GUARD", "mprotect", 1);
  setenv("WEFT_STACK_SIZE", "65536", 1);
  weft::os::fault::plan plan;
  plan.which = call::mprotect;
  plan.nth = 1;
  plan.how = weft::os::fault::repeat::once;
  weft::os::fault::installed.store(&plan, weft::base::relaxed);
  return with_workers(1,
                      [&] {
                        weft_thread* made = nullptr;
                        if (weft_thread_create(reach_below, parks ? &plan : nullptr, nullptr, &made) != WEFT_OK) return false;
                        while (weft_thread_get_state(made) != WEFT_THREAD_ENDED)
                          weft_yield();  // a joiner might lend it another stack
                        return weft_thread_join(made) == WEFT_OK;
                      })
             ? 0
             : 1;
}

// ---- the report about stacks ----

void use_some_stack(void*) {
  volatile char used[5000];
  used[0] = 1;
  used[0] = used[0] + 1;
}

std::string stack_report(weft::os::fault::plan* plan) {
  return weft::test::run_in_child([plan] {
           setenv("WEFT_STACK_REPORT", "1", 1);
           weft_config config = WEFT_CONFIG_INIT;
           config.workers = 1;
           NEED(weft_init(&config) == WEFT_OK);
           weft::os::fault::installed.store(plan, weft::base::relaxed);
           NEED(run_threads(3, use_some_stack, nullptr) == 3);
           weft::os::fault::installed.store(nullptr, weft::base::relaxed);
           NEED(plan == nullptr || plan->failed.load(weft::base::relaxed) != 0);
           return weft_finalize() == WEFT_OK ? 0 : 1;
         })
      .errors;
}

}  // namespace

TEST_CASE("pages of which the system does not tell whether they were touched are looked at") {
  weft::os::fault::plan plan;
  plan.which = call::mincore;
  plan.nth = 1;
  plan.how = weft::os::fault::repeat::for_ever;
  const std::string told = stack_report(nullptr);
  CHECK(told.find("use_some_stack") != std::string::npos);
  CHECK(told == stack_report(&plan));
}

TEST_CASE("a private pool") { each_failure_or_last_words({call::mmap, call::madvise}, use_private_pool); }

TEST_CASE("a scheduler that always has somebody") { each_failure_or_last_words({call::mmap, call::madvise}, use_busy_scheduler); }

TEST_CASE("a builder's pool hears of whoever waits for a stack as of one that yields") {
  CHECK_FALSE(comes_back_as_one_that_yields(true));
  CHECK(comes_back_as_one_that_yields(false));
}

TEST_CASE("who waits for a stack waits for those who will end at a deadline") {
  // Other guards fall back to a pattern; and without mmap there would be no records of threads
  // either.
  if (weft::os::best_guard_kind() != weft::os::guard_kind::marker) return;
  const weft::test::child_end end = weft::test::run_in_child(run_more_than_there_are_stacks_for);
  CAPTURE(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.says("while others yield or wait for a deadline"));
}

TEST_CASE("overflows of stacks for which there was no guard are found when their threads end") {
  for (const bool parks : {false, true}) {
    const weft::test::child_end end = weft::test::run_in_child([parks] { return overflow_without_guards(parks); });
    CAPTURE(parks);
    CAPTURE(end.errors);
    CHECK(end.signal == SIGABRT);
    CHECK(end.says("no more guard pages"));
    CHECK(end.says("the canary beneath it was overwritten"));
  }
}

TEST_CASE("those that failures for ever met have coped, or said why not") { weft::fault_test::check_lasting_failures(); }
