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
