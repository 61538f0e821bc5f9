// See left_behind.hpp.
#include "run/left_behind.hpp"

#include "base/assert.hpp"
#include "base/atomic.hpp"
#include "unit/unit.hpp"
#include "worker/blocking_call.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"

namespace weft::sched {

constinit base::atomic<std::uintptr_t> call_limit{0};

namespace {

constinit base::atomic<bool> left_behind{false};

constexpr char cure[] = "call exec or _exit there, start it by posix_spawn, or fork before weft_init or after weft_finalize";

}  // namespace

void become_left_behind() {
  left_behind.store(true, base::relaxed);
  if (unit* self = local::current_unit(); self != nullptr) self->set(is_known);  // its end looks into key.cpp
  call_limit.store(UINTPTR_MAX, base::relaxed);
  local::forget_runtime();
  this_blocking_call()->depth = 0;
  the_hooks.abandon();
}

bool is_left_behind() { return left_behind.load(base::relaxed); }

void tell_left_behind(const char* call) {
  base::report("%s: this process is a child of fork(), made while Weft ran, whose workers are not here; cure: %s", call, cure);
}

void refuse_if_left_behind(const char* what) {
  if (is_left_behind()) base::panic("%s in a child of fork(), made while Weft ran: its worker is not here; cure: %s", what, cure);
}

}  // namespace weft::sched
