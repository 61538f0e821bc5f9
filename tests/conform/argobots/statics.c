/* Mutexes, conditions and eventuals in the program's own memory: before ABT_init, with ULTs and
 * OS threads together, after ABT_finalize. */
#include "check.h"

#include <time.h>

static ABT_mutex_memory plain_memory = ABT_MUTEX_INITIALIZER;
static ABT_mutex_memory recursive_memory = ABT_RECURSIVE_MUTEX_INITIALIZER;
static ABT_cond_memory turn_memory[2] = {ABT_COND_INITIALIZER, ABT_COND_INITIALIZER};
static ABT_eventual_memory eventual_memory = ABT_EVENTUAL_INITIALIZER;

static ABT_mutex plain, recursive;
static ABT_cond turns[2];
static ABT_eventual eventual;

enum { ROUNDS = IS_SLOW ? 100 : 500 };

struct player {
  int index;
  atomic_int *ended;
};
static int turn;

static void play(void *argument) {
  struct player *me = argument;
  OK(ABT_mutex_lock(plain));
  for (int i = 0; i < ROUNDS; ++i) {
    while (turn != me->index) OK(ABT_cond_wait(turns[me->index], plain));
    turn = 1 - me->index;
    OK(ABT_cond_signal(turns[turn]));
  }
  OK(ABT_mutex_unlock(plain));
  atomic_fetch_add(me->ended, 1);
}

static void *play_outside(void *argument) {
  play(argument);
  return NULL;
}

/* One of them may be a ULT. */
static void ping_pong(bool has_ult) {
  atomic_int ended = 0;
  struct player players[2] = {{0, &ended}, {1, &ended}};
  turn = 0;
  pthread_t threads[2];
  CHECK(pthread_create(&threads[0], NULL, play_outside, &players[0]) == 0);
  if (has_ult) {
    end(start(my_pool(), play, &players[1]));
  } else {
    CHECK(pthread_create(&threads[1], NULL, play_outside, &players[1]) == 0);
    CHECK(pthread_join(threads[1], NULL) == 0);
  }
  CHECK(pthread_join(threads[0], NULL) == 0);
  CHECK(atomic_load(&ended) == 2);
}

static void *try_both(void *unused) {
  (void)unused;
  IS(ABT_ERR_MUTEX_LOCKED, ABT_mutex_trylock(plain));
  IS(ABT_ERR_MUTEX_LOCKED, ABT_mutex_trylock(recursive));
  return NULL;
}

static void held_once_and_twice(void) {
  OK(ABT_mutex_lock(plain));
  OK(ABT_mutex_lock_high(recursive));
  OK(ABT_mutex_lock_low(recursive));
  OK(ABT_mutex_trylock(recursive));
  OK(ABT_mutex_spinlock(recursive));
  for (int left = 4; left > 0; --left) {
    pthread_t other;
    CHECK(pthread_create(&other, NULL, try_both, NULL) == 0);
    CHECK(pthread_join(other, NULL) == 0);
    OK(left % 2 == 0 ? ABT_mutex_unlock_se(recursive) : ABT_mutex_unlock_de(recursive));
  }
  OK(ABT_mutex_unlock(plain));
}

static void kinds(void) {
  ABT_mutex both[2] = {plain, recursive};
  for (int i = 0; i < 2; ++i) {
    ABT_mutex_attr attr = ABT_MUTEX_ATTR_NULL;
    ABT_bool is_recursive;
    OK(ABT_mutex_get_attr(both[i], &attr));
    OK(ABT_mutex_attr_get_recursive(attr, &is_recursive));
    CHECK(is_recursive == (i == 1 ? ABT_TRUE : ABT_FALSE));
    OK(ABT_mutex_attr_free(&attr));
  }
}

static void *set_it(void *unused) {
  (void)unused;
  OK(ABT_eventual_set(eventual, NULL, 0));
  return NULL;
}

static void set_and_reset(void) {
  struct timespec soon;
  clock_gettime(CLOCK_REALTIME, &soon);
  IS(ABT_ERR_COND_TIMEDOUT, ABT_eventual_timedwait(eventual, NULL, &soon));
  pthread_t setter;
  CHECK(pthread_create(&setter, NULL, set_it, NULL) == 0);
  void *value = &soon;
  OK(ABT_eventual_wait(eventual, &value));
  CHECK(value == NULL);
  CHECK(pthread_join(setter, NULL) == 0);
  IS(ABT_ERR_EVENTUAL, ABT_eventual_set(eventual, NULL, 0));
  OK(ABT_eventual_timedwait(eventual, NULL, &soon));
  OK(ABT_eventual_reset(eventual));
  ABT_bool is_ready = ABT_TRUE;
  OK(ABT_eventual_test(eventual, NULL, &is_ready));
  CHECK(is_ready == ABT_FALSE);
}

static void all(bool has_ult) {
  ping_pong(has_ult);
  RUN(held_once_and_twice);
  RUN(kinds);
  RUN(set_and_reset);
}

void check_statics(void) {
  plain = ABT_MUTEX_MEMORY_GET_HANDLE(&plain_memory);
  recursive = ABT_MUTEX_MEMORY_GET_HANDLE(&recursive_memory);
  for (int i = 0; i < 2; ++i) turns[i] = ABT_COND_MEMORY_GET_HANDLE(&turn_memory[i]);
  eventual = ABT_EVENTUAL_MEMORY_GET_HANDLE(&eventual_memory);
  current_case = "before ABT_init";
  all(false);
  for (int round = 0; round < 2; ++round) {
    OK(ABT_init(0, NULL));
    current_case = "with a runtime";
    all(true);
    OK(ABT_finalize());
    current_case = "after ABT_finalize";
    all(false);
  }
}
