/* Native sync variables: what Chapel's modules, as ChapelSyncvar, call where a layer has them. */
#include "runtime.h"

#include <pthread.h>
#include <unistd.h>

typedef aligned_t sync_variable;

static void start(aligned_t *word) {
  const aligned_t value = 0;
  CHECK(qthread_purge_to(word, &value) == 0);
}

static void write_ef(aligned_t *word, int64_t value) {
  const aligned_t bits = (aligned_t)value;
  CHECK(qthread_writeEF(word, &bits) == 0);
}

static void write_ff(aligned_t *word, int64_t value) {
  const aligned_t bits = (aligned_t)value;
  CHECK(qthread_writeFF(word, &bits) == 0);
}

static void write_xf(aligned_t *word, int64_t value) {
  const aligned_t bits = (aligned_t)value;
  CHECK(qthread_writeF(word, &bits) == 0);
}

static int64_t read_fe(aligned_t *word) {
  aligned_t bits = 1234567;
  CHECK(qthread_readFE(&bits, word) == 0);
  return (int64_t)bits;
}

static int64_t read_ff(aligned_t *word) {
  aligned_t bits = 1234567;
  CHECK(qthread_readFF(&bits, word) == 0);
  return (int64_t)bits;
}

static int64_t read_xx(aligned_t *word) {
  aligned_t bits = 1234567;
  CHECK(qthread_readXX(&bits, word) == 0);
  return (int64_t)bits;
}

static int is_full(aligned_t *word) { return qthread_feb_status(word); }

/* 1: each form alone; a word keeps all 64 bits. */
static void forms(void) {
  static aligned_t word;
  const int64_t values[] = {0, -1, INT64_MIN, INT64_MAX, 1, (int64_t)1 << 61};
  start(&word);
  for (size_t index = 0; index < sizeof values / sizeof *values; ++index) {
    CHECK(is_full(&word) == 0);
    write_ef(&word, values[index]);
    CHECK(is_full(&word) == 1);
    CHECK(read_ff(&word) == values[index]);
    CHECK(is_full(&word) == 1);
    write_ff(&word, ~values[index]);
    CHECK(is_full(&word) == 1);
    CHECK(read_xx(&word) == ~values[index]);
    CHECK(read_fe(&word) == ~values[index]);
    CHECK(is_full(&word) == 0);
    write_xf(&word, values[index]);
    write_xf(&word, values[index]);
    CHECK(is_full(&word) == 1);
    CHECK(qthread_empty(&word) == 0);
    CHECK(is_full(&word) == 0);
    CHECK(read_xx(&word) == values[index]);
    CHECK(qthread_fill(&word) == 0);
    CHECK(read_fe(&word) == values[index]);
    write_ef(&word, 9);
    start(&word);
    CHECK(is_full(&word) == 0 && read_xx(&word) == 0);
  }
  CHECK(qthread_fill(&word) == 0); /* the end of a variable */
}

#include "sync_scenes.h"

/* 4: one write serves all that wait to read and leave it full, and one that waits to overwrite. */
static aligned_t once;
static int64_t seen;

static void read_once(void *bundle) {
  const int64_t value = read_ff(&once);
  CHECK(value == 5 || value == 6);
  __atomic_fetch_add(&seen, 1, __ATOMIC_RELAXED);
  child_ends(statement_of_child(bundle));
}

static void overwrite(void *bundle) {
  write_ff(&once, 6);
  child_ends(statement_of_child(bundle));
}

static void waits_for_full(void) {
  start(&once);
  end_count count = {0, NULL};
  stand_in_function(3, read_once);
  stand_in_function(4, overwrite);
  for (int index = 0; index < 16; ++index) {
    add_child(&count, 3, NULL, 1);
  }
  add_child(&count, 4, NULL, 1);
  chpl_task_yield();
  CHECK(__atomic_load_n(&seen, __ATOMIC_RELAXED) == 0);
  write_ef(&once, 5);
  wait_for_children(&count);
  CHECK(seen == 16 && is_full(&once) && read_fe(&once) == 6);
}

/* 5: a reset lets a task in that waits to write. */
static aligned_t taken;

static void write_late(void *bundle) {
  write_ef(&taken, 8);
  child_ends(statement_of_child(bundle));
}

static void reset(void) {
  start(&taken);
  write_ef(&taken, 7);
  end_count count = {0, NULL};
  stand_in_function(5, write_late);
  add_child(&count, 5, NULL, 1);
  chpl_task_yield();
  start(&taken);
  wait_for_children(&count);
  CHECK(read_fe(&taken) == 8);
}

/* 6: a parent that polls for what its child does first learns that the child waits for a variable.
 * One worker has them both, so that no pause has to pass: an hour would be noticed. */
extern uint64_t chpl_weft_least_pause_ns; /* the layer's: weft-layer.h */
extern uint64_t chpl_weft_most_pause_ns;
static aligned_t gate;
static int waiters;

static void wait_to_take(void *bundle) {
  __atomic_fetch_add(&waiters, 1, __ATOMIC_RELEASE);
  CHECK(read_fe(&gate) == 3);
  child_ends(statement_of_child(bundle));
}

static void wait_to_read(void *bundle) {
  __atomic_fetch_add(&waiters, 1, __ATOMIC_RELEASE);
  CHECK(read_ff(&gate) == 3);
  child_ends(statement_of_child(bundle));
}

static void wait_to_overwrite(void *bundle) {
  __atomic_fetch_add(&waiters, 1, __ATOMIC_RELEASE);
  write_ff(&gate, 3);
  child_ends(statement_of_child(bundle));
}

static void wait_to_write(void *bundle) {
  __atomic_fetch_add(&waiters, 1, __ATOMIC_RELEASE);
  write_ef(&gate, 3);
  child_ends(statement_of_child(bundle));
}

static void parent_opens(void) {
  const uint64_t usual[2] = {chpl_weft_least_pause_ns, chpl_weft_most_pause_ns};
  chpl_weft_least_pause_ns = chpl_weft_most_pause_ns = (uint64_t)3600 * 1000000000u;
  const chpl_fn_p children[] = {wait_to_take, wait_to_read, wait_to_overwrite, wait_to_write};
  for (int index = 0; index < 4; ++index) {
    start(&gate);
    if (index == 3) {
      write_ef(&gate, 4);
    }
    __atomic_store_n(&waiters, 0, __ATOMIC_RELAXED);
    end_count count = {0, NULL};
    stand_in_function(6, children[index]);
    add_child(&count, 6, NULL, 1);
    while (__atomic_load_n(&waiters, __ATOMIC_ACQUIRE) == 0) {
      chpl_task_yield();
    }
    if (index == 3) {
      CHECK(read_fe(&gate) == 4);
    } else {
      write_ef(&gate, 3);
    }
    wait_for_children(&count);
    CHECK(qthread_fill(&gate) == 0);
  }
  chpl_weft_least_pause_ns = usual[0];
  chpl_weft_most_pause_ns = usual[1];
}

static void chapel_main(void) {
  forms();
  waits();
  crowds();
  waits_for_full();
  reset();
}

static void run(int threads, void (*main_task)(void)) {
  stand_in_threads = threads;
  chpl_task_init();
  chpl_task_callMain(main_task);
  chpl_task_exit();
}

int main(void) {
  (void)alarm(300);
  forms(); /* a variable needs no runtime */
  run(2, chapel_main);
  forms();
  if (getenv("WEFT_SCHEDULE") == NULL) {
    run(1, parent_opens);
  }
  return 0;
}
