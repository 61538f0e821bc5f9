// See thread.hpp. pthread lives in libc itself since glibc 2.34 (and always in musl).
#include "os/thread.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/align.hpp"
#include "base/assert.hpp"
#include "os/fault.hpp"

namespace weft::os {
namespace {

constexpr std::size_t name_bytes = 16;  // the kernel's limit, with the terminator

std::size_t usable_stack_bytes(std::size_t wanted) {
  const long least = sysconf(_SC_THREAD_STACK_MIN);
  const std::size_t floor = least > 0 ? static_cast<std::size_t>(least) : base::page * 4;
  return base::round_up(wanted < floor ? floor : wanted, static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
}

static_assert(sizeof(pthread_t) <= sizeof(os_thread::handle));
pthread_t pthread_of(os_thread thread) { return static_cast<pthread_t>(thread.handle); }

}  // namespace

status start_thread(os_thread* out, void* (*fn)(void*), void* arg, std::size_t stack_bytes) {
  if (fault::fails(call::thread_start)) return status::again;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return status::again;
  if (stack_bytes != 0) (void)pthread_attr_setstacksize(&attributes, usable_stack_bytes(stack_bytes));
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, fn, arg);
  pthread_attr_destroy(&attributes);
  if (error != 0) return status::again;
  out->handle = static_cast<std::uintptr_t>(thread);
  return status::ok;
}

void join_thread(os_thread thread) {
  WEFT_ALWAYS(pthread_join(pthread_of(thread), nullptr) == 0, "an OS thread was joined twice or joined itself");
}

// The C library unwinds to here from any stack, since where unwinding ends it jumps to the handler
// that was pushed last (without exceptions these are macros over setjmp).
void run_to_end(void (*body)(void*), void (*ended)(void*), void* arg) {
  pthread_cleanup_push(ended, arg);
  body(arg);
  pthread_cleanup_pop(0);
}

bool watch_end(void (*ended)(void*), void* arg) {
  static constinit pthread_key_t key;
  static constinit bool has_key = false;  // written by the first caller that watches
  if (arg == nullptr && !has_key) return true;
  if (arg != nullptr && fault::fails(call::thread_key)) return false;
  if (!has_key) {
    if (pthread_key_create(&key, ended) != 0) return false;
    has_key = true;
  }
  return pthread_setspecific(key, arg) == 0;
}

status bind_thread(unsigned cpu) {
  if (cpu > UINT16_MAX) return status::invalid;
  const auto one = static_cast<std::uint16_t>(cpu);
  return bind_thread_to(&one, 1);
}

status bind_thread_to(const std::uint16_t* cpus, unsigned count) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (unsigned i = 0; i < count; ++i) {
    if (cpus[i] >= CPU_SETSIZE) return status::invalid;
    CPU_SET(cpus[i], &set);
  }
  if (fault::fails(call::affinity)) return status::invalid;
  return sched_setaffinity(0, sizeof set, &set) == 0 ? status::ok : status::invalid;
}

bool read_mask(cpu_mask* out) {
  *out = {};
  if (fault::fails(call::affinity)) return false;
  return sched_getaffinity(0, sizeof out->bits, reinterpret_cast<cpu_set_t*>(out->bits)) == 0;
}

void write_mask(const cpu_mask& mask) {
  if (fault::fails(call::affinity)) return;  // it stays where it is
  (void)sched_setaffinity(0, sizeof mask.bits, reinterpret_cast<const cpu_set_t*>(mask.bits));
}

void set_timer_slack(std::uint64_t ns) {
  if (fault::fails(call::timer)) return;
  (void)prctl(PR_SET_TIMERSLACK, ns);  // refused, sleeps end up to 50 us late
}

namespace {

static_assert(sizeof(sigset_t) <= sizeof(inheritance::blocked));

void read_policy(inheritance* out) {
  struct sched_param parameters = {};
  if (fault::fails(call::affinity)) return;
  const long policy = syscall(SYS_sched_getscheduler, 0);  // musl's functions refuse, and glibc's keep old answers
  if (policy < 0 || syscall(SYS_sched_getparam, 0, &parameters) != 0) return;
  const bool is_kept_from_others = (policy & SCHED_RESET_ON_FORK) != 0;
  const long own = policy & ~static_cast<long>(SCHED_RESET_ON_FORK);
  out->policy = is_kept_from_others && (own == SCHED_FIFO || own == SCHED_RR) ? SCHED_OTHER : own;
  out->priority = out->policy == own ? parameters.sched_priority : 0;
}

void take_policy(const inheritance& from) {
  struct sched_param parameters = {};
  parameters.sched_priority = from.priority;
  if (from.policy < 0 || fault::fails(call::affinity)) return;
  (void)syscall(SYS_sched_setscheduler, 0, from.policy, &parameters);
}

}  // namespace

void read_inheritance(inheritance* out) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): of the calling OS thread
  (void)sigprocmask(SIG_SETMASK, nullptr, reinterpret_cast<sigset_t*>(out->blocked));
  out->knows_cpus = read_mask(&out->cpus);
  read_policy(out);
  if (fault::fails(call::timer)) return;
  const int slack = prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL);  // checkers look at all five arguments
  out->timer_slack_ns = slack > 0 ? static_cast<std::uint64_t>(slack) : 0;
}

void take_inheritance(const inheritance& from) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): of the calling OS thread
  (void)sigprocmask(SIG_SETMASK, reinterpret_cast<const sigset_t*>(from.blocked), nullptr);
  if (from.knows_cpus) write_mask(from.cpus);
  take_policy(from);
}

void name_this_thread(const char* name) {
  char cut[name_bytes];
  snprintf(cut, sizeof cut, "%s", name);
  (void)pthread_setname_np(pthread_self(), cut);  // a name is a courtesy
}

os_thread this_thread() { return {static_cast<std::uintptr_t>(pthread_self())}; }

int thread_id() { return static_cast<int>(syscall(SYS_gettid)); }

void yield_cpu() { sched_yield(); }

void stack_bounds(void** low, std::size_t* bytes) {
  *low = nullptr;
  *bytes = 0;
  pthread_attr_t attributes;
  if (fault::fails(call::thread_stack)) return;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  (void)pthread_attr_getstack(&attributes, low, bytes);
  pthread_attr_destroy(&attributes);
}

}  // namespace weft::os
