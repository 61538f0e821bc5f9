// The status of the C ABI, under the names of the core.
#pragma once

#include <weft/weft.h>

namespace weft {

enum class [[nodiscard]] status : int {
  ok = WEFT_OK,
  nomem = WEFT_NOMEM,
  invalid = WEFT_INVALID,
  busy = WEFT_BUSY,
  timeout = WEFT_TIMEOUT,
  again = WEFT_AGAIN,
  unsupported = WEFT_UNSUPPORTED,
  not_initialized = WEFT_NOT_INITIALIZED,
  cannot_block = WEFT_CANNOT_BLOCK,
  not_owner = WEFT_NOT_OWNER,
  deadlock = WEFT_DEADLOCK,
  ended = WEFT_ENDED,
};

}  // namespace weft
