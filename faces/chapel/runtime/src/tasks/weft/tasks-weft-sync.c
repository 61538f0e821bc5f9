/* Sync and single variables. chpl-tasks-impl.h says what a variable is made of. */
#include "chplrt.h" /* Chapel's build looks for it here */

#include "weft-layer.h"

#ifdef CHPL_WEFT_2011
typedef chpl_string file_name;
#else
typedef int32_t file_name;
#endif

static weft_syncvar *full_token(chpl_sync_aux_t *sync) { return (weft_syncvar *)&sync->full_token; }
static weft_syncvar *empty_token(chpl_sync_aux_t *sync) { return (weft_syncvar *)&sync->empty_token; }

/* The caller is about to wait. */
static void let_parent_look(void) {
#ifndef CHPL_WEFT_2011
  const chpl_weft_task *task = chpl_weft_running();
  if (task != NULL) {
    chpl_weft_wake_parent(task);
  }
#endif
}

static void take(const char *call, weft_syncvar *token) {
  if (weft_syncvar_try_read_fe(token, NULL) == WEFT_OK) {
    return;
  }
  let_parent_look();
  if (weft_syncvar_read_fe(token, NULL) != WEFT_OK) {
    chpl_weft_fail(call);
  }
}

static void put_back(const char *call, weft_syncvar *token) {
  if (weft_syncvar_fill(token) != WEFT_OK) {
    chpl_weft_fail(call);
  }
}

/* An awaiter at both tokens, whose waker sets the event. */
typedef struct either_token {
  weft_awaiter awaiter;
  weft_event taken;
} either_token;

static void one_is_taken(weft_awaiter *awaiter, weft_status status) {
  (void)status; /* there is no deadline, and a task that is dropped does not go on */
  (void)weft_event_set(&((either_token *)(void *)awaiter)->taken);
}

void chpl_sync_lock(chpl_sync_aux_t *sync) {
  if (weft_syncvar_try_read_fe(full_token(sync), NULL) == WEFT_OK ||
      weft_syncvar_try_read_fe(empty_token(sync), NULL) == WEFT_OK) {
    return;
  }
  let_parent_look();
  either_token wait = {WEFT_AWAITER_INIT(one_is_taken), WEFT_EVENT_INIT};
  weft_await_case cases[2];
  cases[0].object = full_token(sync);
  cases[0].kind = WEFT_AWAIT_SYNCVAR_TAKE;
  cases[1].object = empty_token(sync);
  cases[1].kind = WEFT_AWAIT_SYNCVAR_TAKE;
  bool waits = false;
  if (weft_ext_await_any(&wait.awaiter, cases, 2, &waits) != WEFT_OK || (waits && weft_event_wait(&wait.taken) != WEFT_OK)) {
    chpl_weft_fail("chpl_sync_lock");
  }
}

void chpl_sync_unlock(chpl_sync_aux_t *sync) {
  put_back("chpl_sync_unlock", __atomic_load_n(&sync->is_full, __ATOMIC_RELAXED) ? full_token(sync) : empty_token(sync));
}

void chpl_sync_waitFullAndLock(chpl_sync_aux_t *sync, int32_t lineno, file_name filename) {
  (void)lineno;
  (void)filename;
  take("chpl_sync_waitFullAndLock", full_token(sync));
}

void chpl_sync_waitEmptyAndLock(chpl_sync_aux_t *sync, int32_t lineno, file_name filename) {
  (void)lineno;
  (void)filename;
  take("chpl_sync_waitEmptyAndLock", empty_token(sync));
}

void chpl_sync_markAndSignalFull(chpl_sync_aux_t *sync) {
  __atomic_store_n(&sync->is_full, 1, __ATOMIC_RELAXED);
  put_back("chpl_sync_markAndSignalFull", full_token(sync));
}

void chpl_sync_markAndSignalEmpty(chpl_sync_aux_t *sync) {
  __atomic_store_n(&sync->is_full, 0, __ATOMIC_RELAXED);
  put_back("chpl_sync_markAndSignalEmpty", empty_token(sync));
}

#ifdef CHPL_WEFT_2011
chpl_bool chpl_sync_isFull(void *value, chpl_sync_aux_t *sync, chpl_bool is_simple) {
  (void)is_simple;
#else
chpl_bool chpl_sync_isFull(void *value, chpl_sync_aux_t *sync) {
#endif
  (void)value;
  return __atomic_load_n(&sync->is_full, __ATOMIC_RELAXED) != 0;
}

void chpl_sync_initAux(chpl_sync_aux_t *sync) {
  *full_token(sync) = (weft_syncvar)WEFT_SYNCVAR_EMPTY_INIT;
  *empty_token(sync) = (weft_syncvar)WEFT_SYNCVAR_INIT(0);
  sync->is_full = 0;
  sync->spare = 0;
}

void chpl_sync_destroyAux(chpl_sync_aux_t *sync) { (void)sync; /* it has nothing but its words */ }

/* ---- native ones: a word with a full/empty bit beside it ------------------------------------------ */

static int done(weft_status status, const char *call) {
  if (status != WEFT_OK) {
    chpl_weft_fail(call);
  }
  return 0;
}

/* Chapel's modules declare words constant where only the state beside them changes. */
static uint64_t *word_of(const aligned_t *word) { return (uint64_t *)(uintptr_t)word; }

int chpl_weft_native_read_fe(aligned_t *out, const aligned_t *word) {
  weft_status status = weft_feb_try_read_fe(word_of(word), out);
  if (status == WEFT_BUSY) {
    let_parent_look();
    status = weft_feb_read_fe(word_of(word), out);
  }
  return done(status, "readFE of a native sync variable");
}

int chpl_weft_native_read_ff(aligned_t *out, const aligned_t *word) {
  weft_status status = weft_feb_try_read_ff(word_of(word), out);
  if (status == WEFT_BUSY) {
    let_parent_look();
    status = weft_feb_read_ff(word_of(word), out);
  }
  return done(status, "readFF of a native sync variable");
}

int chpl_weft_native_read_xx(aligned_t *out, const aligned_t *word) {
  return done(weft_feb_read_xx(word, out), "readXX of a native sync variable");
}

int chpl_weft_native_write_ef(aligned_t *word, const aligned_t *value) {
  weft_status status = weft_feb_try_write_ef(word, *value);
  if (status == WEFT_BUSY) {
    let_parent_look();
    status = weft_feb_write_ef(word, *value);
  }
  return done(status, "writeEF of a native sync variable");
}

int chpl_weft_native_write_ff(aligned_t *word, const aligned_t *value) {
  weft_status status = weft_feb_try_write_ff(word, *value);
  if (status == WEFT_BUSY) {
    let_parent_look();
    status = weft_feb_write_ff(word, *value);
  }
  return done(status, "writeFF of a native sync variable");
}

int chpl_weft_native_write_f(aligned_t *word, const aligned_t *value) {
  return done(weft_feb_write_f(word, *value), "writeXF of a native sync variable");
}

int chpl_weft_native_purge_to(aligned_t *word, const aligned_t *value) {
  return done(weft_feb_purge_to(word, *value), "reset of a native sync variable");
}

int chpl_weft_native_fill(const aligned_t *word) { return done(weft_feb_fill(word_of(word)), "fill of a native sync variable"); }

int chpl_weft_native_empty(const aligned_t *word) {
  return done(weft_feb_empty(word_of(word)), "empty of a native sync variable");
}

int chpl_weft_native_status(const aligned_t *word) { return weft_feb_is_full(word); }
