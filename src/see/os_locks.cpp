// Counts the locks of OS threads (pthread_mutex_t, and so std::mutex) that a worker's OS thread
// holds, for leaving.hpp. The shared library with checks defines the functions of the C library
// that take and give such locks, in front of it: each counts, and calls the C library's. They are
// called by all code of the process. What the C library takes itself is not counted.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "base/atomic.hpp"
#include "worker/blocking_call.hpp"
#include "worker/local.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

// Null in libweft-dist, which has no blocking regions.
// NOLINTNEXTLINE(readability-redundant-declaration): it is weak here alone
[[gnu::weak]] blocking_call* this_blocking_call();

namespace {

// A function of the C library, behind the one of that name here.
template <class Function>
class next_function {
 public:
  constexpr explicit next_function(const char* name) : name_(name) {}

  Function* get() {
    if (Function* const known = found_.load(base::relaxed); known != nullptr) [[likely]]
      return known;
    auto* const found = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name_));
    found_.store(found, base::relaxed);
    return found;
  }

 private:
  const char* name_;
  base::atomic<Function*> found_{nullptr};
};

constinit next_function<int(pthread_mutex_t*)> real_lock{"pthread_mutex_lock"};
constinit next_function<int(pthread_mutex_t*)> real_trylock{"pthread_mutex_trylock"};
constinit next_function<int(pthread_mutex_t*)> real_unlock{"pthread_mutex_unlock"};
constinit next_function<int(pthread_mutex_t*, const timespec*)> real_timedlock{"pthread_mutex_timedlock"};
constinit next_function<int(pthread_mutex_t*, clockid_t, const timespec*)> real_clocklock{"pthread_mutex_clocklock"};

// Of the calling OS thread; null: it is outside.
[[gnu::always_inline]] inline worker::held_locks* locks_here() {
  if (worker* const w = local::current_worker(); w != nullptr) return &w->os_locks;
  blocking_call* const call = this_blocking_call != nullptr ? this_blocking_call() : nullptr;
  return call != nullptr && call->depth != 0 ? &call->os_locks : nullptr;
}

[[gnu::always_inline]] inline int taken(int result, const void* caller) {
  // EOWNERDEAD: a robust lock of an OS thread that has died is the caller's.
  if (result != 0 && result != EOWNERDEAD) return result;
  worker::held_locks* const locks = locks_here();
  if (locks == nullptr) return result;
  if (locks->count < sizeof locks->taken_at / sizeof *locks->taken_at) locks->taken_at[locks->count] = caller;
  ++locks->count;
  return result;
}

// One that was taken before the last unit was left is not among those that are counted.
void give_one() {
  worker::held_locks* const locks = locks_here();
  if (locks != nullptr && locks->count != 0) --locks->count;
}

// Before the first lock is counted, as a rule.
[[gnu::constructor]] void find_all() {
  static_cast<void>(real_lock.get());
  static_cast<void>(real_trylock.get());
  static_cast<void>(real_unlock.get());
  static_cast<void>(real_timedlock.get());
  static_cast<void>(real_clocklock.get());
}

}  // namespace

}  // namespace weft::sched

using namespace weft::sched;

#pragma GCC visibility push(default)

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept { return taken(real_lock.get()(mutex), __builtin_return_address(0)); }
int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  return taken(real_trylock.get()(mutex), __builtin_return_address(0));
}
int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* deadline) noexcept {
  return taken(real_timedlock.get()(mutex, deadline), __builtin_return_address(0));
}
int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* deadline) noexcept {
  return taken(real_clocklock.get()(mutex, clock, deadline), __builtin_return_address(0));
}
int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  const int result = real_unlock.get()(mutex);
  if (result == 0) give_one();
  return result;
}

}  // extern "C"

#pragma GCC visibility pop
