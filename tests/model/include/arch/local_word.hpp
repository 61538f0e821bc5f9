// The model's arch/local_word.hpp: each logical thread has a word of its own.
#pragma once

#include "explorer/execution.hpp"

namespace weft::arch {

inline void* local_word() { return explorer::local_word(); }
inline void set_local_word(void* word) { explorer::set_local_word(word); }

}  // namespace weft::arch
