// The calls of syncvar.h: checks arguments, calls src/sync/syncvar.hpp, translates.
#include "sync/syncvar.hpp"

#include <weft/weft.h>

#include "base/status.hpp"
#include "capi/points.hpp"
#include "unit/waiter.hpp"

namespace {

using weft::status;
using weft::capi::call_errors;
using weft::capi::call_on;
using weft::capi::is_null_or_point;
using weft::sched::forever;
using weft::sync::immediately;
using weft::sync::syncvar;
using weft::sync::feb::operation;

static_assert(sizeof(syncvar) == sizeof(weft_syncvar) && alignof(syncvar) <= alignof(weft_syncvar));
static_assert(syncvar::greatest_value == WEFT_SYNCVAR_MAX);

syncvar* core(weft_syncvar* memory) { return reinterpret_cast<syncvar*>(memory); }
const syncvar* core(const weft_syncvar* memory) { return reinterpret_cast<const syncvar*>(memory); }

constexpr call_errors errors_of(const char* call) { return {.call = call, .argument = "syncvar"}; }
constexpr call_errors errors_of(const char* call, const char* why_busy) {
  return {.call = call, .argument = "syncvar", .busy = {"syncvar", why_busy}};
}
constexpr char is_empty[] = "it is empty";
constexpr char is_full[] = "it is full";

status as_busy(status result) { return result == status::timeout ? status::busy : result; }

// The same of null, at a point of a schedule, and of a variable at which it is not done at once.
template <class Slow>
[[gnu::noinline]] weft_status call_slowly(const call_errors& of, weft_syncvar* memory, Slow slow) {
  return call_on(of, memory, [=](weft_syncvar* it) { return slow(core(it)); });
}
// The status of quick(variable), which says whether it was done, or of slow(variable).
template <class Quick, class Slow>
[[gnu::always_inline]] inline weft_status call(const call_errors& of, weft_syncvar* memory, Quick quick, Slow slow) {
  if (!is_null_or_point(memory) && quick(core(memory))) [[likely]]
    return WEFT_OK;
  return call_slowly(of, memory, slow);
}

template <class Slow>
[[gnu::noinline]] weft_status call_slowly_with(const call_errors& of, weft_syncvar* memory, uint64_t value, Slow slow) {
  if (memory != nullptr && value > syncvar::greatest_value)
    return weft::fail(WEFT_INVALID, of.call, "value", "%p is greater than WEFT_SYNCVAR_MAX", nullptr, value);
  return call_on(of, memory, [=](weft_syncvar* it) { return slow(core(it), value); });
}
// As call, of a call that is given a value.
template <class Quick, class Slow>
[[gnu::always_inline]] inline weft_status call_with(const call_errors& of, weft_syncvar* memory, uint64_t value, Quick quick,
                                                    Slow slow) {
  if (!is_null_or_point(memory) && value <= syncvar::greatest_value && quick(core(memory), value)) [[likely]]
    return WEFT_OK;
  return call_slowly_with(of, memory, value, slow);
}

}  // namespace

weft_status weft_syncvar_read_fe(weft_syncvar* syncvar, uint64_t* out) {
  static constexpr call_errors of = errors_of("weft_syncvar_read_fe");
  return call(
      of, syncvar, [=](auto* it) { return it->take_at_once(out); },
      [=](auto* it) { return it->read(operation::take, forever, out); });
}

weft_status weft_syncvar_read_ff(weft_syncvar* syncvar, uint64_t* out) {
  static constexpr call_errors of = errors_of("weft_syncvar_read_ff");
  return call(
      of, syncvar, [=](auto* it) { return it->read_at_once(out); },
      [=](auto* it) { return it->read(operation::read, forever, out); });
}

weft_status weft_syncvar_write_ef(weft_syncvar* syncvar, uint64_t value) {
  static constexpr call_errors of = errors_of("weft_syncvar_write_ef");
  return call_with(
      of, syncvar, value, [](auto* it, uint64_t data) { return it->write_at_once(data); },
      [](auto* it, uint64_t data) { return it->write(operation::write, forever, data); });
}

weft_status weft_syncvar_write_ff(weft_syncvar* syncvar, uint64_t value) {
  static constexpr call_errors of = errors_of("weft_syncvar_write_ff");
  return call_with(
      of, syncvar, value, [](auto* it, uint64_t data) { return it->overwrite_at_once(data); },
      [](auto* it, uint64_t data) { return it->write(operation::overwrite, forever, data); });
}

weft_status weft_syncvar_write_f(weft_syncvar* syncvar, uint64_t value) {
  static constexpr call_errors of = errors_of("weft_syncvar_write_f");
  return call_with(
      of, syncvar, value, [](auto* it, uint64_t data) { return it->change_at_once(&data, true); },
      [](auto* it, uint64_t data) { return it->change(&data, true), status::ok; });
}

weft_status weft_syncvar_add_f(weft_syncvar* syncvar, uint64_t increment, uint64_t* out) {
  static constexpr call_errors of = errors_of("weft_syncvar_add_f");
  uint64_t sum = 0;
  const weft_status result = call(
      of, syncvar, [&](auto* it) { return it->add_at_once(increment, &sum); },
      [&](auto* it) { return it->add(increment, &sum), status::ok; });
  if (result == WEFT_OK && out != nullptr) *out = sum;
  return result;
}

weft_status weft_syncvar_read_xx(const weft_syncvar* syncvar, uint64_t* out) {
  static constexpr call_errors of = errors_of("weft_syncvar_read_xx");
  return call_on(of, syncvar, [=](const weft_syncvar* it) {
    if (out != nullptr) *out = core(it)->value();
    return status::ok;
  });
}

weft_status weft_syncvar_read_fe_until(weft_syncvar* syncvar, uint64_t deadline_ns, uint64_t* out) {
  static constexpr call_errors of = errors_of("weft_syncvar_read_fe_until");
  return call(
      of, syncvar, [=](auto* it) { return it->take_at_once(out); },
      [=](auto* it) { return it->read(operation::take, deadline_ns, out); });
}

weft_status weft_syncvar_read_ff_until(weft_syncvar* syncvar, uint64_t deadline_ns, uint64_t* out) {
  static constexpr call_errors of = errors_of("weft_syncvar_read_ff_until");
  return call(
      of, syncvar, [=](auto* it) { return it->read_at_once(out); },
      [=](auto* it) { return it->read(operation::read, deadline_ns, out); });
}

weft_status weft_syncvar_write_ef_until(weft_syncvar* syncvar, uint64_t value, uint64_t deadline_ns) {
  static constexpr call_errors of = errors_of("weft_syncvar_write_ef_until");
  return call_with(
      of, syncvar, value, [](auto* it, uint64_t data) { return it->write_at_once(data); },
      [=](auto* it, uint64_t data) { return it->write(operation::write, deadline_ns, data); });
}

weft_status weft_syncvar_write_ff_until(weft_syncvar* syncvar, uint64_t value, uint64_t deadline_ns) {
  static constexpr call_errors of = errors_of("weft_syncvar_write_ff_until");
  return call_with(
      of, syncvar, value, [](auto* it, uint64_t data) { return it->overwrite_at_once(data); },
      [=](auto* it, uint64_t data) { return it->write(operation::overwrite, deadline_ns, data); });
}

weft_status weft_syncvar_try_read_fe(weft_syncvar* syncvar, uint64_t* out) {
  static constexpr call_errors of = errors_of("weft_syncvar_try_read_fe", is_empty);
  return call(
      of, syncvar, [=](auto* it) { return it->take_at_once(out); },
      [=](auto* it) { return as_busy(it->read(operation::take, immediately, out)); });
}

weft_status weft_syncvar_try_read_ff(weft_syncvar* syncvar, uint64_t* out) {
  static constexpr call_errors of = errors_of("weft_syncvar_try_read_ff", is_empty);
  return call(
      of, syncvar, [=](auto* it) { return it->read_at_once(out); },
      [=](auto* it) { return as_busy(it->read(operation::read, immediately, out)); });
}

weft_status weft_syncvar_try_write_ef(weft_syncvar* syncvar, uint64_t value) {
  static constexpr call_errors of = errors_of("weft_syncvar_try_write_ef", is_full);
  return call_with(
      of, syncvar, value, [](auto* it, uint64_t data) { return it->write_at_once(data); },
      [](auto* it, uint64_t data) { return as_busy(it->write(operation::write, immediately, data)); });
}

weft_status weft_syncvar_try_write_ff(weft_syncvar* syncvar, uint64_t value) {
  static constexpr call_errors of = errors_of("weft_syncvar_try_write_ff", is_empty);
  return call_with(
      of, syncvar, value, [](auto* it, uint64_t data) { return it->overwrite_at_once(data); },
      [](auto* it, uint64_t data) { return as_busy(it->write(operation::overwrite, immediately, data)); });
}

weft_status weft_syncvar_fill(weft_syncvar* syncvar) {
  static constexpr call_errors of = errors_of("weft_syncvar_fill");
  return call(
      of, syncvar, [](auto* it) { return it->change_at_once(nullptr, true); },
      [](auto* it) { return it->change(nullptr, true), status::ok; });
}

weft_status weft_syncvar_empty(weft_syncvar* syncvar) {
  static constexpr call_errors of = errors_of("weft_syncvar_empty");
  return call(
      of, syncvar, [](auto* it) { return it->change_at_once(nullptr, false); },
      [](auto* it) { return it->change(nullptr, false), status::ok; });
}

weft_status weft_syncvar_purge(weft_syncvar* syncvar) {
  static constexpr call_errors of = errors_of("weft_syncvar_purge");
  static constexpr uint64_t zero = 0;
  return call(
      of, syncvar, [](auto* it) { return it->change_at_once(&zero, false); },
      [](auto* it) { return it->change(&zero, false), status::ok; });
}

weft_status weft_syncvar_purge_to(weft_syncvar* syncvar, uint64_t value) {
  static constexpr call_errors of = errors_of("weft_syncvar_purge_to");
  return call_with(
      of, syncvar, value, [](auto* it, uint64_t data) { return it->change_at_once(&data, false); },
      [](auto* it, uint64_t data) { return it->change(&data, false), status::ok; });
}

bool weft_syncvar_is_full(const weft_syncvar* syncvar) {
  return weft::capi::pass_point() && syncvar != nullptr && core(syncvar)->is_full();
}
