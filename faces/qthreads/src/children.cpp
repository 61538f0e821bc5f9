#include "children.hpp"

#include "task.hpp"

namespace weft::qthreads {

namespace {

const char* stack_pointer() { return static_cast<const char*>(__builtin_frame_address(0)); }

// While three quarters of a usual stack are free, a task that needs one has room enough.
bool has_room(const runtime* all, task* lender) {
  if (lender->stack_low == nullptr) {
    void* low = nullptr;
    weft_ext_thread_stack(thread_of(lender), &low, nullptr);
    if (low == nullptr) return false;
    lender->stack_low = static_cast<char*>(low);
  }
  const char* const here = stack_pointer();
  return here > lender->stack_low && static_cast<std::size_t>(here - lender->stack_low) >= all->lend_bytes;
}

// True: the caller owns the unit, which has not started. One that has is in its pool again.
bool take_if_new(weft_thread* unit, weft_pool* home) {
  if (home == nullptr) return weft_ext_thread_take_back(unit);
  const task* const one = task_of(unit);
  if (one->has_started.load(base::relaxed) || !weft_ext_pool_remove(home, unit)) return false;
  if (!one->has_started.load(base::relaxed)) return true;
  static_cast<void>(weft_ext_pool_push(home, unit, WEFT_PUSH_WOKEN));
  return false;
}

// The main thread moves by its pin alone.
void go_home(task* lender) {
  if ((lender->flags & is_main) == 0) return static_cast<void>(move_to_pool(lender->home));
  static_cast<void>(weft_pin(static_cast<int>(current_runtime()->main_worker)));
  if (current_runtime()->pool_keeps_main()) static_cast<void>(weft_pin(WEFT_ANY_WORKER));
}

// What the child emptied of the lender's stack, and where it took the lender to.
void go_on_after(task* lender, task* one) {
  task* const now = lender->acting != nullptr ? lender->acting : lender;
  if (one->emptied.first != nullptr) {
    now->flags |= uses_more;
    now->emptied.add_above(stack_pointer(), one->emptied);
  }
  // Another OS thread may run the lender now; where it belongs has not changed, but the child may
  // have moved it.
  if ((one->flags & has_moved) != 0) go_home(lender);
}

// The lender's thread is the child's while that runs. As run_child_of.
bool run_in_place(task* lender, task* one, aligned_t* value) {
  task* const before = lender->acting;
  lender->acting = one;
  const bool has_written = run_to_end(one, one->argument, value);
  lender->acting = before;
  if ((one->flags & (uses_more | has_moved)) != 0) go_on_after(lender, one);
  if ((one->flags & is_cleaned) != 0) one->clean();
  return has_written;
}

}  // namespace

void children::add(const void* word, weft_thread* unit, weft_pool* home) {
  child* const note = note_of(word);
  if (note->word != nullptr) static_cast<void>(weft_thread_detach(note->unit));
  *note = {word, unit, home};
}

void children::forget_all() {
  for (child& note : notes) {
    if (note.word != nullptr) static_cast<void>(weft_thread_detach(note.unit));
    note = {nullptr, nullptr, nullptr};
  }
}

bool run_child(const runtime* all, child* note, aligned_t* value) {
  task* const lender = task_of(weft_self());
  weft_thread* const unit = note->unit;
  if (lender->function == nullptr || !has_room(all, lender)) return false;
  note->word = nullptr;
  if (!take_if_new(unit, note->home)) {
    static_cast<void>(weft_thread_detach(unit));
    return false;
  }
  const bool has_written = run_in_place(lender, task_of(unit), value);
  weft_ext_thread_discard(unit);
  return has_written;
}

void join_task(weft_thread* unit) {
  const runtime* const all = current_runtime();
  weft_thread* const thread = weft_self();
  task* const lender = all != nullptr && thread != nullptr ? task_of(thread) : nullptr;
  if (lender == nullptr || lender->function == nullptr || !has_room(all, lender) || !take_if_new(unit, nullptr))
    return static_cast<void>(weft_thread_join(unit));
  aligned_t value = 0;
  static_cast<void>(run_in_place(lender, task_of(unit), &value));
  weft_ext_thread_discard(unit);
}

// Its record lies in this frame, without a unit.
bool run_as_task(qthread_f function, void* argument, std::uint16_t flags) {
  const runtime* const all = current_runtime();
  weft_thread* const thread = weft_self();
  if (all == nullptr || thread == nullptr || worker_here(all) < 0) return false;
  task* const lender = task_of(thread);
  const task* const maker = self();
  if (maker == nullptr || maker->in != nullptr || !has_room(all, lender)) return false;
  task one{};
  one.function = function;
  one.argument = argument;
  one.flags = flags;
  aligned_t value = 0;
  static_cast<void>(run_in_place(lender, &one, &value));
  return true;
}

}  // namespace weft::qthreads
