// What the models over the threads interface's objects for libraries share: an implementation whose
// mutex and condition are the model's own, on futexes; callers that are threads or outside; and
// lock.c and parking.c themselves.
#pragma once

#include <cstring>
#include <new>

#include <pthread.h>

#include <weft_threads/component.h>
#include <weft_threads/detail/fail.h>
#include <weft_threads/progress.h>
#include <weft_threads_word/word.h>

#include "base/atomic.hpp"
#include "explorer/explorer.hpp"
#include "os/futex.hpp"

namespace {

using word = weft::base::atomic<std::uint32_t>;
using namespace weft::base;
using explorer::check;

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

threads_status wait_at_cond_until(threads_cond* cond, threads_mutex* mutex, std::uint64_t deadline_ns) {
  const std::uint32_t seen = word_in(cond).load(relaxed);
  unlock_mutex(mutex);
  const bool is_in_time = weft::os::futex_wait_until(&word_in(cond), seen, deadline_ns);
  const threads_status status = lock_mutex(mutex);
  return is_in_time ? status : THREADS_TIMEOUT;
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
  made.cond_wait_until = wait_at_cond_until;
  made.cond_signal = signal_cond;
  made.cond_destroy = [](threads_cond*) { return THREADS_OK; };
  made.mutex_destroy = [](threads_mutex*) { return THREADS_OK; };
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
std::uint64_t clock_now_ns() { return explorer::now_ns(); }
void caller_pause() { explorer::pause(explorer::site::current()); }
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
