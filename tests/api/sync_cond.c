/* weft_cond: order, no lost and no spurious wake-ups, deadlines, misuse. */
#include "sync_support.h"

enum { CALLERS = 8, ROUNDS = IS_SLOW ? 600 : 3000 };

/* ---- ping-pong ---- */

struct table {
  weft_mutex mutex;
  weft_cond its_turn[2];
  int turn;
};

static void play(void *argument, int index) {
  struct table *table = argument;
  IS_OK(weft_mutex_lock(&table->mutex));
  for (int i = 0; i < ROUNDS; ++i) {
    if (table->turn != index) IS_OK(weft_cond_wait(&table->its_turn[index], &table->mutex));
    CHECK(table->turn == index); /* no loop needed: nothing wakes but a signal */
    table->turn = 1 - index;
    IS_OK(weft_cond_signal(&table->its_turn[1 - index]));
  }
  IS_OK(weft_mutex_unlock(&table->mutex));
}

static void ping_pong(void) {
  struct table table = {WEFT_MUTEX_INIT, {WEFT_COND_INIT, WEFT_COND_INIT}, 0};
  run_team(2, play, &table);
  struct table recursive = {WEFT_MUTEX_RECURSIVE_INIT, {WEFT_COND_INIT, WEFT_COND_INIT}, 0};
  run_team(2, play, &recursive);
}

/* ---- a bounded queue, with deadlines that strike at any time ---- */

enum { PLACES = 3 };
struct queue {
  weft_mutex mutex;
  weft_cond has_item, has_place;
  int count, produced, consumed;
};

static weft_status wait_a_little(weft_cond *cond, struct queue *queue, int i) {
  if (i % 2 == 0) return weft_cond_wait(cond, &queue->mutex);
  return weft_cond_wait_until(cond, &queue->mutex, weft_deadline_in((uint64_t)(i % 5) * 10000));
}

static void produce_or_consume(void *argument, int index) {
  struct queue *queue = argument;
  const bool produces = index / 2 % 2 == 0; /* ULTs and OS threads do either */
  for (int i = 0; i < ROUNDS; ++i) {
    IS_OK(weft_mutex_lock(&queue->mutex));
    weft_cond *cond = produces ? &queue->has_place : &queue->has_item;
    while (queue->count == (produces ? PLACES : 0)) {
      const weft_status end = wait_a_little(cond, queue, i);
      CHECK(end == WEFT_OK || end == WEFT_TIMEOUT);
    }
    queue->count += produces ? 1 : -1;
    ++*(produces ? &queue->produced : &queue->consumed);
    IS_OK(weft_cond_signal(produces ? &queue->has_item : &queue->has_place));
    IS_OK(weft_mutex_unlock(&queue->mutex));
  }
}

static void bounded_queue(void) {
  struct queue queue = {.mutex = WEFT_MUTEX_INIT, .has_item = WEFT_COND_INIT, .has_place = WEFT_COND_INIT};
  run_team(CALLERS, produce_or_consume, &queue);
  CHECK(queue.count == 0 && queue.produced == CALLERS / 2 * ROUNDS && queue.consumed == queue.produced);
}

/* ---- broadcast ---- */

struct gate {
  weft_mutex mutex;
  weft_cond opened, arrived;
  int waiting;
  bool is_open;
};

static void pass(void *argument, int index) {
  (void)index;
  struct gate *gate = argument;
  IS_OK(weft_mutex_lock(&gate->mutex));
  ++gate->waiting;
  IS_OK(weft_cond_signal(&gate->arrived));
  IS_OK(weft_cond_wait(&gate->opened, &gate->mutex));
  CHECK(gate->is_open);
  --gate->waiting;
  IS_OK(weft_mutex_unlock(&gate->mutex));
}

static void broadcast(void) {
  for (int under_lock = 0; under_lock < 2; ++under_lock) {
    struct gate gate = {WEFT_MUTEX_INIT, WEFT_COND_INIT, WEFT_COND_INIT, 0, false};
    struct team team;
    start_team(&team, CALLERS, pass, &gate);
    IS_OK(weft_mutex_lock(&gate.mutex));
    while (gate.waiting != CALLERS) IS_OK(weft_cond_wait(&gate.arrived, &gate.mutex));
    gate.is_open = true;
    CHECK(weft_cond_has_waiters(&gate.opened) && !weft_cond_has_waiters(&gate.arrived));
    if (under_lock) IS_OK(weft_cond_broadcast(&gate.opened));
    IS_OK(weft_mutex_unlock(&gate.mutex));
    if (!under_lock) IS_OK(weft_cond_broadcast(&gate.opened));
    CHECK(!weft_cond_has_waiters(&gate.opened));
    end_team(&team);
    CHECK(gate.waiting == 0);
  }
}

/* ---- deadlines and arguments ---- */

static void deadlines(void) {
  weft_mutex mutex = WEFT_MUTEX_INIT;
  weft_cond cond = WEFT_COND_INIT;
  IS_OK(weft_cond_signal(&cond)); /* is not remembered */
  IS_OK(weft_mutex_lock(&mutex));
  const uint64_t deadline = weft_deadline_in(2 * MILLISECOND);
  CHECK(weft_cond_wait_until(&cond, &mutex, deadline) == WEFT_TIMEOUT);
  CHECK(weft_now_ns() >= deadline);
  CHECK(weft_cond_wait_until(&cond, &mutex, 0) == WEFT_TIMEOUT);
  IS_OK(weft_mutex_unlock(&mutex)); /* it was held again */
}

struct held_by_another {
  weft_mutex mutex;
  weft_status result;
};

static void wait_with_anothers(void *argument) {
  struct held_by_another *all = argument;
  weft_cond cond = WEFT_COND_INIT;
  all->result = weft_cond_wait_until(&cond, &all->mutex, weft_deadline_in(MILLISECOND));
}

static void recursive_mutex_of_another(void) {
  struct held_by_another all = {WEFT_MUTEX_RECURSIVE_INIT, WEFT_OK};
  weft_thread *other = NULL;
  IS_OK(weft_mutex_lock(&all.mutex));
  IS_OK(weft_thread_create(wait_with_anothers, &all, NULL, &other));
  IS_OK(weft_thread_join(other));
  CHECK(all.result == WEFT_NOT_OWNER);
  IS_OK(weft_mutex_unlock(&all.mutex));
}

static void recursive_mutex(void) {
  weft_mutex mutex = WEFT_MUTEX_RECURSIVE_INIT;
  weft_cond cond = WEFT_COND_INIT;
  CHECK(weft_cond_wait(&cond, &mutex) == WEFT_NOT_OWNER);
  for (int i = 0; i < 3; ++i) IS_OK(weft_mutex_lock(&mutex));
  CHECK(weft_cond_wait_until(&cond, &mutex, weft_deadline_in(MILLISECOND)) == WEFT_TIMEOUT);
  for (int i = 0; i < 3; ++i) IS_OK(weft_mutex_unlock(&mutex)); /* held as often as before */
  CHECK(weft_mutex_unlock(&mutex) == WEFT_NOT_OWNER);
}

static void arguments(void) {
  weft_mutex mutex = WEFT_MUTEX_INIT;
  weft_cond cond = WEFT_COND_INIT;
  CHECK(weft_cond_wait(NULL, &mutex) == WEFT_INVALID);
  CHECK(weft_cond_wait(&cond, NULL) == WEFT_INVALID);
  CHECK(weft_cond_wait_until(NULL, NULL, 0) == WEFT_INVALID);
  CHECK(weft_cond_signal(NULL) == WEFT_INVALID);
  CHECK(weft_cond_broadcast(NULL) == WEFT_INVALID);
}

/* ---- with a runtime ---- */

struct line {
  weft_mutex mutex;
  weft_cond next;
  atomic_int served;
  int order[CALLERS];
};

static void join_line(void *argument, int index) {
  struct line *line = argument;
  IS_OK(weft_mutex_lock(&line->mutex));
  IS_OK(weft_cond_wait(&line->next, &line->mutex));
  line->order[atomic_fetch_add(&line->served, 1)] = index;
  IS_OK(weft_mutex_unlock(&line->mutex));
}

static void first_come_first_woken(void) {
  struct line line = {.mutex = WEFT_MUTEX_INIT, .next = WEFT_COND_INIT};
  struct caller callers[CALLERS];
  for (int i = 0; i < CALLERS; ++i) {
    start_caller(&callers[i], true, join_line, &line, i);
    wait_until_blocked(&callers[i]);
  }
  for (int i = 0; i < CALLERS; ++i) {
    CHECK(atomic_load(&line.served) == i);
    IS_OK(weft_cond_signal(&line.next)); /* wakes one */
    wait_for(&line.served, i + 1);
  }
  for (int i = 0; i < CALLERS; ++i) end_caller(&callers[i]);
  for (int i = 0; i < CALLERS; ++i) CHECK(line.order[i] == i);
}

static weft_status wait_in_tasklet(void *memory) {
  struct line *line = memory;
  IS_OK(weft_mutex_lock(&line->mutex));
  const weft_status end = weft_cond_wait(&line->next, &line->mutex);
  IS_OK(weft_mutex_unlock(&line->mutex)); /* never given up */
  return end;
}

static void tasklets(void) {
  struct line line = {.mutex = WEFT_MUTEX_INIT, .next = WEFT_COND_INIT};
  CHECK(in_tasklet(wait_in_tasklet, &line) == WEFT_CANNOT_BLOCK);
}

static void anywhere(void) {
  ping_pong();
  bounded_queue();
  broadcast();
  deadlines();
  recursive_mutex();
  arguments();
}

static void with_runtime(void) {
  first_come_first_woken();
  recursive_mutex_of_another();
  tasklets();
}

int main(void) { return run_phases(anywhere, with_runtime); }
