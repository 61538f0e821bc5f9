// What the calls at words with full/empty bits share.
#pragma once

#include <weft/weft.h>

#include "task.hpp"

namespace weft::qthreads {

// The caller empties a word: one that may lie on its own stack is full again when the task ends.
void note_empty_word(task* mine, const void* word);
void note_empty_word(const void* word);

// The answer of this interface.
int code_of(weft_status status);

// A task of QTHREAD_SPAWN_SIMPLE was made, ever. Programs without one need not look at the caller.
[[gnu::visibility("hidden")]] extern constinit atomic<bool> has_simple_tasks;
// The caller is such a task.
bool is_simple_task();

// The caller is an OS thread outside, or a task that runs on its reader's stack.
inline bool is_unusual_waiter() {
  weft_thread* const thread = weft_self();
  return thread == nullptr || (distance_to_task != 0 && task_of(thread)->acting != nullptr);  // 0: not yet initialised
}

// What is told of an unusual waiter at `word`.
class [[gnu::visibility("hidden")]] noted_wait {
 public:
  explicit noted_wait(const void* word);
  ~noted_wait();
  noted_wait(const noted_wait&) = delete;
  noted_wait& operator=(const noted_wait&) = delete;

 private:
  friend void tell_outside_waiters();
  const void* word_;
  bool is_listed_ = false;  // as one of an OS thread outside
  noted_wait* next_ = nullptr;
  noted_wait* previous_ = nullptr;
};

// OS threads outside that wait, one behind the other.
struct [[gnu::visibility("hidden")]] waits_outside {
  face::spinlock lock;
  noted_wait* first = nullptr;  // guarded by lock
};
[[gnu::visibility("hidden")]] extern constinit waits_outside those_outside;

// The runtime ends, and its tasks fill no words any more: OS threads that wait outside are named.
void tell_outside_waiters();

// The caller runs on the stack of its reader, whose word it has filled already: the reader goes on
// when the caller has ended.
[[gnu::visibility("hidden")]] bool holds_its_reader();
[[gnu::visibility("hidden")]] void tell_of_held_reader();

constexpr std::uint64_t patience_with_held_reader_ns = 1'000'000'000;

// The answer of wait(). A simple task first calls attempt(): if that is WEFT_BUSY, it says that it
// waits. A task that holds its reader, which it may wait for, says so after wait_until(deadline).
template <class Attempt, class Wait, class WaitUntil>
int at_once_or_wait(const void* word, Attempt attempt, Wait wait, WaitUntil wait_until) {
  if (!has_simple_tasks.load(base::relaxed) && !is_unusual_waiter()) [[likely]]
    return code_of(wait());
  if (const weft_status result = attempt(); result != WEFT_BUSY) return code_of(result);
  if (is_simple_task()) tell_of_simple_that_waits();
  const noted_wait noted(word);
  if (holds_its_reader()) {
    const weft_status result = wait_until(weft_deadline_in(patience_with_held_reader_ns));
    if (result != WEFT_TIMEOUT) return code_of(result);
    tell_of_held_reader();
  }
  return code_of(wait());
}

}  // namespace weft::qthreads
