// Time, and timers, which are the program's own to guard: two callers at one timer are undefined.
#include <abt.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>

#include <weft/weft.h>

namespace {

struct timer {
  std::uint64_t started_ns;
  std::uint64_t stopped_ns;
};

timer* timer_of(ABT_timer handle) { return reinterpret_cast<timer*>(handle); }

int make_timer(const timer& from, ABT_timer* out) {
  timer* const made = static_cast<timer*>(std::malloc(sizeof(timer)));
  if (made == nullptr) return ABT_ERR_MEM;
  *made = from;
  *out = reinterpret_cast<ABT_timer>(made);
  return ABT_SUCCESS;
}

// A stop may lie before its start, as a timer that was started again says.
double seconds_of(const timer& one) {
  return static_cast<double>(static_cast<std::int64_t>(one.stopped_ns - one.started_ns)) * 1e-9;
}

}  // namespace

// As Argobots', and as what ABT_cond_timedwait takes: programs make the one from the other.
double ABT_get_wtime(void) {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

int ABT_timer_create(ABT_timer* newtimer) {
  *newtimer = ABT_TIMER_NULL;
  return make_timer({0, 0}, newtimer);
}

int ABT_timer_dup(ABT_timer from, ABT_timer* newtimer) {
  *newtimer = ABT_TIMER_NULL;
  return from == ABT_TIMER_NULL ? ABT_ERR_INV_TIMER : make_timer(*timer_of(from), newtimer);
}

int ABT_timer_free(ABT_timer* which) {
  if (*which == ABT_TIMER_NULL) return ABT_ERR_INV_TIMER;
  std::free(timer_of(*which));
  *which = ABT_TIMER_NULL;
  return ABT_SUCCESS;
}

int ABT_timer_start(ABT_timer which) {
  if (which == ABT_TIMER_NULL) return ABT_ERR_INV_TIMER;
  timer_of(which)->started_ns = weft_now_ns();
  return ABT_SUCCESS;
}

int ABT_timer_stop(ABT_timer which) {
  if (which == ABT_TIMER_NULL) return ABT_ERR_INV_TIMER;
  timer_of(which)->stopped_ns = weft_now_ns();
  return ABT_SUCCESS;
}

int ABT_timer_read(ABT_timer which, double* secs) {
  if (which == ABT_TIMER_NULL) return ABT_ERR_INV_TIMER;
  *secs = seconds_of(*timer_of(which));
  return ABT_SUCCESS;
}

int ABT_timer_stop_and_read(ABT_timer which, double* secs) {
  const int status = ABT_timer_stop(which);
  return status == ABT_SUCCESS ? ABT_timer_read(which, secs) : status;
}

int ABT_timer_stop_and_add(ABT_timer which, double* secs) {
  const int status = ABT_timer_stop(which);
  if (status == ABT_SUCCESS) *secs += seconds_of(*timer_of(which));
  return status;
}

int ABT_timer_get_overhead(double* overhead) {
  constexpr int rounds = 5000;
  timer one{0, 0};
  const ABT_timer handle = reinterpret_cast<ABT_timer>(&one);
  double sum = 0;
  for (int round = 0; round < rounds; ++round) {
    ABT_timer_start(handle);
    ABT_timer_stop_and_add(handle, &sum);
  }
  *overhead = sum / rounds;
  return ABT_SUCCESS;
}
