// See source_line_calls.hpp.
#include "source_line_calls.hpp"

namespace weft::os {

namespace {

[[gnu::noinline]] const void* return_address() {
  __asm__ volatile("");
  return __builtin_return_address(0);
}

}  // namespace

called_from WEFT_TEST_CALL() {
  called_from made = {nullptr, __LINE__ + 1};
  made.return_address = return_address();
  __asm__ volatile("");  // no tail call
  return made;
}

}  // namespace weft::os
