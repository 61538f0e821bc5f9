// qtimer_*: stopwatches, the clock behind them, and numbers that look random.
#include <qthread/qtimer.h>

#include <cstdint>
#include <ctime>

#include <weft/weft.h>

#include "base/atomic.hpp"
#include "base/rng.hpp"
#include "faces/common/object.hpp"

using namespace weft;

struct qtimer_s {
  std::uint64_t started_ns = 0;
  std::uint64_t stopped_ns = 0;
};

qtimer_t qtimer_create(void) { return face::make_object<qtimer_s>(0); }
void qtimer_destroy(qtimer_t timer) { face::free_object(timer); }

void qtimer_start(qtimer_t timer) { timer->started_ns = weft_now_ns(); }
void qtimer_stop(qtimer_t timer) { timer->stopped_ns = weft_now_ns(); }

double qtimer_secs(qtimer_t timer) {
  return static_cast<double>(static_cast<std::int64_t>(timer->stopped_ns - timer->started_ns)) * 1e-9;
}

double qtimer_wtime(void) { return static_cast<double>(weft_now_ns()) * 1e-9; }

double qtimer_res(void) {
  timespec resolution;
  clock_getres(CLOCK_MONOTONIC, &resolution);
  return static_cast<double>(resolution.tv_sec) + static_cast<double>(resolution.tv_nsec) * 1e-9;
}

// The count keeps callers apart that see the same time.
unsigned long qtimer_fastrand(void) {
  static constinit base::atomic<std::uint64_t> calls{0};
  const std::uint64_t call = calls.fetch_add(1, base::relaxed);
  return base::rng{weft_now_ns() + (call << 32)}.next();
}
