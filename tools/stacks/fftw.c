#include <fftw3.h>
#include <string.h>

#include "calls.h"

enum { size = 1024 };
static fftw_complex from[size], to[size];

static void transform(unsigned effort) {
  fftw_plan const plan = fftw_plan_dft_1d(size, from, to, FFTW_FORWARD, effort);
  NEED(plan != NULL);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
}

static void plan_estimate_and_execute(void *unused) {
  (void)unused;
  transform(FFTW_ESTIMATE);
}

static void plan_measure_and_execute(void *unused) {
  (void)unused;
  transform(FFTW_MEASURE);
}

static void plan_patient_and_execute(void *unused) {
  (void)unused;
  transform(FFTW_PATIENT);
}

int main(void) {
  static const weft_function calls[] = {plan_estimate_and_execute, plan_measure_and_execute, plan_patient_and_execute};
  char version[32];  // of fftw-3.3.10-sse2-avx
  const char *const all = fftw_version + strlen("fftw-");
  (void)snprintf(version, sizeof version, "%.*s", (int)strcspn(all, "-"), all);
  run_calls(version, calls, sizeof calls / sizeof *calls);
  return 0;
}
