// See creating.hpp.
#include "capi/creating.hpp"

namespace weft::capi {

weft_status tell_creation(status result, const call_errors& of, const weft_thread_attr* attr) {
  const auto code = static_cast<weft_status>(result);
  if (attr == nullptr || (result != status::invalid && result != status::nomem)) return told(result, of);
  if (result == status::nomem) {
    if (attr->stack_bytes == 0) return told(result, of);
    return fail(code, of.call, "attr", "there is no memory for a thread with a stack of stack_bytes, %u", nullptr,
                attr->stack_bytes);
  }
  if (attr->priority >= WEFT_POOL_PRIORITIES)
    return fail(code, of.call, "attr", "priority is %u; at most 15 is possible", nullptr, attr->priority);
  static_assert(WEFT_POOL_PRIORITIES == 16);
  const bool has_small_stack = (attr->stack_bytes != 0 || attr->stack != nullptr) && attr->stack_bytes < WEFT_STACK_MIN;
  if (has_small_stack)
    return fail(code, of.call, "attr", "stack_bytes is %u; at least 16384 (WEFT_STACK_MIN) are needed", nullptr,
                attr->stack_bytes);
  static_assert(WEFT_STACK_MIN == 16384);
  return fail(code, of.call, "attr", "there is no worker %d, or it is being removed", nullptr,
              static_cast<std::uint64_t>(attr->worker));
}

}  // namespace weft::capi
