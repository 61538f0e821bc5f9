// Making units: the short way for those without attributes, the way with all checks, many at once;
// and those that a builder makes without making them ready.
#include <cstring>

#include "os/heap.hpp"
#include "run/end.hpp"
#include "run/entering.hpp"
#include "run/fork.hpp"
#include "run/left_behind.hpp"
#include "run/next.hpp"
#include "run/ready.hpp"
#include "run/stack_class.hpp"
#include "run/wake.hpp"
#include "thread/calls.hpp"
#include "thread/making.hpp"
#include "thread/thread.hpp"
#include "unit/details.hpp"
#include "worker/copied.hpp"
#include "worker/extras.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

unit* lay_out_unlinked(void* memory, const creation& how) {
  unit* one = lay_out(memory, how.function, how.argument, how.tasklet ? is_tasklet : is_default,
                      how.detached ? join_word::detached : join_word::open, how.made_at, 0);
  one->next = one->previous = nullptr;
  return one;
}

unit* allocate(worker* w, const creation& how) {
  void* memory = w->units.take();
  return memory != nullptr ? lay_out_unlinked(memory, how) : nullptr;
}

unit* allocate_outside(runtime* rt, const creation& how) {
  const queue::guard hold(rt->outside_lock);
  void* memory = rt->outside_units.take();
  return memory != nullptr ? lay_out_unlinked(memory, how) : nullptr;
}

// For revive: the mapping goes when the unit ends.
status note_own_stack(unit* one, std::size_t bytes) {
  details* extra = details_of(one);
  if (extra == nullptr) return status::nomem;
  extra->own_stack_bytes = bytes;
  return status::ok;
}

// Checks and applies what a unit was asked to be. Everything that can fail, fails here.
status apply_stack(runtime* rt, worker* w, unit* one, const weft_thread_attr& wanted) {
  if (wanted.stack_bytes == 0 && wanted.stack == nullptr) return status::ok;
  if (wanted.stack_bytes < WEFT_STACK_MIN) return status::invalid;
  if (wanted.stack == nullptr) {
    unsigned size_class = mem::default_class;
    const status found = find_class(rt, w, wanted.stack_bytes, &size_class);
    const unsigned flags = one->flags.load(base::relaxed) | flags_of_class(size_class);
    if (found == status::ok) one->flags.store(static_cast<std::uint16_t>(flags), base::relaxed);
    if (found != status::unsupported) return found;
  }
  one->stack = wanted.stack != nullptr ? mem::stack_depot::adopt(wanted.stack, wanted.stack_bytes)
                                       : rt->stack_depot.make_mapping(wanted.stack_bytes);
  if (one->stack == nullptr) return status::nomem;
  one->set(has_own_stack);
  return wanted.stack != nullptr ? status::ok : note_own_stack(one, wanted.stack_bytes);
}

status apply_place(runtime* rt, unit* one, const weft_thread_attr& wanted) {
  one->home.store(reinterpret_cast<pool*>(wanted.pool), base::relaxed);
  if (wanted.worker == WEFT_ANY_WORKER) return status::ok;
  if (wanted.worker == WEFT_STARTING_WORKER) return one->has(is_tasklet) ? status::ok : stay_where_started(one);
  if (wanted.worker < 0 || !pin_to(rt, static_cast<unsigned>(wanted.worker))) return status::invalid;
  one->home_worker = static_cast<std::uint16_t>(wanted.worker);
  one->set(stays_put);
  return status::ok;
}

// Before publication.
void set_priority(unit* one, unsigned priority) {
  if (priority == 0) return;
  one->priority = static_cast<std::uint8_t>(priority);
  const unsigned flags = one->flags.load(base::relaxed) | is_known;
  one->flags.store(static_cast<std::uint16_t>(flags), base::relaxed);
}

status apply_details(unit* one, const weft_thread_attr& wanted) {
  if (wanted.priority >= WEFT_POOL_PRIORITIES) return status::invalid;
  set_priority(one, wanted.priority);
  if (wanted.name == nullptr) return status::ok;
  details* extra = details_of(one);
  if (extra == nullptr) return status::nomem;
  std::strncpy(extra->name, wanted.name, name_bytes - 1);
  return status::ok;
}

status apply(runtime* rt, worker* w, unit* one, const weft_thread_attr& wanted, bool tasklet) {
  one->flags.store(tasklet ? is_tasklet : 0, base::relaxed);  // not is_default; no other thread knows it yet
  if (wanted.keep_fp && !tasklet) one->set(keeps_fp);
  status result = apply_place(rt, one, wanted);
  if (result == status::ok) result = apply_details(one, wanted);
  if (result == status::ok && !tasklet) result = apply_stack(rt, w, one, wanted);
  return result;
}

void discard(worker* w, unit* one) {
  if (one->has(has_own_stack)) local::current_runtime()->stack_depot.destroy(one->stack);
  if (one->has(stays_put)) unpin_from(local::current_runtime(), one->home_worker);
  free_unit(w, one);
}

// Whether another worker than the caller's may run the new unit, or the unit's end takes the long
// way anyway: its end then notices joiners, which costs it a locked instruction and spares them a
// fence.
bool ends_far_from_its_maker(const runtime* rt, const worker* w, const unit* fresh) {
  return w == nullptr || has_domains(rt) || fresh->home.load(base::relaxed) != nullptr ||
         fresh->has_any(stays_put | has_own_stack);
}

status make(runtime* rt, worker* w, const creation& how, unit** out) {
  unit* one = w != nullptr ? allocate(w, how) : allocate_outside(rt, how);
  if (one == nullptr) return status::nomem;
  if (how.attributes != nullptr) {
    const status result = apply(rt, w, one, *how.attributes, how.tasklet);
    if (result != status::ok) {
      discard(w, one);
      return result;
    }
  }
  if (ends_far_from_its_maker(rt, w, one)) {
    const unsigned flags = one->flags.load(base::relaxed) | ends_noticed;
    one->flags.store(static_cast<std::uint16_t>(flags), base::relaxed);  // no other thread knows it yet
  }
  *out = one;
  return status::ok;
}

// out null: detached.
[[gnu::noinline]] status create_slow(unit::function_type function, void* argument, unit_flag kind, unit** out,
                                     const void* made_at) {
  const status result = create({function, argument, nullptr, kind == is_tasklet, out == nullptr, made_at}, out);
  return result == status::ok ? result : tell(result, call_that_makes(kind, made_at));
}

[[gnu::noinline]] status wake_for_new(runtime* rt) {
  wake_any(rt);
  return status::ok;
}

bool begins_to_create(worker* w) { return !w->units.is_empty() && w->lock.try_enter(); }

// Inside the lock, which this leaves.
[[gnu::always_inline]] inline status put_new(worker* w, unit* one) {
  w->created.store(w->created.load(base::relaxed) + 1, base::relaxed);
  w->ready.push_new(one);
  w->lock.leave();
  if (somebody_must_wake(w->rt)) [[unlikely]]
    return wake_for_new(w->rt);
  return status::ok;
}

// Inside the lock, which this leaves.
[[gnu::always_inline]] inline status create_here(worker* w, unit::function_type function, void* argument, std::uint16_t flags,
                                                 unit** out, const void* made_at) {
  void* const memory = w->units.take_one();
  unit* one = lay_out(memory, function, argument, flags, join_word::open, made_at, w->ready.number());
  *out = one;
  return put_new(w, one);
}

// Whether what is asked for is usual, whatever its stack's size, its pool and its priority.
bool is_usual_otherwise(const worker* w, const weft_thread_attr& wanted) {
  if (w->is_special || wanted.keep_fp || wanted.stack != nullptr || wanted.name != nullptr) return false;
  return wanted.worker == WEFT_ANY_WORKER;
}

// Of a thread: its stack's size alone, which is that of the last one.
bool has_size_alone(const worker* w, const creation& how) {
  const weft_thread_attr* wanted = how.attributes;
  if (wanted == nullptr || wanted->stack_bytes == 0 || wanted->priority != 0 || how.tasklet || how.detached) return false;
  return wanted->stack_bytes == w->asked_stack_bytes && wanted->pool == nullptr && is_usual_otherwise(w, *wanted);
}

// Its pool and its priority there.
bool has_pool_alone(const worker* w, const creation& how) {
  const weft_thread_attr* wanted = how.attributes;
  return wanted != nullptr && wanted->pool != nullptr && wanted->stack_bytes == 0 && wanted->priority < WEFT_POOL_PRIORITIES &&
         is_usual_otherwise(w, *wanted) && !w->rt->tells_events.load(base::relaxed);
}

// There is a descriptor, and nothing listens to events.
status create_in_pool(worker* w, const creation& how, unit** out) {
  unit* const one = lay_out_unlinked(w->units.take_one(), how);
  const unsigned flags = (how.tasklet ? unsigned{is_tasklet} : 0) | ends_noticed;  // see ends_far_from_its_maker
  one->flags.store(static_cast<std::uint16_t>(flags), base::relaxed);
  set_priority(one, how.attributes->priority);
  auto* const home = reinterpret_cast<pool*>(how.attributes->pool);
  one->home.store(home, base::relaxed);
  count_created(w->rt, w, 1);
  if (out != nullptr) *out = one;
  push_to_pool(home, one, push_reason::created);
  return status::ok;
}

}  // namespace

[[gnu::always_inline]] inline static void start_made(runtime* rt, worker* w, unit* one, unit** out) {
  count_created(rt, w, 1);
  if (out != nullptr) *out = one;
  if (rt->is_observed) one->set(is_known);  // its join then takes the way on which the sink is told
  note(rt, WEFT_ON_CREATE, one);
  make_ready(w, one, push_reason::created);
}

// Every slow case is a tail call, so that this needs no frame.
status create_default(unit::function_type function, void* argument, unit_flag kind, unit** out, const void* made_at) {
  worker* w = local::current_worker();
  if (w == nullptr || w->is_special) [[unlikely]]
    return create_slow(function, argument, kind, out, made_at);
  if (!begins_to_create(w)) [[unlikely]]
    return create_slow(function, argument, kind, out, made_at);
  return create_here(w, function, argument, kind, out, made_at);
}

status create_detached(unit::function_type function, void* argument, unit_flag kind, const void* made_at) {
  worker* w = local::current_worker();
  if (w == nullptr || w->is_special) [[unlikely]]
    return create_slow(function, argument, kind, nullptr, made_at);
  if (!begins_to_create(w)) [[unlikely]]
    return create_slow(function, argument, kind, nullptr, made_at);
  void* const memory = w->units.take_one();
  return put_new(w, lay_out(memory, function, argument, kind, join_word::detached, made_at, w->ready.number()));
}

status create(const creation& how, unit** out) {
  worker* w = local::current_worker();
  runtime* rt = w != nullptr ? w->rt : local::current_runtime();
  if (rt == nullptr) [[unlikely]]
    return status::not_initialized;
  if (w != nullptr && has_size_alone(w, how) && begins_to_create(w)) {
    const auto flags = static_cast<std::uint16_t>(flags_of_class(w->asked_stack_class));
    return create_here(w, how.function, how.argument, flags, out, how.made_at);
  }
  if (w != nullptr && has_pool_alone(w, how) && !w->units.is_empty()) return create_in_pool(w, how, out);
  unit* one = nullptr;
  if (const status result = make(rt, w, how, &one); result != status::ok) [[unlikely]]
    return result;
  start_made(rt, w, one, out);
  return status::ok;
}

namespace {

void count_owned(runtime* rt, worker* w, unit* one, unit** out) {
  const unsigned flags = one->flags.load(base::relaxed) | flags_of_owned;
  one->flags.store(static_cast<std::uint16_t>(flags), base::relaxed);  // no other thread knows it yet
  count_created(rt, w, 1);
  note(rt, WEFT_ON_CREATE, one);
  *out = one;
}

// ---- units that own their arguments -------------------------------------------------------------

void write_copied(copied* block, const copying& what) {
  block->function = what.function;
  if (what.fill != nullptr) {
    what.fill(block->bytes(), what.source);
  } else if (what.size != 0) {
    std::memcpy(block->bytes(), what.from, what.size);
  }
}

// As create, where nothing can fail any more: there is a descriptor, and there are no attributes.
[[gnu::noinline]] status create_with_slow(copied* block, unit** out, const void* made_at) {
  return create({copied_starts[0], block, nullptr, false, false, made_at}, out);
}

}  // namespace

// The bytes come last: they may be an object that only the thread destroys.
status create_copied(const copying& what, creation how, bool is_owned, unit** out) {
  worker* w = local::current_worker();
  runtime* rt = w != nullptr ? w->rt : local::current_runtime();
  if (rt == nullptr) return status::not_initialized;
  const unsigned size_class = class_of_copied(what.size);
  copied* const block = take_copied(rt, w, size_class);
  if (block == nullptr) return status::nomem;
  how.function = copied_starts[size_class];
  how.argument = block;
  unit* one = nullptr;
  if (const status result = make(rt, w, how, &one); result != status::ok) {
    give_copied(rt, w, block, size_class);
    return result;
  }
  write_copied(block, what);
  is_owned ? count_owned(rt, w, one, out) : start_made(rt, w, one, out);
  return status::ok;
}

namespace {

[[gnu::noinline]] status create_filled_slow(const copying& what, unit** out, const void* made_at) {
  const status result = create_copied(what, {nullptr, nullptr, nullptr, false, false, made_at}, false, out);
  return result == status::ok ? result : tell(result, call_that_copies(what));
}

// What most arguments are as large as. A call of memcpy would cost as much as the copy, and a
// frame.
constexpr bool is_copied_inline(std::size_t size) { return size >= 16 && size <= 64; }

// By moves that overlap unless all of the space is needed.
[[gnu::always_inline]] inline void copy_inline(void* to, const void* from, std::size_t size) {
  using lane [[gnu::vector_size(16), gnu::aligned(1), gnu::may_alias]] = char;
  auto* const out = static_cast<char*>(to);
  const auto* const in = static_cast<const char*>(from);
  const auto move = [&](std::size_t at) { *reinterpret_cast<lane*>(out + at) = *reinterpret_cast<const lane*>(in + at); };
  move(0);
  move(size - 16);
  if (size <= 32) return;
  move(16);
  move(size - 32);
}

bool has_copied_block(const worker* w, std::size_t size) {
  return w != nullptr && class_of_copied(size) == 0 && !w->copied_caches[0].is_empty() && !w->is_special && !w->units.is_empty();
}

[[gnu::always_inline]] inline status create_with(worker* w, copied* block, unit** out, const void* made_at) {
  if (!w->lock.try_enter()) [[unlikely]]
    return create_with_slow(block, out, made_at);
  return create_here(w, copied_starts[0], block, is_default, out, made_at);
}

static_assert(class_of_copied(64) == 0);

[[gnu::always_inline]] inline copied* take_copied_here(worker* w, unit::function_type function) {
  auto* const block = static_cast<copied*>(w->copied_caches[0].take_one());
  block->function = function;
  return block;
}

// Of any size.
[[gnu::noinline]] status create_copied_any(unit::function_type function, const void* from, std::size_t size, unit** out,
                                           const void* made_at) {
  worker* w = local::current_worker();
  if (!has_copied_block(w, size)) [[unlikely]]
    return create_filled_slow({function, from, size}, out, made_at);
  copied* const block = take_copied_here(w, function);
  if (size != 0) std::memcpy(block->bytes(), from, size);
  return create_with(w, block, out, made_at);
}

}  // namespace

// Every slow case is a tail call, so that this needs no frame.
status create_copied_default(unit::function_type function, const void* from, std::size_t size, unit** out, const void* made_at) {
  worker* w = local::current_worker();
  if (!is_copied_inline(size) || !has_copied_block(w, size)) [[unlikely]]
    return create_copied_any(function, from, size, out, made_at);
  copied* const block = take_copied_here(w, function);
  copy_inline(block->bytes(), from, size);
  return create_with(w, block, out, made_at);
}

status create_filled_default(const copying& what, unit** out, const void* made_at) {
  worker* w = local::current_worker();
  if (!has_copied_block(w, what.size)) [[unlikely]]
    return create_filled_slow(what, out, made_at);
  copied* const block = take_copied_here(w, what.function);
  write_copied(block, what);
  return create_with(w, block, out, made_at);
}

namespace {

[[gnu::noinline]] status create_filled_detached_slow(const copying& what, const void* made_at) {
  const status result = create_copied(what, {nullptr, nullptr, nullptr, false, true, made_at}, false, nullptr);
  return result == status::ok ? result : tell(result, call_that_copies(what));
}

// As create_with_slow.
[[gnu::noinline]] status create_with_slow_detached(copied* block, const void* made_at) {
  return create({copied_starts[0], block, nullptr, false, true, made_at}, nullptr);
}

}  // namespace

status create_filled_detached(const copying& what, const void* made_at) {
  worker* w = local::current_worker();
  if (!has_copied_block(w, what.size)) [[unlikely]]
    return create_filled_detached_slow(what, made_at);
  copied* const block = take_copied_here(w, what.function);
  write_copied(block, what);
  if (!w->lock.try_enter()) [[unlikely]]
    return create_with_slow_detached(block, made_at);
  void* const memory = w->units.take_one();
  return put_new(w, lay_out(memory, copied_starts[0], block, is_default, join_word::detached, made_at, w->ready.number()));
}

namespace {

// Of a chain from the unit of number 0 on; out has what it had before.
void discard_many(worker* w, base::list_link* chain, unit** out) {
  for (std::size_t index = 0; chain != nullptr; ++index) {
    auto* made = static_cast<unit*>(chain);
    chain = made->next;
    if (out != nullptr) out[index] = static_cast<unit*>(made->previous);
    discard(w, made);
  }
}

// Whether nothing is special about new units, nor about the worker that makes them.
bool is_plain(const worker* w, const creation& how) { return w != nullptr && !w->is_special && how.attributes == nullptr; }

unit* push_next(worker* w, unit* one) {
  auto* const next = static_cast<unit*>(one->next);
  one->next = one->previous = nullptr;
  w->ready.push_stealable(one);
  return next;
}

// As many wake-ups as calls for so many units each would ask for.
constexpr std::size_t units_a_wake_up = 64;

// In memory that is at hand, so that nothing can fail, and linked as the queue links them: the
// newest first. At least one.
void create_plain(worker* w, const creation& how, std::size_t stride, std::size_t count, unit** out) {
  const std::uint16_t flags = how.tasklet ? is_tasklet : is_default;
  const std::uintptr_t join = how.detached ? join_word::detached : join_word::open;
  const auto function = how.function;
  const void* const made_at = how.made_at;
  const std::uint16_t in = w->ready.number();
  auto* argument = static_cast<char*>(how.argument);
  unit* const oldest = lay_out(w->units.take_one(), function, argument, flags, join, made_at, in);
  unit* newest = oldest;
  if (out != nullptr) out[0] = oldest;
  for (std::size_t index = 1; index < count; ++index) {
    argument += stride;
    unit* const one = lay_out(w->units.take_one(), function, argument, flags, join, made_at, in);
    one->next = newest;
    newest->previous = one;
    newest = one;
    if (out != nullptr) out[index] = one;
  }
  enter(w);
  w->created.store(w->created.load(base::relaxed) + count, base::relaxed);
  w->ready.push_new_chain(newest, oldest, static_cast<int>(count));
  w->lock.leave();
  for (std::size_t told = 0; told < count && somebody_must_wake(w->rt); told += units_a_wake_up) wake_any(w->rt);
}

// In one stay in the lock as many as a thief can wait for.
void make_plain_ready(worker* w, unit* chain) {
  while (chain != nullptr) {
    enter(w);
    for (unsigned count = 0; count < units_a_wake_up && chain != nullptr; ++count) chain = push_next(w, chain);
    w->lock.leave();
    if (somebody_must_wake(w->rt)) wake_any(w->rt);
  }
}

void make_each_ready(runtime* rt, worker* w, unit* chain) {
  while (chain != nullptr) {
    unit* const one = chain;
    chain = static_cast<unit*>(one->next);
    one->next = one->previous = nullptr;
    if (rt->is_observed) one->set(is_known);
    note(rt, WEFT_ON_CREATE, one);
    make_ready(w, one, push_reason::created);
  }
}

}  // namespace

unit* make_fork_unit(worker* w, unit::function_type function, void* argument, unit* forker) {
  unit* one = allocate(w, {function, argument, nullptr, false, false, nullptr});
  if (one == nullptr) return nullptr;
  unsigned flags = flags_of_class(class_of_forks(w->rt, forker));
  flags |= unsigned{is_default} | unsigned{is_known} | unsigned{is_fork} | unsigned{ends_noticed};
  one->flags.store(static_cast<std::uint16_t>(flags), base::relaxed);
  one->forker = forker;
  count_created(w->rt, w, 1);
  return one;
}

// They become ready in the order of their numbers, as if each had been made by a call of its own.
status create_many(const creation& how, std::size_t stride, std::size_t count, unit** out) {
  worker* w = local::current_worker();
  runtime* rt = w != nullptr ? w->rt : local::current_runtime();
  if (rt == nullptr) return status::not_initialized;
  const bool are_plain = is_plain(w, how);
  if (are_plain && count != 0 && w->units.has(count)) {
    create_plain(w, how, stride, count, out);
    return status::ok;
  }
  creation each = how;
  base::list_link* chain = nullptr;
  base::list_link** end_of_chain = &chain;
  for (std::size_t index = 0; index < count; ++index) {
    each.argument = static_cast<char*>(how.argument) + index * stride;
    unit* one = are_plain ? allocate(w, each) : nullptr;
    const status result = are_plain ? one != nullptr ? status::ok : status::nomem : make(rt, w, each, &one);
    if (result != status::ok) {
      discard_many(w, chain, out);
      return result;
    }
    if (out != nullptr) {
      one->previous = out[index];  // kept for the case that a later one cannot be made
      out[index] = one;
    }
    *end_of_chain = one;
    end_of_chain = &one->next;
  }
  count_created(rt, w, count);
  auto* const first = static_cast<unit*>(chain);
  are_plain ? make_plain_ready(w, first) : make_each_ready(rt, w, first);
  return status::ok;
}

status make_owned(const creation& how, unit** out) {
  worker* w = local::current_worker();
  runtime* rt = w != nullptr ? w->rt : local::current_runtime();
  if (rt == nullptr) return status::not_initialized;
  unit* one = nullptr;
  if (const status result = make(rt, w, how, &one); result != status::ok) return result;
  count_owned(rt, w, one, out);
  return status::ok;
}

namespace {

[[gnu::noinline]] status make_owned_slow(pool* home, unit::function_type function, unsigned kind, unit** out,
                                         const void* made_at) {
  weft_thread_attr wanted = WEFT_THREAD_ATTR_INIT;
  wanted.pool = reinterpret_cast<weft_pool*>(home);
  if (is_left_behind()) return tell(status::unsupported, making_in);
  const bool is_detached = (kind & join_word::detached) != 0;
  const status result = make_owned({function, nullptr, &wanted, (kind & is_tasklet) != 0, is_detached, made_at}, out);
  if (result != status::ok) return tell(result, making_in);
  (*out)->argument = *out;
  return result;
}

[[gnu::noinline]] status tell_made(const runtime* rt, unit* one) {
  note(rt, WEFT_ON_CREATE, one);
  return status::ok;
}

}  // namespace

// Every slow case is a tail call, so that this needs no frame.
status make_owned_plainly(pool* home, unit::function_type function, unsigned kind, unit** out, const void* made_at) {
  worker* w = local::current_worker();
  if (w == nullptr || w->units.is_empty()) [[unlikely]]
    return make_owned_slow(home, function, kind, out, made_at);
  unsigned flags = (kind & join_word::detached) != 0 ? kind & is_tasklet : (kind & is_tasklet) | ends_noticed;
  if ((kind & making_cleaned) == 0 || w->is_special) flags |= flags_of_owned;
  void* memory = w->units.take_one();
  unit* one = lay_out(memory, function, memory, static_cast<std::uint16_t>(flags), kind & join_word::detached, made_at, 0, home);
  w->created.store(w->created.load(base::relaxed) + 1, base::relaxed);
  *out = one;
  if (w->rt->tells_events.load(base::relaxed)) [[unlikely]]
    return tell_made(w->rt, one);
  return status::ok;
}

namespace {

// The runtime may end as soon as the unit is counted.
void discard_outside(unit* one) {
  runtime* rt = nullptr;
  local::hold(&rt);
  give_copied_of(one);
  discard(nullptr, one);
  // [A99] release: what a unit made is counted before its end is; pairs with [A100]
  rt->outside_discarded.fetch_add(1, base::release);
  wake_finalizer_if_drained(rt);
  local::let_go();
}

}  // namespace

void discard_owned(unit* one) {
  worker* w = local::current_worker();
  if (w == nullptr) return discard_outside(one);
  // Of make_owned_plainly, cleaned: its argument is no copy.
  constexpr unsigned usual = unsigned{is_tasklet} | ends_noticed;
  if (one->argument != one || one->has_any(~usual) || !free_plainly(w, one)) {
    give_copied_of(one);
    discard(w, one);
  }
  count_finished(w);
  wake_finalizer_if_drained(w);
}

}  // namespace weft::sched
