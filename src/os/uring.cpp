// See uring.hpp. By the bare system call: the C library has no function for it.
#include "os/uring.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "os/fault.hpp"

namespace weft::os {
namespace {

constexpr long io_uring_setup = 425;   // the same number on every architecture
constexpr unsigned params_words = 30;  // struct io_uring_params: 120 bytes

}  // namespace

bool can_use_io_uring() {
  std::uint32_t params[params_words] = {};
  if (fault::fails(call::io_uring)) return false;
  const long descriptor = syscall(io_uring_setup, 1u, params);
  if (descriptor < 0) return false;
  close(static_cast<int>(descriptor));
  return true;
}

}  // namespace weft::os
