// Suspend and resume by name. Suspend has one permit a unit (protocol P): a resume that comes first
// is kept.

#include "run/ready.hpp"
#include "run/resume.hpp"
#include "run/wait.hpp"
#include "thread/calls.hpp"
#include "thread/thread.hpp"
#include "unit/waiter.hpp"
#include "worker/local.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

enum permit_word : std::uint8_t { no_permit, permitted, suspended };

bool take_permit(unit* self) {
  std::uint8_t expected = permitted;
  // [P7] acquire: sees what the resumer did; pairs with [P9]
  return self->permit.compare_exchange_strong(expected, no_permit, base::acquire, base::relaxed);
}

bool publish_suspension(void* argument) {
  auto* self = static_cast<unit*>(argument);
  self->state.store(unit_state::suspended, base::relaxed);
  std::uint8_t expected = no_permit;
  // [P8] release: the resumer sees the saved context; pairs with [P9]
  if (self->permit.compare_exchange_strong(expected, suspended, base::release, base::relaxed)) return true;
  static_cast<void>(take_permit(self));  // and sees what one or two resumers did
  return false;
}

[[gnu::cold, gnu::noinline]] status refuse(const unit* one, const char* cause) {
  return tell(because(status::invalid, "thread", cause), resuming, one);
}

}  // namespace

status suspend() {
  unit* self = local::current_unit();
  if (self == nullptr || self->has(is_tasklet)) return tell(status::cannot_block, suspending);
  if (take_permit(self)) return status::ok;
  waiter me("weft_resume", nullptr);
  static_cast<void>(wait_published(&me, publish_suspension, self));
  return status::ok;
}

status resume(unit* one) {
  if (one->has(is_tasklet)) return refuse(one, "it is a tasklet, which cannot be suspended");
  if (join_word::has_ended(one)) return refuse(one, "it has ended");
  one->set(is_known);
  std::uint8_t seen = one->permit.load(base::relaxed);
  for (;;) {
    const std::uint8_t wanted = seen == suspended ? no_permit : permitted;
    // [P9] acq_rel: publishes what the resumer did, and sees the saved context; pairs with [P7]
    // [P8]
    if (one->permit.compare_exchange_weak(seen, wanted, base::acq_rel, base::relaxed)) break;
  }
  if (seen == suspended) wake(one->waiting);
  return status::ok;
}

}  // namespace weft::sched
