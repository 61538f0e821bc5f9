/* The table before the start and after the stop: it refuses everything, so that no call has to
 * ask whether there is one. */
#include <weft_threads/detail/fail.h>
#include <weft_threads/threads.h>

#include "builtin.h"

static threads_status refuse(const char *call) {
  return threads_fail(THREADS_NOT_STARTED, call, NULL, "no implementation runs: call threads_start first", 0);
}

static unsigned none_number(void) { return 0; }
static threads_status none_counts(threads_count *out) {
  (void)out;
  return refuse("threads_counts");
}
static threads_status none_create(threads_function function, void *argument, threads_thread **out) {
  (void)function;
  (void)argument;
  (void)out;
  return refuse("threads_create");
}
static threads_status none_join(threads_thread *thread) {
  (void)thread;
  return refuse("threads_join");
}
static uint64_t none_self_id(void) { return 0; }
static bool none_self_compare(const threads_thread *thread) {
  (void)thread;
  return false;
}
static void none_yield(void) {}
static threads_status none_sleep_ns(uint64_t interval_ns) {
  (void)interval_ns;
  return refuse("threads_sleep_ns");
}
static threads_status none_list_start(threads_list *list) {
  (void)list;
  return refuse("threads_list_start");
}
static threads_status none_list_wait(threads_list *list) {
  (void)list;
  return refuse("threads_list_wait");
}
static threads_status none_mutex_lock(threads_mutex *mutex) {
  (void)mutex;
  return refuse("threads_mutex_lock");
}
static threads_status none_mutex_try_lock(threads_mutex *mutex) {
  (void)mutex;
  return refuse("threads_mutex_try_lock");
}
static threads_status none_mutex_unlock(threads_mutex *mutex) {
  (void)mutex;
  return refuse("threads_mutex_unlock");
}
static threads_status none_mutex_destroy(threads_mutex *mutex) {
  (void)mutex;
  return refuse("threads_mutex_destroy");
}
static threads_status none_cond_wait(threads_cond *cond, threads_mutex *mutex) {
  (void)cond;
  (void)mutex;
  return refuse("threads_cond_wait");
}
static threads_status none_cond_wait_until(threads_cond *cond, threads_mutex *mutex, uint64_t deadline_ns) {
  (void)cond;
  (void)mutex;
  (void)deadline_ns;
  return refuse("threads_cond_wait_until");
}
static threads_status none_cond_signal(threads_cond *cond) {
  (void)cond;
  return refuse("threads_cond_signal");
}
static threads_status none_cond_broadcast(threads_cond *cond) {
  (void)cond;
  return refuse("threads_cond_broadcast");
}
static threads_status none_cond_destroy(threads_cond *cond) {
  (void)cond;
  return refuse("threads_cond_destroy");
}
static threads_status none_sync_read_fe(threads_sync *sync, uint64_t *out) {
  (void)sync;
  (void)out;
  return refuse("threads_sync_read_fe");
}
static threads_status none_sync_read_ff(threads_sync *sync, uint64_t *out) {
  (void)sync;
  (void)out;
  return refuse("threads_sync_read_ff");
}
static threads_status none_sync_write_ef(threads_sync *sync, uint64_t value) {
  (void)sync;
  (void)value;
  return refuse("threads_sync_write_ef");
}
static threads_status none_sync_write_xf(threads_sync *sync, uint64_t value) {
  (void)sync;
  (void)value;
  return refuse("threads_sync_write_xf");
}
static threads_status none_sync_empty(threads_sync *sync) {
  (void)sync;
  return refuse("threads_sync_empty");
}
static threads_status none_sync_fill(threads_sync *sync) {
  (void)sync;
  return refuse("threads_sync_fill");
}
static bool none_sync_is_full(const threads_sync *sync) {
  (void)sync;
  return false;
}
static threads_status none_sync_destroy(threads_sync *sync) {
  (void)sync;
  return refuse("threads_sync_destroy");
}
static threads_status none_key_create(void (*destructor)(void *), threads_key *out) {
  (void)destructor;
  (void)out;
  return refuse("threads_key_create");
}
static threads_status none_key_delete(threads_key key) {
  (void)key;
  return refuse("threads_key_delete");
}
static threads_status none_key_set(threads_key key, void *value) {
  (void)key;
  (void)value;
  return refuse("threads_key_set");
}
static void *none_key_get(threads_key key) {
  (void)key;
  return NULL;
}

const threads_component threads_component_none = {
    .version = THREADS_COMPONENT_VERSION,
    .size = sizeof(threads_component),
    .name = "",
    .features = none_number,
    .worker_count = none_number,
    .counts = none_counts,
    .create = none_create,
    .join = none_join,
    .self_id = none_self_id,
    .self_compare = none_self_compare,
    .yield = none_yield,
    .sleep_ns = none_sleep_ns,
    .list_start = none_list_start,
    .list_wait = none_list_wait,
    .mutex_lock = none_mutex_lock,
    .mutex_try_lock = none_mutex_try_lock,
    .mutex_unlock = none_mutex_unlock,
    .mutex_destroy = none_mutex_destroy,
    .cond_wait = none_cond_wait,
    .cond_wait_until = none_cond_wait_until,
    .cond_signal = none_cond_signal,
    .cond_broadcast = none_cond_broadcast,
    .cond_destroy = none_cond_destroy,
    .sync_read_fe = none_sync_read_fe,
    .sync_read_ff = none_sync_read_ff,
    .sync_write_ef = none_sync_write_ef,
    .sync_write_xf = none_sync_write_xf,
    .sync_empty = none_sync_empty,
    .sync_fill = none_sync_fill,
    .sync_is_full = none_sync_is_full,
    .sync_destroy = none_sync_destroy,
    .key_create = none_key_create,
    .key_delete = none_key_delete,
    .key_set = none_key_set,
    .key_get = none_key_get,
};
