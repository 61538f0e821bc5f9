// See signal.hpp.
#include "os/signal.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include "os/fault.hpp"

namespace weft::os {

bool set_signal_action(int signal, const struct sigaction* wanted, struct sigaction* before) {
  return !fault::fails(call::sigaction) && sigaction(signal, wanted, before) == 0;
}

bool set_signal_stack(const stack_t* wanted, stack_t* before) {
  return !fault::fails(call::sigaltstack) && sigaltstack(wanted, before) == 0;
}

bool send_signal(int thread_id, int signal) { return syscall(SYS_tgkill, getpid(), thread_id, signal) == 0; }

}  // namespace weft::os
