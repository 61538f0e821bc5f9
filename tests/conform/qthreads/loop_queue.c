/* qthread/qloop.h: loops whose tasks take their next indexes themselves. */
#include <string.h>

#include <qthread/qloop.h>

#include "check.h"

enum { most = 20000 };

static qt_loop_queue_type const kinds[] = {GUIDED, FACTORED, TIMED, CHUNK};
enum { kinds_right = IS_WEFT ? 4 : 3 }; /* the CHUNK loops of 1.23 begin before their start */
static aligned_t seen[most];
static size_t ends[most]; /* of the parts that begin there */
static aligned_t calls;

static void forget(void) {
  memset(seen, 0, sizeof seen);
  memset(ends, 0, sizeof ends);
  calls = 0;
}

static void check_seen(size_t start, size_t stop) {
  for (size_t i = 0; i < most; ++i) CHECK(seen[i] == (i >= start && i < stop));
}

static void see(size_t const start, size_t const stop, void *argument) {
  CHECK(argument == &calls && start < stop && stop <= most);
  for (size_t i = start; i < stop; ++i) qthread_incr(&seen[i], 1);
  ends[start] = stop;
  qthread_incr(&calls, 1);
}

static qqloop_handle_t *loop_of(qt_loop_queue_type kind, size_t start, size_t stop, size_t step) {
  forget();
  qqloop_handle_t *const loop = qt_loop_queue_create(kind, start, stop, step, see, &calls);
  CHECK(loop != NULL);
  return loop;
}

static void each_index_once(void) {
  static size_t const ranges[][2] = {{0, 1}, {0, 2}, {3, 10}, {5, 1005}, {0, most}};
  for (size_t k = 0; k < kinds_right; ++k) {
    for (size_t r = 0; r < sizeof ranges / sizeof ranges[0]; ++r) {
      qt_loop_queue_run(loop_of(kinds[k], ranges[r][0], ranges[r][1], 1));
      check_seen(ranges[r][0], ranges[r][1]);
    }
    qt_loop_queue_run(loop_of(kinds[k], 7, 7, 1));
    CHECK(calls == 0);
  }
}

static void chunks(void) {
  if (!IS_WEFT) return;
  qt_loop_queue_run(loop_of(CHUNK, 100, 1300, 1));
  size_t const tenth = (size_t)1200 / qthread_num_workers() / 10;
  for (size_t i = 100; i < 1300; i = ends[i]) CHECK(ends[i] - i == tenth);

  qqloop_handle_t *const loop = loop_of(CHUNK, 0, 100, 1);
  qt_loop_queue_setchunk(loop, 7);
  qt_loop_queue_run(loop);
  for (size_t i = 0; i < 98; i += 7) CHECK(ends[i] == i + 7);
  CHECK(ends[98] == 100 && calls == 15);
}

static void shares_of_what_is_left(void) {
  size_t const workers = qthread_num_workers();
  if (workers == 1) return;
  qt_loop_queue_run(loop_of(GUIDED, 0, most, 1));
  for (size_t i = 0; i < most; i = ends[i]) CHECK(ends[i] - i == ((most - i) / workers > 1 ? (most - i) / workers : 1));

  qt_loop_queue_run(loop_of(FACTORED, 0, most, 1));
  for (size_t i = 0; i < workers; ++i) CHECK(ends[i * (most / 2 / workers)] == (i + 1) * (most / 2 / workers));
  size_t last = most;
  for (size_t i = 0; i < most; i = ends[i]) {
    CHECK(ends[i] - i <= last);
    last = ends[i] - i;
  }

  qt_loop_queue_run(loop_of(TIMED, 0, most, 1));
  CHECK(ends[0] == most / 2 / workers + 1);
}

static void whole_steps(void) {
  if (!IS_WEFT) return; /* 1.23 cuts between the steps of a loop */
  for (size_t k = 0; k < kinds_right; ++k) {
    qqloop_handle_t *const loop = loop_of(kinds[k], 4, 1000, 9);
    qt_loop_queue_setchunk(loop, 10);
    qt_loop_queue_run(loop);
    check_seen(4, 1000);
    for (size_t i = 4; i < 1000; i = ends[i]) CHECK((ends[i] - i) % 9 == 0 || ends[i] == 1000);
    qt_loop_queue_run(loop_of(kinds[k], 0, 1000, 0));
    check_seen(0, 1000);
  }
}

static qthread_shepherd_id_t the_shepherd;

static void see_there(size_t const start, size_t const stop, void *argument) {
  CHECK(qthread_shep() == the_shepherd);
  see(start, stop, argument);
}

static void on_one_shepherd(void) {
  for (size_t k = 0; k < kinds_right; ++k) {
    for (the_shepherd = 0; the_shepherd < qthread_num_shepherds(); ++the_shepherd) {
      forget();
      qqloop_handle_t *const loop = qt_loop_queue_create(kinds[k], 0, 3000, 1, see_there, &calls);
      CHECK(loop != NULL);
      qt_loop_queue_run_there(loop, the_shepherd);
      check_seen(0, 3000);
    }
  }
}

/* The first part adds a task on another shepherd, and waits until that has done the second one. */
struct helped {
  qqloop_handle_t *loop;
  aligned_t is_helped;
};

static void need_help(size_t const start, size_t const stop, void *argument) {
  struct helped *const mine = argument;
  see(start, stop, &calls);
  if (start == 0) {
    qt_loop_queue_addworker(mine->loop, 1);
    OK(qthread_readFF(NULL, &mine->is_helped));
  } else if (start == 10) {
    CHECK(qthread_shep() == 1);
    OK(qthread_fill(&mine->is_helped));
  }
}

static void workers_are_added(void) {
  if (!IS_WEFT) return; /* 1.23 needs a CHUNK loop for it, and forgets tasks that were added before the run */
  struct helped mine = {NULL, 0};
  OK(qthread_empty(&mine.is_helped));
  forget();
  mine.loop = qt_loop_queue_create(CHUNK, 0, 1000, 1, need_help, &mine);
  CHECK(mine.loop != NULL);
  qt_loop_queue_setchunk(mine.loop, 10);
  qt_loop_queue_run_there(mine.loop, 0);
  check_seen(0, 1000);

  qqloop_handle_t *const early = loop_of(CHUNK, 0, 1000, 1);
  qt_loop_queue_addworker(early, 1);
  qt_loop_queue_run(early);
  check_seen(0, 1000);
}

static void disable_mine(size_t const start, size_t const stop, void *argument) {
  if (start == 0) OK(qthread_disable_shepherd(1));
  see(start, stop, argument);
}

static void shepherds_are_disabled(void) {
  if (!IS_WEFT) return; /* 1.23 leaves the indexes undone that no task takes any more */
  for (size_t k = 0; k < kinds_right; ++k) {
    forget();
    qqloop_handle_t *const loop = qt_loop_queue_create(kinds[k], 0, 1000, 1, disable_mine, &calls);
    CHECK(loop != NULL);
    qt_loop_queue_run_there(loop, 1);
    qthread_enable_shepherd(1);
    check_seen(0, 1000);
  }
}

static void wrong_arguments(void) {
  CHECK(qt_loop_queue_create(CHUNK, 0, 10, 1, NULL, NULL) == NULL);
  qt_loop_queue_run(NULL);
  qt_loop_queue_run_there(NULL, 0);
  qqloop_handle_t *const loop = loop_of(GUIDED, 0, 10, 1);
  qt_loop_queue_run_there(loop, NO_SHEPHERD);
  CHECK(calls == 0);
  if (IS_WEFT) {
    CHECK(qt_loop_queue_create((qt_loop_queue_type)17, 0, 10, 1, see, NULL) == NULL);
    qt_loop_queue_setchunk(NULL, 1);
    qt_loop_queue_addworker(NULL, 0);
    qt_loop_queue_addworker(loop, NO_SHEPHERD);
    qt_loop_queue_setchunk(loop, 0);
  }
  qt_loop_queue_run(loop);
  check_seen(0, 10);
}

int main(void) {
  OK(qthread_initialize());
  CHECK(qthread_num_shepherds() >= 2);
  each_index_once();
  chunks();
  shares_of_what_is_left();
  whole_steps();
  on_one_shepherd();
  workers_are_added();
  shepherds_are_disabled();
  wrong_arguments();
  return 0;
}
