/* qtimer_*, the size of a cache line, and the lines of a log. */
#include <qthread/cacheline.h>
#include <qthread/logging.h>
#include <qthread/qtimer.h>

#include "check.h"
#include "tasks.h"

static void a_stopwatch(void) {
  const qtimer_t timer = qtimer_create();
  CHECK(timer != NULL);
  CHECK(qtimer_secs(timer) == 0);
  qtimer_start(timer);
  qtimer_stop(timer);
  const double first = qtimer_secs(timer);
  CHECK(first >= 0);
  do {
    qtimer_stop(timer);
  } while (qtimer_secs(timer) <= first);
  const double later = qtimer_secs(timer);
  CHECK(qtimer_secs(timer) == later);
  do {
    qtimer_start(timer);
  } while (qtimer_secs(timer) >= 0);
  qtimer_destroy(timer);
}

static void two_stopwatches(void) {
  const qtimer_t outer = qtimer_create();
  const qtimer_t inner = qtimer_create();
  qtimer_start(outer);
  qtimer_start(inner);
  qtimer_stop(inner);
  qtimer_stop(outer);
  CHECK(qtimer_secs(outer) >= qtimer_secs(inner));
  qtimer_destroy(inner);
  qtimer_destroy(outer);
}

static void the_clock(void) {
#if IS_WEFT /* Qthreads' library hides these two */
  CHECK(qtimer_res() > 0 && qtimer_res() < 1);
  const double before = qtimer_wtime();
  const qtimer_t timer = qtimer_create();
  qtimer_start(timer);
  double after = before;
  while (after - before < qtimer_res()) {
    const double now = qtimer_wtime();
    CHECK(now >= after);
    after = now;
  }
  qtimer_stop(timer);
  CHECK(qtimer_secs(timer) <= qtimer_wtime() - before + qtimer_res());
  qtimer_destroy(timer);
#endif
}

enum { draws = 4096, bits = 64 };

static void every_bit_changes(void) {
  unsigned ones[bits] = {0};
  for (int i = 0; i < draws; ++i) {
    const unsigned long drawn = qtimer_fastrand();
    for (int bit = 0; bit < bits; ++bit) ones[bit] += (unsigned)(drawn >> bit & 1);
  }
  if (!IS_WEFT) return; /* some bits of 1.23's numbers never change */
  for (int bit = 0; bit < bits; ++bit) CHECK(ones[bit] > draws / 4 && ones[bit] < draws / 4 * 3);
}

static int by_number(const void *a, const void *b) {
  const unsigned long first = *(const unsigned long *)a;
  const unsigned long second = *(const unsigned long *)b;
  return (first > second) - (first < second);
}

enum { drawers = 8 };
static unsigned long drawn_by_tasks[drawers * draws];
static atomic_int next_drawer;

static aligned_t draw(void *argument) {
  (void)argument;
  unsigned long *mine = drawn_by_tasks + atomic_fetch_add(&next_drawer, 1) * draws;
  for (int i = 0; i < draws; ++i) mine[i] = qtimer_fastrand();
  return 0;
}

/* By chance, one run in 10^10 would find two equal ones. In Qthreads, tasks share a state without
 * a lock. */
static void tasks_draw_different_numbers(void) {
  run_tasks(drawers, draw, NULL);
  if (!IS_WEFT) return;
  qsort(drawn_by_tasks, drawers * draws, sizeof(unsigned long), by_number);
  for (int i = 1; i < drawers * draws; ++i) CHECK(drawn_by_tasks[i - 1] != drawn_by_tasks[i]);
}

static void the_cache_line(void) {
  const int bytes = qthread_cacheline();
  CHECK(bytes >= 16 && (bytes & (bytes - 1)) == 0);
  CHECK(qthread_cacheline() == bytes);
}

#define LOGNOTHING 0
static int evaluated;

static void log_lines(void *argument) {
  (void)argument;
  qtlog(LOGERR, "plain");
  qtlogargs(LOGWARN, "%d and %s", 7, "eight");
  qtlog(LOGNOTHING, "never");
  qtlogargs(LOGNOTHING, "%d", ++evaluated);
}

static void lines_of_a_log(void) {
  char *text = printed_by(log_lines, NULL);
  CHECK(strstr(text, __FILE__) != NULL);
  CHECK(strstr(text, ": plain\n") != NULL && strstr(text, ": 7 and eight\n") != NULL);
  CHECK(strstr(text, "never") == NULL && evaluated == 0);
  CHECK(strncmp(text, "(LOGERR) ", 9) == 0 && strstr(text, "\n(LOGWARN) ") != NULL);
  free(text);
}

int main(void) {
  a_stopwatch(); /* these need no runtime */
  two_stopwatches();
  the_clock();
  every_bit_changes();
  the_cache_line();
  lines_of_a_log();
  OK(qthread_initialize());
  a_stopwatch();
  tasks_draw_different_numbers();
  qthread_finalize();
  return 0;
}
