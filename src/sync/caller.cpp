// See caller.hpp.
#include "sync/caller.hpp"

#include <pthread.h>

#include "run/fork.hpp"
#include "unit/unit.hpp"
#include "worker/adoption.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/worker.hpp"

namespace weft::sync {

namespace {

std::uintptr_t id_of_caller(const sched::worker* w) {
  if (w == nullptr) return static_cast<std::uintptr_t>(pthread_self());
  const sched::unit* self = sched::identity_of(w->current);
  if (self == nullptr) return reinterpret_cast<std::uintptr_t>(w);
  if (self->has_any(unsigned{sched::is_main} | unsigned{sched::is_adopted})) [[unlikely]]
    return self->has(sched::is_main) ? w->rt->main_caller : sched::adoption_of(self)->os_caller;
  return reinterpret_cast<std::uintptr_t>(self);
}

bool are_several(const sched::worker* w) { return w != nullptr && w->current != nullptr && sched::shares_identity(w); }

}  // namespace

std::uintptr_t caller_id() { return id_of_caller(sched::local::current_worker()); }

bool caller_may_be_several() { return are_several(sched::local::current_worker()); }

caller who_calls() {
  constexpr unsigned with_another_identity = unsigned{sched::is_main} | unsigned{sched::is_adopted} | unsigned{sched::is_fork};
  const sched::worker* const w = sched::local::current_worker();
  const sched::unit* const self = w != nullptr ? w->current : nullptr;
  if (self == nullptr || self->has_any(with_another_identity)) [[unlikely]]
    return {id_of_caller(w), are_several(w)};
  return {reinterpret_cast<std::uintptr_t>(self), sched::has_forks(w) || self->left_forks != 0};
}

bool others_may_run() {
  const sched::worker* w = sched::local::current_worker();
  return w == nullptr || w->rt->worker_count.load(base::relaxed) > 1;
}

}  // namespace weft::sync
