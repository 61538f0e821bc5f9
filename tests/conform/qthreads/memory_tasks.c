/* Each request for memory fails in turn: of tasks, words, syncvars, preconditions, teams, locks,
 * loops and of the start. The call that needs it answers QTHREAD_MALLOC_ERROR or does without, what was
 * made runs, and nothing is lost. */
#include <sched.h>

#include <qthread/barrier.h>
#include <qthread/qloop.h>
#include <qthread/sinc.h>
#include <qthread/tls.h>
#include <weft/weft.h>

#include "lack_memory.h"

static bool is_done(int code) {
  CHECK(code == QTHREAD_SUCCESS || code == QTHREAD_MALLOC_ERROR);
  return code == QTHREAD_SUCCESS;
}

static aligned_t seven(void *argument) {
  (void)argument;
  return 7;
}
static aligned_t first_of(void *argument) { return *(aligned_t *)argument; }

/* ---- tasks ---- */

static void returns_seven(int code, aligned_t *word) {
  aligned_t value = 0;
  const bool is_made = is_done(code);
  CHECK(is_made || qthread_feb_status(word) == 1); /* no reader waits for a task that is not there */
  if (is_made) {
    OK(qthread_readFF(&value, word));
    CHECK(value == 7);
  }
}

static void tasks(void) {
  aligned_t word = 0;
  returns_seven(qthread_fork(seven, NULL, &word), &word);
  returns_seven(qthread_fork_to(seven, NULL, &word, 1), &word);
  returns_seven(qthread_fork_new_team(seven, NULL, &word), &word);
  returns_seven(qthread_fork_new_subteam(seven, NULL, &word), &word);
}

static void copies(void) {
  static const size_t sizes[] = {8, 32, 40, 1024, 1032, 4000};
  static aligned_t argument[500] = {7};
  aligned_t word = 0;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
    returns_seven(qthread_fork_copyargs(first_of, argument, sizes[i], &word), &word);
}

static void syncvars(void) {
  syncvar_t word = SYNCVAR_STATIC_INITIALIZER;
  uint64_t value = 0;
  if (is_done(qthread_fork_syncvar(seven, NULL, &word))) {
    int code;
    while ((code = qthread_syncvar_readFF(&value, &word)) == QTHREAD_MALLOC_ERROR) qthread_yield();
    OK(code);
    CHECK(value == 7);
  } else {
    CHECK(qthread_syncvar_status(&word) == 1);
  }
}

static void sincs(void) {
  qt_sinc_t *const plain = qt_sinc_create(0, NULL, NULL, 2);
  if (plain == NULL) return;
  for (int i = 0; i < 2; ++i) {
    const int code = qthread_spawn(seven, NULL, 0, plain, 0, NULL, NO_SHEPHERD, QTHREAD_SPAWN_RET_SINC_VOID);
    if (!is_done(code)) qt_sinc_submit(plain, NULL);
  }
  qt_sinc_wait(plain, NULL);
  qt_sinc_destroy(plain);
}

static void add(void *into, const void *value) { *(aligned_t *)into += *(const aligned_t *)value; }
static void sincs_with_values(void) {
  const aligned_t zero = 0, five = 5;
  aligned_t sum = 0;
  qt_sinc_t *const sinc = qt_sinc_create(sizeof(aligned_t), &zero, add, 2);
  if (sinc == NULL) return;
  qt_sinc_submit(sinc, &five);
  qt_sinc_submit(sinc, &five);
  qt_sinc_wait(sinc, &sum);
  CHECK(sum == 10);
  qt_sinc_destroy(sinc);
}

/* ---- preconditions ---- */

static atomic_int started;
static aligned_t count_start(void *argument) {
  (void)argument;
  atomic_fetch_add(&started, 1);
  return 0;
}

/* One that cannot wait any more starts early, as a line says. */
static void preconditions(void) {
  enum { MANY = 20 };
  aligned_t words[MANY] = {0}, end = 0;
  void *places[MANY];
  bool is_empty[MANY];
  for (int i = 0; i < MANY; ++i) {
    places[i] = &words[i];
    is_empty[i] = i < 3 && is_done(qthread_empty(&words[i]));
  }
  atomic_store(&started, 0);
  int made = is_done(qthread_fork_precond(count_start, NULL, &end, 2, &words[0], &words[1])) ? 1 : 0;
  if (made) {
    for (int i = 0; i < 2; ++i) OK(qthread_fill(&words[i]));
    OK(qthread_readFF(NULL, &end));
  }
  CHECK(atomic_load(&started) == made);
  if (is_done(qthread_fork_precond(count_start, NULL, &end, -MANY, places))) {
    for (int i = 0; i < MANY; ++i) OK(qthread_fill(&words[i]));
    OK(qthread_readFF(NULL, &end));
    ++made;
  }
  const int code = qthread_fork_precond(count_start, NULL, &end, 17, places[0], places[1], places[2], places[3], places[4],
                                        places[5], places[6], places[7], places[8], places[9], places[10], places[11], places[12],
                                        places[13], places[14], places[15], places[16]);
  if (is_done(code)) {
    for (int i = 0; i < MANY; ++i) OK(qthread_fill(&words[i]));
    OK(qthread_readFF(NULL, &end));
    ++made;
  }
  CHECK(atomic_load(&started) == made);
  for (int i = 0; i < MANY; ++i)
    if (is_empty[i]) OK(qthread_fill(&words[i]));
}

/* ---- words ---- */

static aligned_t ball[2];

static aligned_t returns_ball(void *argument) {
  (void)argument;
  aligned_t value = 0;
  int code;
  while ((code = qthread_readFE(&value, &ball[0])) == QTHREAD_MALLOC_ERROR) qthread_yield();
  OK(code);
  while ((code = qthread_writeEF_const(&ball[1], value + 1)) == QTHREAD_MALLOC_ERROR) qthread_yield();
  OK(code);
  return 0;
}

static void words(void) {
  aligned_t word = 3, value = 0;
  if (is_done(qthread_empty(&word))) OK(qthread_writeEF_const(&word, 4));
  if (is_done(qthread_readFE(&value, &word))) OK(qthread_fill(&word));
  if (is_done(qthread_purge(&word))) OK(qthread_writeF_const(&word, 5));
  CHECK(qthread_feb_status(&word) == 1);
  const bool are_empty = is_done(qthread_empty(&ball[0])) && is_done(qthread_empty(&ball[1]));
  aligned_t end = 0;
  if (are_empty && is_done(qthread_fork(returns_ball, NULL, &end))) {
    qthread_yield();
    OK(qthread_writeEF_const(&ball[0], 1));
    int code;
    while ((code = qthread_readFE(&value, &ball[1])) == QTHREAD_MALLOC_ERROR) qthread_yield();
    OK(code);
    CHECK(value == 2);
    OK(qthread_readFF(NULL, &end));
  }
  for (int i = 0; i < 2; ++i) OK(qthread_fill(&ball[i]));
}

/* ---- what tasks have ---- */

static aligned_t use_bytes(void *argument) {
  uint64_t *const few = qthread_get_tasklocal(8);
  CHECK(few != NULL && *few == 0);
  *few = 11;
  uint64_t *const more = qthread_get_tasklocal(100);
  CHECK(more == NULL || (more[0] == 11 && more[12] == 0));
  if (more != NULL) more[12] = 12;
  uint64_t *const most = qthread_get_tasklocal(5000);
  CHECK(most == NULL || (most[0] == 11 && most[12] == (more != NULL ? 12u : 0u) && most[624] == 0));
  return (aligned_t)argument;
}

static void bytes(void) {
  aligned_t word = 0;
  if (is_done(qthread_fork(use_bytes, NULL, &word))) OK(qthread_readFF(NULL, &word));
}

static void locks(void) {
  aligned_t word = 0;
  if (is_done(qthread_lock_init(&word, true))) {
    OK(qthread_lock(&word));
    OK(qthread_lock(&word));
    OK(qthread_unlock(&word));
    OK(qthread_unlock(&word));
    OK(qthread_lock_destroy(&word));
  }
  if (is_done(qthread_lock(&word))) OK(qthread_unlock(&word));
  qt_barrier_t *const barrier = qt_barrier_create(1, REGION_BARRIER);
  if (barrier != NULL) {
    qt_barrier_enter(barrier);
    qt_barrier_destroy(barrier);
  }
  const qthread_queue_t queue = qthread_queue_create(0, 0);
  if (queue != NULL) qthread_queue_destroy(queue);
}

/* ---- loops: each index once ---- */

enum { INDEXES = 200 };
static atomic_int visits[INDEXES];

static void visit(size_t from, size_t to, void *argument) {
  (void)argument;
  for (size_t i = from; i < to; ++i) atomic_fetch_add(&visits[i], 1);
}
static void count_range(size_t from, size_t to, void *argument, void *out) {
  (void)argument;
  *(aligned_t *)out = to - from;
}

static void loops(void) {
  for (int i = 0; i < INDEXES; ++i) atomic_store(&visits[i], 0);
  qt_loop(0, INDEXES, visit, NULL);
  qt_loop_balance(0, INDEXES, visit, NULL);
  qt_loop_balance_simple(0, INDEXES, visit, NULL);
  for (int i = 0; i < INDEXES; ++i) CHECK(atomic_load(&visits[i]) == 3);
  aligned_t sum = 0;
  qt_loopaccum_balance(0, INDEXES, sizeof sum, &sum, count_range, NULL, add);
  CHECK(sum == INDEXES);
  qqloop_handle_t *const handle = qt_loop_queue_create(CHUNK, 0, INDEXES, 1, visit, NULL);
  if (handle == NULL) return;
  qt_loop_queue_run(handle);
  for (int i = 0; i < INDEXES; ++i) CHECK(atomic_load(&visits[i]) == 4);
}

/* ---- the start ---- */

static void starts(void) {
  const int code = qthread_initialize();
  CHECK(code == QTHREAD_SUCCESS || code == QTHREAD_MALLOC_ERROR || code == QTHREAD_THIRD_PARTY_ERROR);
  if (code != QTHREAD_SUCCESS) {
    CHECK(qthread_num_shepherds() == 0);
    return;
  }
  aligned_t word = 0;
  returns_seven(qthread_fork(seven, NULL, &word), &word);
  qthread_finalize();
}

static void *starts_outside(void *unused) {
  starts();
  CHECK(weft_self() == NULL); /* it is no worker any more, also after a start that failed */
  return unused;
}

/* By an OS thread outside of the program's own runtime. */
static void starts_beside(void) {
  pthread_t outside;
  if (weft_init(NULL) != WEFT_OK) return;
  if (pthread_create(&outside, NULL, starts_outside, NULL) == 0) CHECK(pthread_join(outside, NULL) == 0);
  while (weft_finalize() != WEFT_OK) continue;
  starts(); /* frees what the one beside has kept */
}

static void starts_within(void) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 2;
  if (weft_init(&config) != WEFT_OK) return;
  starts();
  while (weft_finalize() != WEFT_OK) continue;
  starts(); /* frees what the one within has kept */
}

/* Once no task can be made, the caller does all parts of a loop. The other workers are kept meanwhile,
 * so that none of the tasks that were made ends. */
static atomic_int is_free, kept;
static aligned_t keeps_worker(void *argument) {
  (void)argument;
  atomic_fetch_add(&kept, 1);
  while (atomic_load(&is_free) == 0) sched_yield();
  return 0;
}

static void loops_without_tasks(void) {
  enum { most_tasks = 1000000 };
  const int others = (int)qthread_num_workers() - 1;
  atomic_store(&is_free, 0);
  atomic_store(&kept, 0);
  atomic_store(&started, 0);
  for (int i = 1; i <= others; ++i) OK(qthread_fork_to(keeps_worker, NULL, NULL, (qthread_shepherd_id_t)i));
  while (atomic_load(&kept) < others) sched_yield();
  int made = 0;
  fail_requests(1, most_tasks);
  while (made < most_tasks && qthread_fork_to(count_start, NULL, NULL, 0) == QTHREAD_SUCCESS) ++made;
  CHECK(made < most_tasks);
  for (int i = 0; i < INDEXES; ++i) atomic_store(&visits[i], 0);
  qt_loop_balance(0, INDEXES, visit, NULL);
  if (getenv("QT_SCHEDULER") == NULL) qt_loop(0, INDEXES, visit, NULL); /* that of others yields between */
  for (int i = 0; i < INDEXES; ++i) CHECK(atomic_load(&visits[i]) == (getenv("QT_SCHEDULER") == NULL ? 2 : 1));
  fail_requests(0, 0);
  atomic_store(&is_free, 1);
  while (atomic_load(&started) < made) qthread_yield();
}

/* ---- what asks for memory only now and then, with what always does ---- */

static void all_tasks(void) {
  tasks();
  copies();
  syncvars();
}
static void all_sincs(void) {
  sincs();
  sincs_with_values();
}
static void words_and_preconditions(void) {
  words();
  preconditions();
}

int main(void) {
  OK(qthread_initialize());
  lack_memory_for(all_tasks);
  lack_memory_for(all_sincs);
  lack_memory_for(words_and_preconditions);
  lack_memory_for(bytes);
  lack_memory_for(locks);
  lack_memory_for(loops);
  loops_without_tasks();
  qthread_finalize();
  lack_memory_for(starts);
  lack_memory_for(starts_beside);
  lack_memory_for(starts_within);
  return 0;
}
