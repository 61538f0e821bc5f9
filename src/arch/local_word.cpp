#include "arch/local_word.hpp"

constinit thread_local void* weft_local_word = nullptr;

namespace weft::arch {

void set_local_word(void* word) { weft_local_word = word; }

}  // namespace weft::arch
