// Functions of the C library in the place of its own: system calls, clocks, sleeps, the memory map,
// memory and the CPUs that there are.
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "machine/libc.hpp"
#include "machine/memory.hpp"
#include "machine/raw.hpp"
#include "many.h"

namespace many {

picoseconds time_of(const timespec* time) {
  return (static_cast<picoseconds>(time->tv_sec) * 1'000'000'000 + static_cast<picoseconds>(time->tv_nsec)) * 1000;
}

void enter_kernel() {
  spend(of_system_call, cost.system_call);
  if (current->drain > current->clock) spend(of_drain, current->drain - current->clock);
}

namespace {

void read_clock(picoseconds price, timespec* time) {
  spend(of_clock, price);
  settle();
  const std::uint64_t ns = current->clock / 1000;
  time->tv_sec = static_cast<time_t>(ns / 1'000'000'000);
  time->tv_nsec = static_cast<long>(ns % 1'000'000'000);
}

int wait_on_futex(std::uint32_t* word, bool is_until, std::uint32_t value, const timespec* time) {
  if (__atomic_load_n(word, __ATOMIC_RELAXED) != value) {
    errno = EAGAIN;
    return -1;
  }
  picoseconds until = never;
  if (time != nullptr) until = is_until ? time_of(time) : current->clock + time_of(time);
  if (until <= current->clock) {
    errno = ETIMEDOUT;
    return -1;
  }
  ++total.futex_waits;
  if (sleep_on(word, until)) return 0;
  errno = ETIMEDOUT;
  return -1;
}

int call_futex(std::uint32_t* word, int operation, std::uint32_t value, const timespec* time, const void* from) {
  enter_kernel();
  touch(word, access::load, from);
  settle();
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET: ++total.futex_wakes; return wake(word, static_cast<int>(value));
    case FUTEX_WAIT: return wait_on_futex(word, false, value, time);
    case FUTEX_WAIT_BITSET: return wait_on_futex(word, true, value, time);
    default: give_up("it called futex with an operation that the machine has not");
  }
}

long call_membarrier(int command, const void* from) {
  constexpr int known = 0x1ff;  // what Linux 6 answers
  if (command == MEMBARRIER_CMD_QUERY) return known;
  const bool is_registration =
      (command & (MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED | MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED |
                  MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE | MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ)) != 0;
  if (is_registration) return 0;
  const picoseconds before = current->clock;
  membarrier();
  if (!current->running->is_in_fence) count_at(fences_by_place, from, current->clock - before);
  return 0;
}

template <class Function>
Function* next_of(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// Files that tell about the real machine: programs take defaults instead.
bool tells_of_machine(const char* path) {
  for (const char* each : {"/sys/", "/proc/self/cgroup", "/proc/cpuinfo"}) {
    if (std::strncmp(path, each, std::strlen(each)) == 0) return true;
  }
  return false;
}

}  // namespace
}  // namespace many

using namespace many;
#define MANY_CALLER __builtin_return_address(0)

extern "C" {

void many_work(std::uint64_t nanoseconds) {
  constexpr picoseconds step = 1'000'000;  // a sibling may begin or end meanwhile
  if (!is_on) return;
  picoseconds left = nanoseconds * 1000;
  while (current->sibling != nullptr && left > step) {
    spend(of_work, beside_sibling(step));
    left -= step;
    settle();
  }
  spend(of_work, beside_sibling(left));
  settle();
}
void many_stop_time() { is_on = false; }
void many_continue_time() { is_on = true; }
void many_pause() {
  spend(of_pause, cost.pause);
  settle();
}
void many_prefetch_to_write(const void* line) { touch(line, access::store, MANY_CALLER); }
std::uint64_t many_cycles() {
  spend(of_clock, cost.cycle_counter);
  return current->clock / 500;
}
std::uint64_t many_now_ns() { return current->clock / 1000; }
unsigned many_cpus() { return set.cpu_count; }
std::uint64_t many_heavy_fences() { return total.heavy_fences; }
std::uint64_t many_mm_calls() { return total.mm_calls; }
std::uint64_t many_transfers() { return total.transfers; }

long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long given[6];
  for (long& each : given) each = va_arg(list, long);
  va_end(list);
  if (is_on && number == SYS_futex) {
    return call_futex(reinterpret_cast<std::uint32_t*>(given[0]), static_cast<int>(given[1]),
                      static_cast<std::uint32_t>(given[2]), reinterpret_cast<const timespec*>(given[3]), MANY_CALLER);
  }
  if (is_on && number == SYS_membarrier) return call_membarrier(static_cast<int>(given[0]), MANY_CALLER);
  if (is_on && number == SYS_sched_yield) return sched_yield();
  if (number == SYS_gettid) return own_thread_id();
  if (is_on) enter_kernel();
  return raw_call(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}

int clock_gettime(clockid_t which, timespec* time) {
  if (!is_on) return static_cast<int>(raw_call(SYS_clock_gettime, which, reinterpret_cast<long>(time)));
  const bool is_coarse = which == CLOCK_MONOTONIC_COARSE || which == CLOCK_REALTIME_COARSE;
  read_clock(is_coarse ? cost.clock_coarse : cost.clock, time);
  return 0;
}
int gettimeofday(timeval* __restrict time, void* __restrict) {
  timespec now;
  read_clock(cost.clock, &now);
  *time = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}
time_t time(time_t* out) {
  const auto now = static_cast<time_t>(current->clock / 1'000'000'000'000);
  if (out != nullptr) *out = now;
  return now;
}

int nanosleep(const timespec* time, timespec*) {
  enter_kernel();
  sleep_on(nullptr, current->clock + time_of(time));
  return 0;
}
int clock_nanosleep(clockid_t, int flags, const timespec* time, timespec*) {
  enter_kernel();
  sleep_on(nullptr, (flags & TIMER_ABSTIME) != 0 ? time_of(time) : current->clock + time_of(time));
  return 0;
}
int usleep(useconds_t microseconds) {
  enter_kernel();
  sleep_on(nullptr, current->clock + picoseconds{microseconds} * 1'000'000);
  return 0;
}
unsigned sleep(unsigned seconds) {
  enter_kernel();
  sleep_on(nullptr, current->clock + picoseconds{seconds} * 1'000'000'000'000);
  return 0;
}
int sched_yield() {
  yield_cpu();
  return 0;
}

void* mmap(void* at, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  if (is_on) mm_call();
  const long memory = raw_call(SYS_mmap, reinterpret_cast<long>(at), bytes, protection, flags, file, offset);
  if (is_on && memory != -1 && (flags & MAP_FIXED) != 0) forget_pages(at, bytes);
  return reinterpret_cast<void*>(memory);
}
int munmap(void* at, std::size_t bytes) noexcept {
  if (is_on) mm_call();
  if (is_on) forget_pages(at, bytes);
  return static_cast<int>(raw_call(SYS_munmap, reinterpret_cast<long>(at), bytes));
}
int madvise(void* at, std::size_t bytes, int advice) noexcept {
  if (is_on) mm_call();
  if (is_on && (advice == MADV_DONTNEED || advice == MADV_FREE)) forget_pages(at, bytes);
  return static_cast<int>(raw_call(SYS_madvise, reinterpret_cast<long>(at), bytes, advice));
}
int mprotect(void* at, std::size_t bytes, int protection) noexcept {
  if (is_on) mm_call();
  return static_cast<int>(raw_call(SYS_mprotect, reinterpret_cast<long>(at), bytes, protection));
}

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const int mode = (flags & O_CREAT) != 0 ? va_arg(list, int) : 0;
  va_end(list);
  if (is_on && tells_of_machine(path)) {
    errno = ENOENT;
    return -1;
  }
  return static_cast<int>(raw_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), flags, mode));
}
std::FILE* fopen(const char* __restrict path, const char* __restrict mode) {
  static auto* const real = next_of<std::FILE*(const char*, const char*)>("fopen");
  if (is_on && tells_of_machine(path)) {
    errno = ENOENT;
    return nullptr;
  }
  return real(path, mode);
}
// The kernel is asked, too: it knows whether the memory may be written.
ssize_t getrandom(void* out, std::size_t bytes, unsigned flags) {
  static std::uint64_t uses = 0;
  if (raw_call(SYS_getrandom, reinterpret_cast<long>(out), bytes, flags) != static_cast<long>(bytes)) return -1;
  for (std::size_t i = 0; i < bytes; ++i)
    static_cast<unsigned char*>(out)[i] = static_cast<unsigned char>(layout_number(1000 + uses++));
  return static_cast<ssize_t>(bytes);
}

int sched_getaffinity(pid_t, std::size_t bytes, cpu_set_t* out) noexcept {
  std::memset(out, 0, bytes);
  for (unsigned i = 0; i < set.cpu_count; ++i) CPU_SET_S(i, bytes, out);
  return 0;
}
int sched_getcpu() noexcept { return static_cast<int>(current->index); }
long sysconf(int what) noexcept {
  static auto* const real = next_of<long(int)>("sysconf");
  return what == _SC_NPROCESSORS_ONLN || what == _SC_NPROCESSORS_CONF ? static_cast<long>(set.cpu_count) : real(what);
}
int get_nprocs() noexcept { return static_cast<int>(set.cpu_count); }
int get_nprocs_conf() noexcept { return static_cast<int>(set.cpu_count); }

// ---- memory: the C library's own accesses are not instrumented -------------------------------
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void __libc_free(void* memory);
static void allocate() {
  if (is_on) spend(of_code, cost.allocation);
}
void* malloc(std::size_t bytes) {
  allocate();
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
  allocate();
  return __libc_calloc(count, bytes);
}
void free(void* memory) {
  allocate();
  __libc_free(memory);
}
void* memcpy(void* __restrict to, const void* __restrict from, std::size_t bytes) noexcept {
  if (is_on) touch_range(from, bytes, access::load, MANY_CALLER);
  if (is_on) touch_range(to, bytes, access::store, MANY_CALLER);
  void* at = to;
  asm volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(bytes) : : "memory");
  return to;
}
void* memset(void* to, int value, std::size_t bytes) noexcept {
  if (is_on) touch_range(to, bytes, access::store, MANY_CALLER);
  void* at = to;
  asm volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(value) : "memory");
  return to;
}

}  // extern "C"

// Heavy fences of Weft by their callers: the linker puts this in the place of weft::os::heavy_fence.
extern "C" void __real__ZN4weft2os11heavy_fenceEv() __attribute__((weak));
extern "C" void __wrap__ZN4weft2os11heavy_fenceEv() {
  const picoseconds before = current->clock;
  current->running->is_in_fence = true;
  __real__ZN4weft2os11heavy_fenceEv();
  current->running->is_in_fence = false;
  count_at(fences_by_place, MANY_CALLER, current->clock - before);
}
