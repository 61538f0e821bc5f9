/* ABT_init and ABT_finalize: what is refused outside of them; several libraries of one program
 * that do not know of each other. */
#include "check.h"

#if IS_WEFT
#include <sched.h>
#include <unistd.h>

#include <weft/weft.h>
#endif

static void is_not_there(void) {
  IS(ABT_ERR_UNINITIALIZED, ABT_initialized());
  IS(ABT_ERR_UNINITIALIZED, ABT_finalize());
  void *value;
  int number;
  ABT_bool truth;
  ABT_xstream stream;
  ABT_thread thread;
  ABT_unit_type type;
  IS(ABT_ERR_UNINITIALIZED, ABT_xstream_self(&stream));
  IS(ABT_ERR_UNINITIALIZED, ABT_xstream_self_rank(&number));
  IS(ABT_ERR_UNINITIALIZED, ABT_xstream_get_num(&number));
  IS(ABT_ERR_UNINITIALIZED, ABT_xstream_exit());
  IS(ABT_ERR_UNINITIALIZED, ABT_thread_self(&thread));
  IS(ABT_ERR_UNINITIALIZED, ABT_thread_exit());
  IS(ABT_ERR_UNINITIALIZED, ABT_task_self(&thread));
  IS(ABT_ERR_UNINITIALIZED, ABT_self_get_type(&type));
  CHECK(type == ABT_UNIT_TYPE_EXT);
  IS(ABT_ERR_UNINITIALIZED, ABT_self_is_primary(&truth));
  IS(ABT_ERR_UNINITIALIZED, ABT_self_get_last_pool_id(&number));
  IS(ABT_ERR_UNINITIALIZED, ABT_self_get_arg(&value));
  IS(ABT_ERR_UNINITIALIZED, ABT_self_set_arg(NULL));
  ABT_key key = ABT_KEY_NULL;
  OK(ABT_key_create(NULL, &key));
  IS(ABT_ERR_UNINITIALIZED, ABT_key_set(key, &value));
  IS(ABT_ERR_UNINITIALIZED, ABT_key_get(key, &value));
  OK(ABT_key_free(&key));
}

static void works(void) {
  atomic_int count = 0;
  ABT_thread threads[8];
  for (int i = 0; i < 8; ++i) threads[i] = start(my_pool(), add_one, &count);
  for (int i = 0; i < 8; ++i) end(threads[i]);
  CHECK(atomic_load(&count) == 8);
}

/* A library that starts what it needs and ends it again, called from anywhere. */
static void use_library(void *argument) {
  atomic_int *count = argument;
  OK(ABT_init(0, NULL));
  OK(ABT_initialized());
  ABT_xstream stream = start_stream();
  end(start(pool_of(stream), add_one, count));
  end_stream(stream);
  OK(ABT_finalize());
}

static void *use_library_outside(void *argument) {
  use_library(argument);
  return NULL;
}

static void several_libraries(void) {
  atomic_int count = 0;
  OK(ABT_init(0, NULL));
  OK(ABT_init(0, NULL));
  works();
  use_library(&count);
  OK(ABT_finalize());
  OK(ABT_initialized());
  works();
  end(start(my_pool(), use_library, &count));
  pthread_t libraries[3];
  for (int i = 0; i < 3; ++i) CHECK(pthread_create(&libraries[i], NULL, use_library_outside, &count) == 0);
  for (int i = 0; i < 3; ++i) CHECK(pthread_join(libraries[i], NULL) == 0);
  CHECK(atomic_load(&count) == 5);
  OK(ABT_initialized());
  works();
  OK(ABT_finalize());
}

static void finalize_of_another(void *unused) {
  (void)unused;
  IS(ABT_ERR_INV_XSTREAM, ABT_finalize());
}

/* Argobots forgets one of its calls here. */
static void only_the_primary_ends_it(void) {
  OK(ABT_init(0, NULL));
  run_outside(finalize_of_another, NULL);
  ABT_xstream stream = start_stream();
  end_stream(stream);
  OK(ABT_initialized());
  OK(ABT_finalize());
}

/* Pools and schedulers of before are used, and go, like any others. */
static void made_before(void) {
  const ABT_pool_kind kinds[] = {ABT_POOL_FIFO, ABT_POOL_FIFO_WAIT, ABT_POOL_RANDWS};
  atomic_int count = 0;
  ABT_pool pools[3];
  for (int i = 0; i < 3; ++i) OK(ABT_pool_create_basic(kinds[i], ABT_POOL_ACCESS_MPMC, ABT_FALSE, &pools[i]));
  ABT_sched sched;
  OK(ABT_sched_create_basic(ABT_SCHED_BASIC, 3, pools, ABT_SCHED_CONFIG_NULL, &sched));
  IS(ABT_ERR_UNINITIALIZED, ABT_sched_free(&sched));
  OK(ABT_init(0, NULL));
  ABT_xstream stream;
  OK(ABT_xstream_create(sched, &stream));
  for (int i = 0; i < 3; ++i) end(start(pools[i], add_one, &count));
  end_stream(stream);
  OK(ABT_finalize());
  CHECK(atomic_load(&count) == 3);
  for (int i = 0; i < 3; ++i) OK(ABT_pool_free(&pools[i]));
}

static int id_of(ABT_pool pool) {
  int id = -1;
  OK(ABT_pool_get_id(pool, &id));
  CHECK(id >= 0);
  return id;
}

static int id_after_init(void) {
  OK(ABT_init(0, NULL));
  const int id = id_of(my_pool());
  OK(ABT_finalize());
  return id;
}

/* No two pools that are there have the same one; they begin anew when none is left. */
static void ids_of_pools(void) {
  enum { others = 32 };
  const int first = id_after_init();
  ABT_pool before = new_pool(ABT_POOL_FIFO), pools[others];
  const int id = id_of(before);
  OK(ABT_init(0, NULL));
  CHECK(id_of(my_pool()) != id);
  for (int i = 0; i < others; ++i) {
    pools[i] = new_pool(i % 2 == 0 ? ABT_POOL_FIFO : ABT_POOL_RANDWS);
    CHECK(id_of(pools[i]) != id && id_of(pools[i]) != id_of(my_pool()));
  }
  for (int i = 0; i < others; ++i) OK(ABT_pool_free(&pools[i]));
  OK(ABT_finalize());
  CHECK(id_after_init() != id);
  OK(ABT_pool_free(&before));
  CHECK(id_after_init() == first);
}

static void use_own_pool(void *argument) {
  ABT_pool pool = ABT_POOL_NULL;
  int id = -2;
  OK(ABT_self_get_last_pool(&pool));
  CHECK(pool != ABT_POOL_NULL);
  OK(ABT_self_get_last_pool_id(&id));
  CHECK(id >= 0);
  OK(ABT_self_yield());
  OK(ABT_thread_yield());
  add_one(argument);
}

/* Destructors of the primary ULT's values are called by the primary ULT. */
static void values_of_the_primary(void) {
  atomic_int count = 0;
  ABT_key key;
  OK(ABT_init(0, NULL));
  OK(ABT_key_create(use_own_pool, &key));
  OK(ABT_key_set(key, &count));
  OK(ABT_key_free(&key));
  CHECK(atomic_load(&count) == 0);
  OK(ABT_finalize());
  CHECK(atomic_load(&count) == 1);
}

#if IS_WEFT
/* weft.h may be used alone before ABT_init: then abt.h knows nothing of its threads. */
static void be_a_thread_of_weft(void *argument) {
  const struct timespec past = {0, 0};
  ABT_eventual eventual;
  void *value = NULL;
  OK(ABT_eventual_create(0, &eventual));
  IS(ABT_ERR_COND_TIMEDOUT, ABT_eventual_timedwait(eventual, NULL, &past));
  OK(ABT_eventual_free(&eventual));
  OK(ABT_thread_yield());
  OK(ABT_thread_yield_to(ABT_THREAD_NULL));
  for (int i = 0; i < 100; ++i) {
    ABT_key key;
    OK(ABT_key_create(NULL, &key));
    IS(ABT_ERR_UNINITIALIZED, ABT_key_get(key, &value));
    IS(ABT_ERR_UNINITIALIZED, ABT_key_set(key, argument));
    CHECK(value == NULL);
    OK(ABT_key_free(&key));
  }
  is_not_there();
  add_one(argument);
}

static void only_weft_runs(void) {
  atomic_int done = 0;
  weft_thread *threads[4];
  CHECK(weft_init(NULL) == WEFT_OK);
  for (int i = 0; i < 4; ++i) CHECK(weft_thread_create(be_a_thread_of_weft, &done, NULL, &threads[i]) == WEFT_OK);
  for (int i = 0; i < 4; ++i) CHECK(weft_thread_join(threads[i]) == WEFT_OK);
  be_a_thread_of_weft(&done);
  CHECK(atomic_load(&done) == 5);
  CHECK(weft_finalize() == WEFT_OK);
}

static void start_weft(unsigned workers, size_t stack_bytes) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  config.stack_bytes = stack_bytes;
  CHECK(weft_init(&config) == WEFT_OK);
}

/* None goes on before both are there: they need a worker each. */
static void meet(void *arrived) {
  add_one(arrived);
  while (atomic_load((atomic_int *)arrived) < 2) sched_yield();
}

static void weft_is_parallel(void) {
  atomic_int arrived = 0;
  weft_thread *thread;
  CHECK(weft_thread_create(meet, &arrived, NULL, &thread) == WEFT_OK);
  meet(&arrived);
  CHECK(weft_thread_join(thread) == WEFT_OK);
}

/* A library, such as MPI, has called ABT_init; then comes a program on weft.h. */
static void the_program_comes_later(void) {
  OK(ABT_init(0, NULL));
  CHECK(weft_worker_count() == 1);
  start_weft(2, 0);
  CHECK(weft_worker_count() == 2);
  weft_is_parallel();
  works();
  CHECK(weft_finalize() == WEFT_OK);
  works();
  OK(ABT_finalize());
  CHECK(!weft_is_initialized());
}

static void refuse(void *unused) {
  (void)unused;
  IS(ABT_ERR_OTHER, ABT_init(0, NULL));
}

/* The other way round, again and again. */
static void the_library_comes_later(void) {
  enum { rounds = 70 }; /* more than there may be sources */
  atomic_int count = 0;
  start_weft(2, 0);
  weft_thread *thread;
  CHECK(weft_thread_create(refuse, NULL, NULL, &thread) == WEFT_OK);
  CHECK(weft_thread_join(thread) == WEFT_OK);
  is_not_there();
  for (int round = 0; round < rounds; ++round) {
    OK(ABT_init(0, NULL));
    if (round % 10 == 0) {
      works();
      use_library(&count);
      weft_is_parallel();
    }
    OK(ABT_finalize());
  }
  weft_is_parallel();
  is_not_there();
  CHECK(weft_worker_count() == 2);
  CHECK(weft_finalize() == WEFT_OK);
}

/* ---- ABT_init by another OS thread than weft_init's caller -------------------------------------- */

static atomic_int begun, may_end;

static void *be_a_library(void *argument) {
  enum { rounds = 20 };
  for (int round = 0; round < rounds; ++round) {
    OK(ABT_init(0, NULL));
    works();
    use_library(argument);
    weft_is_parallel();
    OK(ABT_finalize());
    CHECK(weft_self() == NULL); /* an OS thread outside again */
  }
  return NULL;
}

/* As long as the program runs threads of its own. */
static void the_library_has_its_own_thread(void) {
  atomic_int count = 0;
  pthread_t library;
  start_weft(2, 0);
  CHECK(pthread_create(&library, NULL, be_a_library, &count) == 0);
  for (int i = 0; i < 20; ++i) weft_is_parallel();
  CHECK(pthread_join(library, NULL) == 0);
  is_not_there();
  CHECK(atomic_load(&count) == 20 && weft_worker_count() == 2);
  OK(ABT_init(0, NULL)); /* now by weft_init's caller */
  works();
  OK(ABT_finalize());
  CHECK(weft_finalize() == WEFT_OK);
}

static void *begin_and_end(void *argument) {
  OK(ABT_init(0, NULL));
  atomic_store(&begun, 1);
  while (atomic_load(&may_end) == 0) OK(ABT_thread_yield());
  works();
  OK(ABT_finalize());
  return argument;
}

static void let_end(void *unused) {
  (void)unused;
  atomic_store(&may_end, 1);
}

/* The program's calls in between are counted, and its weft_finalize waits for the library. */
static void the_program_ends_first(void) {
  pthread_t library;
  start_weft(1, 0);
  atomic_store(&begun, 0);
  atomic_store(&may_end, 0);
  CHECK(pthread_create(&library, NULL, begin_and_end, NULL) == 0);
  while (atomic_load(&begun) == 0) weft_yield();
  OK(ABT_init(0, NULL));
  OK(ABT_finalize());
  IS(ABT_ERR_INV_XSTREAM, ABT_finalize()); /* the other one's */
  CHECK(weft_thread_create(let_end, NULL, NULL, NULL) == WEFT_OK);
  CHECK(weft_finalize() == WEFT_OK);
  CHECK(pthread_join(library, NULL) == 0);
  is_not_there();
}

static void add_here(void *count) {
  CHECK(weft_worker_self() == 1); /* the library's OS thread */
  atomic_fetch_add((atomic_int *)count, 1);
}

/* Threads that the program has pinned to the library's worker run before that leaves. */
static void the_program_pins_to_it(void) {
  enum { pinned = 20 };
  atomic_int count = 0;
  pthread_t library;
  weft_thread *threads[pinned];
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  start_weft(1, 0);
  atomic_store(&begun, 0);
  atomic_store(&may_end, 0);
  CHECK(pthread_create(&library, NULL, begin_and_end, NULL) == 0);
  while (atomic_load(&begun) == 0) weft_yield();
  attr.worker = 1;
  for (int i = 0; i < pinned; ++i) CHECK(weft_thread_create(add_here, &count, &attr, &threads[i]) == WEFT_OK);
  atomic_store(&may_end, 1);
  for (int i = 0; i < pinned; ++i) CHECK(weft_thread_join(threads[i]) == WEFT_OK);
  CHECK(pthread_join(library, NULL) == 0 && atomic_load(&count) == pinned);
  CHECK(weft_finalize() == WEFT_OK);
}

/* One round of a program and of its library, whose calls come at the same time. */
static atomic_int calls, rounds_ended;

static void *start_at_the_same_time(void *round) {
  const int number = *(int *)round;
  atomic_fetch_add(&calls, 1);
  while (atomic_load(&calls) < 2) sched_yield();
  OK(ABT_init(0, NULL));
  works();
  /* where ABT_init came first, the runtime ends on this OS thread */
  while (weft_thread_id(weft_self()) == 1 && atomic_load(&rounds_ended) == number) OK(ABT_thread_yield());
  OK(ABT_finalize());
  return round;
}

/* ABT_init waits for the end of the other start, and is then beside it. */
static void starts_at_the_same_time(void) {
  const int rounds = IS_SLOW ? 50 : 300;
  atomic_store(&rounds_ended, 0);
  for (int i = 0; i < rounds; ++i) {
    pthread_t library;
    atomic_store(&calls, 0);
    CHECK(pthread_create(&library, NULL, start_at_the_same_time, &i) == 0);
    while (atomic_load(&calls) < 1) sched_yield();
    atomic_fetch_add(&calls, 1);
    start_weft(1, 0);
    weft_yield();
    CHECK(weft_finalize() == WEFT_OK);
    atomic_fetch_add(&rounds_ended, 1);
    CHECK(pthread_join(library, NULL) == 0);
    is_not_there();
    CHECK(!weft_is_initialized());
  }
}

static atomic_int is_primary; /* the library's OS thread */

static void *init_beside(void *unused) {
  atomic_fetch_add(&calls, 1);
  while (atomic_load(&calls) < 2) sched_yield();
  OK(ABT_init(0, NULL));
  atomic_store(&is_primary, weft_self() != NULL);
  atomic_fetch_add(&calls, 1);
  while (atomic_load(&may_end) == 0) weft_yield();
  OK(ABT_finalize());
  return unused;
}

/* Two calls of ABT_init at the same time, one of them by weft_init's caller: the later one is
 * counted. The primary ULT calls ABT_finalize last. */
static void two_starts_in_one_runtime(void) {
  const int rounds = IS_SLOW ? 50 : 300;
  for (int i = 0; i < rounds; ++i) {
    pthread_t library;
    start_weft(1, 0);
    atomic_store(&calls, 0);
    atomic_store(&may_end, 0);
    CHECK(pthread_create(&library, NULL, init_beside, NULL) == 0);
    while (atomic_load(&calls) < 1) sched_yield();
    atomic_fetch_add(&calls, 1);
    OK(ABT_init(0, NULL));
    while (atomic_load(&calls) < 3) weft_yield();
    if (atomic_load(&is_primary) != 0) OK(ABT_finalize());
    atomic_store(&may_end, 1);
    CHECK(pthread_join(library, NULL) == 0);
    if (atomic_load(&is_primary) == 0) OK(ABT_finalize());
    is_not_there();
    CHECK(weft_finalize() == WEFT_OK);
  }
}

static void *refuse_outside(void *unused) {
  refuse(unused);
  return unused;
}

static void *refuse_on_a_worker(void *unused) {
  CHECK(weft_worker_adopt(NULL) == WEFT_OK);
  refuse(unused);
  CHECK(weft_worker_leave() == WEFT_OK);
  return unused;
}

/* On a worker that the program has adopted, and where all workers share one OS thread. */
static void refused_beside_the_caller(void) {
  pthread_t other;
  start_weft(1, 0);
  CHECK(pthread_create(&other, NULL, refuse_on_a_worker, NULL) == 0 && pthread_join(other, NULL) == 0);
  CHECK(weft_finalize() == WEFT_OK);
  CHECK(setenv("WEFT_SCHEDULE", "seed:1", 1) == 0);
  start_weft(1, 0);
  CHECK(pthread_create(&other, NULL, refuse_outside, NULL) == 0 && pthread_join(other, NULL) == 0);
  CHECK(weft_finalize() == WEFT_OK);
  CHECK(unsetenv("WEFT_SCHEDULE") == 0);
}

/* ABT_init has started the runtime on an OS thread of the library's; the program's weft_init adds
 * workers from another one, which stays outside. */
static void the_program_comes_later_elsewhere(void) {
  pthread_t library;
  atomic_store(&begun, 0);
  atomic_store(&may_end, 0);
  CHECK(pthread_create(&library, NULL, begin_and_end, NULL) == 0);
  while (atomic_load(&begun) == 0) sched_yield();
  start_weft(2, 0);
  CHECK(weft_self() == NULL && weft_worker_count() == 2);
  weft_is_parallel();
  CHECK(weft_finalize() == WEFT_OK);
  atomic_store(&may_end, 1);
  CHECK(pthread_join(library, NULL) == 0);
  is_not_there();
  CHECK(!weft_is_initialized());
}

/* weft_init's caller stayed outside, and may be the one that calls ABT_init. */
static void the_caller_stayed_outside(void) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 2;
  config.caller_outside = true;
  CHECK(weft_init(&config) == WEFT_OK);
  CHECK(weft_self() == NULL);
  OK(ABT_init(0, NULL));
  CHECK(weft_self() != NULL);
  works();
  OK(ABT_finalize());
  CHECK(weft_self() == NULL && weft_worker_count() == 2);
  CHECK(weft_finalize() == WEFT_OK);
}

static void touch_all(void *unused) {
  (void)unused;
  ABT_thread me;
  void *low = NULL;
  size_t bytes = 0;
  int ends[2];
  OK(ABT_self_get_thread(&me));
  OK(ABT_thread_get_stack(me, &low, &bytes));
  CHECK(pipe(ends) == 0);
  CHECK(write(ends[1], low, 1) == 1 && write(ends[1], (char *)low + bytes - 1, 1) == 1);
  close(ends[0]);
  close(ends[1]);
}

/* A size that is also Weft's own for stacks: what is named is there. */
static void ask_for(size_t stack_bytes) {
  ABT_thread_attr attr;
  ABT_thread thread;
  OK(ABT_thread_attr_create(&attr));
  OK(ABT_thread_attr_set_stacksize(attr, stack_bytes));
  OK(ABT_thread_create(my_pool(), touch_all, NULL, attr, &thread));
  end(thread);
  OK(ABT_thread_attr_free(&attr));
}

/* What the interface says of the program's stacks is so. */
static void stacks_of_the_program(void) {
  size_t bytes = 0, of_self = 0;
  start_weft(1, 100 << 10);
  OK(ABT_init(0, NULL));
  OK(ABT_info_query_config(ABT_INFO_QUERY_KIND_DEFAULT_THREAD_STACKSIZE, &bytes));
  CHECK(bytes > 80 << 10 && bytes < 100 << 10);
  ABT_thread thread = start(my_pool(), nothing, NULL);
  OK(ABT_thread_get_stacksize(thread, &of_self));
  CHECK(of_self == bytes);
  end(thread);
  ask_for(100 << 10);
  OK(ABT_finalize());
  CHECK(weft_finalize() == WEFT_OK);
}
#endif

void check_life(void) {
  RUN(is_not_there);
#if IS_WEFT
  RUN(only_weft_runs);
  RUN(the_program_comes_later);
  RUN(the_library_comes_later);
  RUN(the_library_has_its_own_thread);
  RUN(the_program_ends_first);
  RUN(the_program_pins_to_it);
  RUN(starts_at_the_same_time);
  RUN(two_starts_in_one_runtime);
  RUN(refused_beside_the_caller);
  RUN(the_program_comes_later_elsewhere);
  RUN(the_caller_stayed_outside);
  RUN(stacks_of_the_program);
#endif
  if (IS_WEFT) RUN(made_before);
  if (IS_WEFT) RUN(ids_of_pools);
  if (IS_WEFT) RUN(values_of_the_primary);
  for (int round = 0; round < 3; ++round) {
    RUN(several_libraries);
    RUN(is_not_there);
  }
  if (IS_WEFT) RUN(only_the_primary_ends_it);
  RUN(is_not_there);
}
