// Processes whose seccomp filter refuses a call of the kernel, as container runtimes and old kernels
// do: without membarrier(2) weft_init says what it needs, and without guard markers it goes on.
#include <doctest/doctest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include <weft/weft.h>

#include "../support/child.hpp"

namespace {

constexpr std::uint32_t any_argument = 0xffffffff;

struct refused_call {
  std::uint32_t number;
  std::uint32_t third_argument;  // the one that is refused, or any_argument
  std::uint32_t error;
};

// From here on the kernel refuses this call, to this process and to its children.
bool refuse(refused_call call) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call.number, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      // An argument that counts is compared; where none counts, both ways lead to the refusal.
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call.third_argument, 0,
               static_cast<std::uint8_t>(call.third_argument == any_argument ? 0 : 1)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | call.error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter = {static_cast<unsigned short>(std::size(program)), program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

void count(void* argument) {
  volatile char memory[4096];
  for (volatile char& each : memory) each = 1;
  __atomic_fetch_add(static_cast<int*>(argument), memory[0], __ATOMIC_RELAXED);
}

}  // namespace

TEST_CASE("without membarrier(2) weft_init is unsupported, and says what the system must have") {
  const auto end = weft::test::run_in_child([] {
    if (!refuse({SYS_membarrier, any_argument, ENOSYS})) return 1;
    if (weft_init(nullptr) != WEFT_UNSUPPORTED) return 2;
    return std::strstr(weft_last_error(), "membarrier(2)") != nullptr ? 0 : 3;
  });
  CHECK(end.exit_code == 0);
  CHECK(end.says(
      "no membarrier(2) here: Weft needs Linux 4.14 or later, and a seccomp filter, if there is one, that lets it through"));
}

TEST_CASE("a kernel without guard markers guards stacks in another way") {
  constexpr std::uint32_t guard_install = 102;
  const auto end = weft::test::run_in_child([] {
    if (!refuse({SYS_madvise, guard_install, EINVAL})) return 1;
    if (weft_init(nullptr) != WEFT_OK) return 2;
    constexpr std::size_t threads = 1000;
    weft_thread* made[threads];
    int counted = 0;
    for (weft_thread*& each : made) {
      if (weft_thread_create(count, &counted, nullptr, &each) != WEFT_OK) return 3;
    }
    if (weft_thread_join_many(made, threads) != WEFT_OK || counted != static_cast<int>(threads)) return 4;
    return weft_finalize() == WEFT_OK ? 0 : 5;
  });
  CHECK(end.exit_code == 0);
}
