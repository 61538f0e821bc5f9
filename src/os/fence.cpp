// See fence.hpp. The kernel's side: membarrier(2), PRIVATE_EXPEDITED, Linux 4.14;
// GLOBAL_EXPEDITED, Linux 4.16.
#include "os/fence.hpp"

#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch/cpu.hpp"
#include "base/assert.hpp"
#include "base/atomic.hpp"
#include "os/fault.hpp"
#include "os/shared_fence.hpp"

namespace weft::os {
namespace {

constexpr int fence_tries = 100;

constinit shared_fence shared;
constexpr unsigned patience = 500;  // pauses: some ten microseconds, about two fences on 64 CPUs

bool membarrier(int command) {
  if (fault::fails(call::membarrier)) return false;
  return syscall(SYS_membarrier, command, 0, 0) == 0;
}

void fence_by(int command) {
  // TSan sees no system call: give it the operation that light_fence() does there too.
  if constexpr (config::thread_sanitizer) base::fence_seq_cst();
  for (int attempt = 0; attempt < fence_tries; ++attempt) {
    if (membarrier(command)) return;
  }
  base::panic("membarrier failed %d times, last with errno %d, although it was registered", fence_tries, errno);
}

}  // namespace

bool register_asymmetric_fence() { return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED); }

void heavy_fence() {
  shared.run(patience, [] { fence_by(MEMBARRIER_CMD_PRIVATE_EXPEDITED); }, [] { arch::pause(); });
}

void forget_fences_of_others() { shared.forget_others(); }

bool register_fence_between_processes() { return membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED); }

void heavy_fence_between_processes() { fence_by(MEMBARRIER_CMD_GLOBAL_EXPEDITED); }

}  // namespace weft::os
