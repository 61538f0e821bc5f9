/* What guard.py counts the instructions of: one operation, so many times over, on one worker. Two
 * runs with different rounds differ by what the rounds cost, and by nothing else. It runs in a ULT,
 * as what programs do often does.
 *
 *     guard-weft NAME ROUNDS
 *     guard-weft               the compiler, and the names */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weft/ext.h>
#include <weft/hot.h>
#include <weft/weft.h>

static void must(weft_status status) {
  if (status == WEFT_OK) return;
  fprintf(stderr, "guard-weft: %s\n", weft_status_name(status));
  exit(1);
}

static void nothing(void *argument) { (void)argument; }

static void fork_join(long rounds) {
  for (long i = 0; i < rounds; ++i) {
    weft_forked *forked = weft_fork(nothing, &i, sizeof i);
    weft_fork_join(forked, nothing, &i, sizeof i);
  }
}

static void create_join(long rounds) {
  for (long i = 0; i < rounds; ++i) {
    weft_thread *thread;
    must(weft_thread_create(nothing, NULL, NULL, &thread));
    must(weft_thread_join(thread));
  }
}

enum { batch = 100 };

static void in_batches(long rounds, weft_status (*create)(weft_function, void *, const weft_thread_attr *, weft_thread **)) {
  weft_thread *threads[batch];
  for (long done = 0; done < rounds; done += batch) {
    for (int i = 0; i < batch; ++i) must(create(nothing, NULL, NULL, &threads[i]));
    for (int i = 0; i < batch; ++i) must(weft_thread_join(threads[i]));
  }
}

static void create_join_batch(long rounds) { in_batches(rounds, weft_thread_create); }

/* As create-join-batch, by one call a batch. */
static void create_many_batch(long rounds) {
  weft_thread *threads[batch];
  for (long done = 0; done < rounds; done += batch) {
    must(weft_thread_create_many(nothing, NULL, 0, batch, NULL, threads));
    for (int i = 0; i < batch; ++i) must(weft_thread_join(threads[i]));
  }
}
static void tasklet_batch(long rounds) { in_batches(rounds, weft_tasklet_create); }

/* As create-join-batch, with 64 bytes that are copied. */
static weft_status create_copied(weft_function function, void *unused, const weft_thread_attr *attr, weft_thread **out) {
  static const char bytes[64];
  (void)unused;
  return weft_thread_create_copy(function, bytes, sizeof bytes, attr, out);
}
static void copied_batch(long rounds) { in_batches(rounds, create_copied); }

static void with_two(weft_function function, long rounds) {
  weft_thread *threads[2];
  for (int i = 0; i < 2; ++i) must(weft_thread_create(function, &rounds, NULL, &threads[i]));
  for (int i = 0; i < 2; ++i) must(weft_thread_join(threads[i]));
}

static void yields(void *rounds) {
  for (long i = 0; i < *(long *)rounds; i += 2) weft_yield();
}
static void yield(long rounds) { with_two(yields, rounds); }

static void lock_unlock(long rounds) {
  static weft_mutex mutex = WEFT_MUTEX_INIT;
  for (long i = 0; i < rounds; ++i) {
    must(weft_mutex_lock(&mutex));
    must(weft_mutex_unlock(&mutex));
  }
}

static void lock_recursive(long rounds) {
  static weft_mutex mutex = WEFT_MUTEX_RECURSIVE_INIT;
  for (long i = 0; i < rounds; ++i) {
    must(weft_mutex_lock(&mutex));
    must(weft_mutex_unlock(&mutex));
  }
}

static struct {
  weft_mutex mutex;
  weft_cond passed;
  int players;
  int whose;
} game = {WEFT_MUTEX_INIT, WEFT_COND_INIT, 0, 0};

static void plays(void *rounds) {
  must(weft_mutex_lock(&game.mutex));
  const int me = game.players++;
  for (long i = 0; i < *(long *)rounds; i += 2) {
    while (game.whose != me) must(weft_cond_wait(&game.passed, &game.mutex));
    game.whose = 1 - me;
    must(weft_cond_signal(&game.passed));
  }
  must(weft_mutex_unlock(&game.mutex));
}
static void cond_turn(long rounds) { with_two(plays, rounds); }

struct parking {
  weft_thread *parked;
  long times;
};

static bool publish(weft_thread *self, void *argument) {
  ((struct parking *)argument)->parked = self;
  return true;
}

static void parks(void *argument) {
  struct parking *at = argument;
  for (; at->times > 0; --at->times) must(weft_ext_park(publish, at, NULL));
}

/* A thread parks, and another one unparks it and lets it run. */
static void park_unpark(long rounds) {
  struct parking at = {NULL, rounds};
  weft_thread *thread;
  must(weft_thread_create(parks, &at, NULL, &thread));
  while (at.parked == NULL) weft_yield();
  while (at.times > 0) {
    weft_ext_unpark(at.parked);
    weft_yield();
  }
  must(weft_thread_join(thread));
}

static long came;

static void comes(weft_awaiter *awaiter, weft_status status) {
  (void)awaiter;
  came += status == WEFT_OK;
}

static void await_set(long rounds) {
  weft_awaiter awaiter = WEFT_AWAITER_INIT(comes);
  for (long i = 0; i < rounds; ++i) {
    weft_event event = WEFT_EVENT_INIT;
    bool waits;
    must(weft_ext_await(&awaiter, &event, WEFT_AWAIT_EVENT, &waits));
    must(weft_event_set(&event));
  }
  if (came == rounds) return;
  fputs("guard-weft: await-set: ready was not called\n", stderr);
  exit(1);
}

static const struct {
  const char *name;
  void (*run)(long rounds);
} operations[] = {{"fork-join", fork_join},
                  {"create-join", create_join},
                  {"create-join-batch", create_join_batch},
                  {"copied-batch", copied_batch},
                  {"tasklet-batch", tasklet_batch},
                  {"yield", yield},
                  {"lock-unlock", lock_unlock},
                  {"cond-turn", cond_turn},
                  {"park-unpark", park_unpark},
                  {"await-set", await_set},
                  {"create-many-batch", create_many_batch},
                  {"lock-recursive", lock_recursive}};
enum { operation_count = sizeof operations / sizeof *operations };

#if defined(__clang__)
#define COMPILER "clang"
#define COMPILER_MAJOR __clang_major__
#else
#define COMPILER "gcc"
#define COMPILER_MAJOR __GNUC__
#endif

static int list(void) {
  printf("%s %d\n", COMPILER, COMPILER_MAJOR);
  for (int i = 0; i < operation_count; ++i) puts(operations[i].name);
  return 0;
}

static int refuse(void) {
  fprintf(stderr, "usage: guard-weft NAME ROUNDS (a multiple of %d), or guard-weft alone for the names\n", batch);
  return 2;
}

struct order {
  void (*run)(long rounds);
  long rounds;
};
static void carry_out(void *order) { ((struct order *)order)->run(((struct order *)order)->rounds); }

/* Without weft_finalize, which would write the file of a trace. */
_Noreturn static void run_in_thread(struct order order) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 1;
  must(weft_init(&config));
  weft_thread *thread;
  must(weft_thread_create(carry_out, &order, NULL, &thread));
  must(weft_thread_join(thread));
  _exit(0);
}

int main(int argc, char **argv) {
  if (argc == 1) return list();
  const long rounds = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
  if (rounds <= 0 || rounds % batch != 0) return refuse();
  for (int i = 0; i < operation_count; ++i) {
    if (strcmp(operations[i].name, argv[1]) == 0) run_in_thread((struct order){operations[i].run, rounds});
  }
  return refuse();
}
