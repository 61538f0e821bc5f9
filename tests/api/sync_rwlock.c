/* weft_rwlock: readers together, writers alone, first come first served, deadlines, misuse. */
#include "sync_support.h"

enum { CALLERS = 8, ROUNDS = 2000 };

struct record {
  weft_rwlock lock;
  atomic_int readers, writers;
  long left, right; /* equal outside of writers */
};

static weft_status lock_somehow(struct record *record, bool writes, int i) {
  if (i % 3 == 0) return writes ? weft_rwlock_write_lock(&record->lock) : weft_rwlock_read_lock(&record->lock);
  const uint64_t deadline = weft_deadline_in((uint64_t)(i % 5) * 10000);
  if (i % 3 == 1)
    return writes ? weft_rwlock_write_lock_until(&record->lock, deadline) : weft_rwlock_read_lock_until(&record->lock, deadline);
  return writes ? weft_rwlock_try_write_lock(&record->lock) : weft_rwlock_try_read_lock(&record->lock);
}

static void read_or_write(void *argument, int index) {
  struct record *record = argument;
  for (int i = 0; i < ROUNDS; ++i) {
    const bool writes = (i + index) % 4 == 0;
    const weft_status got = lock_somehow(record, writes, i);
    if (got != WEFT_OK) {
      CHECK(got == WEFT_BUSY || got == WEFT_TIMEOUT);
      continue;
    }
    atomic_int *mine = writes ? &record->writers : &record->readers;
    CHECK(atomic_fetch_add(mine, 1) == 0 || !writes);
    CHECK(atomic_load(writes ? &record->readers : &record->writers) == 0);
    CHECK(record->left == record->right);
    if (writes) ++record->left;
    if (i % 16 == 0) breathe();
    if (writes) ++record->right;
    atomic_fetch_sub(mine, 1);
    IS_OK(weft_rwlock_unlock(&record->lock));
  }
}

static void excludes(void) {
  struct record record = {.lock = WEFT_RWLOCK_INIT};
  run_team(CALLERS, read_or_write, &record);
  IS_OK(weft_rwlock_try_write_lock(&record.lock)); /* no caller was left in it */
  IS_OK(weft_rwlock_unlock(&record.lock));
}

static void time_out(void *argument, int index) {
  (void)index;
  CHECK(weft_rwlock_read_lock_until(argument, weft_deadline_in(MILLISECOND)) == WEFT_TIMEOUT);
  CHECK(weft_rwlock_write_lock_until(argument, weft_deadline_in(MILLISECOND)) == WEFT_TIMEOUT);
  CHECK(weft_rwlock_try_read_lock(argument) == WEFT_BUSY);
  CHECK(weft_rwlock_try_write_lock(argument) == WEFT_BUSY);
}

static void deadlines(void) {
  weft_rwlock lock = WEFT_RWLOCK_INIT;
  IS_OK(weft_rwlock_write_lock(&lock));
  run_team(4, time_out, &lock);
  IS_OK(weft_rwlock_unlock(&lock));
  CHECK(weft_rwlock_unlock(&lock) == WEFT_NOT_OWNER);
}

/* Readers are inside together: each waits there for the other. */
static void meet(void *argument, int index) {
  (void)index;
  struct record *record = argument;
  IS_OK(weft_rwlock_read_lock(&record->lock));
  atomic_fetch_add(&record->readers, 1);
  wait_for(&record->readers, 4);
  IS_OK(weft_rwlock_unlock(&record->lock));
}

static void readers_meet(void) {
  struct record record = {.lock = WEFT_RWLOCK_INIT};
  run_team(4, meet, &record);
}

static void arguments(void) {
  CHECK(weft_rwlock_read_lock(NULL) == WEFT_INVALID);
  CHECK(weft_rwlock_read_lock_until(NULL, 0) == WEFT_INVALID);
  CHECK(weft_rwlock_try_read_lock(NULL) == WEFT_INVALID);
  CHECK(weft_rwlock_write_lock(NULL) == WEFT_INVALID);
  CHECK(weft_rwlock_write_lock_until(NULL, 0) == WEFT_INVALID);
  CHECK(weft_rwlock_try_write_lock(NULL) == WEFT_INVALID);
  CHECK(weft_rwlock_unlock(NULL) == WEFT_INVALID);
}

/* ---- with a runtime ---- */

struct line {
  weft_rwlock lock;
  atomic_int served;
  int order[CALLERS];
};

static void note(struct line *line, int index) { line->order[atomic_fetch_add(&line->served, 1)] = index; }

static void read_once(void *argument, int index) {
  struct line *line = argument;
  IS_OK(weft_rwlock_read_lock(&line->lock));
  note(line, index);
  IS_OK(weft_rwlock_unlock(&line->lock));
}

static void write_once(void *argument, int index) {
  struct line *line = argument;
  IS_OK(weft_rwlock_write_lock(&line->lock));
  note(line, index);
  IS_OK(weft_rwlock_unlock(&line->lock));
}

static void write_in_vain(void *argument, int index) {
  (void)index;
  struct line *line = argument;
  CHECK(weft_rwlock_write_lock_until(&line->lock, weft_deadline_in(5 * MILLISECOND)) == WEFT_TIMEOUT);
}

static void a_waiting_writer_stops_readers(void) {
  struct line line = {.lock = WEFT_RWLOCK_INIT};
  struct caller writer, reader;
  IS_OK(weft_rwlock_read_lock(&line.lock));
  start_caller(&writer, true, write_once, &line, 0);
  wait_until_blocked(&writer);
  CHECK(weft_rwlock_try_read_lock(&line.lock) == WEFT_BUSY);
  start_caller(&reader, true, read_once, &line, 1);
  wait_until_blocked(&reader);
  IS_OK(weft_rwlock_unlock(&line.lock));
  end_caller(&writer);
  end_caller(&reader);
  CHECK(line.order[0] == 0 && line.order[1] == 1);
}

static void a_writer_that_gives_up_lets_readers_pass(void) {
  struct line line = {.lock = WEFT_RWLOCK_INIT};
  struct caller writer, reader;
  IS_OK(weft_rwlock_read_lock(&line.lock));
  start_caller(&writer, true, write_in_vain, &line, 0);
  wait_until_blocked(&writer);
  start_caller(&reader, true, read_once, &line, 1);
  end_caller(&reader); /* although we read on */
  end_caller(&writer);
  IS_OK(weft_rwlock_unlock(&line.lock));
}

static weft_status read_in_tasklet(void *lock) { return weft_rwlock_read_lock(lock); }

static void tasklets(void) {
  weft_rwlock lock = WEFT_RWLOCK_INIT;
  IS_OK(weft_rwlock_write_lock(&lock));
  CHECK(in_tasklet(read_in_tasklet, &lock) == WEFT_CANNOT_BLOCK);
  IS_OK(weft_rwlock_unlock(&lock));
}

static void anywhere(void) {
  excludes();
  deadlines();
  readers_meet();
  arguments();
}

static void with_runtime(void) {
  a_waiting_writer_stops_readers();
  a_writer_that_gives_up_lets_readers_pass();
  tasklets();
}

int main(void) { return run_phases(anywhere, with_runtime); }
