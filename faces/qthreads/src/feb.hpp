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

}  // namespace weft::qthreads
