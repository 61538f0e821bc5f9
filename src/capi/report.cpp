// weft.h: reports.

#include <weft/weft.h>

#include "capi/handles.hpp"
#include "sched/deadlock.hpp"
#include "sched/overflow.hpp"

using namespace weft::capi;
namespace sched = weft::sched;

extern "C" {

weft_status weft_dump(int fd) { return fd >= 0 ? code(sched::dump(fd)) : WEFT_INVALID; }

bool weft_fault_filter(int signal, void* info, void*) { return sched::filter_fault(signal, info); }

}  // extern "C"
