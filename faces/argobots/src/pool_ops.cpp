// What the face does with pools, whatever their kind.

#include "pool.hpp"
#include "waiting.hpp"

namespace weft::abt {

namespace {

constexpr std::size_t units_at_once = 64;

// The user's push_many, for those of the threads that the core knows to be at home here.
void push_bunch(pool* one, weft_thread* const* threads, std::size_t count, ABT_pool_context context) {
  ABT_unit units[units_at_once];
  for (std::size_t index = 0; index < count; ++index) {
    units[index] = fields_of(threads[index])->unit;
    static_cast<void>(weft_ext_thread_set_pool(threads[index], one->queue));
  }
  const visit here(one);
  one->user.push_many(handle_of(one), units, count, context);
  weft_ext_pool_notify(one->queue);
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

weft_thread* pop_until(pool* one, std::uint64_t deadline_ns, ABT_pool_context context) {
  for (;;) {
    if (weft_thread* const found = pop(one, context); found != nullptr) return found;
    if (weft_now_ns() >= deadline_ns) return nullptr;
    const auto wait = [=] { return weft_ext_wait_for_work(&one->queue, 1, deadline_ns, nullptr, nullptr); };
    static_cast<void>(wait_anywhere(wait));
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

void push_many(pool* one, weft_thread* const* threads, std::size_t count, ABT_pool_context context) {
  if (one->family != pool_family::user || one->user.push_many == nullptr) {
    for (std::size_t index = 0; index < count; ++index) push(one, threads[index], context);
    return;
  }
  for (std::size_t done = 0; done < count; done += units_at_once) {
    push_bunch(one, threads + done, count - done < units_at_once ? count - done : units_at_once, context);
  }
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
