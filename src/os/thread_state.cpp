// See thread_state.hpp.
#include "os/thread_state.hpp"

#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/file.hpp"
#include "os/peek.hpp"

namespace weft::os {
namespace {

struct named_call {
  long number;
  const char* name;
};

// The calls that a thread may be found asleep in, by mistake or not.
constexpr named_call calls[] = {
    {SYS_futex, "futex"},
    {SYS_read, "read"},
    {SYS_write, "write"},
    {SYS_readv, "readv"},
    {SYS_writev, "writev"},
    {SYS_pread64, "pread"},
    {SYS_pwrite64, "pwrite"},
    {SYS_ppoll, "ppoll"},
    {SYS_pselect6, "pselect"},
    {SYS_epoll_pwait, "epoll_wait"},
    {SYS_accept, "accept"},
    {SYS_accept4, "accept"},
    {SYS_connect, "connect"},
    {SYS_sendto, "send"},
    {SYS_recvfrom, "recv"},
    {SYS_sendmsg, "sendmsg"},
    {SYS_recvmsg, "recvmsg"},
    {SYS_nanosleep, "nanosleep"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_wait4, "wait"},
    {SYS_waitid, "waitid"},
    {SYS_flock, "flock"},
    {SYS_fcntl, "fcntl"},
    {SYS_fsync, "fsync"},
    {SYS_rt_sigtimedwait, "sigwait"},
#ifdef SYS_poll  // the older calls, which newer machines lack
    {SYS_poll, "poll"},
    {SYS_select, "select"},
    {SYS_epoll_wait, "epoll_wait"},
    {SYS_pause, "pause"},
#endif
};

// glibc's and musl's pthread_mutex_t begins alike here: lock word, a count (glibc), owner.
constexpr std::size_t owner_offset = 8;

// stat: "tid (name) S ppid ..."; the name may hold anything, so fields are counted from the last
// parenthesis.
bool parse_stat(const char* text, thread_state* out) {
  const char* end = strrchr(text, ')');
  unsigned long user_ticks = 0;
  unsigned long system_ticks = 0;
  if (end == nullptr ||
      sscanf(end + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu %lu", &out->letter, &user_ticks, &system_ticks) != 3) {
    return false;
  }
  const long per_second = sysconf(_SC_CLK_TCK);
  if (per_second > 0) out->cpu_ms = (user_ticks + system_ticks) * 1000 / static_cast<unsigned long>(per_second);
  return true;
}

// "running"; "number argument argument argument argument argument argument stack-pointer code", or,
// outside of calls, "-1 stack-pointer code".
void parse_syscall(const char* text, thread_state* out) {
  long call = -1;
  unsigned long words[8];
  const int read = sscanf(text, "%ld %lx %lx %lx %lx %lx %lx %lx %lx", &call, &words[0], &words[1], &words[2], &words[3],
                          &words[4], &words[5], &words[6], &words[7]);
  if (call >= 0 && read >= 2) {
    out->call = call;
    out->first_argument = words[0];
    if (read >= 4) out->third_argument = words[2];
    out->waits_for_others = read >= 5 && is_endless_futex_wait(call, words[1], words[3]);
  }
  const int expected = call >= 0 ? 9 : 3;
  if (read != expected) return;
  out->stack_pointer = words[expected - 3];
  out->code = words[expected - 2];
}

}  // namespace

bool read_thread_state(int thread_id, thread_state* out) {
  char text[512];
  thread_state read;
  if (!read_text(text, sizeof text, "/proc/self/task/%d/stat", thread_id) || !parse_stat(text, &read)) return false;
  // The kernel may refuse it.
  if (read_text(text, sizeof text, "/proc/self/task/%d/syscall", thread_id)) parse_syscall(text, &read);
  *out = read;
  return true;
}

bool blocks_signal(int thread_id, int signal) {
  unsigned long blocked = 0;
  const auto read_mask = [](void* mask, const char* line) {
    if (strncmp(line, "SigBlk:", 7) == 0) *static_cast<unsigned long*>(mask) = strtoul(line + 7, nullptr, 16);
  };
  return walk_lines(read_mask, &blocked, "/proc/self/task/%d/status", thread_id) && (blocked >> (signal - 1) & 1) != 0;
}

bool read_waits(int thread_id, std::uint64_t* count) {
  struct {
    bool is_known = false;
    std::uint64_t count = 0;
  } found;
  const auto read_count = [](void* memory, const char* line) {
    constexpr char label[] = "voluntary_ctxt_switches:";
    if (strncmp(line, label, sizeof label - 1) != 0) return;
    auto* out = static_cast<decltype(found)*>(memory);
    *out = {true, strtoull(line + sizeof label - 1, nullptr, 10)};
  };
  if (!walk_lines(read_count, &found, "/proc/self/task/%d/status", thread_id)) return false;
  if (found.is_known) *count = found.count;
  return found.is_known;
}

std::uint64_t own_waits() {
  struct rusage used = {};
  getrusage(RUSAGE_THREAD, &used);
  return static_cast<std::uint64_t>(used.ru_nvcsw);
}

const char* call_name(long number) {
  for (const named_call& each : calls) {
    if (each.number == number) return each.name;
  }
  return nullptr;
}

bool is_futex(long number) { return number == SYS_futex; }

bool may_sleep_for_ever(long number) {
  const bool ends_by_itself = number == SYS_nanosleep || number == SYS_clock_nanosleep;
  return !is_futex(number) && !ends_by_itself && call_name(number) != nullptr;
}

bool is_endless_futex_wait(long number, std::uintptr_t operation, std::uintptr_t timeout) {
  if (number != SYS_futex || timeout != 0) return false;
  const unsigned long what = operation & ~static_cast<unsigned long>(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
  return what == FUTEX_WAIT || what == FUTEX_WAIT_BITSET || what == FUTEX_LOCK_PI || what == FUTEX_LOCK_PI2;
}

int owner_of_pthread_mutex(std::uintptr_t word) {
  int owner = 0;
  return peek(reinterpret_cast<const void*>(word + owner_offset), &owner, sizeof owner) ? owner : 0;
}

}  // namespace weft::os
