#include "worker/clock.hpp"

#include "os/clock.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

std::uint64_t now_ns(const runtime* rt) { return rt->turns != nullptr ? the_hooks.now_ns(rt) : os::now_ns(); }
std::uint64_t now_ns(const worker* w) { return now_ns(w->rt); }

std::uint64_t now_ns() {
  const worker* w = local::current_worker();
  return w != nullptr ? now_ns(w) : os::now_ns();
}

}  // namespace weft::sched
