// See outlived.hpp. Called by the OS thread that lets such an object go, with or without a runtime.
#include "see/outlived.hpp"

#include <unistd.h>

#include "base/atomic.hpp"
#include "see/naming.hpp"
#include "see/report.hpp"

namespace weft::sched {

namespace {

constexpr unsigned most_told = 8;  // a program may keep a million futures
constinit base::atomic<unsigned> told{0};

void tell(void* argument, names how) {
  unit_view view;
  if (!look_at(static_cast<const unit*>(argument), &view)) return;
  text out(STDERR_FILENO);
  out << "weft: warning: ";
  identity(out, view, how)
      << " outlived its runtime by its handle, which may be a future's: join it, detach it or drop the future"
         " before the runtime ends, or declare the runtime before them\n";
}

void tell_context(void* made_at, names how) {
  unit_view maker;
  maker.made_at = made_at;
  text out(STDERR_FILENO);
  out << "weft: warning: a generator, coroutine or context";
  name_maker(out, ", made in ", maker, how)
      << ", outlived its runtime: destroy it before the runtime ends, or declare the runtime"
         " before it\n";
}

}  // namespace

void tell_outlived_context(const void* made_at) {
  if (told.fetch_add(1, base::relaxed) < most_told) run_beside(tell_context, const_cast<void*>(made_at));
}

void tell_outlived(const unit* one) {
  if (told.fetch_add(1, base::relaxed) < most_told) run_beside(tell, const_cast<unit*>(one));
}

}  // namespace weft::sched
