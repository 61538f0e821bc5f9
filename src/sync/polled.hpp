// Waiting for a condition that only polling can see: a stream of a GPU, a request of a message
// library, a queue of a device. Protocol W, docs/protocols/W.md.
//
// All conditions are in one queue. While it is not empty an alarm is armed, an awaiter that waits
// for a deadline: the worker that the clock belongs to polls a part of them in the alarm's ready,
// and arms the alarm again. So one worker at a time polls, others run threads, and idle workers
// sleep in between. The next round is the later the longer nothing has come.
//
// The queue stays for the life of the process, as the table of full/empty words does; what is in it
// belongs to the runtime.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "sync/waiters.hpp"

namespace weft::sync {

// Lies as weft_polled does.
struct polled {
  bool (*is_done)(void* argument);
  void* argument;
};

// Errors: cannot_block, timeout.
status wait_polled(const polled& condition, std::uint64_t deadline_ns);
// The condition stays valid until the record has left. Errors: not_initialized.
status await_polled(sched::await_record* one, const polled* condition, sched::armed_as* what);
// WEFT_DROP: those waits are not kept any more.
void forget_polled_waits(const sched::dropped_waits& dropped);

}  // namespace weft::sync
