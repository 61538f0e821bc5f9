// weft.h: reports; ext.h: what they show.

#include <weft/ext.h>

#include "capi/failing.hpp"
#include "capi/handles.hpp"
#include "capi/points.hpp"
#include "see/deadlock.hpp"
#include "see/frames.hpp"
#include "see/overflow.hpp"
#include "see/stats.hpp"
#include "see/trace_dump.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/seam.hpp"

using namespace weft::capi;
namespace sched = weft::sched;

extern "C" {

weft_status weft_dump(int fd) {
  static constexpr call_errors of{.call = "weft_dump", .invalid = {"fd", "not everything could be written to %d"}};
  if (fd < 0) return weft::fail(WEFT_INVALID, of.call, "fd", "%d is no file descriptor", nullptr, static_cast<uint64_t>(fd));
  if (sched::is_left_behind()) return told(WEFT_UNSUPPORTED, of);
  return told(sched::dump(fd), of, nullptr, static_cast<uint64_t>(fd));
}

weft_status weft_trace_dump(const char* path) {
  static constexpr call_errors of{.call = "weft_trace_dump", .argument = "path"};
  if (path == nullptr) return refuse_null(of);
  if (sched::is_left_behind()) return told(WEFT_UNSUPPORTED, of);
  return told(sched::dump_trace(path), of, path);
}

weft_status weft_stats_read(int worker, weft_stats* out) {
  static constexpr call_errors of{
      .call = "weft_stats_read", .argument = "out", .invalid = {"worker", "there was no worker %d so far"}};
  if (out == nullptr) return refuse_null(of);
  if (out->size != sizeof *out) return weft::fail(WEFT_INVALID, of.call, of.argument, weft::is_wrong_size, nullptr, out->size);
  sched::runtime* rt = sched::local::current_runtime();
  if (rt == nullptr) return no_runtime(of);
  return told(sched::read_stats(rt, worker, out), of, nullptr, static_cast<uint64_t>(worker));
}

weft_status weft_count_threads(weft_counts* out) {
  static constexpr call_errors of{.call = "weft_count_threads", .argument = "out"};
  if (out == nullptr) return refuse_null(of);
  if (out->size != sizeof *out) return weft::fail(WEFT_INVALID, of.call, of.argument, weft::is_wrong_size, nullptr, out->size);
  sched::runtime* rt = sched::local::current_runtime();
  if (rt == nullptr) return no_runtime(of);
  sched::count_units(rt, out);
  return WEFT_OK;
}

weft_status weft_ext_frames(const weft_thread* thread, weft_frame_visitor visit, void* state) {
  static constexpr call_errors of{.call = "weft_ext_frames",
                                  .argument = "thread",
                                  .busy = {"thread", "its frames cannot be read: it runs, or another thread runs on its stack"}};
  if (thread == nullptr) return refuse_null(of);
  if (visit == nullptr) return weft::fail_on_null(of.call, "visit");
  sched::runtime* rt = sched::local::current_runtime();
  return rt != nullptr ? told(sched::visit_frames(rt, unit_of(thread), visit, state), of, thread) : no_runtime(of);
}

void weft_ext_leave_signals(void) { sched::seam::leave_signals(); }

void weft_ext_show_function(weft_function bottom, size_t offset) { sched::seam::show_function(bottom, offset); }

void weft_ext_name_stack_setting(weft_function bottom, const char* setting, size_t added_bytes) {
  sched::seam::name_stack_setting({bottom, setting, added_bytes});
}

bool weft_fault_filter(int signal, void* info, void* context) { return sched::filter_fault(signal, info, context); }

}  // extern "C"
