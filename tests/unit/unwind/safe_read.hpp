// Reads memory as os::peek does, also where the system has no process_vm_readv (an emulator): a
// pipe refuses what cannot be read.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>

#include "os/peek.hpp"

namespace weft::test {

inline bool read_through_pipe(const void* from, void* to, std::size_t bytes) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  const auto count = static_cast<ssize_t>(bytes);
  const bool is_read = write(ends[1], from, bytes) == count && read(ends[0], to, bytes) == count;
  close(ends[0]);
  close(ends[1]);
  return is_read;
}

inline bool safe_read(const void* from, void* to, std::size_t bytes) {
  static const bool can_peek = [] {
    const int one = 1;
    int copy;
    return os::peek(&one, &copy, sizeof copy);
  }();
  return can_peek ? os::peek(from, to, bytes) : read_through_pipe(from, to, bytes);
}

}  // namespace weft::test
