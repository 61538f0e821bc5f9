// Each family of the interface when the system refuses something: every call returns a named status
// or does what was asked, and afterwards the threads that were made end, the runtime is finalized,
// and gives everything back.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>
#include <weft/ext.h>
#include <weft/hot.h>
#include <weft/loops.h>
#include <weft/weft.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

#include "fault_test.hpp"
#include "with_workers.hpp"

using namespace weft::fault_test::families;
using weft::fault_test::fine;
using weft::fault_test::is_refusal;
using weft::os::call;

namespace {

// ---- timers ----

struct sleepers {
  weft_mutex mutex = WEFT_MUTEX_INIT;
  weft_cond never = WEFT_COND_INIT;
  std::atomic<int> late{0};  // sleepers that were woken at their deadlines
};

void sleep_and_time_out(void* argument) {
  auto* all = static_cast<sleepers*>(argument);
  if (weft_sleep_ns(50'000) != WEFT_OK || weft_mutex_lock(&all->mutex) != WEFT_OK) return;
  if (weft_cond_wait_until(&all->never, &all->mutex, weft_deadline_in(100'000)) == WEFT_TIMEOUT) all->late.fetch_add(1);
  weft_mutex_unlock(&all->mutex);
}

bool use_timers() {
  return with_workers(2, [] {
    sleepers all;
    const int made = run_threads(20, sleep_and_time_out, &all);
    std::atomic<int> outside{0};
    std::thread other([&] {
      if (weft_sleep_ns(50'000) == WEFT_OK) outside.store(1);
    });
    other.join();
    return made >= 0 && all.late.load() == made && outside.load() == 1;
  });
}

// ---- forks and loops ----

struct blocking_fork {
  weft_event* event;
  std::atomic<int>* passed;
};

void wait_and_pass(void* work) {
  const auto* one = static_cast<blocking_fork*>(work);
  if (weft_event_wait(one->event) == WEFT_OK) one->passed->fetch_add(1);
}

void set_event(void* event) { static_cast<void>(weft_event_set(static_cast<weft_event*>(event))); }

// The forker joins the first of its children, which waits: the others must become units.
void fork_and_wait(void* argument) {
  constexpr int width = 8;
  weft_event event = WEFT_EVENT_INIT;
  blocking_fork work{&event, static_cast<std::atomic<int>*>(argument)};
  weft_event* opened = &event;
  weft_forked* waiting[width];
  for (weft_forked*& each : waiting) each = weft_fork(wait_and_pass, &work, sizeof work);
  weft_forked* setter = weft_fork([](void* which) { set_event(*static_cast<weft_event**>(which)); }, &opened, sizeof opened);
  weft_fork_join(setter, [](void* which) { set_event(*static_cast<weft_event**>(which)); }, &opened, sizeof opened);
  for (int i = width; i-- != 0;) weft_fork_join(waiting[i], wait_and_pass, &work, sizeof work);
}

// The forker itself waits, before the join: its fork must become a unit. Without memory it is none,
// and runs in its join.
void fork_and_be_cut_off(void* argument) {
  weft_event event = WEFT_EVENT_INIT;
  blocking_fork work{&event, static_cast<std::atomic<int>*>(argument)};
  weft_event* opened = &event;
  const auto set = [](void* which) { set_event(*static_cast<weft_event**>(which)); };
  weft_forked* setter = weft_fork(set, &opened, sizeof opened);
  const bool can_wait = setter != nullptr;
  if (can_wait && weft_event_wait(&event) == WEFT_OK) work.passed->fetch_add(1);
  weft_fork_join(setter, set, &opened, sizeof opened);
  if (!can_wait && weft_event_wait(&event) == WEFT_OK) work.passed->fetch_add(1);
}

bool use_forks() {
  return with_workers(2, [] {
    std::atomic<int> passed{0};
    std::atomic<int> cut_off{0};
    const int made = run_threads(3, fork_and_wait, &passed);
    const int waited = run_threads(3, fork_and_be_cut_off, &cut_off);
    return made >= 0 && waited >= 0 && passed.load() == 8 * made && cut_off.load() == waited;
  });
}

void add_indexes(std::size_t from, std::size_t to, void*, void* value) {
  for (std::size_t i = from; i < to; ++i) *static_cast<std::size_t*>(value) += i;
}
void add_sums(void* value, const void* more, void*) {
  *static_cast<std::size_t*>(value) += *static_cast<const std::size_t*>(more);
}
void mark_indexes(std::size_t from, std::size_t to, void* marks) {
  for (std::size_t i = from; i < to; ++i) ++static_cast<unsigned char*>(marks)[i];
}
int compare_bytes(const void* left, const void* right, void*) {
  return *static_cast<const unsigned char*>(left) - *static_cast<const unsigned char*>(right);
}

void loop_over_all(void* argument) {
  constexpr std::size_t count = 3000;
  std::vector<unsigned char> marks(count, 0);
  const std::size_t zero = 0;
  std::size_t sum = 0;
  const weft_reduction sums{sizeof sum, &zero, add_indexes, add_sums};
  bool good = weft_parallel_for(0, count, 10, mark_indexes, marks.data()) == WEFT_OK;
  good = weft_parallel_reduce(0, count, 10, &sums, nullptr, &sum) == WEFT_OK && sum == count * (count - 1) / 2 && good;
  for (std::size_t i = 0; i < count; ++i) {
    good = marks[i] == 1 && good;
    marks[i] = static_cast<unsigned char>(i * 7);
  }
  good = weft_parallel_sort(marks.data(), count, 1, compare_bytes, nullptr) == WEFT_OK && good;
  for (std::size_t i = 1; i < count; ++i) good = marks[i - 1] <= marks[i] && good;
  if (good) static_cast<std::atomic<int>*>(argument)->fetch_add(1);
}

bool use_loops() {
  return with_workers(3, [] {
    std::atomic<int> good{0};
    const int made = run_threads(2, loop_over_all, &good);
    loop_over_all(&good);
    return made >= 0 && good.load() == made + 1;
  });
}

// ---- outside sources ----

struct mailbox {
  std::atomic<unsigned> arrived{0};
  weft_semaphore taken = {{0, 0, 0, 0}};  // WEFT_SEMAPHORE_INIT has a cast of C
};

std::size_t poll_mailbox(void* state) {
  auto* box = static_cast<mailbox*>(state);
  const unsigned count = box->arrived.exchange(0);
  if (count != 0) weft_semaphore_release(&box->taken, count);
  return count;
}

bool use_sources() {
  return with_workers(2, [] {
    constexpr int most = 20;
    mailbox boxes[most];
    weft_source* sources[most];
    bool good = true;
    for (int i = 0; i < most; ++i) {
      const weft_status added = weft_ext_source_add(poll_mailbox, &boxes[i], &sources[i]);
      good = fine(added) && good;
      if (added != WEFT_OK) sources[i] = nullptr;
    }
    std::thread sender([&] {
      for (int i = 0; i < most; ++i) {
        if (sources[i] == nullptr) continue;
        boxes[i].arrived.fetch_add(1);
        weft_ext_source_notify(sources[i]);
      }
    });
    for (int i = 0; i < most; ++i) {
      if (sources[i] != nullptr) good = weft_semaphore_acquire(&boxes[i].taken) == WEFT_OK && good;
    }
    sender.join();
    for (weft_source* each : sources) {
      if (each != nullptr) good = weft_ext_source_remove(each) == WEFT_OK && good;
    }
    return good;
  });
}

// ---- schedulers of the builder's own ----

void yield_and_count(void* argument) {
  weft_yield();
  static_cast<std::atomic<int>*>(argument)->fetch_add(1);
}

bool under_own_scheduler(weft_pool* pool) {
  const weft_scheduler_ops ops{sizeof ops, take_from_pool};
  if (const weft_status set = weft_ext_worker_set_scheduler(0, &ops, pool); set != WEFT_OK) return is_refusal(set);
  std::atomic<int> count{0};
  const int made = run_threads(10, yield_and_count, &count, pool);
  const weft_status reset = weft_ext_worker_set_scheduler(0, nullptr, nullptr);
  return reset == WEFT_OK && made >= 0 && count.load() == made;
}

struct boss {
  weft_pool* pool;
  std::atomic<int> ended{0};
  std::atomic<int> wanted{0};
  std::atomic<bool> is_complete{false};
  std::atomic<bool> good{true};
};

void end_under_boss(void* argument) {
  weft_yield();
  static_cast<boss*>(argument)->ended.fetch_add(1);
}

// Owns a unit that could not be dispatched, and pushes it back. Where that lasts, such a program
// has to end by itself.
void dispatch_until_done(void* argument) {
  constexpr int most_refusals = 1000;
  auto* self = static_cast<boss*>(argument);
  int refusals = 0;
  while (!self->is_complete.load() || self->ended.load() < self->wanted.load()) {
    weft_thread* unit = weft_ext_pool_pop(self->pool);
    if (unit == nullptr) {
      static_cast<void>(weft_ext_wait_for_work(&self->pool, 1, weft_deadline_in(100'000), nullptr, nullptr));
      continue;
    }
    const weft_status dispatched = weft_ext_dispatch(unit);
    if (!fine(dispatched)) self->good.store(false);
    if (dispatched != WEFT_OK && ++refusals == most_refusals) std::_Exit(self->good.load() ? 0 : 2);
    if (dispatched != WEFT_OK && weft_ext_pool_push(self->pool, unit, WEFT_PUSH_YIELDED) != WEFT_OK) self->good.store(false);
  }
}

bool under_scheduler_thread(weft_pool* pool) {
  boss self{pool};
  weft_thread* scheduler = nullptr;
  if (const weft_status made = weft_thread_create(dispatch_until_done, &self, nullptr, &scheduler); made != WEFT_OK)
    return is_refusal(made);
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = pool;
  bool good = true;
  std::vector<weft_thread*> threads;
  for (int i = 0; i < 10; ++i) {
    weft_thread* made = nullptr;
    const weft_status created = weft_thread_create(end_under_boss, &self, &attr, &made);
    good = fine(created) && good;
    if (created == WEFT_OK) threads.push_back(made);
  }
  self.wanted.store(static_cast<int>(threads.size()));
  self.is_complete.store(true);
  for (weft_thread* each : threads) good = weft_thread_join(each) == WEFT_OK && good;
  good = weft_thread_join(scheduler) == WEFT_OK && good;
  return good && self.good.load();
}

bool use_schedulers() {
  return with_workers(1, [] {
    weft_pool* pool = nullptr;
    if (const weft_status made = weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &pool); made != WEFT_OK)
      return is_refusal(made);
    bool good = under_scheduler_thread(pool);
    const weft_status attached = weft_pool_attach(pool, 0);
    good = fine(attached) && good;
    if (attached == WEFT_OK) good = under_own_scheduler(pool) && weft_pool_detach(pool, 0) == WEFT_OK && good;
    return weft_pool_destroy(pool) == WEFT_OK && good;
  });
}

// ---- tables that grow ----

// More pools than the tables of a worker, and of a pool, have room for at first.
bool use_many_pools() {
  return with_workers(1, [] {
    weft_pool* pool = nullptr;
    if (const weft_status made = weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &pool); made != WEFT_OK)
      return is_refusal(made);
    bool good = true;
    int served = 0;
    for (int time = 0; time < 40; ++time) {
      const weft_status attached = weft_pool_attach(pool, 0);
      good = fine(attached) && good;
      served += attached == WEFT_OK ? 1 : 0;
    }
    good = served >= 8 && good;
    for (; served > 0; --served) good = weft_pool_detach(pool, 0) == WEFT_OK && good;
    return weft_pool_detach(pool, 0) == WEFT_INVALID && weft_pool_destroy(pool) == WEFT_OK && good;
  });
}

// More words of one stripe of the table than its buckets were made for; twice, so that the second
// growth finds the first.
bool use_many_words() {
  return with_workers(1, [] {
    constexpr std::size_t count = 6000;
    static std::uint64_t words[count];
    static bool is_emptied[count];
    bool good = true;
    for (std::size_t i = 0; i < count; ++i) {
      const weft_status status = weft_feb_empty(&words[i]);
      is_emptied[i] = status == WEFT_OK;
      good = fine(status) && good;
    }
    for (std::size_t i = 0; i < count; ++i) good = weft_feb_is_full(&words[i]) == !is_emptied[i] && good;
    for (std::size_t i = 0; i < count; ++i) good = fine(weft_feb_fill(&words[i])) && weft_feb_is_full(&words[i]) && good;
    return good;
  });
}

// A key with a high number makes its table grow by several steps at once, for a thread and outside.
struct key_user {
  std::vector<weft_key> keys;
  std::atomic<bool> good{true};
};

void set_and_get_keys(void* argument) {
  auto* user = static_cast<key_user*>(argument);
  for (std::size_t step : {std::size_t{7}, std::size_t{1}}) {
    for (std::size_t i = 0; i < user->keys.size(); i += step) {
      void* const before = weft_key_get(user->keys[i]);
      const weft_status set = weft_key_set(user->keys[i], &user->keys[i]);
      void* const wanted = set == WEFT_OK ? &user->keys[i] : before;
      if (!fine(set) || weft_key_get(user->keys[i]) != wanted) user->good.store(false);
    }
  }
}

bool use_many_keys() {
  return with_workers(1, [] {
    key_user user;
    bool good = true;
    for (int i = 0; i < 300; ++i) {
      weft_key made;
      const weft_status created = weft_key_create(nullptr, &made);
      good = fine(created) && good;
      if (created == WEFT_OK) user.keys.push_back(made);
    }
    good = run_threads(3, set_and_get_keys, &user) >= 0 && good;
    std::thread([&] { set_and_get_keys(&user); }).join();
    for (const weft_key& each : user.keys) good = weft_key_delete(each) == WEFT_OK && good;
    return good && user.good.load();
  });
}

// ---- what asks the machine, and what tells ----

bool life_of_bound_workers() {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 2;
  config.bind = true;
  config.caller_outside = true;
  return with_runtime(config, [] {
    std::atomic<int> count{0};
    const int made = run_threads(5, yield_and_count, &count);
    return made >= 0 && count.load() == made;
  });
}

bool dump_to_file() {
  return with_workers(2, [] {
    weft_event event = WEFT_EVENT_INIT;
    weft_thread* waits = nullptr;
    const weft_status made = weft_thread_create(
        [](void* on) { static_cast<void>(weft_event_wait(static_cast<weft_event*>(on))); }, &event, nullptr, &waits);
    const int file = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const weft_status dumped = weft_dump(file);
    close(file);
    bool good = fine(made) && (dumped == WEFT_OK || (weft::fault_test::injecting() && dumped == WEFT_INVALID));
    good = weft_event_set(&event) == WEFT_OK && good;
    return (made != WEFT_OK || weft_thread_join(waits) == WEFT_OK) && good;
  });
}

// A handler that could not be taken away at the end of one runtime must serve the next.
int second_life_after_refused_end(void (*last_act)()) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 1;
  NEED(weft_init(&config) == WEFT_OK);
  weft::os::fault::plan plan;
  plan.which = call::sigaction;
  plan.nth = 1;
  plan.how = weft::os::fault::repeat::for_ever;
  weft::os::fault::installed.store(&plan, weft::base::relaxed);
  NEED(weft_finalize() == WEFT_OK);
  weft::os::fault::installed.store(nullptr, weft::base::relaxed);
  NEED(plan.failed.load(weft::base::relaxed) != 0);
  NEED(weft_init(&config) == WEFT_OK);
  last_act();
  NEED(weft_finalize() == WEFT_OK);
  return 0;
}

}  // namespace

TEST_CASE("timers") { each_failure_or_last_words({call::mmap, call::futex_wait, call::thread_start, call::heap}, use_timers); }

TEST_CASE("forks, of threads that wait, too") {
  each_failure_or_last_words({call::mmap, call::madvise, call::membarrier, call::heap}, use_forks);
}

TEST_CASE("loops") { each_failure_or_last_words({call::mmap, call::thread_start, call::membarrier, call::heap}, use_loops); }

TEST_CASE("outside sources") {
  each_failure_or_last_words({call::heap, call::mmap, call::thread_start, call::futex_wait}, use_sources);
}

TEST_CASE("schedulers of the builder's own, and such that are threads") {
  each_failure_or_last_words({call::heap, call::mmap, call::madvise}, use_schedulers);
}

TEST_CASE("the tables of pools and of their servers grow") { each_failure_or_last_words({call::heap}, use_many_pools); }

TEST_CASE("the table of full/empty words grows") { each_failure_or_last_words({call::heap}, use_many_words); }

TEST_CASE("tables of keys grow, inside and outside") {
  each_failure_or_last_words({call::heap, call::thread_key}, use_many_keys);
}

// Not sigaltstack: a stack that the kernel does not let go of is lost, once for each refusal.
TEST_CASE("workers that are bound, and a caller that stays outside") {
  each_failure_or_last_words(
      {call::affinity, call::load_library, call::read, call::thread_stack, call::thread_key, call::heap, call::sigaction},
      life_of_bound_workers);
}

TEST_CASE("a dump") { each_failure_or_last_words({call::write, call::peek, call::heap, call::mmap}, dump_to_file); }

TEST_CASE("a signal's dump, after its handler could not be taken away") {
  const auto end = weft::test::run_in_child([] {
    setenv("WEFT_DUMP_SIGNAL", "usr1", 1);
    return second_life_after_refused_end([] { raise(SIGUSR1); });
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.says("live thread"));
  CHECK_FALSE(end.says("the program handles this signal itself"));
}

TEST_CASE("an abort under a trace, after its handler could not be taken away") {
  const auto end = weft::test::run_in_child([] {
    setenv("WEFT_TRACE", "/dev/null", 1);
    alarm(60);
    return second_life_after_refused_end([] { std::abort(); });
  });
  CHECK(end.signal == SIGABRT);
}

TEST_CASE("those that failures for ever met have coped, or said why not") { weft::fault_test::check_lasting_failures(); }

namespace {

void sleep_in_region(void* argument) {
  auto* const slept = static_cast<std::atomic<int>*>(argument);
  const weft_function sleep = [](void* count) {
    usleep(1000);
    static_cast<std::atomic<int>*>(count)->fetch_add(1);
  };
  for (int round = 0; round < 3; ++round) {
    if (weft_blocking(sleep, slept) != WEFT_OK) slept->store(-100);
  }
}

}  // namespace

TEST_CASE("blocking regions end, also where no OS thread can be had for their workers") {
  each_failure_or_last_words({call::thread_start, call::mmap, call::timer}, [] {
    return with_workers(2, [] {
      std::atomic<int> slept{0};
      const int made = run_threads(10, sleep_in_region, &slept);
      sleep_in_region(&slept);
      return slept.load() == 3 * (made + 1);
    });
  });
}
