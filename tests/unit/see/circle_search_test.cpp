// The search for circles among many units: what a step reads is bounded, however many there are,
// and what waits for each other is found all the same.
#include "see/circle_search.hpp"

#include <doctest/doctest.h>
#include <weft/weft.h>

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "../../support/child.hpp"
#include "base/config.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"

using weft::sched::circle;
using weft::sched::circle_search;
using weft::sched::wait_reader;
using weft::test::child_end;
using weft::test::run_in_child;

namespace {

constexpr std::uint64_t ms = 1'000'000;
constexpr std::size_t fewer = weft::config::thread_sanitizer ? 10 : 1;  // it has room for 8128 threads

// A millisecond, by measurement (bench/micro).
static_assert(circle_search::most_work <= 20'000);

// Steps go over their bound by a batch of units at most, or by one chain of waits.
constexpr std::uint64_t most_beyond = 2 * circle::most_members * wait_reader::work_a_peek;

struct search {
  circle_search* one = circle_search::make();
  unsigned found = 0;
  unsigned members = 0;
  unsigned steps = 0;
  bool has_more = false;

  search() { NEED(one != nullptr); }
  ~search() { circle_search::free(one); }

  void step() {
    has_more = one->step(
        weft::sched::local::current_runtime(),
        [](void* state, const circle& what) {
          ++static_cast<search*>(state)->found;
          static_cast<search*>(state)->members = what.count;
        },
        this);
    ++steps;
    NEED(one->work() <= circle_search::most_work + most_beyond);
  }

  // Until nothing is left to be confirmed and so many rounds are over.
  void go_on_until(std::uint64_t rounds) {
    do step();
    while (steps < 10'000 && (has_more || one->rounds() < rounds));
  }
};

// One that blocks at an event, one that blocks at one of the mutexes, one that sleeps: so many each.
struct crowd {
  weft_event go = WEFT_EVENT_INIT;
  std::vector<weft_mutex> mutexes;
  std::vector<weft_thread*> threads;
  std::atomic<unsigned> begun{0};
  std::uint64_t until_ns = weft_deadline_in(3'600'000 * ms);

  explicit crowd(std::size_t of_each) : mutexes(of_each, weft_mutex WEFT_MUTEX_INIT) {
    for (weft_mutex& each : mutexes) NEED(weft_mutex_lock(&each) == WEFT_OK);
    for (std::size_t index = 0; index < of_each; ++index) {
      add([](void* all) {
        ++static_cast<crowd*>(all)->begun;
        static_cast<void>(weft_event_wait(&static_cast<crowd*>(all)->go));
      });
      add([](void* all) {
        ++static_cast<crowd*>(all)->begun;
        static_cast<void>(weft_event_wait_until(&static_cast<crowd*>(all)->go, static_cast<crowd*>(all)->until_ns));
      });
      add([](void* memory) {
        auto* all = static_cast<crowd*>(memory);
        const unsigned own = all->begun++;
        weft_mutex* mutex = &all->mutexes[own % all->mutexes.size()];
        if (weft_mutex_lock(mutex) == WEFT_OK) static_cast<void>(weft_mutex_unlock(mutex));
      });
    }
    while (begun != threads.size()) weft_yield();
    NEED(weft_sleep_ns(30 * ms) == WEFT_OK);  // older than what a step passes over
  }
  void add(void (*run)(void*)) {
    threads.push_back(nullptr);
    NEED(weft_thread_create(run, this, nullptr, &threads.back()) == WEFT_OK);
  }
  void end() {
    for (weft_mutex& each : mutexes) NEED(weft_mutex_unlock(&each) == WEFT_OK);
    NEED(weft_event_set(&go) == WEFT_OK);
    for (weft_thread* each : threads) NEED(weft_thread_join(each) == WEFT_OK);
  }
};

// Three threads that wait for each other's mutexes. They never end, nor does their runtime.
struct knot {
  weft_mutex mutexes[3] = {WEFT_MUTEX_INIT, WEFT_MUTEX_INIT, WEFT_MUTEX_INIT};
  weft_event held[3] = {WEFT_EVENT_INIT, WEFT_EVENT_INIT, WEFT_EVENT_INIT};
  std::atomic<unsigned> next{0};

  explicit knot(const weft_thread_attr* attrs) {
    for (unsigned each = 0; each < 3; ++each) NEED(weft_thread_create(tie, this, &attrs[each], nullptr) == WEFT_OK);
    NEED(weft_sleep_ns(30 * ms) == WEFT_OK);
  }
  static void tie(void* memory) {
    auto* all = static_cast<knot*>(memory);
    const unsigned own = all->next++;
    NEED(weft_mutex_lock(&all->mutexes[own]) == WEFT_OK);
    NEED(weft_event_set(&all->held[own]) == WEFT_OK);
    NEED(weft_event_wait(&all->held[(own + 1) % 3]) == WEFT_OK);
    NEED(weft_mutex_lock(&all->mutexes[(own + 1) % 3]) == WEFT_OK);
  }
};

void start() {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 1;
  NEED(weft_init(&config) == WEFT_OK);
}

}  // namespace

TEST_CASE("a step is bounded and a round has as many as that takes, whatever the units wait for") {
  const child_end end = run_in_child([] {
    start();
    constexpr std::size_t of_each = 3000 / fewer;
    crowd all(of_each);
    search looks;
    looks.go_on_until(2);
    NEED(looks.found == 0);
    // A step that reads less than it may, or the same again and again, makes a round long.
    constexpr std::uint64_t work_in_all =
        of_each * (3 * (wait_reader::work_a_unit + wait_reader::work_a_record) + wait_reader::work_a_peek);
    constexpr std::uint64_t least_steps = work_in_all / circle_search::most_work;
    NEED(looks.steps <= 2 * (3 + 2 * least_steps));
    all.end();
    return weft_finalize() == WEFT_OK ? 0 : 1;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}

TEST_CASE("among many others a circle is found in the second round, wherever the stacks of its members lie") {
  const auto scene = [](const weft_thread_attr* attrs) {
    return run_in_child([attrs] {
      start();
      static crowd before(1000 / fewer);
      static knot three(attrs);
      static crowd after(1000 / fewer);
      search looks;
      looks.go_on_until(3);
      NEED(looks.found == 1);
      NEED(looks.members == 3);
      looks.go_on_until(looks.one->rounds() + 2);
      NEED(looks.found == 1);
      _exit(0);
      return 1;
    });
  };
  weft_thread_attr attrs[3] = {WEFT_THREAD_ATTR_INIT, WEFT_THREAD_ATTR_INIT, WEFT_THREAD_ATTR_INIT};
  SUBCASE("in slots") {}
  SUBCASE("in slots of several sizes") { attrs[1].stack_bytes = 256 * 1024; }
  SUBCASE("in the user's memory, and in a mapping") {
    alignas(64) static char memory[128 * 1024];
    attrs[0].stack = memory;
    attrs[0].stack_bytes = sizeof memory;
    attrs[1].stack_bytes = 64UL * 1024 * 1024 * 3;
  }
  const child_end end = scene(attrs);
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}

// At one of the places it is the first that a step leaves to the next one.
TEST_CASE("a circle is found wherever it stands among what a step has no time for") {
  const child_end end = run_in_child([] {
    start();
    constexpr std::size_t more_than_a_step = 2 * circle_search::most_work / wait_reader::work_a_peek;
    static weft_mutex mutexes[more_than_a_step];
    static weft_thread* waiting[more_than_a_step];
    for (std::size_t index = 0; index < more_than_a_step; ++index) {
      mutexes[index] = weft_mutex WEFT_MUTEX_INIT;
      NEED(weft_mutex_lock(&mutexes[index]) == WEFT_OK);
      const auto lock = [](void* mutex) { NEED(weft_mutex_lock(static_cast<weft_mutex*>(mutex)) == WEFT_OK); };
      NEED(weft_thread_create(lock, &mutexes[index], nullptr, &waiting[index]) == WEFT_OK);
    }
    static weft_thread_attr attrs[3] = {WEFT_THREAD_ATTR_INIT, WEFT_THREAD_ATTR_INIT, WEFT_THREAD_ATTR_INIT};
    static knot three(attrs);
    for (std::size_t index = 0; index < more_than_a_step; ++index) {
      search looks;
      looks.go_on_until(3);
      NEED(looks.found == 1);
      NEED(weft_mutex_unlock(&mutexes[index]) == WEFT_OK);
      NEED(weft_thread_join(waiting[index]) == WEFT_OK);
    }
    _exit(0);
    return 1;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}

namespace {

// A thread waits for the mutex of one that joins a guest: the guest runs on its joiner's stack, and
// waits for the mutex of that thread. All three stay so for ever. A step has seen an earlier thread
// wait on that stack whose record is the guest's now.
struct guest_scene {
  weft_mutex joiners = WEFT_MUTEX_INIT, others = WEFT_MUTEX_INIT, mains = WEFT_MUTEX_INIT;
  weft_event joiner_holds = WEFT_EVENT_INIT, other_holds = WEFT_EVENT_INIT;
  std::uintptr_t joiners_frame = 0, guests_frame = 0;
  bool has_record_back = false;  // there is one worker

  explicit guest_scene(search* looks) {
    NEED(weft_thread_create(wait_for_joiner, this, nullptr, nullptr) == WEFT_OK);
    NEED(weft_mutex_lock(&mains) == WEFT_OK);
    weft_thread* earlier = nullptr;
    NEED(weft_thread_create(wait_for_main, this, nullptr, &earlier) == WEFT_OK);
    while (weft_thread_get_state(earlier) != WEFT_THREAD_BLOCKED) weft_yield();
    looks->step();
    NEED(weft_mutex_unlock(&mains) == WEFT_OK && weft_thread_join(earlier) == WEFT_OK);
    // The first one has its record until the second one, which has its stack, makes the guest.
    for (void (*const each)(void*) : {give_record_back, join_guest})
      NEED(weft_thread_create(each, this, nullptr, nullptr) == WEFT_OK);
    NEED(weft_sleep_ns(30 * ms) == WEFT_OK);
    NEED(guests_frame != 0);
  }
  bool has_guest() const { return joiners_frame > guests_frame && joiners_frame - guests_frame < 65536; }

  static std::uintptr_t frame_here() { return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)); }
  static void give_record_back(void* memory) { static_cast<guest_scene*>(memory)->has_record_back = true; }
  static void wait_for_main(void* memory) {
    auto* all = static_cast<guest_scene*>(memory);
    NEED(weft_mutex_lock(&all->mains) == WEFT_OK && weft_mutex_unlock(&all->mains) == WEFT_OK);
  }
  static void wait_for_joiner(void* memory) {
    auto* all = static_cast<guest_scene*>(memory);
    NEED(weft_mutex_lock(&all->others) == WEFT_OK && weft_event_set(&all->other_holds) == WEFT_OK);
    NEED(weft_event_wait(&all->joiner_holds) == WEFT_OK);
    NEED(weft_mutex_lock(&all->joiners) == WEFT_OK);
  }
  static void join_guest(void* memory) {
    auto* all = static_cast<guest_scene*>(memory);
    NEED(weft_mutex_lock(&all->joiners) == WEFT_OK && weft_event_set(&all->joiner_holds) == WEFT_OK);
    NEED(weft_event_wait(&all->other_holds) == WEFT_OK);
    while (!all->has_record_back) weft_yield();
    all->joiners_frame = frame_here();
    weft_thread* guest = nullptr;
    NEED(weft_thread_create(wait_as_guest, all, nullptr, &guest) == WEFT_OK);
    static_cast<void>(weft_thread_join(guest));
  }
  static void wait_as_guest(void* memory) {
    auto* all = static_cast<guest_scene*>(memory);
    all->guests_frame = frame_here();
    NEED(weft_mutex_lock(&all->others) == WEFT_OK);
  }
};

}  // namespace

// Both stand there, and the mutex knows its holder by an address in the stack.
TEST_CASE("a guest is not taken for the holder of what its joiner locked") {
  const child_end end = run_in_child([] {
    setenv("WEFT_DEADLOCK", "off", 1);
    start();
    search looks;
    guest_scene all(&looks);
    looks.go_on_until(looks.one->rounds() + 3);
    if (all.has_guest()) {
      NEED(looks.found == 0);
    } else {  // where no thread lends its stack the joiner waits as others do
      NEED(looks.found == 1 && looks.members == 3);
    }
    return all.has_guest() || weft::sched::local::current_runtime()->lend_bytes == PTRDIFF_MAX ? 0 : 1;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}

TEST_CASE("what changes while it is searched is no circle, and is read without a fault") {
  const child_end end = run_in_child([] {
    weft_config config = WEFT_CONFIG_INIT;
    config.workers = 2;
    config.caller_outside = true;
    NEED(weft_init(&config) == WEFT_OK);
    static std::atomic<bool> is_over{false};
    static weft_mutex mutexes[4] = {WEFT_MUTEX_INIT, WEFT_MUTEX_INIT, WEFT_MUTEX_INIT, WEFT_MUTEX_INIT};
    const auto lock_and_make = [](void*) {
      while (!is_over) {
        for (weft_mutex& each : mutexes) NEED(weft_mutex_lock(&each) == WEFT_OK);
        weft_yield();
        for (weft_mutex& each : mutexes) NEED(weft_mutex_unlock(&each) == WEFT_OK);
        weft_thread* made = nullptr;
        weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
        attr.stack_bytes = 64UL * 1024 * 1024 * 3;  // comes and goes with its thread
        NEED(weft_thread_create([](void*) { weft_yield(); }, nullptr, &attr, &made) == WEFT_OK);
        NEED(weft_thread_join(made) == WEFT_OK);
      }
    };
    weft_thread* threads[8];
    for (auto& each : threads) NEED(weft_thread_create(lock_and_make, nullptr, nullptr, &each) == WEFT_OK);
    search looks;
    looks.go_on_until(2000 / fewer);
    NEED(looks.found == 0);
    is_over = true;
    for (auto* each : threads) NEED(weft_thread_join(each) == WEFT_OK);
    return weft_finalize() == WEFT_OK ? 0 : 1;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}
