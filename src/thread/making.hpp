// What making a unit (create.cpp) and letting one begin anew (revive.cpp) share.
#pragma once

#include "unit/unit.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

[[gnu::always_inline]] inline unit* lay_out(void* memory, unit::function_type function, void* argument, std::uint16_t flags,
                                            std::uintptr_t join, const void* made_at, std::uint16_t in, pool* home = nullptr) {
  auto* one = static_cast<unit*>(memory);
  one->function = function;
  one->argument = argument;
  one->join.store(join, base::relaxed);
  one->context.set_maker(made_at);
  one->home.store(home, base::relaxed);
  one->state.store(unit_state::ready, base::relaxed);
  one->in.store(in, base::relaxed);
  one->flags.store(flags, base::relaxed);
  return one;
}

inline constexpr unsigned flags_of_owned = unsigned{is_known} | unsigned{ends_noticed} | unsigned{may_be_dispatched};

inline void count_created(runtime* rt, worker* w, std::uint64_t count) {
  if (w != nullptr) {
    w->created.store(w->created.load(base::relaxed) + count, base::relaxed);
  } else {
    rt->outside_created.fetch_add(count, base::relaxed);
  }
}

}  // namespace weft::sched
