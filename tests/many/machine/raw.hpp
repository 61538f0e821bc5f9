// System calls of the machine itself, which none of its own functions stand in for.
#pragma once

#include <sys/mman.h>
#include <sys/syscall.h>
#include <cerrno>
#include <cstdint>
#include <ctime>

namespace many {

template <class... Argument>
long raw_call(long number, Argument... given) {
  const long all[6] = {static_cast<long>(given)...};
  register long fourth asm("r10") = all[3];
  register long fifth asm("r8") = all[4];
  register long sixth asm("r9") = all[5];
  long result;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(all[0]), "S"(all[1]), "d"(all[2]), "r"(fourth), "r"(fifth), "r"(sixth)
               : "rcx", "r11", "memory");
  if (result >= 0 || result <= -4096) return result;
  errno = static_cast<int>(-result);
  return -1;
}

// Null: there is none.
inline void* reserve(std::uint64_t bytes) {
  const long memory = raw_call(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == -1 ? nullptr : reinterpret_cast<void*>(memory);
}

// CPU time that the machine itself has taken.
inline std::uint64_t own_time_ns() {
  timespec now{};
  raw_call(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, reinterpret_cast<long>(&now));
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace many
