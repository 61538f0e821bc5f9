// OS threads of the program, and what they wait in: functions of the pthread library in the place of
// its own.
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "machine/libc.hpp"
#include "machine/memory.hpp"
#include "machine/raw.hpp"

using namespace many;
#define MANY_CALLER __builtin_return_address(0)

extern "C" void many_lend(void** save, volatile int* flag);

namespace many {

long own_thread_id() { return 100'000 + (current->running != nullptr ? current->running->index : 0); }

namespace {

struct lender {
  thread* of;
  volatile int has_lent;
};

thread* self() { return current->running; }

thread* thread_of(pthread_t handle) {
  for (unsigned i = 0; i < thread_count; ++i) {
    if (threads[i].handle == handle && !threads[i].is_neighbour) return &threads[i];
  }
  return nullptr;
}

// The layout decides where on its first pages a stack begins.
[[gnu::noinline]] void run_below(std::size_t bytes) {
  auto* const room = static_cast<volatile char*>(alloca(bytes + 1));
  room[0] = 0;
  thread* const one = self();
  one->result = one->start(one->argument);
}

// The real OS thread, until another context is left for the one that began here.
void* lend(void* given) {
  auto* const from = static_cast<lender*>(given);
  sigset_t all;
  sigfillset(&all);
  raw_call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&all), 0, sizeof(long));
  thread* const one = from->of;
  asm volatile("rdfsbase %0" : "=r"(one->thread_pointer));
  many_lend(&one->stack_pointer, &from->has_lent);
  run_below(layout_number(one->index) % 256 * 16);
  end_thread();
}

int bind_by(thread* one, std::size_t bytes, const cpu_set_t* allowed) {
  unsigned count = 0;
  cpu* only = nullptr;
  for (unsigned i = 0; i < set.cpu_count && i < bytes * 8; ++i) {
    if (!CPU_ISSET_S(i, bytes, allowed)) continue;
    ++count;
    only = &cpus[i];
  }
  if (count == 0) return EINVAL;
  enter_kernel();
  bind_thread(one, count == 1 ? only : nullptr);
  return 0;
}

// A word that is 0 while it is free.
std::uint32_t* word_of(void* object) { return static_cast<std::uint32_t*>(object); }

int lock_word(std::uint32_t* word, const void* from, picoseconds until) {
  touch(word, access::read_modify_write, from);
  while (*word != 0) {
    enter_kernel();
    if (!sleep_on(word, until)) return ETIMEDOUT;
    touch(word, access::read_modify_write, from);
  }
  *word = self()->index + 1;
  return 0;
}

void unlock_word(std::uint32_t* word, const void* from) {
  touch(word, access::read_modify_write, from);
  *word = 0;
  wake(word, 1);
}

// The machine's form of a mutex that can be recursive: the word, and how often it is held beyond once.
struct mutex {
  std::uint32_t holder;
  std::uint32_t more;
};
static_assert(sizeof(mutex) <= 8);

bool is_recursive(const pthread_mutex_t* object) { return (object->__data.__kind & 3) == PTHREAD_MUTEX_RECURSIVE; }

int lock(pthread_mutex_t* object, const void* from, picoseconds until) {
  auto* const one = reinterpret_cast<mutex*>(object);
  if (is_recursive(object) && one->holder == self()->index + 1) {
    ++one->more;
    return 0;
  }
  return lock_word(&one->holder, from, until);
}

int wait_for_condition(pthread_cond_t* condition, pthread_mutex_t* held, picoseconds until, const void* from) {
  enter_kernel();
  unlock_word(word_of(held), from);
  const bool was_woken = sleep_on(condition, until);
  lock_word(word_of(held), from, never);
  return was_woken ? 0 : ETIMEDOUT;
}

int wake_waiters(void* object, int most) {
  enter_kernel();
  settle();
  wake(object, most);
  return 0;
}

struct barrier {
  std::uint32_t wanted, here, round;
};

}  // namespace
}  // namespace many

extern "C" {

int pthread_create(pthread_t* out, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
  using create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static auto* const real = reinterpret_cast<create*>(dlsym(RTLD_NEXT, "pthread_create"));
  if (thread_count == most_threads) return EAGAIN;
  thread* const one = &threads[thread_count];
  one->start = start;
  one->argument = argument;
  lender from{one, 0};
  pthread_t handle{};
  is_on = false;
  const int error = real(&handle, attributes, lend, &from);
  while (error == 0 && from.has_lent == 0) raw_call(SYS_sched_yield);
  is_on = true;
  if (error != 0) return error;
  one->handle = *out = handle;
  ++thread_count;
  spend(of_system_call, cost.thread_start);
  begin_thread(one, current->clock + layout_number(one->index) % 1'000'000);
  settle();
  return 0;
}
int pthread_join(pthread_t handle, void** result) {
  thread* const one = thread_of(handle);
  if (one == nullptr) return ESRCH;
  while (!one->is_done) sleep_on(&one->is_done, never);
  if (result != nullptr) *result = one->result;
  return 0;
}
void pthread_exit(void* result) {
  self()->result = result;
  end_thread();
}
int pthread_detach(pthread_t) { return 0; }
int pthread_setname_np(pthread_t, const char*) { return 0; }
int pthread_sigmask(int how, const sigset_t* to, sigset_t* before) noexcept {
  return raw_call(SYS_rt_sigprocmask, how, reinterpret_cast<long>(to), reinterpret_cast<long>(before), sizeof(long)) == 0 ? 0
                                                                                                                          : errno;
}
int sched_setaffinity(pid_t, std::size_t bytes, const cpu_set_t* allowed) noexcept {
  errno = bind_by(self(), bytes, allowed);
  return errno == 0 ? 0 : -1;
}
int pthread_setaffinity_np(pthread_t handle, std::size_t bytes, const cpu_set_t* allowed) noexcept {
  thread* const one = thread_of(handle);
  return one != nullptr ? bind_by(one, bytes, allowed) : ESRCH;
}
int pthread_getaffinity_np(pthread_t, std::size_t bytes, cpu_set_t* out) noexcept { return sched_getaffinity(0, bytes, out); }

int pthread_mutex_lock(pthread_mutex_t* object) noexcept { return is_on ? lock(object, MANY_CALLER, never) : 0; }
int pthread_mutex_timedlock(pthread_mutex_t* object, const timespec* until) noexcept {
  return lock(object, MANY_CALLER, time_of(until));
}
int pthread_mutex_trylock(pthread_mutex_t* object) noexcept {
  auto* const one = reinterpret_cast<mutex*>(object);
  touch(one, access::read_modify_write, MANY_CALLER);
  if (one->holder != 0 && !(is_recursive(object) && one->holder == self()->index + 1)) return EBUSY;
  if (one->holder != 0) ++one->more;
  one->holder = self()->index + 1;
  return 0;
}
int pthread_mutex_unlock(pthread_mutex_t* object) noexcept {
  auto* const one = reinterpret_cast<mutex*>(object);
  if (!is_on) return 0;
  if (one->more > 0) {
    --one->more;
    return 0;
  }
  unlock_word(&one->holder, MANY_CALLER);
  return 0;
}
int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* held) {
  return wait_for_condition(condition, held, never, MANY_CALLER);
}
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* held, const timespec* until) {
  return wait_for_condition(condition, held, time_of(until), MANY_CALLER);
}
int pthread_cond_signal(pthread_cond_t* condition) noexcept { return wake_waiters(condition, 1); }
int pthread_cond_broadcast(pthread_cond_t* condition) noexcept { return wake_waiters(condition, static_cast<int>(most_threads)); }

int sem_init(sem_t* semaphore, int, unsigned value) noexcept {
  *word_of(semaphore) = value;
  return 0;
}
int sem_destroy(sem_t*) noexcept { return 0; }
int sem_post(sem_t* semaphore) noexcept {
  touch(semaphore, access::read_modify_write, MANY_CALLER);
  ++*word_of(semaphore);
  wake(semaphore, 1);
  return 0;
}
int sem_wait(sem_t* semaphore) {
  touch(semaphore, access::read_modify_write, MANY_CALLER);
  while (*word_of(semaphore) == 0) {
    enter_kernel();
    sleep_on(semaphore, never);
    touch(semaphore, access::read_modify_write, MANY_CALLER);
  }
  --*word_of(semaphore);
  return 0;
}
int sem_trywait(sem_t* semaphore) noexcept {
  touch(semaphore, access::read_modify_write, MANY_CALLER);
  if (*word_of(semaphore) == 0) {
    errno = EAGAIN;
    return -1;
  }
  --*word_of(semaphore);
  return 0;
}

int pthread_barrier_init(pthread_barrier_t* object, const pthread_barrierattr_t*, unsigned count) noexcept {
  *reinterpret_cast<barrier*>(object) = {count, 0, 0};
  return 0;
}
int pthread_barrier_destroy(pthread_barrier_t*) noexcept { return 0; }
int pthread_barrier_wait(pthread_barrier_t* object) noexcept {
  auto* const one = reinterpret_cast<barrier*>(object);
  touch(one, access::read_modify_write, MANY_CALLER);
  const std::uint32_t round = one->round;
  if (++one->here == one->wanted) {
    one->here = 0;
    ++one->round;
    wake(one, static_cast<int>(most_threads));
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  while (one->round == round) {
    enter_kernel();
    sleep_on(one, never);
  }
  return 0;
}

}  // extern "C"
