// Locks of the threads interface that work at any time (faces/threads, src/lock.c and
// src/parking.c): threads, which wait at an implementation's mutex and condition, and OS threads
// outside, which sleep at the lock's word. No wake-up is lost, whichever kind releases it, and the
// words of an earlier start are renewed once. The implementation's mutex and condition are the
// model's own, on futexes.
#include <cstring>
#include <new>

#include <pthread.h>

#include <weft_threads/component.h>
#include <weft_threads/detail/fail.h>
#include <weft_threads/lock.h>
#include <weft_threads_word/word.h>

#include "base/atomic.hpp"
#include "explorer/explorer.hpp"
#include "os/futex.hpp"

namespace {

using namespace explorer::words;
using word = weft::base::atomic<std::uint32_t>;
using namespace weft::base;

// ---- what an implementation has -----------------------------------------------------------------

word& word_in(void* object) { return *static_cast<word*>(object); }

int start_of_words = 1;  // whose words those of the lock are

threads_status lock_mutex(threads_mutex* mutex) {
  check(start_of_words == 1, "the words are this start's");
  while (word_in(mutex).exchange(1, acquire) != 0) weft::os::futex_wait(&word_in(mutex), 1);
  return THREADS_OK;
}

threads_status unlock_mutex(threads_mutex* mutex) {
  word_in(mutex).store(0, release);
  weft::os::futex_wake(&word_in(mutex), 1);
  return THREADS_OK;
}

threads_status wait_at_cond(threads_cond* cond, threads_mutex* mutex) {
  const std::uint32_t seen = word_in(cond).load(relaxed);
  unlock_mutex(mutex);
  weft::os::futex_wait(&word_in(cond), seen);
  return lock_mutex(mutex);
}

threads_status signal_cond(threads_cond* cond) {
  word_in(cond).fetch_add(1, relaxed);
  weft::os::futex_wake(&word_in(cond), 1);
  return THREADS_OK;
}

threads_component make_component() {
  threads_component made{};
  made.mutex_lock = lock_mutex;
  made.mutex_unlock = unlock_mutex;
  made.cond_wait = wait_at_cond;
  made.cond_signal = signal_cond;
  return made;
}
const threads_component component = make_component();

// ---- the callers --------------------------------------------------------------------------------

bool are_outside[8];  // by logical thread
std::uint64_t starts_so_far = 1;
bool is_started = true;

// The mutex under which words are renewed.
word renewing;
void lock_renewing() {
  while (renewing.exchange(1, acquire) != 0) weft::os::futex_wait(&renewing, 1);
}
void unlock_renewing() {
  renewing.store(0, release);
  weft::os::futex_wake(&renewing, 1);
}

// An implementation's words become zeros, which its first caller may lock.
void renew_words(void* opaque) {
  for (int part : {0, 8}) word_in(static_cast<std::uint64_t*>(opaque) + part).store(0, relaxed);
  start_of_words = 1;
}

}  // namespace

extern "C" {
const threads_component* threads_component_now = &component;
bool threads_is_started() { return is_started; }
void threads_tell(threads_status, const char*, const char*, const char*, std::uint64_t) {}
void threads_tell_as(const char*) {}
std::uint64_t caller_identity() { return static_cast<std::uint64_t>(explorer::current_thread()) + 1; }
bool caller_is_outside() { return are_outside[explorer::current_thread()]; }
std::uint64_t caller_starts() { return starts_so_far; }
#define _Static_assert static_assert
#define pthread_mutex_lock(mutex) (static_cast<void>(mutex), lock_renewing())
#define pthread_mutex_unlock(mutex) (static_cast<void>(mutex), unlock_renewing())
#define memset(opaque, value, bytes) renew_words(opaque)
#include <lock.c>
#include <parking.c>
#undef memset
#undef pthread_mutex_unlock
#undef pthread_mutex_lock
#undef _Static_assert
}

namespace {

// ---- the models ---------------------------------------------------------------------------------

// callers[i]: logical thread i + 1 is outside.
struct scene {
  threads_lock lock = THREADS_LOCK_INIT;
  int inside = 0, entered = 0;

  explicit scene(std::initializer_list<bool> callers, bool is_renewed = true) {
    int at = 1;
    is_started = true;
    start_of_words = is_renewed ? 1 : 0;
    for (bool is_outside : callers) are_outside[at++] = is_outside;
    new (&lock.state) word(0);
    new (&lock.parking.outside) word(0);
    new (&lock.parking.start) word(is_renewed ? 1 : 0);
    // What another implementation has left is no free mutex of this one.
    for (int part : {0, 8}) new (&lock.parking.opaque[part]) word(is_renewed ? 0 : 1);
    new (&renewing) word(0);
  }
  void enter() {
    check(threads_lock_acquire(&lock) == THREADS_OK, "acquired");
    check(++inside == 1, "alone inside");
    ++entered;
  }
  void leave() {
    --inside;
    check(threads_lock_release(&lock) == THREADS_OK, "released");
  }
  void pass() {
    enter();
    leave();
  }
};

void two(bool first, bool second, bool is_renewed = true) {
  scene here({first, second}, is_renewed);
  threads(thread{"a", [&] { here.pass(); }}, thread{"b", [&] { here.pass(); }});
  check(here.entered == 2, "both were inside");
}

// No implementation runs: nothing but the kernel stands between the waker's word and its look.
void before_the_start() {
  scene here({true, true});
  is_started = false;
  threads(thread{"a", [&] { here.pass(); }}, thread{"b", [&] { here.pass(); }});
  check(here.entered == 2, "both were inside");
}

void three(bool first, bool second, bool third) {
  scene here({first, second, third});
  threads(thread{"a", [&] { here.pass(); }}, thread{"b", [&] { here.pass(); }}, thread{"c", [&] { here.pass(); }});
  check(here.entered == 3, "all were inside");
}

// The second time it may find the word still marked by a waiter.
void again(bool first, bool second) {
  scene here({first, second});
  threads(thread{"a",
                 [&] {
                   here.pass();
                   here.pass();
                 }},
          thread{"b", [&] { here.pass(); }});
  check(here.entered == 3, "all passes");
}

void tried(bool first, bool second) {
  scene here({first, second});
  threads(thread{"a", [&] { here.pass(); }}, thread{"b", [&] {
                                                      if (threads_lock_try_acquire(&here.lock) != THREADS_OK) return;
                                                      check(++here.inside == 1, "alone inside");
                                                      ++here.entered;
                                                      here.leave();
                                                    }});
  check(here.entered >= 1, "one was inside");
}

constexpr bounds quick{.preemptions = 3, .weak = 2, .executions = 50'000};
constexpr bounds quick_three{.preemptions = 2, .weak = 1, .executions = 50'000};
constexpr bounds deep{.preemptions = 5, .weak = 3, .executions = 10'000'000};
constexpr explorer::expectations usual{.at_least = 10, .quick = quick, .deep = deep};
constexpr explorer::expectations of_three{.at_least = 50, .quick = quick_three, .deep = deep};

const model m1{"threads lock: two threads", usual, [] { two(false, false); }};
const model m2{"threads lock: two outside", usual, [] { two(true, true); }};
const model m3{"threads lock: a thread and one outside", usual, [] { two(false, true); }};
const model m4{"threads lock: words of an earlier start", usual, [] { two(false, false, false); }};
const model m5{"threads lock: taken again by a thread", usual, [] { again(false, true); }};
const model m6{"threads lock: taken again outside", usual, [] { again(true, false); }};
const model m7{"threads lock: two threads and one outside", of_three, [] { three(false, false, true); }};
const model m8{"threads lock: a thread and two outside", of_three, [] { three(false, true, true); }};
const model m10{"threads lock: before the start", usual, before_the_start};
const model m9{"threads lock: tried", usual, [] { tried(false, true); }};

}  // namespace
