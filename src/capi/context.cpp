// context.h: checks arguments, calls src/life/user_context.hpp.
#include <weft/context.h>
#include <weft/detail/pair.h>

#include "capi/failing.hpp"
#include "capi/handles.hpp"
#include "capi/points.hpp"
#include "life/pair.hpp"
#include "life/user_context.hpp"

using namespace weft::capi;
namespace sched = weft::sched;

namespace {

sched::user_context* inside_of(weft_context* one) { return reinterpret_cast<sched::user_context*>(one); }
sched::pair* inside_of(weft_pair* one) { return reinterpret_cast<sched::pair*>(one); }

}  // namespace

extern "C" {

weft_status weft_context_create(weft_context_function function, const weft_context_attr* attr, weft_context** out, void** room) {
  static constexpr call_errors of{"weft_context_create", "function"};
  if (function == nullptr) return refuse_null(of);
  if (out == nullptr) return weft::fail_on_null(of.call, "out");
  constexpr weft_context_attr usual = WEFT_CONTEXT_ATTR_INIT;
  return told(sched::create_context(function, attr != nullptr ? *attr : usual, __builtin_return_address(0),
                                    reinterpret_cast<sched::user_context**>(out), room),
              of);
}

weft_context_arrival weft_context_switch(weft_context* context, void* pass) {
  return sched::switch_context(inside_of(context), pass);
}

void weft_context_destroy(weft_context* context) {
  if (context != nullptr) sched::destroy_context(inside_of(context));
}

void weft_pair_begin(weft_pair* pair, weft_context* context) { sched::begin_pair(inside_of(pair), inside_of(context)); }
void weft_pair_resume(weft_pair* pair) { sched::resume_body(inside_of(pair)); }
void weft_pair_suspend(weft_pair* pair) { sched::suspend_body(inside_of(pair)); }
void weft_pair_end(weft_pair* pair) { sched::end_body(inside_of(pair)); }
void weft_pair_destroy(weft_pair* pair) { sched::destroy_pair(inside_of(pair)); }

}  // extern "C"
