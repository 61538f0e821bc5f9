// See futex.hpp.
#include "os/futex.hpp"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.hpp"
#include "os/clock.hpp"
#include "os/fault.hpp"
#include "os/thread.hpp"

namespace weft::os {
namespace {

constexpr std::uint64_t ns_per_second = 1'000'000'000;
constexpr int wake_tries = 100;

static_assert(sizeof(base::atomic<std::uint32_t>) == sizeof(std::uint32_t), "the kernel reads the word itself");

// WAIT_BITSET because plain WAIT takes a relative timeout. Returns 0 or errno.
int wait(base::atomic<std::uint32_t>* word, std::uint32_t expected, const timespec* deadline, int sharing = FUTEX_PRIVATE_FLAG) {
  if (fault::fails(call::futex_wait)) return errno;
  const long result = syscall(SYS_futex, word, FUTEX_WAIT_BITSET | sharing, expected, deadline, nullptr, FUTEX_BITSET_MATCH_ANY);
  return result == 0 ? 0 : errno;
}

// Whether the wait ended in time. Anything but the three ordinary ends would make callers spin:
// better to say so.
bool in_time(int error) {
  if (error == ETIMEDOUT) return false;
  if (error == EINTR) yield_cpu();  // where signals never cease, the waker gets a turn
  if (error != 0 && error != EAGAIN && error != EINTR)
    base::panic("futex wait failed with errno %d: this system forbids or lacks futex(2)", error);
  return true;
}

void wake(base::atomic<std::uint32_t>* word, int count, int sharing) {
  for (int attempt = 0; attempt < wake_tries; ++attempt) {
    if (!fault::fails(call::futex_wake) && syscall(SYS_futex, word, FUTEX_WAKE | sharing, count) >= 0) return;
  }
  base::panic("futex wake failed %d times, last with errno %d: a sleeper would be lost", wake_tries, errno);
}

// In the flags of the system call: the word may lie in memory that several processes share.
constexpr int between_processes = 0;

}  // namespace

void futex_wait(base::atomic<std::uint32_t>* word, std::uint32_t expected) { (void)in_time(wait(word, expected, nullptr)); }

bool futex_wait_until(base::atomic<std::uint32_t>* word, std::uint32_t expected, std::uint64_t deadline) {
  if (deadline == UINT64_MAX) return in_time(wait(word, expected, nullptr));
  timespec until;
  until.tv_sec = static_cast<time_t>(deadline / ns_per_second);
  until.tv_nsec = static_cast<long>(deadline % ns_per_second);
  const int error = wait(word, expected, &until);
  // Signals that never cease must not hold off the deadline.
  return in_time(error) && (error != EINTR || now_ns() < deadline);
}

void futex_wake(base::atomic<std::uint32_t>* word, int count) { wake(word, count, FUTEX_PRIVATE_FLAG); }

void futex_wait_shared(base::atomic<std::uint32_t>* word, std::uint32_t expected) {
  (void)in_time(wait(word, expected, nullptr, between_processes));
}

void futex_wake_shared(base::atomic<std::uint32_t>* word, int count) { wake(word, count, between_processes); }

}  // namespace weft::os
