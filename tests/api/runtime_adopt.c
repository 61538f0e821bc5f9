/* OS threads that become workers and are OS threads outside again: weft_worker_adopt,
 * weft_worker_leave. */
#define _GNU_SOURCE
#include <sched.h>
#include <string.h>
#include <unistd.h>
#include <weft/ext.h>
#include <weft/hot.h>

#include "check.h"
#include "fork_fib.h"
#include "os_thread.h"
#include "tree.h"

enum { ROUNDS = IS_SLOW ? 3 : 30, ADOPTED = 3 };

static int own_worker; /* of the runtime as each phase starts it */

#define RUN_ADOPTED(body) ((void)(current_case = #body), on_os_thread(body, NULL))

/* ---- what is refused ---- */

static void is_refused_in_a_thread(void *argument) {
  (void)argument;
  IS(WEFT_BUSY, weft_worker_adopt(NULL));
  IS(WEFT_NOT_OWNER, weft_worker_leave());
}

static void is_refused_in_a_region(void *argument) {
  (void)argument;
  OK(weft_blocking_begin());
  IS(WEFT_BUSY, weft_worker_adopt(NULL));
  IS(WEFT_NOT_OWNER, weft_worker_leave());
  OK(weft_blocking_end());
  CHECK(weft_self() != NULL);
}

static void is_busy(void *argument) {
  (void)argument;
  IS(WEFT_BUSY, weft_worker_adopt(NULL));
}

static void adopt_in_ready(weft_awaiter *awaiter, weft_status status) {
  (void)awaiter;
  OK(status);
  IS(weft_worker_self() < 0 ? WEFT_CANNOT_BLOCK : WEFT_BUSY, weft_worker_adopt(NULL));
  IS(WEFT_NOT_OWNER, weft_worker_leave());
}

static void adopts_in_ready(void) {
  weft_event event = WEFT_EVENT_INIT;
  weft_awaiter awaiter = WEFT_AWAITER_INIT(adopt_in_ready);
  bool waits = false;
  OK(weft_ext_await(&awaiter, &event, WEFT_AWAIT_EVENT, &waits));
  CHECK(waits);
  OK(weft_event_set(&event));
}

static void is_refused_outside(void *argument) {
  (void)argument;
  IS(WEFT_NOT_OWNER, weft_worker_leave());
  weft_adopt_config config = WEFT_ADOPT_CONFIG_INIT;
  config.size = 1;
  IS(WEFT_INVALID, weft_worker_adopt(&config));
  adopts_in_ready();
  CHECK(weft_self() == NULL);
  OK(weft_worker_adopt(NULL));
  IS(WEFT_BUSY, weft_worker_adopt(NULL));
  const int index = weft_worker_self();
  IS(WEFT_BUSY, weft_worker_remove((unsigned)index));
  OK(weft_ext_call_outside(is_busy, NULL));
  adopts_in_ready();
  OK(weft_thread_join(start_pinned(is_refused_in_a_thread, NULL, index)));
  IS(WEFT_NOT_OWNER, weft_finalize());
  IS(WEFT_NOT_OWNER, weft_thread_migrate_to_worker(weft_self(), 0));
  OK(weft_worker_leave());
  IS(WEFT_NOT_OWNER, weft_worker_leave());
}

static void refuses(void) {
  is_refused_in_a_thread(NULL);
  OK(weft_thread_join(start(is_refused_in_a_thread, NULL)));
  is_refused_in_a_region(NULL);
  OK(weft_thread_join(start(is_refused_in_a_region, NULL)));
  weft_thread *tasklet;
  OK(weft_tasklet_create(is_refused_in_a_thread, NULL, NULL, &tasklet));
  OK(weft_thread_join(tasklet));
  adopts_in_ready();
  on_os_thread(is_refused_outside, NULL);
}

/* ---- what the caller is ---- */

static weft_mutex mutex = WEFT_MUTEX_INIT;
static weft_key key;
static int destroyed;

static void destroy_value(void *value) {
  CHECK(weft_self() == NULL);
  destroyed += *(int *)value;
}

static void note_worker(void *argument) { atomic_store((atomic_int *)argument, weft_worker_self()); }

static void is_a_thread(void *argument) {
  (void)argument;
  int outside = 100, inside = 1;
  const unsigned count = weft_worker_count();
  OK(weft_key_create(destroy_value, &key));
  OK(weft_key_set(key, &outside));
  OK(weft_mutex_lock(&mutex));
  weft_adopt_config config = WEFT_ADOPT_CONFIG_INIT;
  config.name = "guest";
  OK(weft_worker_adopt(&config));
  CHECK(weft_worker_count() == count + 1);
  const int index = weft_worker_self();
  CHECK(index >= own_worker);
  CHECK(weft_self() != NULL);
  CHECK(strcmp(weft_thread_get_name(weft_self()), "guest") == 0);
  CHECK(weft_thread_id(weft_self()) > 1);
  CHECK(weft_thread_get_state(weft_self()) == WEFT_THREAD_RUNNING);
  void *base = NULL;
  size_t bytes = 0;
  weft_ext_thread_stack(weft_self(), &base, &bytes);
  CHECK((char *)base < (char *)&outside && (char *)&outside < (char *)base + bytes);
  CHECK(weft_key_get(key) == NULL);
  OK(weft_key_set(key, &inside));
  IS(WEFT_BUSY, weft_mutex_try_lock(&mutex)); /* its caller locked it outside */
  OK(weft_mutex_unlock(&mutex));

  atomic_int ran_on = -1;
  OK(weft_thread_join(start_pinned(note_worker, &ran_on, index)));
  CHECK(atomic_load(&ran_on) == index);
  weft_yield();
  OK(weft_sleep_ns(50 * MICROSECOND));
  CHECK(weft_worker_self() == index);
  OK(weft_mutex_lock(&mutex));
  OK(weft_worker_leave());
  OK(weft_mutex_unlock(&mutex));
  CHECK(weft_self() == NULL && weft_worker_self() == -1 && weft_worker_count() == count);
  CHECK(destroyed == 1);
  CHECK(weft_key_get(key) == &outside);
  OK(weft_key_set(key, NULL));
  OK(weft_key_delete(key));
  destroyed = 0;
}

static void takes_a_slot_again(void *argument) {
  (void)argument;
  int first = -1;
  for (int round = 0; round < ROUNDS; ++round) {
    OK(weft_worker_adopt(NULL));
    if (round == 0) first = weft_worker_self();
    CHECK(weft_worker_self() == first);
    OK(weft_worker_leave());
  }
}

/* ---- what keeps it ---- */

static void wait_until_set(void *argument) { wait_for(argument, 1); }

static void run_nothing(void *work) { (void)work; }

static void keeps(void *argument) {
  (void)argument;
  OK(weft_worker_adopt(NULL));
  const int index = weft_worker_self();
  atomic_int may_end = 0;
  weft_thread *pinned = start_pinned(wait_until_set, &may_end, index);
  IS(WEFT_BUSY, weft_worker_leave());
  CHECK(weft_worker_self() == index);
  atomic_store(&may_end, 1);
  OK(weft_thread_join(pinned));

  weft_pool *pool;
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &pool));
  OK(weft_pool_attach(pool, (unsigned)index));
  IS(WEFT_BUSY, weft_worker_leave());
  OK(weft_pool_detach(pool, (unsigned)index));
  OK(weft_pool_destroy(pool));

  char work = 0;
  weft_forked *forked = weft_fork(run_nothing, &work, sizeof work);
  IS(WEFT_BUSY, weft_worker_leave());
  weft_yield(); /* it becomes a thread */
  IS(WEFT_BUSY, weft_worker_leave());
  weft_fork_join(forked, run_nothing, &work, sizeof work);

  OK(weft_worker_leave());
  weft_thread *none;
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.worker = index;
  IS(WEFT_INVALID, weft_thread_create(nothing, NULL, &attr, &none));
}

/* ---- work goes both ways ---- */

struct errand {
  atomic_int ran;
  atomic_int worker;
};

static void run_errand(void *argument) {
  struct errand *mine = *(struct errand **)argument;
  atomic_store(&mine->worker, weft_worker_self());
  atomic_store(&mine->ran, 1);
}

static void run_thread(void *argument) { run_errand(&argument); }

/* The maker computes until its threads, or its fork, ran: so another worker took them. */
static void give_thread(void) {
  struct errand one = {0, -1};
  weft_thread *made = start(run_thread, &one);
  compute_until(&one.ran, 1);
  CHECK(atomic_load(&one.worker) != weft_worker_self());
  OK(weft_thread_join(made));
}

static void give_fork(void) {
  struct errand one = {0, -1}, *work = &one;
  weft_forked *forked = weft_fork(run_errand, &work, sizeof work);
  compute_until(&one.ran, 1);
  CHECK(atomic_load(&one.worker) != weft_worker_self());
  weft_fork_join(forked, run_errand, &work, sizeof work);
}

struct idler {
  atomic_int is_there;
  weft_event may_leave;
};

static void idle_as_worker(void *argument) {
  struct idler *mine = argument;
  OK(weft_worker_adopt(NULL));
  atomic_store(&mine->is_there, 1);
  OK(weft_event_wait(&mine->may_leave)); /* its worker steals meanwhile */
  OK(weft_worker_leave());
}

static void adopted_one_takes(void) {
  struct idler idler = {0, WEFT_EVENT_INIT};
  struct os_thread other;
  begin(&other, idle_as_worker, &idler);
  wait_for(&idler.is_there, 1);
  for (int round = 0; round < ROUNDS; ++round) {
    give_thread();
    give_fork();
  }
  CHECK(fib(15) == 610);
  OK(weft_event_set(&idler.may_leave));
  join(&other);
}

static void give_as_worker(void *has_given) {
  OK(weft_worker_adopt(NULL));
  for (int round = 0; round < ROUNDS; ++round) {
    give_thread();
    give_fork();
  }
  CHECK(fib(15) == 610);
  OK(weft_event_set(has_given));
  OK(weft_worker_leave());
}

static void others_take_from_it(void) {
  struct os_thread other;
  weft_event has_given = WEFT_EVENT_INIT;
  begin(&other, give_as_worker, &has_given);
  OK(weft_event_wait(&has_given));
  join(&other);
}

/* ---- its queue ---- */

static void leave_many(void *argument) {
  OK(weft_worker_adopt(NULL));
  for (int i = 0; i < (IS_SLOW ? 50 : 500); ++i) OK(weft_thread_create(add_one, argument, NULL, NULL));
  OK(weft_worker_leave());
}

static void hands_its_queue_over(void) {
  for (int round = 0; round < ROUNDS; ++round) {
    atomic_int count = 0;
    on_os_thread(leave_many, &count);
    wait_for(&count, IS_SLOW ? 50 : 500);
  }
}

/* ---- its caller moves ---- */

static void move(void *argument) {
  (void)argument;
  const pid_t self = gettid(); /* a compiler may know pthread_self from before */
  OK(weft_worker_adopt(NULL));
  OK(weft_pin(0));
  CHECK(weft_worker_self() == 0 && gettid() != self);
  OK(weft_mutex_lock(&mutex));
  IS(WEFT_BUSY, weft_mutex_try_lock(&mutex)); /* its caller locked it outside */
  OK(weft_mutex_unlock(&mutex));
  OK(weft_worker_leave());
  CHECK(gettid() == self && weft_worker_self() == -1);
  OK(weft_worker_adopt(NULL));
  OK(weft_pin(WEFT_ANY_WORKER));
  for (int turn = 0; turn < 20; ++turn) weft_yield();
  OK(weft_worker_leave());
  CHECK(gettid() == self && weft_self() == NULL);
}

/* ---- its caller is run by a scheduler ---- */

struct turn {
  weft_pool *pool;
  atomic_int has_returned;
};

/* The caller, its only unit, leaves: then the scheduler goes on. */
static void schedule_once(void *argument) {
  struct turn *turn = argument;
  weft_thread *caller;
  while ((caller = weft_ext_pool_pop(turn->pool)) == NULL) weft_yield();
  OK(weft_pin(WEFT_ANY_WORKER)); /* nothing but the caller stays put */
  OK(weft_ext_dispatch(caller));
  atomic_store(&turn->has_returned, 1);
}

static void leaves_its_scheduler(void *argument) {
  (void)argument;
  OK(weft_worker_adopt(NULL));
  struct turn turn = {NULL, 0};
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &turn.pool));
  weft_thread *scheduler = start_pinned(schedule_once, &turn, weft_worker_self());
  OK(weft_ext_thread_set_pool(weft_self(), turn.pool));
  weft_yield();
  OK(weft_worker_leave());
  wait_for(&turn.has_returned, 1);
  OK(weft_thread_join(scheduler));
  OK(weft_pool_destroy(turn.pool));
}

/* ---- several, while work runs ---- */

static void come_and_go(void *argument) {
  atomic_int *stop = argument;
  for (int round = 0; round < ROUNDS || atomic_load(stop) == 0; ++round) {
    OK(weft_worker_adopt(NULL));
    struct tree tree = {2, 0};
    OK(weft_thread_join(start(grow, &tree)));
    CHECK(tree.leaves == 9);
    if (round % 3 == 0) OK(weft_sleep_ns(20 * MICROSECOND));
    if (round % 3 == 1) CHECK(fib(10) == 55);
    OK(weft_worker_leave());
  }
}

static void come_and_go_while_work_runs(void) {
  atomic_int stop = 0;
  struct os_thread others[ADOPTED];
  for (int i = 0; i < ADOPTED; ++i) begin(&others[i], come_and_go, &stop);
  for (int round = 0; round < ROUNDS; ++round) {
    struct tree tree = {4, 0};
    OK(weft_thread_join(start(grow, &tree)));
    CHECK(tree.leaves == 81);
    CHECK(fib(12) == 144);
  }
  atomic_store(&stop, 1);
  for (int i = 0; i < ADOPTED; ++i) join(&others[i]);
}

/* ---- events ---- */

static atomic_int told[WEFT_ON_STEAL + 1];

static void note_event(void *state, weft_event_kind kind, weft_thread *thread) {
  (void)state;
  if (strcmp(weft_thread_get_name(thread), "watched") != 0) return;
  if (kind == WEFT_ON_RUN) CHECK(atomic_load(&told[WEFT_ON_CREATE]) == 1 && atomic_load(&told[WEFT_ON_READY]) > 0);
  atomic_fetch_add(&told[kind], 1);
}

static void adopt_watched(void *argument) {
  (void)argument;
  weft_adopt_config config = WEFT_ADOPT_CONFIG_INIT;
  config.name = "watched";
  OK(weft_worker_adopt(&config));
  OK(weft_sleep_ns(MICROSECOND));
  OK(weft_worker_leave());
}

static void events(void) {
  for (int kind = 0; kind <= WEFT_ON_STEAL; ++kind) atomic_store(&told[kind], 0);
  on_os_thread(adopt_watched, NULL);
  CHECK(atomic_load(&told[WEFT_ON_CREATE]) == 1 && atomic_load(&told[WEFT_ON_END]) == 1);
  CHECK(atomic_load(&told[WEFT_ON_RUN]) == atomic_load(&told[WEFT_ON_READY]) + atomic_load(&told[WEFT_ON_YIELD]));
  CHECK(atomic_load(&told[WEFT_ON_PARK]) + atomic_load(&told[WEFT_ON_YIELD]) == atomic_load(&told[WEFT_ON_RUN]) - 1);
}

/* ---- its CPUs ---- */

static cpu_set_t mask_now(void) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CHECK(sched_getaffinity(0, sizeof mask, &mask) == 0);
  return mask;
}

static void adopt_bound(void *asked) {
  const cpu_set_t before = mask_now();
  weft_adopt_config config = WEFT_ADOPT_CONFIG_INIT;
  config.bind = asked != NULL;
  OK(weft_worker_adopt(&config));
  const cpu_set_t bound = mask_now(), as_all = bound; /* one that asked is told where it cannot be */
  if (config.bind)
    CHECK(CPU_COUNT(&bound) == 1);
  else
    CHECK(CPU_COUNT(&as_all) == 1);
  OK(weft_worker_leave());
  const cpu_set_t after = mask_now();
  CHECK(CPU_EQUAL(&after, &before));
}

static void adopt_unbound(void *argument) {
  (void)argument;
  const cpu_set_t before = mask_now();
  OK(weft_worker_adopt(NULL));
  const cpu_set_t within = mask_now();
  CHECK(CPU_EQUAL(&within, &before));
  OK(weft_worker_leave());
}

static void binds(void) {
  int is_asked = 1;
  on_os_thread(adopt_bound, &is_asked);
  on_os_thread(adopt_unbound, NULL);
}

static void bind_all(void) {
  phase = "all bound";
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 1;
  config.bind = true;
  OK(weft_init(&config));
  on_os_thread(adopt_bound, NULL);
  OK(weft_finalize());
}

/* The OS thread of weft_init that stayed outside. */
static void adopts_the_caller(void) {
  phase = "caller outside";
  for (unsigned workers = 1; workers <= 2; ++workers) {
    weft_config config = WEFT_CONFIG_INIT;
    config.workers = workers;
    config.caller_outside = true;
    OK(weft_init(&config));
    OK(weft_worker_adopt(NULL));
    CHECK(weft_worker_count() == workers + 1);
    CHECK(fib(12) == 144);
    give_thread();
    IS(WEFT_NOT_OWNER, weft_finalize());
    OK(weft_worker_leave());
    OK(weft_finalize());
  }
}

static void all(void) {
  own_worker = (int)weft_worker_count();
  RUN(refuses);
  RUN_ADOPTED(is_a_thread);
  RUN_ADOPTED(takes_a_slot_again);
  RUN_ADOPTED(keeps);
  RUN(adopted_one_takes);
  RUN(others_take_from_it);
  RUN(hands_its_queue_over);
  RUN_ADOPTED(move);
  RUN_ADOPTED(leaves_its_scheduler);
  RUN(come_and_go_while_work_runs);
  RUN(binds);
}

static void some(void) {
  own_worker = (int)weft_worker_count();
  RUN_ADOPTED(is_a_thread);
  RUN(events);
  RUN(come_and_go_while_work_runs);
}

static void in_domains(void) {
  phase = "two domains";
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 3;
  config.locality = WEFT_LOCALITY_DOMAIN;
  config.topology = "numa:2 core:4 pu:2";
  OK(weft_init(&config));
  RUN(come_and_go_while_work_runs);
  RUN(hands_its_queue_over);
  OK(weft_finalize());
}

int main(void) {
  IS(WEFT_NOT_INITIALIZED, weft_worker_adopt(NULL));
  IS(WEFT_NOT_INITIALIZED, weft_worker_leave());
  with_workers("one worker", 1, all);
  with_workers("three workers", 3, all);
  OK(weft_ext_set_event_sink(note_event, NULL));
  with_workers("with an event sink", 1, some);
  OK(weft_ext_set_event_sink(NULL, NULL));
  in_domains();
  bind_all();
  adopts_the_caller();
  return 0;
}
