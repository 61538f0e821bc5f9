// What the bodies of fault tests share: which answers are allowed while a failure is injected.
#pragma once

#include <weft/weft.h>

#include "fault_test.hpp"

namespace weft::fault_test {

inline bool is_refusal(weft_status status) {
  return injecting() && (status == WEFT_NOMEM || status == WEFT_AGAIN || status == WEFT_UNSUPPORTED);
}

// True where a call did what was asked or was refused with a name.
inline bool fine(weft_status status) { return status == WEFT_OK || is_refusal(status); }

}  // namespace weft::fault_test
