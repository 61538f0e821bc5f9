/* Weft: what an implementation of the generic threads interface is to the library: a table of functions. For those who write one; programs
 * have no use for it.
 *
 * One that is linked into the program is made known by threads_add_component. A loadable one is a shared module weft-threads-NAME.so that exports
 *     const threads_component weft_threads_component
 * and lies in the library's folder of modules or in one named by WEFT_THREADS_PATH. The functions keep the promises of threads.h. start
 * says on stderr what it refuses and why; stop is called by start's caller, and the other functions between the two alone. */
#ifndef WEFT_THREADS_COMPONENT_H
#define WEFT_THREADS_COMPONENT_H

#include <weft_threads/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define THREADS_COMPONENT_VERSION 1
#define THREADS_COMPONENT_SYMBOL "weft_threads_component"

typedef struct threads_component {
  uint32_t version; /* THREADS_COMPONENT_VERSION */
  uint32_t size;    /* sizeof(threads_component) */
  const char *name;

  threads_status (*start)(const threads_config *config);
  threads_status (*stop)(void);
  unsigned (*features)(void);
  unsigned (*worker_count)(void);
  threads_status (*counts)(threads_count *out);

  threads_status (*create)(threads_function function, void *argument, threads_thread **out);
  threads_status (*join)(threads_thread *thread);
  uint64_t (*self_id)(void);
  void (*yield)(void);
  threads_status (*sleep_ns)(uint64_t interval_ns);

  threads_status (*list_start)(threads_list *list);
  threads_status (*list_wait)(threads_list *list);

  threads_status (*mutex_lock)(threads_mutex *mutex);
  threads_status (*mutex_try_lock)(threads_mutex *mutex);
  threads_status (*mutex_unlock)(threads_mutex *mutex);
  threads_status (*mutex_destroy)(threads_mutex *mutex);

  threads_status (*cond_wait)(threads_cond *cond, threads_mutex *mutex);
  threads_status (*cond_wait_until)(threads_cond *cond, threads_mutex *mutex, uint64_t deadline_ns);
  threads_status (*cond_signal)(threads_cond *cond);
  threads_status (*cond_broadcast)(threads_cond *cond);
  threads_status (*cond_destroy)(threads_cond *cond);

  threads_status (*sync_read_fe)(threads_sync *sync, uint64_t *out);
  threads_status (*sync_read_ff)(threads_sync *sync, uint64_t *out);
  threads_status (*sync_write_ef)(threads_sync *sync, uint64_t value);
  threads_status (*sync_write_xf)(threads_sync *sync, uint64_t value);
  threads_status (*sync_empty)(threads_sync *sync);
  threads_status (*sync_fill)(threads_sync *sync);
  bool (*sync_is_full)(const threads_sync *sync);
  threads_status (*sync_destroy)(threads_sync *sync);

  threads_status (*key_create)(void (*destructor)(void *value), threads_key *out);
  threads_status (*key_delete)(threads_key key);
  threads_status (*key_set)(threads_key key, void *value);
  void *(*key_get)(threads_key key);
} threads_component;

/* Makes component known to threads_start by its name; call it before that. It must live for ever. THREADS_INVALID: null, of another version,
 * or without a name; THREADS_AGAIN: 8 have been added. One that bears another's name stands before that one. */
THREADS_API threads_status threads_add_component(const threads_component *component);

/* The part of the table that is made of the functions of threads.h, whichever of them are in scope. */
#define THREADS_COMPONENT_CALLS                                                                                       \
  .create = threads_create, .join = threads_join, .self_id = threads_self_id, .yield = threads_yield,                 \
  .sleep_ns = threads_sleep_ns, .list_start = threads_list_start, .list_wait = threads_list_wait,                     \
  .mutex_lock = threads_mutex_lock, .mutex_try_lock = threads_mutex_try_lock, .mutex_unlock = threads_mutex_unlock,   \
  .mutex_destroy = threads_mutex_destroy, .cond_wait = threads_cond_wait, .cond_wait_until = threads_cond_wait_until, \
  .cond_signal = threads_cond_signal, .cond_broadcast = threads_cond_broadcast, .cond_destroy = threads_cond_destroy, \
  .sync_read_fe = threads_sync_read_fe, .sync_read_ff = threads_sync_read_ff, .sync_write_ef = threads_sync_write_ef, \
  .sync_write_xf = threads_sync_write_xf, .sync_empty = threads_sync_empty, .sync_fill = threads_sync_fill,           \
  .sync_is_full = threads_sync_is_full, .sync_destroy = threads_sync_destroy, .key_create = threads_key_create,       \
  .key_delete = threads_key_delete, .key_set = threads_key_set, .key_get = threads_key_get

#ifdef __cplusplus
}
#endif
#endif
