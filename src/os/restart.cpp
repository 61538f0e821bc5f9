// See restart.hpp.
#include "os/restart.hpp"

#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/assert.hpp"
#include "os/fault.hpp"
#include "os/fence.hpp"

// glibc's: how far the area is from the thread pointer, and its size, which is 0 when it is not
// registered. Null elsewhere.
// NOLINTNEXTLINE(readability-identifier-naming): the C library names them
extern "C" const std::ptrdiff_t __rseq_offset [[gnu::weak]];
// NOLINTNEXTLINE(readability-identifier-naming): the C library names them
extern "C" const unsigned int __rseq_size [[gnu::weak]];

namespace weft::os {

namespace detail {
constinit base::atomic<std::ptrdiff_t> restart_area{0};
constinit base::atomic<bool> restarts_may_be_used{false};
}  // namespace detail

namespace {

constexpr int fence_tries = 100;
constexpr std::ptrdiff_t offset_of_rseq_cs = 8;  // linux/rseq.h

bool membarrier(int command) {
  if (fault::fails(call::membarrier)) return false;
  return syscall(SYS_membarrier, command, 0, 0) == 0;
}

bool is_registered() { return &__rseq_offset != nullptr && &__rseq_size != nullptr && __rseq_size != 0; }

}  // namespace

bool enable_restartable_stores(bool machine_has_them) {
  // TSan does not see such a store.
  if (config::thread_sanitizer || !machine_has_them || !is_registered()) return false;
  if (restart_area() != 0) return true;
  if (!membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ)) return false;
  detail::restarts_may_be_used.store(true, base::relaxed);
  // [L7] heavy fence: an OS thread that looked before has changed its word before; pairs with [L6]
  os::heavy_fence();
  // [L9] release: the fence before the first restartable store; pairs with [L8]
  detail::restart_area.store(__rseq_offset + offset_of_rseq_cs, base::release);
  return true;
}

void restart_fence() {
  for (int attempt = 0; attempt < fence_tries; ++attempt) {
    if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ)) return;
    // A child of fork(2) that has not registered itself.
    if (errno == EPERM) membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ);
  }
  base::panic("membarrier failed %d times, last with errno %d, although it was registered", fence_tries, errno);
}

}  // namespace weft::os
