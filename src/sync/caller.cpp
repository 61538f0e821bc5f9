// See caller.hpp.
#include "sync/caller.hpp"

#include <pthread.h>

#include "sched/fork.hpp"
#include "sched/local.hpp"
#include "sched/runtime.hpp"
#include "sched/unit.hpp"
#include "sched/worker.hpp"

namespace weft::sync {

std::uintptr_t caller_id() {
  const sched::worker* w = sched::local::current_worker();
  if (w == nullptr) return static_cast<std::uintptr_t>(pthread_self());
  const sched::unit* self = sched::identity_of(w->current);
  if (self == nullptr) return reinterpret_cast<std::uintptr_t>(w);
  return self->has(sched::is_main) ? w->rt->main_caller : reinterpret_cast<std::uintptr_t>(self);
}

bool caller_may_be_several() {
  const sched::worker* w = sched::local::current_worker();
  return w != nullptr && w->current != nullptr && sched::shares_identity(w);
}

bool others_may_run() {
  const sched::worker* w = sched::local::current_worker();
  return w == nullptr || w->rt->worker_count.load(base::relaxed) > 1;
}

}  // namespace weft::sync
