// See arrivals.hpp.
#include "worker/arrivals.hpp"

#include "os/clock.hpp"
#include "os/peek.hpp"
#include "unit/unit.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

unsigned slot_of(const unit* one) {
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(one) / unit_bytes % kept_arrivals);
}

}  // namespace

void note_arrival(worker* w) {
  const unit* const one = w->current;
  if (one == nullptr || one->left_on == 0 || one->left_on == w->index + 1) return;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  w->arrivals[slot_of(one)] = {one, os::now_ns(), here, one->left_on - 1U};
}

void forget_arrival(worker* w, const unit* one) {
  arrival& known = w->arrivals[slot_of(one)];
  if (known.one == one) known.one = nullptr;
}

bool find_arrival(const worker* w, const unit* one, arrival* out) {
  if (one == nullptr || one->left_on == 0) return false;
  return os::peek(&w->arrivals[slot_of(one)], out, sizeof *out) && out->one == one;
}

}  // namespace weft::sched
