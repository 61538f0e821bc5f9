// A unit that ended and that a builder owns begins anew.
#include "thread/calls.hpp"
#include "thread/making.hpp"
#include "thread/thread.hpp"
#include "unit/details.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"

namespace weft::sched {

namespace {

// An ended unit has given its stack back, but for a user's.
status bind_stack_again(runtime* rt, unit* one) {
  if (!one->has(has_own_stack)) {
    one->stack = nullptr;
    return status::ok;
  }
  const details* extra = details_if_any(one);
  if (extra == nullptr || extra->own_stack_bytes == 0) return status::ok;  // the user's memory
  one->stack = rt->stack_depot.make_mapping(extra->own_stack_bytes);
  return one->stack != nullptr ? status::ok : status::nomem;
}

[[gnu::always_inline]] inline void begin_anew(unit* one, unit::function_type function, void* argument) {
  const unsigned kept = one->flags.load(base::relaxed) & ~unsigned{wants_to_move};
  const auto flags = static_cast<std::uint16_t>(kept | flags_of_owned);
  const void* const made_at = one->maker();
  lay_out(one, function, argument, flags, join_word::open, made_at, 0, one->home.load(base::relaxed));
  one->parent = nullptr;
  one->permit.store(0, base::relaxed);
}

[[gnu::noinline]] status revive_slow(unit* one, unit::function_type function, void* argument) {
  worker* w = local::current_worker();
  runtime* rt = w != nullptr ? w->rt : local::current_runtime();
  if (!join_word::has_ended(one)) return tell(status::busy, reviving, one);
  const bool stays = stays_where_it_starts(one);
  if (stays) one->clear(stays_put);  // its end has taken the pin back
  if (one->has(stays_put) && !pin_to(rt, one->home_worker)) return tell(status::invalid, reviving, one);
  if (const status result = bind_stack_again(rt, one); result != status::ok) {
    if (one->has(stays_put)) unpin_from(rt, one->home_worker);
    return tell(result, reviving);
  }
  begin_anew(one, function, argument);
  if (stays) static_cast<void>(stay_where_started(one));  // it has the details already
  count_created(rt, w, 1);
  note(rt, WEFT_ON_CREATE, one);
  return status::ok;
}

}  // namespace

status revive(unit* one, unit::function_type function, void* argument) {
  worker* w = local::current_worker();
  if (w == nullptr || w->rt->tells_events.load(base::relaxed) || !join_word::has_ended(one) ||
      one->has_any(stays_put | has_own_stack)) [[unlikely]]
    return revive_slow(one, function, argument);
  begin_anew(one, function, argument);
  one->stack = nullptr;
  w->created.store(w->created.load(base::relaxed) + 1, base::relaxed);
  return status::ok;
}

}  // namespace weft::sched
