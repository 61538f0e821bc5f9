// context.h: checks arguments, calls src/life/user_context.hpp.
#include <weft/context.h>

#include "capi/handles.hpp"
#include "capi/points.hpp"
#include "life/user_context.hpp"

using namespace weft::capi;
namespace sched = weft::sched;

namespace {

sched::user_context* inside_of(weft_context* one) { return reinterpret_cast<sched::user_context*>(one); }

}  // namespace

extern "C" {

weft_status weft_context_create(weft_context_function function, const weft_context_attr* attr, weft_context** out, void** room) {
  if (function == nullptr || out == nullptr) return WEFT_INVALID;
  constexpr weft_context_attr usual = WEFT_CONTEXT_ATTR_INIT;
  return code(sched::create_context(function, attr != nullptr ? *attr : usual, __builtin_return_address(0),
                                    reinterpret_cast<sched::user_context**>(out), room));
}

weft_context_arrival weft_context_switch(weft_context* context, void* pass) {
  return sched::switch_context(inside_of(context), pass);
}

void weft_context_destroy(weft_context* context) {
  if (context != nullptr) sched::destroy_context(inside_of(context));
}

}  // extern "C"
