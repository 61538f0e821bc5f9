#include "os/system_call.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

using namespace weft;

namespace {

bool is_named(long number, const char* name) {
  const char* const found = os::call_name(number);
  return found != nullptr && std::strcmp(found, name) == 0;
}

}  // namespace

TEST_CASE("names are the kernel's") {
  CHECK(is_named(SYS_read, "read"));
  CHECK(is_named(SYS_pwrite64, "pwrite64"));
  CHECK(is_named(SYS_ppoll, "ppoll"));
  CHECK(is_named(SYS_epoll_pwait, "epoll_pwait"));
  CHECK(is_named(SYS_clock_nanosleep, "clock_nanosleep"));
  CHECK(is_named(SYS_semtimedop, "semtimedop"));
  CHECK(is_named(SYS_mq_timedreceive, "mq_timedreceive"));
#ifdef SYS_poll
  CHECK(is_named(SYS_poll, "poll"));
#endif
}

TEST_CASE("calls that return at once, and numbers of none, have no name") {
  CHECK(os::call_name(SYS_getpid) == nullptr);
  CHECK(os::call_name(-1) == nullptr);
  CHECK(os::call_name(1'000'000) == nullptr);
  CHECK_FALSE(os::is_futex(-1));
  CHECK_FALSE(os::may_sleep_for_ever(-1));
}

TEST_CASE("kinds of calls") {
  CHECK(os::is_sleep(SYS_nanosleep));
  CHECK(os::is_sleep(SYS_clock_nanosleep));
  CHECK_FALSE(os::is_sleep(SYS_read));
  CHECK(os::takes_descriptor(SYS_read));
  CHECK(os::takes_descriptor(SYS_accept4));
  CHECK_FALSE(os::takes_descriptor(SYS_ppoll));
  CHECK_FALSE(os::takes_descriptor(SYS_nanosleep));
  CHECK(os::may_sleep_for_ever(SYS_read));
  CHECK(os::may_sleep_for_ever(SYS_wait4));
  CHECK_FALSE(os::may_sleep_for_ever(SYS_nanosleep));
  CHECK_FALSE(os::may_sleep_for_ever(SYS_futex));
}

TEST_CASE("a futex wait without a deadline") {
  CHECK(os::is_endless_futex_wait(SYS_futex, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0));
  CHECK(os::is_endless_futex_wait(SYS_futex, FUTEX_LOCK_PI, 0));
  CHECK_FALSE(os::is_endless_futex_wait(SYS_futex, FUTEX_WAIT, 1));
  CHECK_FALSE(os::is_endless_futex_wait(SYS_futex, FUTEX_WAKE, 0));
  CHECK_FALSE(os::is_endless_futex_wait(SYS_read, FUTEX_WAIT, 0));
}

TEST_CASE("what a descriptor stands for") {
  char name[128];
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  CHECK(os::name_descriptor(static_cast<std::uintptr_t>(ends[0]), name, sizeof name));
  CHECK(std::strncmp(name, "pipe:[", 6) == 0);
  char cut[5];
  CHECK(os::name_descriptor(static_cast<std::uintptr_t>(ends[0]), cut, sizeof cut));
  CHECK(std::strcmp(cut, "pipe") == 0);
  close(ends[0]);
  close(ends[1]);
  CHECK_FALSE(os::name_descriptor(static_cast<std::uintptr_t>(-1), name, sizeof name));
  CHECK(name[0] == '\0');
}

TEST_CASE("a file's name cannot end a report's line") {
  char folder[] = "/tmp/weft-descriptor-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::string path = std::string(folder) + "/two\nlines";
  const int file = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  REQUIRE(file >= 0);
  char name[128];
  CHECK(os::name_descriptor(static_cast<std::uintptr_t>(file), name, sizeof name));
  CHECK(std::string(name) == std::string(folder) + "/two?lines");
  close(file);
  unlink(path.c_str());
  rmdir(folder);
}
