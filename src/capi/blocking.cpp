// Blocking regions.
#include <weft/blocking.h>

#include "capi/failing.hpp"
#include "capi/points.hpp"
#include "life/blocking.hpp"

using namespace weft::capi;
namespace sched = weft::sched;

extern "C" {

weft_status weft_blocking_begin(void) {
  static constexpr call_errors of{"weft_blocking_begin"};
  if (!pass_point()) return told(WEFT_UNSUPPORTED, of);
  return told(sched::begin_blocking(__builtin_return_address(0)), of);
}

weft_status weft_blocking_end(void) {
  static constexpr call_errors of{.call = "weft_blocking_end",
                                  .not_owner = {nullptr, "no weft_blocking_begin of the caller is open"}};
  if (!pass_point()) return told(WEFT_UNSUPPORTED, of);
  return told(sched::end_blocking(), of);
}

weft_status weft_blocking(void (*function)(void* argument), void* argument) {
  static constexpr call_errors of{"weft_blocking", "function"};
  if (function == nullptr) return refuse_null(of);
  if (!pass_point()) return told(WEFT_UNSUPPORTED, of);
  if (const auto result = sched::begin_blocking(reinterpret_cast<const void*>(function)); result != weft::status::ok)
    return told(result, of);
  function(argument);
  return told(sched::end_blocking(), of);
}

}  // extern "C"
