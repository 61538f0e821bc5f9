// What the calls at words with full/empty bits share.
#pragma once

#include <weft/weft.h>

namespace weft::qthreads {

struct task;

// The caller empties a word: one that may lie on its own stack is full again when the task ends.
void note_empty_word(task* mine, const void* word);

// The answer of this interface.
int code_of(weft_status status);

// The call that follows waits.
void about_to_wait();

// The answer of attempt(), or, if that was WEFT_BUSY, of wait().
template <class Attempt, class Wait>
int at_once_or_wait(Attempt attempt, Wait wait) {
  const weft_status result = attempt();
  if (result != WEFT_BUSY) return code_of(result);
  about_to_wait();
  return code_of(wait());
}

}  // namespace weft::qthreads
