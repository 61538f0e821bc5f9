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

// The answer of wait(). A simple task first calls attempt(): if that is WEFT_BUSY, it says that it
// waits.
template <class Attempt, class Wait>
int at_once_or_wait(Attempt attempt, Wait wait) {
  if (!has_simple_tasks.load(base::relaxed) || !is_simple_task()) [[likely]]
    return code_of(wait());
  const weft_status result = attempt();
  if (result != WEFT_BUSY) return code_of(result);
  tell_of_simple_that_waits();
  return code_of(wait());
}

}  // namespace weft::qthreads
