// See late_source.hpp.
#include "see/late_source.hpp"

#include <unistd.h>

#include "os/symbol.hpp"
#include "see/report.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

constexpr std::uint64_t ns_per_ms = 1'000'000;

void tell(const worker* w, source_wait in, std::uint64_t for_ns) {
  char name[200];
  os::name_readably(reinterpret_cast<const void*>(in), os::code_place::exact, os::spelling::short_first, name, sizeof name);
  text out(STDERR_FILENO);
  out << "weft: watchdog: worker " << w->index << " was woken " << for_ns / ns_per_ms << " ms ago, and is still in ";
  out << name << ", the wait of an outside source\n";
  out << "weft: watchdog:   cure: return from it as soon as the source's wake was called, also if that comes first: "
         "wake makes the next wait return\n";
}

}  // namespace

bool look_at_kept_source(const worker* w, late_source* known, std::uint64_t limit_ns, std::uint64_t now_ns) {
  const source_wait kept = wait_of_kept_source(w);
  const bool is_woken = kept != nullptr && w->is_asleep.load(base::relaxed) != 1;
  const std::uint64_t times_woken = w->times_woken.load(base::relaxed);
  if (!is_woken || kept != known->in || times_woken != known->times_woken) {
    *known = {is_woken ? kept : nullptr, times_woken, now_ns, false};
    return false;
  }
  if (known->is_told || now_ns - known->since_ns < limit_ns) return false;
  known->is_told = true;
  tell(w, kept, now_ns - known->since_ns);
  return true;
}

}  // namespace weft::sched
