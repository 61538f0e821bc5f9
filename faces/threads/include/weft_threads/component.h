/* Weft: what an implementation of the generic threads interface is to the library: a table of
 * functions. This header is for implementers; programs have no use for it.
 *
 * A program makes an implementation that is linked into it known by threads_add_component. A
 * loadable one is a shared module weft-threads-NAME.so that exports
 *
 *   const threads_component weft_threads_component;
 *
 * and lies in the library's folder of modules, or in one named by WEFT_THREADS_PATH. The functions
 * keep the promises of threads.h; those that fail say why by weft_ext_fail (<weft/failing.h>), for
 * threads_last_error(). start says on stderr what it refuses and why. stop is called by
 * start's caller, and the other functions only between the two. */
#ifndef WEFT_THREADS_COMPONENT_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_COMPONENT_H

#include <weft_threads/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this table. */
#define THREADS_COMPONENT_VERSION 2
/* The symbol that a loadable implementation exports. */
#define THREADS_COMPONENT_SYMBOL "weft_threads_component"

/* An implementation: a function for each call of threads.h. */
typedef struct threads_component {
  uint32_t version; /* THREADS_COMPONENT_VERSION */
  uint32_t size;    /* sizeof(threads_component) */
  const char *name; /* by which WEFT_THREADS and threads_start know it */

  threads_status (*start)(const threads_config *config); /* threads_start */
  threads_status (*stop)(void);                          /* threads_stop */
  unsigned (*features)(void);                            /* threads_features */
  unsigned (*worker_count)(void);                        /* threads_worker_count */
  threads_status (*counts)(threads_count *out);          /* threads_counts */

  threads_status (*create)(threads_function function, void *argument, threads_thread **out); /* threads_create */
  threads_status (*join)(threads_thread *thread);                                            /* threads_join */
  uint64_t (*self_id)(void);                                                                 /* threads_self_id */
  bool (*self_compare)(const threads_thread *thread);                                        /* threads_self_compare */
  void (*yield)(void);                                                                       /* threads_yield */
  threads_status (*sleep_ns)(uint64_t interval_ns);                                          /* threads_sleep_ns */

  threads_status (*list_start)(threads_list *list); /* threads_list_start */
  threads_status (*list_wait)(threads_list *list);  /* threads_list_wait */

  threads_status (*mutex_lock)(threads_mutex *mutex);     /* threads_mutex_lock */
  threads_status (*mutex_try_lock)(threads_mutex *mutex); /* threads_mutex_try_lock */
  threads_status (*mutex_unlock)(threads_mutex *mutex);   /* threads_mutex_unlock */
  threads_status (*mutex_destroy)(threads_mutex *mutex);  /* threads_mutex_destroy */

  threads_status (*cond_wait)(threads_cond *cond, threads_mutex *mutex);                             /* threads_cond_wait */
  threads_status (*cond_wait_until)(threads_cond *cond, threads_mutex *mutex, uint64_t deadline_ns); /* threads_cond_wait_until */
  threads_status (*cond_signal)(threads_cond *cond);                                                 /* threads_cond_signal */
  threads_status (*cond_broadcast)(threads_cond *cond);                                              /* threads_cond_broadcast */
  threads_status (*cond_destroy)(threads_cond *cond);                                                /* threads_cond_destroy */

  threads_status (*sync_read_fe)(threads_sync *sync, uint64_t *out);   /* threads_sync_read_fe */
  threads_status (*sync_read_ff)(threads_sync *sync, uint64_t *out);   /* threads_sync_read_ff */
  threads_status (*sync_write_ef)(threads_sync *sync, uint64_t value); /* threads_sync_write_ef */
  threads_status (*sync_write_xf)(threads_sync *sync, uint64_t value); /* threads_sync_write_xf */
  threads_status (*sync_empty)(threads_sync *sync);                    /* threads_sync_empty */
  threads_status (*sync_fill)(threads_sync *sync);                     /* threads_sync_fill */
  bool (*sync_is_full)(const threads_sync *sync);                      /* threads_sync_is_full */
  threads_status (*sync_destroy)(threads_sync *sync);                  /* threads_sync_destroy */

  threads_status (*key_create)(void (*destructor)(void *value), threads_key *out); /* threads_destructor */
  threads_status (*key_delete)(threads_key key);                                   /* threads_key_delete */
  threads_status (*key_set)(threads_key key, void *value);                         /* threads_key_set */
  void *(*key_get)(threads_key key);                                               /* threads_key_get */
} threads_component;

/* Makes an implementation known to threads_start by its name.
 * component must stay for the process's life. It takes precedence over another one of the same
 * name.
 * Errors: THREADS_INVALID (component is null, of another version, or has no name), THREADS_AGAIN (8
 * have been added).
 * Switches: never. Callers: any, before threads_start. */
THREADS_API threads_status threads_add_component(const threads_component *component);

/* The part of the table that is made of the functions of threads.h, whichever of them are in
 * scope. */
#define THREADS_COMPONENT_CALLS                                                                                           \
  .create = threads_create, .join = threads_join, .self_id = threads_self_id, .self_compare = threads_self_compare,       \
  .yield = threads_yield, .sleep_ns = threads_sleep_ns, .list_start = threads_list_start, .list_wait = threads_list_wait, \
  .mutex_lock = threads_mutex_lock, .mutex_try_lock = threads_mutex_try_lock, .mutex_unlock = threads_mutex_unlock,       \
  .mutex_destroy = threads_mutex_destroy, .cond_wait = threads_cond_wait, .cond_wait_until = threads_cond_wait_until,     \
  .cond_signal = threads_cond_signal, .cond_broadcast = threads_cond_broadcast, .cond_destroy = threads_cond_destroy,     \
  .sync_read_fe = threads_sync_read_fe, .sync_read_ff = threads_sync_read_ff, .sync_write_ef = threads_sync_write_ef,     \
  .sync_write_xf = threads_sync_write_xf, .sync_empty = threads_sync_empty, .sync_fill = threads_sync_fill,               \
  .sync_is_full = threads_sync_is_full, .sync_destroy = threads_sync_destroy, .key_create = threads_key_create,           \
  .key_delete = threads_key_delete, .key_set = threads_key_set, .key_get = threads_key_get

#ifdef __cplusplus
}
#endif
#endif
