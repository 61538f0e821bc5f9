/* Yield: order, fairness, and that no thread starves. None of this looks at a clock: where a thread
 * starves, the test hangs. */
#include <string.h>

#include "check.h"

/* ---- order on one worker ---- */

struct journal {
  int length;
  char text[4096];
};

struct scribe {
  struct journal *journal;
  char letter;
  int times;
};

static void write_letters(void *argument) {
  struct scribe *self = argument;
  for (int i = 0; i < self->times; ++i) {
    self->journal->text[self->journal->length++] = self->letter;
    weft_yield();
  }
}

/* After any yield, every other ready thread has had a turn: no letter comes again before the others
 * came. */
static void takes_turns(void) {
  enum { SCRIBES = 5, TIMES = 200 };
  static struct journal journal;
  memset(&journal, 0, sizeof journal);
  struct scribe scribes[SCRIBES];
  weft_thread *threads[SCRIBES];
  for (int i = 0; i < SCRIBES; ++i) {
    scribes[i] = (struct scribe){&journal, (char)('a' + i), TIMES};
    threads[i] = start(write_letters, &scribes[i]);
  }
  for (int i = 0; i < SCRIBES; ++i) OK(weft_thread_join(threads[i]));
  CHECK(journal.length == SCRIBES * TIMES);
  /* In any stretch of two rounds each letter is there. */
  for (int at = 0; at + 2 * SCRIBES <= journal.length; ++at) {
    for (int i = 0; i < SCRIBES; ++i) CHECK(memchr(journal.text + at, 'a' + i, 2 * SCRIBES) != NULL);
  }
}

static void main_yields_and_all_run(void) {
  enum { MANY = 300 };
  atomic_int count = 0;
  weft_thread *threads[MANY];
  for (int i = 0; i < MANY; ++i) threads[i] = start(add_one, &count);
  weft_yield(); /* returns when every unit that was ready has had its turn, or sooner */
  wait_for(&count, MANY);
  for (int i = 0; i < MANY; ++i) OK(weft_thread_join(threads[i]));
}

static void yields_alone(void) {
  for (int i = 0; i < 1000; ++i) weft_yield();
}

/* ---- what a yield keeps of its function ---- */

enum { KEPT_WORDS = 12, KEPT_ROUNDS = 50 };

static volatile long double long_factor = 1.25L; /* volatile, so that what is kept is compared with what is computed afresh */
static volatile double factor = 0.5;

/* Calls nothing: the compiler may keep `words` below the stack pointer, and the numbers in
 * registers. */
__attribute__((noinline)) static bool keeps_its_own(long mine, weft_thread *other) {
  volatile long words[KEPT_WORDS];
  for (int i = 0; i < KEPT_WORDS; ++i) words[i] = mine + i;
  const long double product = (long double)mine * long_factor, sum = (long double)mine + long_factor;
  const double half = (double)mine * factor;
  weft_yield();
  const weft_status status = weft_yield_to(other);
  bool is_right = product == (long double)mine * long_factor && sum == (long double)mine + long_factor;
  is_right = is_right && half == (double)mine * factor;
  for (int i = 0; i < KEPT_WORDS; ++i) is_right = is_right && words[i] == mine + i;
  return is_right && (status == WEFT_OK || status == WEFT_AGAIN || status == WEFT_INVALID);
}

struct keeper {
  long number;
  weft_thread *other;
  bool is_right;
};

static void keeps(void *argument) {
  struct keeper *self = argument;
  for (int i = 0; i < KEPT_ROUNDS; ++i) self->is_right = self->is_right && keeps_its_own(self->number * 1000 + i, self->other);
}

static void keeps_what_a_call_keeps(void) {
  enum { KEEPERS = 4 };
  struct keeper keepers[KEEPERS];
  weft_thread *threads[KEEPERS];
  for (int i = 0; i < KEEPERS; ++i) {
    keepers[i] = (struct keeper){i + 1, i > 0 ? threads[i - 1] : NULL, true};
    threads[i] = start(keeps, &keepers[i]);
  }
  for (int i = KEEPERS - 1; i >= 0; --i) OK(weft_thread_join(threads[i])); /* one that another names is joined after it */
  for (int i = 0; i < KEEPERS; ++i) CHECK(keepers[i].is_right);
}

/* The address is that of a function. */
static void yields_by_its_address(void) {
  void (*volatile by_address)(void) = weft_yield;
  weft_status (*volatile to_by_address)(weft_thread *) = weft_yield_to;
  atomic_int count = 0;
  weft_thread *const thread = start(add_one, &count);
  by_address();
  wait_for(&count, 1);
  IS(WEFT_INVALID, to_by_address(NULL));
  OK(weft_thread_join(thread));
}

/* ---- yield_to ---- */

struct ring {
  weft_thread *next;
  int *turn;
  int index, count;
  int rounds;
};

static void pass_round(void *argument) {
  struct ring *self = argument;
  for (int round = 0; round < self->rounds; ++round) {
    while (*self->turn % self->count != self->index) weft_yield();
    ++*self->turn;
    const weft_status result = weft_yield_to(self->next);
    CHECK(result == WEFT_OK || result == WEFT_AGAIN || result == WEFT_INVALID /* ended */);
  }
}

static void passes_round(void) {
  enum { COUNT = 4, ROUNDS = 500 };
  int turn = 0;
  struct ring ring[COUNT];
  weft_thread *threads[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    ring[i] = (struct ring){NULL, &turn, i, COUNT, ROUNDS};
    threads[i] = start(pass_round, &ring[i]);
  }
  for (int i = 0; i < COUNT; ++i) ring[i].next = threads[(i + 1) % COUNT];
  OK(weft_thread_join_many(threads, COUNT));
  CHECK(turn == COUNT * ROUNDS);
}

static atomic_int who_ran;
static void note_who(void *argument) { atomic_store(&who_ran, *(int *)argument); }

/* The one that is named runs next, wherever it is in the queue. */
static void runs_the_one_named(void) {
  enum { COUNT = 20 };
  for (int wanted = 0; wanted < COUNT; ++wanted) {
    weft_thread *threads[COUNT];
    int numbers[COUNT];
    for (int i = 0; i < COUNT; ++i) {
      numbers[i] = i;
      threads[i] = start(note_who, &numbers[i]);
    }
    atomic_store(&who_ran, -1);
    /* What ran last before main went on is not known, but that `wanted` has run at once is. */
    OK(weft_yield_to(threads[wanted]));
    CHECK(weft_thread_get_state(threads[wanted]) == WEFT_THREAD_ENDED);
    OK(weft_thread_join_many(threads, COUNT));
  }
}

static void in_tasklet(void *argument) {
  weft_yield(); /* does nothing */
  IS(WEFT_CANNOT_BLOCK, weft_yield_to(argument));
}

static void wait_for_event(void *argument) { OK(weft_event_wait(argument)); }

static void refuses_to_yield_to(void) {
  IS(WEFT_INVALID, weft_yield_to(NULL));
  weft_thread *one = start(nothing, NULL);
  wait_for_state(one, WEFT_THREAD_ENDED);
  IS(WEFT_INVALID, weft_yield_to(one));
  OK(weft_thread_join(one));

  weft_event event = WEFT_EVENT_INIT;
  one = start(wait_for_event, &event);
  wait_for_state(one, WEFT_THREAD_BLOCKED);
  IS(WEFT_AGAIN, weft_yield_to(one));
  OK(weft_event_set(&event));
  OK(weft_thread_join(one));

  weft_thread *tasklet;
  OK(weft_tasklet_create(in_tasklet, weft_self(), NULL, &tasklet));
  OK(weft_thread_join(tasklet));
}

/* ---- no thread starves ---- */

struct spinner {
  atomic_int *stop;
  atomic_int rounds;
};

static void yield_until_stopped(void *argument) {
  struct spinner *self = argument;
  while (atomic_load(self->stop) == 0) {
    atomic_fetch_add(&self->rounds, 1);
    weft_yield();
  }
}

/* Threads that only yield let each other, newcomers and those that block go on. */
static void spinners_let_others_run(void) {
  enum { SPINNERS = 7 };
  atomic_int stop = 0;
  struct spinner spinners[SPINNERS];
  weft_thread *threads[SPINNERS];
  for (int i = 0; i < SPINNERS; ++i) {
    spinners[i].stop = &stop;
    atomic_init(&spinners[i].rounds, 0);
    threads[i] = start(yield_until_stopped, &spinners[i]);
  }
  for (int i = 0; i < SPINNERS; ++i) wait_at_least(&spinners[i].rounds, 100);
  atomic_int count = 0;
  for (int i = 0; i < 100; ++i) OK(weft_thread_join(start(add_one, &count)));
  CHECK(atomic_load(&count) == 100);
  OK(weft_sleep_ns(MILLISECOND));
  atomic_store(&stop, 1);
  OK(weft_thread_join_many(threads, SPINNERS));
}

struct ping_pong {
  weft_semaphore ping, pong;
  atomic_int stop;
  atomic_int rounds;
};

static void ping(void *argument) {
  struct ping_pong *game = argument;
  while (atomic_load(&game->stop) == 0) {
    OK(weft_semaphore_release(&game->ping, 1));
    OK(weft_semaphore_acquire(&game->pong));
    atomic_fetch_add(&game->rounds, 1);
  }
  OK(weft_semaphore_release(&game->ping, 1));
}

static void pong(void *argument) {
  struct ping_pong *game = argument;
  for (;;) {
    OK(weft_semaphore_acquire(&game->ping));
    const bool is_over = atomic_load(&game->stop) != 0;
    OK(weft_semaphore_release(&game->pong, 1));
    if (is_over) return;
  }
}

static void stop_game(void *argument) { atomic_store(&((struct ping_pong *)argument)->stop, 1); }

static void stop_game_after_yields(void *argument) {
  for (int i = 0; i < 100; ++i) weft_yield();
  stop_game(argument);
}

static void stop_game_after_a_sleep(void *argument) {
  OK(weft_sleep_ns(MILLISECOND));
  stop_game(argument);
}

/* Two threads that wake each other, and never yield or rest, leave turns to a third. */
static void ping_pong_leaves_turns_to(weft_function third, bool first_come) {
  struct ping_pong game = {.stop = 0};
  weft_thread *stopper = first_come ? start(third, &game) : NULL;
  weft_thread *players[2] = {start(ping, &game), start(pong, &game)};
  if (!first_come) {
    wait_at_least(&game.rounds, 10);
    stopper = start(third, &game);
  }
  OK(weft_thread_join(players[0]));
  OK(weft_thread_join(players[1]));
  OK(weft_thread_join(stopper));
}

static void ping_pong_leaves_turns(void) {
  ping_pong_leaves_turns_to(stop_game, true);
  ping_pong_leaves_turns_to(stop_game, false);
  ping_pong_leaves_turns_to(stop_game_after_yields, true);
  ping_pong_leaves_turns_to(stop_game_after_a_sleep, true);
  ping_pong_leaves_turns_to(stop_game_after_a_sleep, false);
}

/* ... and main, which sleeps, wakes. */
static void ping_pong_lets_main_wake(void) {
  struct ping_pong game = {.stop = 0};
  weft_thread *players[2] = {start(ping, &game), start(pong, &game)};
  OK(weft_sleep_ns(2 * MILLISECOND));
  stop_game(&game);
  OK(weft_thread_join_many(players, 2));
}

/* A leaf that ends only after another worker ran its sibling. */
struct family {
  atomic_int sibling_ran;
  atomic_int sibling_sleeps;
};

static void spin_for_sibling(void *argument) {
  struct family *family = argument;
  while (atomic_load(&family->sibling_ran) == 0) sched_yield(); /* the OS thread only: this worker runs nothing else */
}

static void be_sibling(void *argument) { atomic_store(&((struct family *)argument)->sibling_ran, 1); }

static void leaf_with_a_sibling(void *argument) {
  (void)argument;
  struct family family = {0, 0};
  weft_thread *sibling = start(be_sibling, &family);
  spin_for_sibling(&family);
  OK(weft_thread_join(sibling));
}

static void parent_of_a_leaf(void *argument) {
  (void)argument;
  OK(weft_thread_join(start(leaf_with_a_sibling, NULL)));
}

static void sleep_and_be_sibling(void *argument) {
  atomic_store(&((struct family *)argument)->sibling_sleeps, 1);
  OK(weft_sleep_ns(100 * MICROSECOND));
  be_sibling(argument);
}

/* The sleeper's deadline passes while one worker is busy for good and the others sleep. */
static void leaf_waits_for_a_sleeper(void *argument) {
  (void)argument;
  struct family family = {0, 0};
  weft_thread *sibling = start(sleep_and_be_sibling, &family);
  wait_for(&family.sibling_sleeps, 1);
  spin_for_sibling(&family);
  OK(weft_thread_join(sibling));
}

static void busy_leaves_are_robbed(void) {
  for (int round = 0; round < 200; ++round) {
    OK(weft_thread_join(start(leaf_with_a_sibling, NULL)));
    leaf_with_a_sibling(NULL);
    OK(weft_thread_join(start(parent_of_a_leaf, NULL)));
  }
  for (int round = 0; round < 50; ++round) {
    OK(weft_thread_join(start(leaf_waits_for_a_sleeper, NULL)));
    if (round % 5 == 0) OK(weft_sleep_ns(200 * MICROSECOND)); /* all go to sleep in between */
  }
}

static void one_worker(void) {
  RUN(takes_turns);
  RUN(main_yields_and_all_run);
  RUN(yields_alone);
  RUN(keeps_what_a_call_keeps);
  RUN(yields_by_its_address);
  RUN(passes_round);
  RUN(runs_the_one_named);
  RUN(refuses_to_yield_to);
  RUN(spinners_let_others_run);
  RUN(ping_pong_leaves_turns);
  RUN(ping_pong_lets_main_wake);
}

static void several_workers(void) {
  RUN(main_yields_and_all_run);
  RUN(yields_alone);
  RUN(keeps_what_a_call_keeps);
  RUN(yields_by_its_address);
  RUN(refuses_to_yield_to);
  RUN(spinners_let_others_run);
  RUN(ping_pong_leaves_turns);
  RUN(ping_pong_lets_main_wake);
  RUN(busy_leaves_are_robbed);
}

int main(void) {
  weft_yield(); /* outside: the CPU */
  IS(WEFT_INVALID, weft_yield_to(NULL));
  with_workers("one worker", 1, one_worker);
  with_workers("two workers", 2, several_workers);
  with_workers("five workers", 5, several_workers);
  return 0;
}
