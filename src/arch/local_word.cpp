#include "arch/local_word.hpp"

// Read by assembler alone: a compiler that sees the whole program (LTO) would leave it out.
[[gnu::used]] constinit thread_local void* weft_local_word = nullptr;

namespace weft::arch {

void set_local_word(void* word) { weft_local_word = word; }

}  // namespace weft::arch
