// The whole runtime, from init to finalize, when the system refuses something in between: every
// call returns a named status or succeeds, what was created runs and can be joined, finalize gives
// everything back, and the next init works.
#include <doctest/doctest.h>
#include <weft/weft.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>

#include "arch/restart.hpp"
#include "fault_test.hpp"
#include "os/fence.hpp"
#include "os/restart.hpp"
#include "refusal.hpp"

using weft::fault_test::each_failure_or_last_words;
using weft::fault_test::fine;
using weft::fault_test::injecting;
using weft::fault_test::is_refusal;
using weft::os::call;

namespace {

struct shared_work {
  weft_mutex mutex = WEFT_MUTEX_INIT;
  weft_event go = WEFT_EVENT_INIT;
  std::atomic<unsigned> blocked{0};
  unsigned ended = 0;  // guarded by mutex
};

void block_and_count(void* argument) {
  auto* work = static_cast<shared_work*>(argument);
  work->blocked.fetch_add(1);
  if (weft_event_wait(&work->go) != WEFT_OK || weft_mutex_lock(&work->mutex) != WEFT_OK) return;
  const unsigned before = work->ended;
  weft_yield();
  work->ended = before + 1;  // wrong if another was let in meanwhile
  weft_mutex_unlock(&work->mutex);
}

// Blocks some threads at once, so that several chunks of stacks are asked for, then lets them go.
bool block_and_release(unsigned wanted) {
  constexpr unsigned most = 200;
  weft_thread* threads[most];
  shared_work work;
  unsigned made = 0;
  for (unsigned i = 0; i < wanted && i < most; ++i) {
    const weft_status created = weft_thread_create(block_and_count, &work, nullptr, &threads[made]);
    if (created == WEFT_OK)
      ++made;
    else if (!is_refusal(created))
      return false;
  }
  bool good = true;
  for (int turn = 0; turn < 1000 && work.blocked.load() < made; ++turn) weft_yield();
  good = weft_event_set(&work.go) == WEFT_OK && good;
  for (unsigned i = 0; i < made; ++i) good = weft_thread_join(threads[i]) == WEFT_OK && good;
  return good && work.ended == made;
}

void set_keys(void* argument) {
  constexpr unsigned count = 40;
  weft_key keys[count];
  bool good = true;
  unsigned made = 0;
  while (made < count && weft_key_create(nullptr, &keys[made]) == WEFT_OK) ++made;
  for (unsigned i = 0; i < made; ++i) {
    const weft_status set = weft_key_set(keys[i], &keys[i]);
    good = fine(set) && weft_key_get(keys[i]) == (set == WEFT_OK ? &keys[i] : nullptr) && good;
  }
  for (unsigned i = 0; i < made; ++i) good = weft_key_delete(keys[i]) == WEFT_OK && good;
  *static_cast<bool*>(argument) = good;
}

bool fill_and_empty() {
  constexpr unsigned count = 300;
  static std::uint64_t words[count];
  bool good = true;
  bool emptied[count];
  for (unsigned i = 0; i < count; ++i) {
    const weft_status status = weft_feb_empty(&words[i]);
    emptied[i] = status == WEFT_OK;
    good = fine(status) && weft_feb_is_full(&words[i]) == !emptied[i] && good;
  }
  for (unsigned i = 0; i < count; ++i) {
    const weft_status filled = weft_feb_fill(&words[i]);
    good = fine(filled) && weft_feb_is_full(&words[i]) && good;
  }
  return good;
}

bool run_one(const weft_thread_attr& attr, weft_function function, void* argument) {
  weft_thread* thread = nullptr;
  const weft_status created = weft_thread_create(function, argument, &attr, &thread);
  return created == WEFT_OK ? weft_thread_join(thread) == WEFT_OK : is_refusal(created);
}

bool run_tasklet(weft_function function, void* argument) {
  weft_thread* tasklet = nullptr;
  const weft_status created = weft_tasklet_create(function, argument, nullptr, &tasklet);
  return created == WEFT_OK ? weft_thread_join(tasklet) == WEFT_OK : is_refusal(created);
}

void count_up(void* argument) { ++*static_cast<int*>(argument); }

bool use_pool() {
  weft_pool* pool = nullptr;
  const weft_status made = weft_pool_create(WEFT_POOL_PRIORITY, WEFT_POOL_SHARED, &pool);
  if (made != WEFT_OK) return is_refusal(made);
  bool good = true;
  const weft_status attached = weft_pool_attach(pool, 0);
  good = fine(attached) && good;
  int count = 0;
  if (attached == WEFT_OK) {
    weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
    attr.pool = pool;
    good = run_one(attr, count_up, &count) && good;
    good = weft_pool_detach(pool, 0) == WEFT_OK && good;
  }
  return weft_pool_destroy(pool) == WEFT_OK && good;
}

bool use_everything() {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 1;
  if (const weft_status started = weft_init(&config); started != WEFT_OK) return is_refusal(started);
  bool keys_good = true;
  int count = 0;
  weft_thread_attr large = WEFT_THREAD_ATTR_INIT;
  large.stack_bytes = 1 << 20;
  large.name = "large";
  bool good = run_one(large, set_keys, &keys_good);
  good = run_tasklet(count_up, &count) && good;
  good = fill_and_empty() && good;
  good = use_pool() && good;
  return weft_finalize() == WEFT_OK && good && keys_good;
}

void count_one(void* argument) { static_cast<std::atomic<unsigned>*>(argument)->fetch_add(1); }

// All are made, or none is and the output untouched.
bool make_all_or_none(weft_pool* pool) {
  constexpr std::size_t wanted = 12;
  weft_thread* threads[wanted];
  const auto mark = [](std::size_t index) { return reinterpret_cast<weft_thread*>(0x1000 + 16 * index); };
  for (std::size_t i = 0; i < wanted; ++i) threads[i] = mark(i);
  std::atomic<unsigned> count{0};
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.stack_bytes = 200000;
  attr.name = "one of a group";
  attr.pool = pool;
  const weft_status made = weft_thread_create_many(count_one, &count, 0, wanted, &attr, threads);
  if (made == WEFT_OK) return weft_thread_join_many(threads, wanted) == WEFT_OK && count.load() == wanted;
  bool good = is_refusal(made);
  for (std::size_t i = 0; i < wanted; ++i) good = threads[i] == mark(i) && good;
  for (int turn = 0; turn < 50; ++turn) weft_yield();
  return good && count.load() == 0;
}

bool make_groups() {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 1;
  if (const weft_status started = weft_init(&config); started != WEFT_OK) return is_refusal(started);
  bool good = make_all_or_none(nullptr);
  weft_pool* pool = nullptr;
  if (const weft_status made = weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &pool); made == WEFT_OK) {
    if (weft_pool_attach(pool, 0) == WEFT_OK) good = make_all_or_none(pool) && weft_pool_detach(pool, 0) == WEFT_OK && good;
    good = weft_pool_destroy(pool) == WEFT_OK && good;
  } else {
    good = is_refusal(made) && good;
  }
  return weft_finalize() == WEFT_OK && good;
}

bool life_of_a_runtime(unsigned workers) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  const weft_status started = weft_init(&config);
  if (started != WEFT_OK) return is_refusal(started) && !weft_is_initialized();
  bool good = weft_sleep_ns(1000) == WEFT_OK;
  good = block_and_release(150) && good;
  good = weft_finalize() == WEFT_OK && good;
  return good && !weft_is_initialized();
}

// A trace that cannot be had is a refusal with a line that names it, or a line at the end; never
// the program's end.
bool life_with_a_trace() {
  setenv("WEFT_TRACE", "/dev/null", 1);
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 1;
  const weft_status started = weft_init(&config);
  unsetenv("WEFT_TRACE");
  if (started != WEFT_OK) return started == WEFT_INVALID || is_refusal(started);
  const bool good = block_and_release(20);
  return weft_finalize() == WEFT_OK && good;
}

// The first OS thread outside makes the key of the system's, and each sets it.
int outside_thread_that_would_not_be_noticed(std::atomic<int>* forgotten) {
  NEED(weft_init(nullptr) == WEFT_OK);
  weft_key key;
  NEED(weft_key_create([](void* count) { static_cast<std::atomic<int>*>(count)->fetch_add(1); }, &key) == WEFT_OK);
  std::thread([&] { NEED(weft_key_set(key, forgotten) == WEFT_OK); }).join();
  NEED(forgotten->load() == 1);
  weft::os::fault::plan plan;
  plan.which = call::thread_key;
  plan.nth = 1;
  weft::os::fault::installed.store(&plan, weft::base::relaxed);
  std::thread([&] {
    NEED(weft_key_set(key, forgotten) == WEFT_NOMEM);
    NEED(weft_key_set(key, forgotten) == WEFT_OK);
  }).join();
  NEED(forgotten->load() == 2);
  NEED(weft_key_delete(key) == WEFT_OK);
  return weft_finalize() == WEFT_OK ? 0 : 1;
}

}  // namespace

// The first case of this program: what is registered stays so, in children too. With several OS
// threads the kernel takes some 10 ms for it.
TEST_CASE("a process is registered for restartable stores before it has a second OS thread") {
  REQUIRE(weft::os::restart_area() == 0);
  const auto end = weft::test::run_in_child([] {
    weft::os::fault::plan plan;
    plan.which = call::thread_start;
    plan.nth = 1;
    weft::os::fault::installed.store(&plan, weft::base::relaxed);
    weft_config config = WEFT_CONFIG_INIT;
    config.workers = 2;
    if (weft_init(&config) == WEFT_OK) return 1;
    const bool is_registered = weft::os::restart_area() != 0;
    const bool can_be =
        weft::os::register_asymmetric_fence() && weft::os::enable_restartable_stores(weft::arch::has_restartable_store);
    return is_registered == can_be ? 0 : 2;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}

TEST_CASE("one worker") {
  each_failure_or_last_words({call::mmap, call::madvise, call::mprotect, call::membarrier, call::open},
                             [] { return life_of_a_runtime(1); });
}

TEST_CASE("several workers") {
  each_failure_or_last_words({call::mmap, call::thread_start, call::futex_wait, call::futex_wake, call::membarrier},
                             [] { return life_of_a_runtime(3); });
}

TEST_CASE("a worker that cannot be added is a status") {
  each_failure_or_last_words({call::thread_start, call::mmap}, [] {
    weft_config config = WEFT_CONFIG_INIT;
    config.workers = 1;
    if (const weft_status started = weft_init(&config); started != WEFT_OK) return is_refusal(started);
    unsigned index = 0;
    const weft_status added = weft_worker_add(&index);
    bool good = added == WEFT_OK || is_refusal(added);
    if (added == WEFT_OK) good = weft_worker_remove(index) == WEFT_OK && good;
    good = block_and_release(20) && good;
    return weft_finalize() == WEFT_OK && good;
  });
}

TEST_CASE("a worker for which no OS thread can be had is refused with the cause, at the start and later") {
  const auto end = weft::test::run_in_child([] {
    const auto says_why = [] {
      const char* const told = weft_last_error();
      return std::strstr(told, "the system refused an OS thread") != nullptr && std::strstr(told, "; cure: raise") != nullptr;
    };
    weft::os::fault::plan plan;
    plan.which = call::thread_start;
    plan.nth = 1;
    weft::os::fault::installed.store(&plan, weft::base::relaxed);
    weft_config config = WEFT_CONFIG_INIT;
    config.workers = 2;
    if (weft_init(&config) != WEFT_AGAIN || !says_why()) return 1;
    config.workers = 1;
    if (weft_init(&config) != WEFT_OK) return 2;
    weft::os::fault::plan later;
    later.which = call::thread_start;
    later.nth = 1;
    weft::os::fault::installed.store(&later, weft::base::relaxed);
    unsigned index = 0;
    if (weft_worker_add(&index) != WEFT_AGAIN || !says_why()) return 3;
    return weft_finalize() == WEFT_OK ? 0 : 4;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}

namespace {

bool adopt_and_leave() {
  weft_adopt_config config = WEFT_ADOPT_CONFIG_INIT;
  config.name = "guest";
  config.bind = true;
  const weft_status adopted = weft_worker_adopt(&config);
  if (adopted != WEFT_OK) return is_refusal(adopted) && weft_self() == nullptr && weft_worker_self() == -1;
  const bool good = block_and_release(20);
  return weft_worker_leave() == WEFT_OK && good && weft_self() == nullptr;
}

}  // namespace

TEST_CASE("an OS thread that cannot be adopted is told so, and stays outside") {
  each_failure_or_last_words({call::mmap, call::heap, call::thread_key, call::thread_stack, call::affinity}, [] {
    weft_config config = WEFT_CONFIG_INIT;
    config.workers = 1;
    config.caller_outside = true;
    if (const weft_status started = weft_init(&config); started != WEFT_OK) return is_refusal(started);
    bool good = true;
    for (int round = 0; round < 2; ++round) good = adopt_and_leave() && good;
    good = weft_worker_count() == 1 && good;
    return weft_finalize() == WEFT_OK && good;
  });
}

namespace {

// Threads that are pinned, and asked to move, all the time: to a worker that never comes.
struct wanderers {
  unsigned target = 0;
  std::atomic<bool> rest{false};
  std::atomic<bool> stop{false};
};

void wander(void* argument) {
  auto* all = static_cast<wanderers*>(argument);
  while (!all->stop.load()) {
    if (all->rest.load()) {
      weft_yield();
      continue;
    }
    static_cast<void>(weft_pin(static_cast<int>(all->target)));
    static_cast<void>(weft_thread_migrate_to_worker(weft_self(), all->target));
    weft_yield();
    static_cast<void>(weft_pin(WEFT_ANY_WORKER));
  }
}

}  // namespace

TEST_CASE("nobody gets to a worker whose OS thread cannot be had") {
  each_failure_or_last_words({call::thread_start}, [] {
    weft_config config = WEFT_CONFIG_INIT;
    config.workers = 2;
    if (const weft_status started = weft_init(&config); started != WEFT_OK) return is_refusal(started);
    wanderers all;
    all.target = 2;
    weft_thread* threads[3];
    unsigned made = 0;
    while (made < 3 && weft_thread_create(wander, &all, nullptr, &threads[made]) == WEFT_OK) ++made;
    bool good = true;
    for (int round = 0; round < 3; ++round) {
      unsigned index = 0;
      const weft_status added = weft_worker_add(&index);
      good = fine(added) && good;
      weft_yield();
      if (added != WEFT_OK) good = weft_worker_count() == 2 && good;
      all.rest.store(true);
      while (added == WEFT_OK && weft_worker_remove(index) == WEFT_BUSY) weft_yield();
      all.rest.store(false);
    }
    all.stop.store(true);
    for (unsigned i = 0; i < made; ++i) good = weft_thread_join(threads[i]) == WEFT_OK && good;
    return weft_finalize() == WEFT_OK && good;
  });
}

TEST_CASE("where membarrier is not to be had, init says so and names the cure") {
  const auto end = weft::test::run_in_child([] {
    weft::os::fault::plan plan;
    plan.which = call::membarrier;
    plan.nth = 1;
    plan.how = weft::os::fault::repeat::for_ever;
    weft::os::fault::installed.store(&plan, weft::base::relaxed);
    if (weft_init(nullptr) != WEFT_UNSUPPORTED || weft_is_initialized()) return 1;
    weft::os::fault::installed.store(nullptr, weft::base::relaxed);
    if (weft_init(nullptr) != WEFT_OK) return 2;  // nothing is left behind
    return weft_finalize() == WEFT_OK ? 0 : 3;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.lines() == 1);
  CHECK(end.says("no membarrier(2) here: Weft needs Linux 4.14 or later"));
}

TEST_CASE("a dump for which no OS thread is to be had lacks the backtraces, and says so") {
  const auto end = weft::test::run_in_child([] {
    weft_config config = WEFT_CONFIG_INIT;
    config.workers = 1;
    if (weft_init(&config) != WEFT_OK) return 1;
    shared_work work;
    weft_thread* blocked = nullptr;
    if (weft_thread_create(block_and_count, &work, nullptr, &blocked) != WEFT_OK) return 2;
    while (weft_thread_get_state(blocked) != WEFT_THREAD_BLOCKED) weft_yield();
    weft::os::fault::plan plan;
    plan.which = call::thread_start;
    plan.nth = 1;
    plan.how = weft::os::fault::repeat::for_ever;
    weft::os::fault::installed.store(&plan, weft::base::relaxed);
    return weft_dump(2) == WEFT_OK ? 0 : 3;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.says("no backtraces: there is no OS thread for this report"));
  CHECK(end.says("waits for event"));
  CHECK_FALSE(end.says("#0"));
}

TEST_CASE("a group of threads is made as a whole or not at all") {
  each_failure_or_last_words({call::heap, call::mmap, call::madvise}, make_groups);
}

TEST_CASE("keys, large stacks, tasklets, pools, full/empty words") {
  each_failure_or_last_words({call::heap, call::mmap, call::madvise}, use_everything);
}

TEST_CASE("an OS thread whose end would not be noticed is told so before it keeps anything") {
  const auto end = weft::test::run_in_child([] {
    std::atomic<int> forgotten{0};
    return outside_thread_that_would_not_be_noticed(&forgotten);
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}

TEST_CASE("a runtime that is traced") { each_failure_or_last_words({call::mmap, call::open}, life_with_a_trace); }

TEST_CASE("those that failures for ever met have coped, or said why not") { weft::fault_test::check_lasting_failures(); }
