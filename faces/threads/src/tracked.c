/* Keys whose values are known: each value is a record in the key's list, and the implementation's
 * key (of a thread) or the system's (of an OS thread outside) leads to the caller's own. A thread
 * reads and sets its own record alone, which tasks with their parent's identity share; the lists,
 * and the making of keys and records, belong to a mutex, under which no caller switches. */
#include <weft_threads/tracked.h>

#include <pthread.h>
#include <stdlib.h>

#include <weft_threads/detail/fail.h>
#include <weft_threads/manage.h>
#include <weft_threads_word/word.h>

#include "builtin.h"
#include "caller.h"

struct threads_tracked_value {
  threads_tracked_key *key;
  void *value;
  struct threads_tracked_value *next, *previous;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void link_first(threads_tracked_key *key, struct threads_tracked_value *record) {
  record->next = key->first;
  if (key->first != NULL) key->first->previous = record;
  key->first = record;
}

static void unlink_it(struct threads_tracked_value *record) {
  pthread_mutex_lock(&mutex);
  if (record->previous != NULL) {
    record->previous->next = record->next;
  } else {
    record->key->first = record->next;
  }
  if (record->next != NULL) record->next->previous = record->previous;
  pthread_mutex_unlock(&mutex);
}

/* Its thread has ended. */
static void end_record(void *given) {
  struct threads_tracked_value *const record = (struct threads_tracked_value *)given;
  void (*const destructor)(void *) = record->key->destructor;
  void *const value = word_pointer_load(&record->value, __ATOMIC_RELAXED);
  unlink_it(record);
  free(record);
  if (destructor != NULL && value != NULL) destructor(value);
}

/* ---- the two keys beneath -------------------------------------------------------------------------- */

/* acquire: the key that was made; pairs with make_inside and make_outside */
static bool has_inside(const threads_tracked_key *key) { return word64_load(&key->start, __ATOMIC_ACQUIRE) == caller_starts(); }
static uint64_t outside_of(const threads_tracked_key *key) { return word64_load(&key->outside, __ATOMIC_ACQUIRE); }

/* Also one of an earlier start: libweft's key lives on where the program's own weft_init does. Else
 * an implementation finds that it is gone, of which the caller's last error then tells. */
static void delete_inside(threads_tracked_key *key) {
  if (word64_load(&key->start, __ATOMIC_RELAXED) == 0) return;
  const threads_status gone = ((const threads_component *)key->implementation)->key_delete(key->inside);
  (void)gone;
  word64_store(&key->start, 0, __ATOMIC_RELAXED);
}

static threads_status make_inside(threads_tracked_key *key) {
  threads_status status = THREADS_OK;
  pthread_mutex_lock(&mutex);
  if (!has_inside(key)) {
    delete_inside(key);
    status = threads_component_now->key_create(end_record, &key->inside);
    key->implementation = threads_component_now;
    if (status == THREADS_OK) word64_store(&key->start, caller_starts(), __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&mutex);
  return status == THREADS_OK ? status : threads_fail_as(status, "threads_tracked_set");
}

static threads_status make_outside(threads_tracked_key *key) {
  pthread_key_t its;
  int error = 0;
  pthread_mutex_lock(&mutex);
  if (outside_of(key) == 0) {
    error = pthread_key_create(&its, end_record);
    if (error == 0) word64_store(&key->outside, (uint64_t)its + 1, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&mutex);
  if (error == 0) return THREADS_OK;
  return threads_fail(THREADS_AGAIN, "threads_tracked_set", NULL, "the system has no more keys", 0);
}

/* ---- values ------------------------------------------------------------------------------------------ */

static struct threads_tracked_value *own_record(const threads_tracked_key *key) {
  if (caller_is_outside()) {
    const uint64_t its = outside_of(key);
    return (struct threads_tracked_value *)(its != 0 ? pthread_getspecific((pthread_key_t)(its - 1)) : NULL);
  }
  return (struct threads_tracked_value *)(has_inside(key) ? threads_component_now->key_get(key->inside) : NULL);
}

static threads_status attach(threads_tracked_key *key, struct threads_tracked_value *record) {
  if (!caller_is_outside()) {
    const threads_status status = threads_component_now->key_set(key->inside, record);
    return status == THREADS_OK ? status : threads_fail_as(status, "threads_tracked_set");
  }
  if (pthread_setspecific((pthread_key_t)(outside_of(key) - 1), record) == 0) return THREADS_OK;
  return threads_fail_without_memory("threads_tracked_set");
}

/* Keeps the record (*record is null then), unless a caller of the same identity has made one
 * meanwhile: that has the value. */
static threads_status add(threads_tracked_key *key, struct threads_tracked_value **record) {
  threads_status status = THREADS_OK;
  pthread_mutex_lock(&mutex);
  struct threads_tracked_value *const other = own_record(key);
  if (other != NULL) {
    word_pointer_store(&other->value, word_pointer_load(&(*record)->value, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
  } else {
    status = attach(key, *record);
    if (status == THREADS_OK) {
      link_first(key, *record);
      *record = NULL;
    }
  }
  pthread_mutex_unlock(&mutex);
  return status;
}

threads_status threads_tracked_set(threads_tracked_key *key, void *value) {
  if (key == NULL) return threads_fail_on_null("threads_tracked_set", "key");
  struct threads_tracked_value *record = own_record(key);
  if (record != NULL) {
    word_pointer_store(&record->value, value, __ATOMIC_RELAXED);
    return THREADS_OK;
  }
  threads_status status = caller_is_outside() ? make_outside(key) : make_inside(key);
  if (status != THREADS_OK) return status;
  record = (struct threads_tracked_value *)calloc(1, sizeof *record);
  if (record == NULL) return threads_fail_without_memory("threads_tracked_set");
  record->key = key;
  word_pointer_store(&record->value, value, __ATOMIC_RELAXED);
  status = add(key, &record);
  free(record);
  return status;
}

void *threads_tracked_get(const threads_tracked_key *key) {
  const struct threads_tracked_value *const record = key != NULL ? own_record(key) : NULL;
  return record != NULL ? word_pointer_load(&record->value, __ATOMIC_RELAXED) : NULL;
}

threads_status threads_tracked_delete(threads_tracked_key *key) {
  if (key == NULL) return threads_fail_on_null("threads_tracked_delete", "key");
  pthread_mutex_lock(&mutex);
  struct threads_tracked_value *record = key->first;
  delete_inside(key);
  if (outside_of(key) != 0) pthread_key_delete((pthread_key_t)(outside_of(key) - 1));
  word64_store(&key->outside, 0, __ATOMIC_RELAXED);
  key->first = NULL;
  pthread_mutex_unlock(&mutex);
  while (record != NULL) {
    struct threads_tracked_value *const next = record->next;
    void *const value = word_pointer_load(&record->value, __ATOMIC_RELAXED);
    if (key->destructor != NULL && value != NULL) key->destructor(value);
    free(record);
    record = next;
  }
  return THREADS_OK;
}
