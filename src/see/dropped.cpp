// See dropped.hpp. Called by weft_finalize_with alone, after the workers have ended.
#include "see/dropped.hpp"

#include <unistd.h>

#include "os/clock.hpp"
#include "see/report.hpp"
#include "worker/runtime.hpp"

namespace weft::sched {

namespace {

constexpr std::size_t most_named = 16;

struct message {
  runtime* rt;
  dropped_counts counts;
};

bool is_ready(const unit* one) { return one->state.load(base::relaxed) == unit_state::ready; }

// Those that are blocked first: they say what the program was waiting for.
void name_some(text& out, runtime* rt, names how) {
  std::size_t named = 0;
  const std::uint64_t now_ns = os::coarse_ns();
  for (const bool names_ready : {false, true}) {
    walk_dropped(rt, [&](const unit* one) {
      unit_view view;
      if (named == most_named || is_ready(one) != names_ready || !look_at(one, &view)) return;
      ++named;
      out << "weft:   ";
      describe(out, view, now_ns, how);
    });
  }
}

void tell(void* argument, names how) {
  const auto* const mine = static_cast<message*>(argument);
  const dropped_counts& counts = mine->counts;
  text out(STDERR_FILENO);
  out << "weft: dropped ";
  out.count(counts.all(), "thread", "threads")
      << " at the end, " << counts.ready << " ready, " << counts.blocked << " blocked; no destructor in their frames runs\n";
  if (!mine->rt->settings.stats) return;
  name_some(out, mine->rt, how);
  if (counts.all() > most_named) out << "weft:   and " << (counts.all() - most_named) << " more\n";
}

}  // namespace

dropped_counts count_to_drop(runtime* rt) {
  dropped_counts counts;
  walk_dropped(rt, [&](const unit* one) { (is_ready(one) ? counts.ready : counts.blocked) += 1; });
  return counts;
}

void tell_dropped(runtime* rt, const dropped_counts& counts) {
  if (counts.all() == 0) return;
  message what{rt, counts};
  run_beside(tell, &what);
}

}  // namespace weft::sched
