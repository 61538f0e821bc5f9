/* Sync variables: the nine functions, and what waits at a variable. */
#include "runtime.h"

#include <pthread.h>

/* A sync variable as Chapel's modules have it. */
typedef struct sync_variable {
  int64_t value;
  chpl_sync_aux_t aux;
} sync_variable;

static void start(sync_variable *sync) { chpl_sync_initAux(&sync->aux); }

static void write_ef(sync_variable *sync, int64_t value) {
  chpl_sync_waitEmptyAndLock(&sync->aux, 1, 1);
  sync->value = value;
  chpl_sync_markAndSignalFull(&sync->aux);
}

static int64_t read_fe(sync_variable *sync) {
  chpl_sync_waitFullAndLock(&sync->aux, 1, 1);
  const int64_t value = sync->value;
  chpl_sync_markAndSignalEmpty(&sync->aux);
  return value;
}

static int64_t read_ff(sync_variable *sync) {
  chpl_sync_waitFullAndLock(&sync->aux, 1, 1);
  const int64_t value = sync->value;
  chpl_sync_markAndSignalFull(&sync->aux);
  return value;
}

static int64_t read_xx(sync_variable *sync) {
  chpl_sync_lock(&sync->aux);
  const int64_t value = sync->value;
  chpl_sync_unlock(&sync->aux);
  return value;
}

static void write_xf(sync_variable *sync, int64_t value) {
  chpl_sync_lock(&sync->aux);
  sync->value = value;
  chpl_sync_markAndSignalFull(&sync->aux);
}

static void reset(sync_variable *sync) {
  chpl_sync_lock(&sync->aux);
  sync->value = 0;
  chpl_sync_markAndSignalEmpty(&sync->aux);
}

static int is_full(sync_variable *sync) { return chpl_sync_isFull(&sync->value, &sync->aux); }

/* 1: each form alone, with the least and the greatest values. */
static void forms(void) {
  sync_variable sync = {0};
  start(&sync);
  const int64_t values[] = {0, -1, INT64_MIN, INT64_MAX, 1};
  for (size_t index = 0; index < sizeof values / sizeof *values; ++index) {
    CHECK(!is_full(&sync));
    write_ef(&sync, values[index]);
    CHECK(is_full(&sync));
    CHECK(read_ff(&sync) == values[index]);
    CHECK(is_full(&sync));
    CHECK(read_xx(&sync) == values[index]);
    CHECK(read_fe(&sync) == values[index]);
    CHECK(!is_full(&sync));
    CHECK(read_xx(&sync) == values[index]);
    CHECK(!is_full(&sync));
    write_xf(&sync, ~values[index]);
    write_xf(&sync, values[index]);
    CHECK(is_full(&sync));
    reset(&sync);
    CHECK(!is_full(&sync));
    reset(&sync);
    write_ef(&sync, values[index]);
    CHECK(read_fe(&sync) == values[index]);
  }
  chpl_sync_destroyAux(&sync.aux);
}

#include "sync_scenes.h"

/* 4: the lock keeps tasks apart, whichever state the variable has. */
static sync_variable guarded;
static int64_t plain;

static void add_under_lock(void *bundle) {
  for (int index = 0; index < EACH; ++index) {
    chpl_sync_lock(&guarded.aux);
    const int64_t before = plain;
    if (index % 16 == 0) {
      chpl_task_yield(); /* the others wait meanwhile */
    }
    plain = before + 1;
    if (index % 3 == 0) {
      chpl_sync_unlock(&guarded.aux);
    } else if (index % 3 == 1) {
      chpl_sync_markAndSignalFull(&guarded.aux);
    } else {
      chpl_sync_markAndSignalEmpty(&guarded.aux);
    }
  }
  child_ends(statement_of_child(bundle));
}

static void locks(void) {
  start(&guarded);
  end_count count = {0, NULL};
  stand_in_function(3, add_under_lock);
  for (int index = 0; index < WRITERS; ++index) {
    add_child(&count, 3, NULL, 0);
  }
  wait_for_children(&count);
  CHECK(plain == (int64_t)WRITERS * EACH);
}

/* 5: one write serves all that wait to read and leave it full, as at a single variable. */
static sync_variable once;
static int64_t seen;

static void read_once(void *bundle) {
  __atomic_fetch_add(&seen, read_ff(&once), __ATOMIC_RELAXED);
  child_ends(statement_of_child(bundle));
}

static void single(void) {
  start(&once);
  end_count count = {0, NULL};
  stand_in_function(4, read_once);
  for (int index = 0; index < 16; ++index) {
    add_child(&count, 4, NULL, 1);
  }
  chpl_task_yield();
  write_ef(&once, 5);
  wait_for_children(&count);
  CHECK(seen == 16 * 5);
}

static void chapel_main(void) {
  forms();
  waits();
  crowds();
  locks();
  single();
}

int main(void) {
  forms(); /* a variable needs no runtime */
  chpl_task_init();
  chpl_task_callMain(chapel_main);
  forms();
  chpl_task_exit();
  return 0;
}
