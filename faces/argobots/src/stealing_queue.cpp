#include "stealing_queue.hpp"

namespace weft::abt {

namespace {

constexpr ABT_pool_context goes_to_head = ABT_POOL_CONTEXT_OP_THREAD_CREATE | ABT_POOL_CONTEXT_OP_THREAD_CREATE_TO |
                                          ABT_POOL_CONTEXT_OP_THREAD_REVIVE | ABT_POOL_CONTEXT_OP_THREAD_REVIVE_TO;
constexpr ABT_pool_context takes_from_tail = ABT_POOL_CONTEXT_OWNER_SECONDARY;

}  // namespace

// Inside the lock, as unlink.
void stealing_queue::link(weft_thread* thread, weft_thread* before, weft_thread* after) {
  unit_fields* const fields = fields_of(thread);
  fields->previous_queued = before;
  fields->next_queued = after;
  fields->queued_in.store(this, std::memory_order_relaxed);
  (before != nullptr ? fields_of(before)->next_queued : first) = thread;
  (after != nullptr ? fields_of(after)->previous_queued : last) = thread;
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void stealing_queue::unlink(weft_thread* thread) {
  unit_fields* const fields = fields_of(thread);
  weft_thread* const before = fields->previous_queued;
  weft_thread* const after = fields->next_queued;
  (before != nullptr ? fields_of(before)->next_queued : first) = after;
  (after != nullptr ? fields_of(after)->previous_queued : last) = before;
  fields->queued_in.store(nullptr, std::memory_order_relaxed);
  count.store(count.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
}

void stealing_queue::push(weft_thread* thread, ABT_pool_context context) {
  const guard hold(lock);
  if ((context & goes_to_head) != 0) {
    link(thread, nullptr, first);
  } else {
    link(thread, last, nullptr);
  }
}

weft_thread* stealing_queue::pop(ABT_pool_context context) {
  if (count.load(std::memory_order_relaxed) == 0) return nullptr;
  const guard hold(lock);
  weft_thread* const thread = (context & takes_from_tail) != 0 ? last : first;
  if (thread != nullptr) unlink(thread);
  return thread;
}

bool stealing_queue::remove(weft_thread* thread) {
  const guard hold(lock);
  if (fields_of(thread)->queued_in.load(std::memory_order_relaxed) != this) return false;
  unlink(thread);
  return true;
}

void stealing_queue::walk(void (*each)(void* state, weft_thread* thread), void* state) {
  const guard hold(lock);
  for (weft_thread* one = first; one != nullptr; one = fields_of(one)->next_queued) each(state, one);
}

}  // namespace weft::abt
