// What the face does with pools, whatever their kind.

#include <cstdlib>

#include "handle.hpp"
#include "pool.hpp"
#include "self.hpp"
#include "waiting.hpp"

namespace weft::abt {

namespace {

constexpr std::size_t most_units_on_stack = 64;

// The units of those that are not null, of which the core is told where they are at home.
std::size_t list_units(const pool* one, const ABT_thread* threads, std::size_t count, ABT_unit* out) {
  std::size_t listed = 0;
  for (std::size_t index = 0; index < count; ++index) {
    weft_thread* const thread = thread_of(threads[index]);
    if (thread == nullptr) continue;
    out[listed++] = fields_of(thread)->unit;
    static_cast<void>(weft_ext_thread_set_pool(thread, one->queue));
  }
  return listed;
}

// By the user's push_many, in one call. units: room for count.
void push_at_once(pool* one, const ABT_thread* threads, std::size_t count, ABT_unit* units, ABT_pool_context context) {
  const visit here(one);
  const std::size_t listed = list_units(one, threads, count, units);
  if (listed == 0) return;
  one->user.push_many(handle_of(one), units, listed, context);
  weft_ext_pool_notify(one->queue);
}

int push_many_to_user(pool* one, const ABT_thread* threads, std::size_t count, ABT_pool_context context) {
  ABT_unit few[most_units_on_stack];
  if (count <= most_units_on_stack) {
    push_at_once(one, threads, count, few, context);
    return ABT_SUCCESS;
  }
  auto* const units = static_cast<ABT_unit*>(std::calloc(count, sizeof(ABT_unit)));
  if (units == nullptr) return ABT_ERR_MEM;
  push_at_once(one, threads, count, units, context);
  std::free(units);
  return ABT_SUCCESS;
}

}  // namespace

void push_to_user(pool* one, weft_thread* thread, ABT_pool_context context) {
  fields_of(thread)->context = context | push_context_is_named;
  static_cast<void>(weft_ext_pool_push(one->queue, thread, WEFT_PUSH_NEW));
}

weft_thread* pop_elsewhere(pool* one, ABT_pool_context context) {
  if (!one->is_built_in()) return thread_of(one->user.pop(handle_of(one), context));
  const bool from_end = one->family == pool_family::deque && is_by_thief(context);
  return from_end ? weft_ext_pool_pop_last(one->queue) : weft_ext_pool_pop(one->queue);
}

namespace {

// A caller that is no scheduler keeps its stream meanwhile, whose scheduler might else take what
// comes.
bool keeps_stream(const caller& me) { return !me.is_outside() && !me.fields->is_any(is_main_scheduler | is_pool_scheduler); }

}  // namespace

weft_thread* pop_until(pool* one, std::uint64_t deadline_ns, ABT_pool_context context) {
  const bool in_place = keeps_stream(who_calls_maybe_early());
  const auto wait = [=] { return weft_ext_wait_for_work(&one->queue, 1, deadline_ns, nullptr, nullptr); };
  for (;;) {
    if (weft_thread* const found = pop(one, context); found != nullptr) return found;
    if (weft_now_ns() >= deadline_ns) return nullptr;
    static_cast<void>(in_place ? wait_outside(wait) : wait_anywhere(wait));
  }
}

std::size_t pop_many(pool* one, weft_thread** out, std::size_t most, ABT_pool_context context) {
  std::size_t count = 0;
  if (one->family == pool_family::user && one->user.pop_many != nullptr) {
    one->user.pop_many(handle_of(one), reinterpret_cast<ABT_thread*>(out), most, &count, context);
    return count;
  }
  while (count < most && (out[count] = pop(one, context)) != nullptr) ++count;
  return count;
}

int push_many(pool* one, const ABT_thread* threads, std::size_t count, ABT_pool_context context) {
  if (one->family == pool_family::user && one->user.push_many != nullptr) return push_many_to_user(one, threads, count, context);
  for (std::size_t index = 0; index < count; ++index) {
    if (threads[index] != ABT_THREAD_NULL) push(one, thread_of(threads[index]), context);
  }
  return ABT_SUCCESS;
}

bool can_take(const pool* one) {
  return one->is_built_in() || (one->old.p_remove != nullptr && one->old.u_is_in_pool != nullptr);
}

int take(pool* one, weft_thread* thread, bool* is_taken) {
  if (one->is_built_in()) {
    *is_taken = weft_ext_pool_remove(one->queue, thread);
    return ABT_SUCCESS;
  }
  ABT_unit const unit = fields_of(thread)->unit;
  *is_taken = false;
  if (one->old.u_is_in_pool(unit) != ABT_TRUE) return ABT_SUCCESS;
  const int refusal = one->old.p_remove(handle_of(one), unit);
  *is_taken = refusal == ABT_SUCCESS;
  return refusal;
}

bool can_walk(const pool* one) { return one->is_built_in() || one->user.print_all != nullptr; }

namespace {

struct walking {
  void (*each)(void* state, weft_thread* thread);
  void* state;
};

void step(void* argument, ABT_thread thread) {
  const auto* const mine = static_cast<walking*>(argument);
  mine->each(mine->state, thread_of(thread));
}

}  // namespace

void walk(pool* one, void (*each)(void* state, weft_thread* thread), void* state) {
  if (one->is_built_in()) return weft_ext_pool_walk(one->queue, each, state);
  walking mine{each, state};
  one->user.print_all(handle_of(one), &mine, step);
}

bool is_empty(pool* one) {
  if (one->family == pool_family::user) return one->user.is_empty(handle_of(one)) == ABT_TRUE;
  return weft_pool_ready_count(one->queue) == 0;
}

bool has_size(const pool* one) { return one->is_built_in() || one->user.get_size != nullptr; }

std::size_t size(pool* one) {
  if (one->family == pool_family::user) return one->user.get_size(handle_of(one));
  return weft_pool_ready_count(one->queue);
}

std::size_t total_size(pool* one) { return weft_pool_total_count(one->queue); }

}  // namespace weft::abt
