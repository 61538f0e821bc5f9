// polled.h: checks arguments, calls src/sync.
#include <weft/polled.h>

#include <cstddef>

#include "capi/failing.hpp"
#include "capi/points.hpp"
#include "sync/polled.hpp"

using namespace weft::capi;

static_assert(sizeof(weft_polled) == sizeof(weft::sync::polled) &&
              offsetof(weft_polled, argument) == offsetof(weft::sync::polled, argument));

extern "C" {

weft_status weft_wait_poll(bool (*is_done)(void* argument), void* argument, uint64_t deadline_ns) {
  static constexpr call_errors of{.call = "weft_wait_poll", .argument = "is_done"};
  if (is_done == nullptr) return refuse_null(of);
  if (!pass_point()) return told(WEFT_UNSUPPORTED, of);
  return told(weft::sync::wait_polled({is_done, argument}, deadline_ns), of);
}

}  // extern "C"
