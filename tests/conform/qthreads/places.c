/* Shepherds and workers: where tasks run, what they know of it, and what is disabled. */
#include <sched.h>

#include <qthread-chapel.h>
#include <weft/weft.h>

#include "tasks.h"

#if !CHPL_QTHREAD_SCHEDULER_ONE_WORKER_PER_SHEPHERD || !CHPL_QTHREAD_TASKS_CAN_MIGRATE_THREADS || \
    !CHPL_QTHREAD_HAVE_GUARD_PAGES || !CHPL_QTHREAD_TOPOLOGY_BINDERS
#error "Chapel's runtime would be built for another Qthreads"
#endif

static qthread_shepherd_id_t shepherds;
static qthread_worker_id_t workers;

static aligned_t shepherd_here(void *unused) {
  (void)unused;
  return qthread_shep();
}
static qthread_shepherd_id_t shepherd_of_task_to(qthread_shepherd_id_t wanted) {
  aligned_t end = 0;
  OK(qthread_fork_to(shepherd_here, NULL, &end, wanted));
  OK(qthread_readFF(&end, &end));
  return (qthread_shepherd_id_t)end;
}

static aligned_t knows_its_place(void *unused) {
  (void)unused;
  qthread_shepherd_id_t seen[3] = {0};
  const qthread_worker_id_t each = workers / shepherds;
  for (int i = 0; i < 20; ++i) {
    const qthread_worker_id_t unique = qthread_worker_unique(&seen[0]);
    const qthread_worker_id_t any = qthread_worker(&seen[1]);
    const qthread_worker_id_t local = qthread_worker_local(&seen[2]);
    CHECK(unique == any && unique < workers && local == unique % each);
    CHECK(seen[0] == unique / each && seen[1] == seen[0] && seen[2] == seen[0] && qthread_shep() == seen[0]);
    CHECK(qthread_worker(NULL) == unique && qthread_worker_local(NULL) == local);
    CHECK(qthread_shep_ok() == 1);
    CHECK(qthread_readstate(CURRENT_SHEPHERD) == seen[0] && qthread_readstate(CURRENT_UNIQUE_WORKER) == unique);
    CHECK(qthread_readstate(CURRENT_WORKER) == local);
    qthread_yield();
  }
  return 0;
}

static void is_nowhere(void *unused) {
  (void)unused;
  qthread_shepherd_id_t seen = 0;
  CHECK(qthread_shep() == NO_SHEPHERD && qthread_worker(&seen) == NO_WORKER && seen == NO_SHEPHERD);
  CHECK(qthread_worker_unique(NULL) == NO_WORKER && qthread_worker_local(NULL) == NO_WORKER);
  CHECK(qthread_id() == QTHREAD_NULL_TASK_ID && qthread_shep_ok() == QTHREAD_PTHREAD_ERROR);
  CHECK(qthread_get_tasklocal(8) == NULL && qthread_retloc() == NULL && qthread_sorted_sheps() == NULL);
  CHECK(qthread_tos() == NULL && qthread_bos() == NULL && qthread_stackleft() == 0);
  CHECK(qthread_num_shepherds() == shepherds && qthread_num_workers() == workers);
  IS(QTHREAD_NOT_ALLOWED, qthread_migrate_to(0));
  CHECK(qt_team_id() == QTHREAD_DEFAULT_TEAM_ID && qt_team_parent_id() == QTHREAD_NON_TEAM_ID);
  qthread_reset_target_shep();
  qthread_yield_(0);
}

static void numbers_of_tasks_differ(void) {
  CHECK(qthread_id() == qthread_id() && qthread_id() != QTHREAD_NULL_TASK_ID && qthread_id() != QTHREAD_NON_TASK_ID);
}
static aligned_t own_number(void *unused) {
  (void)unused;
  numbers_of_tasks_differ();
  return qthread_id();
}
static void numbers(void) {
  aligned_t one = 0, two = 0;
  OK(qthread_fork(own_number, NULL, &one));
  OK(qthread_fork(own_number, NULL, &two));
  OK(qthread_readFF(&one, &one));
  OK(qthread_readFF(&two, &two));
  CHECK(one != two && one != qthread_id() && two != qthread_id());
}

static aligned_t migrates(void *unused) {
  (void)unused;
  for (qthread_shepherd_id_t i = 0; i < 2 * shepherds; ++i) {
    OK(qthread_migrate_to(i % shepherds));
    CHECK(qthread_shep() == i % shepherds);
    qthread_yield();
    CHECK(qthread_shep() == i % shepherds);
  }
  IS(QTHREAD_BADARGS, qthread_migrate_to(shepherds));
  OK(qthread_migrate_to(NO_SHEPHERD));
  CHECK(qthread_shep() < shepherds);
  return 0;
}

static void migration(void) {
  aligned_t end = 0;
  IS(QTHREAD_NOT_ALLOWED, qthread_migrate_to(0));
  OK(qthread_fork(migrates, NULL, &end)); /* the read may run it in the reader's place */
  OK(qthread_readFF(NULL, &end));
  CHECK(qthread_shep() == 0);
  run_tasks(6, migrates, NULL);
  CHECK(qthread_shep() == 0);
}

static void neighbours(void) {
  for (qthread_shepherd_id_t i = 0; i < shepherds; ++i) {
    qthread_shepherd_id_t next = i, previous = i, near = i;
    qthread_shep_next(&next);
    qthread_shep_prev(&previous);
    CHECK(next == (i + 1) % shepherds && previous == (i + shepherds - 1) % shepherds);
    qthread_shep_next_local(&near);
    CHECK(near < shepherds && (shepherds == 1 || near != i));
    qthread_shep_prev_local(&near);
    CHECK(near == i);
    IS(0, qthread_distance(i, i));
    const qthread_shepherd_id_t *others = qthread_sorted_sheps_remote(i);
    CHECK(others != NULL);
    for (int place = 0; place + 1 < shepherds; ++place) {
      CHECK(others[place] < shepherds && others[place] != i && qthread_distance(i, others[place]) > 0);
      CHECK(place == 0 || qthread_distance(i, others[place - 1]) <= qthread_distance(i, others[place]));
    }
  }
  CHECK(qthread_sorted_sheps() == qthread_sorted_sheps_remote(0) && qthread_sorted_sheps_remote(shepherds) == NULL);
  IS(QTHREAD_BADARGS, qthread_distance(0, shepherds));
  IS(QTHREAD_BADARGS, qthread_distance(shepherds, 0));
}

static void a_disabled_shepherd(void) {
  IS(QTHREAD_NOT_ALLOWED, qthread_disable_shepherd(0));
  IS(QTHREAD_BADARGS, qthread_disable_shepherd(shepherds));
  qthread_enable_shepherd(shepherds);
  if (shepherds == 1) return;
  OK(qthread_disable_shepherd(1));
  OK(qthread_disable_shepherd(1));
  CHECK(qthread_num_shepherds() == shepherds - 1 && qthread_readstate(ACTIVE_SHEPHERDS) == shepherds - 1u);
  CHECK(qthread_readstate(TOTAL_SHEPHERDS) == shepherds);
  CHECK(shepherd_of_task_to(1) == qthread_sorted_sheps_remote(1)[0]); /* the nearest has its tasks */
  qthread_shepherd_id_t next = 0;
  qthread_shep_next(&next);
  CHECK(next != 1);
  qthread_shep_next_local(&next);
  CHECK(next != 1);
  run_tasks(20, shepherd_here, NULL);
  qthread_enable_shepherd(1);
  CHECK(qthread_num_shepherds() == shepherds && shepherd_of_task_to(1) == 1);
}

static void a_disabled_worker(void) {
  const qthread_worker_id_t last = workers - 1;
  IS(QTHREAD_NOT_ALLOWED, qthread_disable_worker(0));
  IS(QTHREAD_BADARGS, qthread_disable_worker(workers));
  qthread_enable_worker(workers);
  if (workers == 1) return;
  const qthread_shepherd_id_t its_shepherd = (qthread_shepherd_id_t)(shepherds - 1);
  const qthread_worker_id_t each = qthread_num_workers_local(its_shepherd);
  OK(qthread_disable_worker(last));
  CHECK(qthread_num_workers() == last && qthread_readstate(ACTIVE_WORKERS) == last);
  CHECK(qthread_readstate(TOTAL_WORKERS) == workers && qthread_num_workers_local(its_shepherd) == each - 1);
  CHECK((shepherd_of_task_to(its_shepherd) == its_shepherd) == (each > 1)); /* without a worker, elsewhere */
  CHECK(qthread_num_shepherds() == (each > 1 ? shepherds : shepherds - 1));
  qthread_shepherd_id_t next = 0;
  for (int i = 1; i < shepherds; ++i) qthread_shep_next(&next);
  CHECK(next == (each > 1 ? its_shepherd : 0)); /* it is left out */
  run_tasks(20, shepherd_here, NULL);
  qthread_enable_worker(last);
  CHECK(qthread_num_workers() == workers && qthread_num_shepherds() == shepherds);
  CHECK(shepherd_of_task_to(its_shepherd) == its_shepherd);
}

static aligned_t a_stack(void *unused) {
  (void)unused;
  const char *low = qthread_tos(), *high = qthread_bos();
  CHECK(low != NULL && low < high && qthread_stackleft() > 0 && qthread_stackleft() < (size_t)(high - low));
  return 0;
}

static aligned_t bytes_of_its_own(void *unused) {
  (void)unused;
  unsigned char *mine = qthread_get_tasklocal(8);
  CHECK(mine != NULL && qthread_size_tasklocal() >= 8);
  for (int i = 0; i < 8; ++i) CHECK(mine[i] == 0);
  memset(mine, 0x5a, 8);
  CHECK(qthread_get_tasklocal(4) == mine);
  qthread_yield();
  mine = qthread_get_tasklocal(4096);
  CHECK(mine != NULL && qthread_size_tasklocal() >= 4096);
  for (int i = 0; i < 4096; ++i) CHECK(mine[i] == (i < 8 ? 0x5a : 0));
  memset(mine, 0x3c, 4096);
  qthread_yield();
  mine = qthread_get_tasklocal(100000);
  for (int i = 0; i < 100000; ++i) CHECK(mine[i] == (i < 4096 ? 0x3c : 0));
  return 0;
}

/* Nor does a task that ran to its end in one go leave them to the next. */
static aligned_t eight_bytes_at_once(void *unused) {
  (void)unused;
  uint64_t *const mine = qthread_get_tasklocal(8);
  CHECK(mine != NULL && *mine == 0);
  *mine = UINT64_MAX;
  return 0;
}

static void what_is_there(void) {
  CHECK(qthread_readstate(STACK_SIZE) > 0 && qthread_readstate(RUNTIME_DATA_SIZE) > 0);
  CHECK(qthread_readstate(BUSYNESS) >= 1 && qthread_readstate(NODE_BUSYNESS) >= 1);
  CHECK(qthread_readstate(ACTIVE_SHEPHERDS) == shepherds && qthread_readstate(TOTAL_SHEPHERDS) == shepherds);
  CHECK(qthread_readstate(ACTIVE_WORKERS) == workers && qthread_readstate(TOTAL_WORKERS) == workers);
  CHECK(qthread_readstate(WORKER_OCCUPATION) >= 1 && qthread_readstate(WORKER_OCCUPATION) <= workers);
  CHECK(qthread_readstate(CURRENT_TEAM) == qt_team_id() && qthread_readstate(PARENT_TEAM) == qt_team_parent_id());
  CHECK(qthread_readstate((enum introspective_state)1000) == SIZE_MAX);
  CHECK(qthread_num_workers_local(NO_SHEPHERD) == workers && qthread_num_workers_local(shepherds) == 0);
  for (qthread_shepherd_id_t i = 0; i < shepherds; ++i) CHECK(qthread_num_workers_local(i) == workers / shepherds);
}

static void await_go(void *go) {
  while (atomic_load((atomic_int *)go) == 0) weft_yield();
}

/* With the scheduler weft a disabled worker ends, which it cannot while a thread of weft.h is pinned to it. */
static void a_worker_with_a_pinned_thread(void) {
  const char *const scheduler = getenv("QT_SCHEDULER");
  if (workers == 1 || (scheduler != NULL && strcmp(scheduler, "weft") != 0)) return;
  atomic_int go = 0;
  weft_thread *thread = NULL;
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.worker = workers - 1;
  CHECK(weft_thread_create(await_go, &go, &attr, &thread) == WEFT_OK);
  IS(QTHREAD_NOT_ALLOWED, qthread_disable_worker((qthread_worker_id_t)(workers - 1)));
  CHECK(qthread_num_workers() == workers && qthread_num_shepherds() == shepherds);
  run_tasks(20, shepherd_here, NULL);
  atomic_store(&go, 1);
  CHECK(weft_thread_join(thread) == WEFT_OK);
}

static int steals(void) {
  const char *scheduler = getenv("QT_SCHEDULER"), *ratio = getenv("QT_STEAL_RATIO");
  if (scheduler == NULL) return 1;
  if (strcmp(scheduler, "nemesis") == 0) return 0;
  return strcmp(scheduler, "distrib") != 0 || ratio == NULL || strcmp(ratio, "0") != 0;
}

static aligned_t note_shepherd(void *argument) {
  atomic_store((atomic_int *)argument, qthread_shep() + 1);
  return 0;
}

static void the_next_goes_to_the_first(void (*reset)(void)) {
  if (steals()) return; /* others may take it */
  for (int i = 0; i < 5; ++i) {
    atomic_int first = 0;
    reset();
    OK(qthread_fork(note_shepherd, &first, NULL));
    while (atomic_load(&first) == 0) qthread_yield();
    CHECK(atomic_load(&first) == 1);
  }
}

/* A task that waits by yielding lets the new ones of its only worker run before it goes on; but now
 * and then the one that has waited longest runs first. */
static void new_tasks_run_before_a_yield_returns(void) {
  enum { ROUNDS = 40 };
  if (workers != 1) return;
  int prompt = 0;
  for (int i = 0; i < ROUNDS; ++i) {
    atomic_int seen = 0;
    OK(qthread_fork(note_shepherd, &seen, NULL));
    qthread_yield();
    prompt += atomic_load(&seen) != 0;
    while (atomic_load(&seen) == 0) qthread_yield();
  }
  CHECK(prompt > ROUNDS / 2);
}

/* Tasks are dealt out in turn, and stay where they were dealt to although the others wait idly. */
static void without_thieves(void) {
  enum { TASKS = 64 };
  static atomic_int seen[TASKS];
  if (steals()) return;
  qthread_reset_target_shep();
  for (int i = 0; i < TASKS; ++i) {
    atomic_store(&seen[i], 0);
    OK(qthread_fork(note_shepherd, &seen[i], NULL));
  }
  for (int i = 0; i < TASKS; ++i)
    while (i % shepherds != 0 && atomic_load(&seen[i]) == 0) sched_yield(); /* the caller's worker takes none so far */
  usleep(1000);
  for (int i = 0; i < TASKS; ++i) {
    while (atomic_load(&seen[i]) == 0) qthread_yield();
    CHECK(atomic_load(&seen[i]) == i % shepherds + 1);
  }
}

/* With sherwood a shepherd without work takes the oldest half of another's tasks. Now and then a
 * worker looks elsewhere first. */
enum { HALVED = 32 };
static atomic_int is_free, begun, ended;
static int place_in_order[HALVED];

static aligned_t keeps_worker(void *argument) {
  atomic_store((atomic_int *)argument, 1);
  while (atomic_load(&is_free) == 0) sched_yield();
  return 0;
}
static aligned_t notes_order(void *number) {
  CHECK(qthread_shep() == 1);
  place_in_order[(uintptr_t)number] = atomic_fetch_add(&begun, 1);
  atomic_fetch_add(&ended, 1);
  return 0;
}

static void half_is_stolen(void) {
  const char *const scheduler = getenv("QT_SCHEDULER"), *const chunk = getenv("QT_STEAL_CHUNK");
  if (scheduler == NULL || strcmp(scheduler, "sherwood") != 0 || shepherds != 2 || workers != 2) return;
  atomic_int is_kept = 0;
  atomic_store(&is_free, 0);
  atomic_store(&begun, 0);
  atomic_store(&ended, 0);
  OK(qthread_fork_to(keeps_worker, &is_kept, NULL, 1));
  while (atomic_load(&is_kept) == 0) sched_yield();
  for (uintptr_t i = 0; i < HALVED; ++i) OK(qthread_fork(notes_order, (void *)i, NULL));
  atomic_store(&is_free, 1);
  while (atomic_load(&ended) < HALVED) sched_yield(); /* this worker runs none meanwhile */
  const int first = chunk != NULL ? atoi(chunk) : HALVED / 2;
  int at_first = 0, in_reverse = 0;
  for (int i = 0; i < first; ++i) at_first += place_in_order[i] < first;
  for (int i = 1; i < first; ++i) in_reverse += place_in_order[i] < place_in_order[i - 1];
  CHECK(at_first >= first - 1 && in_reverse >= first - 3);
}

int main(void) {
  OK(qthread_initialize());
  shepherds = qthread_num_shepherds();
  workers = qthread_num_workers();
  CHECK(shepherds >= 1 && workers >= shepherds && qthread_shep() == 0);
  knows_its_place(NULL);
  run_tasks(8, knows_its_place, NULL);
  run_outside(is_nowhere, NULL);
  numbers();
  migration();
  neighbours();
  what_is_there();
  the_next_goes_to_the_first(qthread_reset_target_shep);
  the_next_goes_to_the_first(qthread_chpl_reset_spawn_order);
  without_thieves();
  half_is_stolen();
  new_tasks_run_before_a_yield_returns();
  a_disabled_shepherd();
  a_disabled_worker();
  a_worker_with_a_pinned_thread();
  what_is_there();
  CHECK(qthread_tos() == NULL && qthread_bos() == NULL && qthread_stackleft() == 0);
  aligned_t end = 0;
  OK(qthread_fork_to(a_stack, NULL, &end, shepherds - 1)); /* on a stack of its own */
  OK(qthread_readFF(NULL, &end));
  bytes_of_its_own(NULL);
  run_tasks(8, bytes_of_its_own, NULL);
  for (int i = 0; i < 3; ++i) run_tasks(100, eight_bytes_at_once, NULL);
  qthread_finalize();
  return 0;
}
