// See caller.hpp.
#include "sync/caller.hpp"

#include <pthread.h>

#include "run/fork.hpp"
#include "unit/unit.hpp"
#include "worker/adoption.hpp"
#include "worker/blocking_call.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/worker.hpp"

namespace weft::sync {

namespace {

std::uintptr_t id_of(const sched::unit* self, const sched::runtime* rt) {
  if (self->has_any(unsigned{sched::is_main} | unsigned{sched::is_adopted})) [[unlikely]]
    return self->has(sched::is_main) ? rt->main_caller : sched::adoption_of(self)->os_caller;
  return reinterpret_cast<std::uintptr_t>(self);
}

// On an OS thread that is no worker. In a region the unit's: other units, that of main among them,
// may have been in regions on the same OS thread, or run there. In the ready of an awaiter neither
// the unit's nor the OS thread's, which may be main's.
std::uintptr_t id_outside() {
  const sched::delivery* const here = sched::local::delivery_outside();
  if (here->is_active) return reinterpret_cast<std::uintptr_t>(here);
  sched::unit* const self = sched::unit_in_region();
  if (self == nullptr) return static_cast<std::uintptr_t>(pthread_self());
  return id_of(sched::identity_of(self), sched::this_blocking_call()->w->rt);
}

std::uintptr_t id_of_caller(const sched::worker* w) {
  if (w == nullptr) return id_outside();
  const sched::unit* const self = sched::identity_of(w->current);
  return self != nullptr ? id_of(self, w->rt) : reinterpret_cast<std::uintptr_t>(w);
}

bool are_several(const sched::worker* w) {
  if (w == nullptr) return sched::caller_in_region() != nullptr && sched::this_blocking_call()->may_be_several;
  return w->current != nullptr && sched::shares_identity(w);
}

// Apart, so that ULTs with an identity of their own save no registers.
[[gnu::noinline]] caller caller_with_another_identity(const sched::worker* w) { return {id_of_caller(w), are_several(w)}; }

}  // namespace

std::uintptr_t caller_id() { return id_of_caller(sched::local::current_worker()); }

bool caller_may_be_several() { return are_several(sched::local::current_worker()); }

caller who_calls() {
  constexpr unsigned with_another_identity = unsigned{sched::is_main} | unsigned{sched::is_adopted} | unsigned{sched::is_fork};
  const sched::worker* const w = sched::local::current_worker();
  const sched::unit* const self = w != nullptr ? w->current : nullptr;
  if (self == nullptr || self->has_any(with_another_identity)) [[unlikely]]
    return caller_with_another_identity(w);
  return {reinterpret_cast<std::uintptr_t>(self), sched::has_forks(w) || self->left_forks != 0};
}

bool others_may_run() {
  const sched::worker* w = sched::local::current_worker();
  return w == nullptr || w->rt->worker_count.load(base::relaxed) > 1;
}

}  // namespace weft::sync
