// weft.h: reports; ext.h: what they show.

#include <weft/ext.h>

#include "capi/handles.hpp"
#include "capi/points.hpp"
#include "see/deadlock.hpp"
#include "see/frames.hpp"
#include "see/overflow.hpp"
#include "see/stats.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/seam.hpp"

using namespace weft::capi;
namespace sched = weft::sched;

extern "C" {

weft_status weft_dump(int fd) {
  if (fd < 0) return WEFT_INVALID;
  return sched::is_left_behind() ? WEFT_UNSUPPORTED : code(sched::dump(fd));
}

weft_status weft_stats_read(int worker, weft_stats* out) {
  if (out == nullptr || out->size != sizeof *out) return WEFT_INVALID;
  sched::runtime* rt = sched::local::current_runtime();
  return rt != nullptr ? code(sched::read_stats(rt, worker, out)) : no_runtime();
}

weft_status weft_ext_frames(const weft_thread* thread, weft_frame_visitor visit, void* state) {
  if (thread == nullptr || visit == nullptr) return WEFT_INVALID;
  sched::runtime* rt = sched::local::current_runtime();
  return rt != nullptr ? code(sched::visit_frames(rt, unit_of(thread), visit, state)) : no_runtime();
}

void weft_ext_leave_signals(void) { sched::seam::leave_signals(); }

void weft_ext_show_function(weft_function bottom, size_t offset) { sched::seam::show_function(bottom, offset); }

bool weft_fault_filter(int signal, void* info, void*) { return sched::filter_fault(signal, info); }

}  // extern "C"
