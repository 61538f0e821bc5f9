// See system_call.hpp.
#include "os/system_call.hpp"

#include <linux/futex.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/fault.hpp"

namespace weft::os {
namespace {

enum class kind : std::uint8_t { plain, on_descriptor, sleep };

struct known_call {
  long number;
  const char* name;
  kind what;
};

#define WEFT_CALL(name) {SYS_##name, #name, kind::plain}
#define WEFT_CALL_ON_DESCRIPTOR(name) {SYS_##name, #name, kind::on_descriptor}
#define WEFT_SLEEP(name) {SYS_##name, #name, kind::sleep}

// The calls that an OS thread may be found asleep in, by mistake or not.
constexpr known_call calls[] = {
    WEFT_CALL(futex),
    WEFT_SLEEP(nanosleep),
    WEFT_SLEEP(clock_nanosleep),
    WEFT_SLEEP(sched_yield),
    WEFT_CALL_ON_DESCRIPTOR(read),
    WEFT_CALL_ON_DESCRIPTOR(write),
    WEFT_CALL_ON_DESCRIPTOR(readv),
    WEFT_CALL_ON_DESCRIPTOR(writev),
    WEFT_CALL_ON_DESCRIPTOR(pread64),
    WEFT_CALL_ON_DESCRIPTOR(pwrite64),
    WEFT_CALL_ON_DESCRIPTOR(preadv),
    WEFT_CALL_ON_DESCRIPTOR(pwritev),
    WEFT_CALL_ON_DESCRIPTOR(preadv2),
    WEFT_CALL_ON_DESCRIPTOR(pwritev2),
    WEFT_CALL_ON_DESCRIPTOR(accept),
    WEFT_CALL_ON_DESCRIPTOR(accept4),
    WEFT_CALL_ON_DESCRIPTOR(connect),
    WEFT_CALL_ON_DESCRIPTOR(sendto),
    WEFT_CALL_ON_DESCRIPTOR(sendmsg),
    WEFT_CALL_ON_DESCRIPTOR(sendmmsg),
    WEFT_CALL_ON_DESCRIPTOR(recvfrom),
    WEFT_CALL_ON_DESCRIPTOR(recvmsg),
    WEFT_CALL_ON_DESCRIPTOR(recvmmsg),
    WEFT_CALL_ON_DESCRIPTOR(shutdown),
    WEFT_CALL_ON_DESCRIPTOR(sendfile),
    WEFT_CALL_ON_DESCRIPTOR(splice),
    WEFT_CALL_ON_DESCRIPTOR(vmsplice),
    WEFT_CALL_ON_DESCRIPTOR(tee),
    WEFT_CALL_ON_DESCRIPTOR(copy_file_range),
    WEFT_CALL_ON_DESCRIPTOR(epoll_pwait),
    WEFT_CALL_ON_DESCRIPTOR(flock),
    WEFT_CALL_ON_DESCRIPTOR(fcntl),
    WEFT_CALL_ON_DESCRIPTOR(ioctl),
    WEFT_CALL_ON_DESCRIPTOR(fsync),
    WEFT_CALL_ON_DESCRIPTOR(fdatasync),
    WEFT_CALL_ON_DESCRIPTOR(sync_file_range),
    WEFT_CALL_ON_DESCRIPTOR(syncfs),
    WEFT_CALL_ON_DESCRIPTOR(fallocate),
    WEFT_CALL_ON_DESCRIPTOR(ftruncate),
    WEFT_CALL_ON_DESCRIPTOR(getdents64),
    WEFT_CALL_ON_DESCRIPTOR(mq_timedsend),
    WEFT_CALL_ON_DESCRIPTOR(mq_timedreceive),
    WEFT_CALL_ON_DESCRIPTOR(close),
    WEFT_CALL(ppoll),
    WEFT_CALL(pselect6),
    WEFT_CALL(openat),
    WEFT_CALL(sync),
    WEFT_CALL(msync),
    WEFT_CALL(wait4),
    WEFT_CALL(waitid),
    WEFT_CALL(io_getevents),
    WEFT_CALL(msgrcv),
    WEFT_CALL(msgsnd),
    WEFT_CALL(semop),
    WEFT_CALL(semtimedop),
    WEFT_CALL(rt_sigtimedwait),
    WEFT_CALL(rt_sigsuspend),
    WEFT_CALL(getrandom),
// Newer than the oldest headers.
#ifdef SYS_openat2
    WEFT_CALL(openat2),
#endif
#ifdef SYS_io_pgetevents
    WEFT_CALL(io_pgetevents),
#endif
#ifdef SYS_io_uring_enter
    WEFT_CALL_ON_DESCRIPTOR(io_uring_enter),
#endif
#ifdef SYS_epoll_pwait2
    WEFT_CALL_ON_DESCRIPTOR(epoll_pwait2),
#endif
#ifdef SYS_futex_waitv
    WEFT_CALL(futex_waitv),
#endif
// The older calls, which newer machines lack.
#ifdef SYS_poll
    WEFT_CALL(poll),
    WEFT_CALL(select),
    WEFT_CALL_ON_DESCRIPTOR(epoll_wait),
    WEFT_CALL(open),
    WEFT_CALL(pause),
#endif
};

#undef WEFT_CALL
#undef WEFT_CALL_ON_DESCRIPTOR
#undef WEFT_SLEEP

const known_call* find_call(long number) {
  for (const known_call& each : calls) {
    if (each.number == number) return &each;
  }
  return nullptr;
}

}  // namespace

const char* call_name(long number) {
  const known_call* const found = find_call(number);
  return found != nullptr ? found->name : nullptr;
}

bool is_futex(long number) { return number == SYS_futex; }

bool is_sleep(long number) {
  const known_call* const found = find_call(number);
  return found != nullptr && found->what == kind::sleep;
}

bool takes_descriptor(long number) {
  const known_call* const found = find_call(number);
  return found != nullptr && found->what == kind::on_descriptor;
}

bool may_sleep_for_ever(long number) { return !is_futex(number) && !is_sleep(number) && call_name(number) != nullptr; }

bool is_endless_futex_wait(long number, std::uintptr_t operation, std::uintptr_t timeout) {
  if (number != SYS_futex || timeout != 0) return false;
  const unsigned long what = operation & ~static_cast<unsigned long>(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
  return what == FUTEX_WAIT || what == FUTEX_WAIT_BITSET || what == FUTEX_LOCK_PI || what == FUTEX_LOCK_PI2;
}

bool name_descriptor(std::uintptr_t descriptor, char* out, std::size_t capacity) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", static_cast<int>(descriptor));
  const ssize_t length = fault::fails(call::read) ? -1 : readlink(path, out, capacity - 1);
  const std::size_t used = length > 0 ? static_cast<std::size_t>(length) : 0;
  for (std::size_t index = 0; index < used; ++index) {
    const bool is_control = static_cast<unsigned char>(out[index]) < ' ' || out[index] == '\x7f';
    if (is_control) out[index] = '?';  // a file's name may hold anything, but a report's lines are its own
  }
  out[used] = '\0';
  return used != 0;
}

}  // namespace weft::os
