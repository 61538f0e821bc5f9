/* Weft's Argobots interface: handles, static objects, and the definitions of schedulers and
 * pools that programs fill in. Included by abt.h. */
#ifndef WEFT_ABT_TYPES_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_ABT_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include <weft_abt/constants.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ABT_API_PUBLIC __attribute__((visibility("default")))
#define ABT_DEPRECATED __attribute__((deprecated))

/* ---- handles: pointers to what only the library knows ---------------------------------------- */

typedef struct ABT_xstream_opaque *ABT_xstream; /* an execution stream */
typedef struct ABT_xstream_barrier_opaque *ABT_xstream_barrier;
typedef struct ABT_sched_opaque *ABT_sched;
typedef struct ABT_sched_config_opaque *ABT_sched_config;
typedef struct ABT_pool_opaque *ABT_pool;
typedef struct ABT_pool_config_opaque *ABT_pool_config;
typedef struct ABT_pool_def *ABT_pool_user_def; /* also what fills the place of an ABT_pool_def */
typedef struct ABT_unit_opaque *ABT_unit;       /* a work unit as its pool knows it */
typedef struct ABT_thread_opaque *ABT_thread;   /* a ULT or a tasklet */
typedef struct ABT_thread_attr_opaque *ABT_thread_attr;
typedef struct ABT_thread_opaque *ABT_task;
typedef struct ABT_key_opaque *ABT_key;
typedef struct ABT_mutex_opaque *ABT_mutex;
typedef struct ABT_mutex_attr_opaque *ABT_mutex_attr;
typedef struct ABT_cond_opaque *ABT_cond;
typedef struct ABT_rwlock_opaque *ABT_rwlock;
typedef struct ABT_eventual_opaque *ABT_eventual;
typedef struct ABT_future_opaque *ABT_future;
typedef struct ABT_barrier_opaque *ABT_barrier;
typedef struct ABT_timer_opaque *ABT_timer;
typedef struct ABT_tool_context_opaque *ABT_tool_context;

typedef enum ABT_xstream_state ABT_xstream_state;
typedef enum ABT_sched_predef ABT_sched_predef;
typedef enum ABT_sched_state ABT_sched_state;
typedef enum ABT_sched_type ABT_sched_type;
typedef enum ABT_pool_kind ABT_pool_kind;
typedef enum ABT_pool_access ABT_pool_access;
typedef enum ABT_unit_type ABT_unit_type;
typedef enum ABT_thread_state ABT_thread_state;
typedef enum ABT_task_state ABT_task_state;
typedef enum ABT_info_query_kind ABT_info_query_kind;
typedef enum ABT_tool_query_kind ABT_tool_query_kind;
typedef enum ABT_exec_entity_type ABT_exec_entity_type;
typedef enum ABT_sync_event_type ABT_sync_event_type;
typedef uint64_t ABT_unit_id;
typedef ABT_unit_id ABT_thread_id;
typedef int ABT_bool;

/* No object. With Weft they are null pointers, which Argobots allows and does not do by default:
 * use the names. */
#define ABT_NULL 1
#define ABT_XSTREAM_NULL ((ABT_xstream)NULL)
#define ABT_XSTREAM_BARRIER_NULL ((ABT_xstream_barrier)NULL)
#define ABT_SCHED_NULL ((ABT_sched)NULL)
#define ABT_SCHED_CONFIG_NULL ((ABT_sched_config)NULL)
#define ABT_POOL_NULL ((ABT_pool)NULL)
#define ABT_POOL_CONFIG_NULL ((ABT_pool_config)NULL)
#define ABT_POOL_USER_DEF_NULL ((ABT_pool_user_def)NULL)
#define ABT_UNIT_NULL ((ABT_unit)NULL)
#define ABT_THREAD_NULL ((ABT_thread)NULL)
#define ABT_THREAD_ATTR_NULL ((ABT_thread_attr)NULL)
#define ABT_TASK_NULL ((ABT_task)NULL)
#define ABT_KEY_NULL ((ABT_key)NULL)
#define ABT_MUTEX_NULL ((ABT_mutex)NULL)
#define ABT_MUTEX_ATTR_NULL ((ABT_mutex_attr)NULL)
#define ABT_COND_NULL ((ABT_cond)NULL)
#define ABT_RWLOCK_NULL ((ABT_rwlock)NULL)
#define ABT_EVENTUAL_NULL ((ABT_eventual)NULL)
#define ABT_FUTURE_NULL ((ABT_future)NULL)
#define ABT_BARRIER_NULL ((ABT_barrier)NULL)
#define ABT_TIMER_NULL ((ABT_timer)NULL)
#define ABT_TOOL_CONTEXT_NULL ((ABT_tool_context)NULL)

/* ---- static objects -------------------------------------------------------------------------- */

/* A mutex, condition variable or eventual (without a value) in the program's own memory: set to
 * its initialiser and used through its handle, from the start of the process on, before ABT_init
 * and after ABT_finalize too. It is not freed. */
typedef struct {
  int dummy[16] __attribute__((aligned(8)));
} ABT_mutex_memory;
typedef struct {
  int dummy[16] __attribute__((aligned(8)));
} ABT_cond_memory;
typedef struct {
  int dummy[16] __attribute__((aligned(8)));
} ABT_eventual_memory;

#define ABT_MUTEX_INITIALIZER {{0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}} /* see WEFT_MUTEX_UNFAIR_INIT */
#define ABT_RECURSIVE_MUTEX_INITIALIZER {{8, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}}
#define ABT_COND_INITIALIZER {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}
#define ABT_EVENTUAL_INITIALIZER {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}
#define ABT_MUTEX_MEMORY_GET_HANDLE(memory) ((ABT_mutex)(memory))
#define ABT_COND_MEMORY_GET_HANDLE(memory) ((ABT_cond)(memory))
#define ABT_EVENTUAL_MEMORY_GET_HANDLE(memory) ((ABT_eventual)(memory))

/* ---- schedulers ------------------------------------------------------------------------------ */

typedef enum { ABT_SCHED_CONFIG_INT = 0, ABT_SCHED_CONFIG_DOUBLE = 1, ABT_SCHED_CONFIG_PTR = 2 } ABT_sched_config_type;
typedef struct {
  int idx; /* not negative in a program's own */
  ABT_sched_config_type type;
} ABT_sched_config_var;

extern ABT_sched_config_var ABT_sched_config_var_end ABT_API_PUBLIC; /* ends the arguments of ABT_sched_config_create */
extern ABT_sched_config_var ABT_sched_basic_freq ABT_API_PUBLIC;     /* int: units between two looks at events */
extern ABT_sched_config_var ABT_sched_config_access ABT_API_PUBLIC;  /* int: an ABT_pool_access for pools that it makes itself */
/* int: freed with the stream or stack that it was given to. Default: true for
 * ABT_sched_create_basic, false for ABT_sched_create. */
extern ABT_sched_config_var ABT_sched_config_automatic ABT_API_PUBLIC;

typedef int (*ABT_sched_init_fn)(ABT_sched, ABT_sched_config);
typedef void (*ABT_sched_run_fn)(ABT_sched);
typedef int (*ABT_sched_free_fn)(ABT_sched);
typedef ABT_pool (*ABT_sched_get_migr_pool_fn)(ABT_sched);

typedef struct {
  ABT_sched_type type;                      /* ignored: schedulers are ULTs */
  ABT_sched_init_fn init;                   /* null: none. Another answer than ABT_SUCCESS makes ABT_sched_create fail with it */
  ABT_sched_run_fn run;                     /* until ABT_sched_has_to_stop; calls ABT_xstream_check_events now and then */
  ABT_sched_free_fn free;                   /* null: none */
  ABT_sched_get_migr_pool_fn get_migr_pool; /* where units that migrate to this scheduler go; null: its first pool */
} ABT_sched_def;

/* ---- pools ----------------------------------------------------------------------------------- */

typedef enum { ABT_POOL_CONFIG_INT = 0, ABT_POOL_CONFIG_DOUBLE = 1, ABT_POOL_CONFIG_PTR = 2 } ABT_pool_config_type;
typedef struct {
  int key;
  ABT_pool_config_type type;
} ABT_pool_config_var;
/* int: freed with the last scheduler that it was given to. Default: false. */
extern const ABT_pool_config_var ABT_pool_config_automatic ABT_API_PUBLIC;

/* A pool of the program's own, for ABT_pool_user_def_create. All may be called on any stream and
 * outside, at the same time, and may not wait. A unit handle is unique among those that are
 * there at a time, and its two lowest bits are 0 (a pointer to an int will do). */
typedef ABT_unit (*ABT_pool_user_create_unit_fn)(ABT_pool, ABT_thread); /* ABT_UNIT_NULL: no memory */
typedef void (*ABT_pool_user_free_unit_fn)(ABT_pool, ABT_unit);
typedef ABT_bool (*ABT_pool_user_is_empty_fn)(ABT_pool);
typedef ABT_thread (*ABT_pool_user_pop_fn)(ABT_pool, ABT_pool_context); /* ABT_THREAD_NULL: nothing there */
typedef void (*ABT_pool_user_push_fn)(ABT_pool, ABT_unit, ABT_pool_context);
/* These need not be given. */
typedef int (*ABT_pool_user_init_fn)(ABT_pool, ABT_pool_config);
typedef void (*ABT_pool_user_free_fn)(ABT_pool);
typedef size_t (*ABT_pool_user_get_size_fn)(ABT_pool);
typedef ABT_thread (*ABT_pool_user_pop_wait_fn)(ABT_pool, double seconds, ABT_pool_context);
typedef void (*ABT_pool_user_pop_many_fn)(ABT_pool, ABT_thread *threads, size_t max_threads, size_t *num_popped,
                                          ABT_pool_context);
typedef void (*ABT_pool_user_push_many_fn)(ABT_pool, const ABT_unit *units, size_t num_units, ABT_pool_context);
typedef void (*ABT_pool_user_print_all_fn)(ABT_pool, void *arg, void (*print)(void *arg, ABT_thread));

/* A pool of the program's own in the older form, which knows units alone. */
typedef ABT_unit_type (*ABT_unit_get_type_fn)(ABT_unit);
typedef ABT_thread (*ABT_unit_get_thread_fn)(ABT_unit);
typedef ABT_task (*ABT_unit_get_task_fn)(ABT_unit);
typedef ABT_bool (*ABT_unit_is_in_pool_fn)(ABT_unit);
typedef ABT_unit (*ABT_unit_create_from_thread_fn)(ABT_thread);
typedef ABT_unit (*ABT_unit_create_from_task_fn)(ABT_task);
typedef void (*ABT_unit_free_fn)(ABT_unit *);
typedef int (*ABT_pool_init_fn)(ABT_pool, ABT_pool_config);
typedef size_t (*ABT_pool_get_size_fn)(ABT_pool);
typedef void (*ABT_pool_push_fn)(ABT_pool, ABT_unit);
typedef ABT_unit (*ABT_pool_pop_fn)(ABT_pool);
typedef ABT_unit (*ABT_pool_pop_wait_fn)(ABT_pool, double seconds);
typedef ABT_unit (*ABT_pool_pop_timedwait_fn)(ABT_pool, double until_seconds);
typedef int (*ABT_pool_remove_fn)(ABT_pool, ABT_unit);
typedef int (*ABT_pool_free_fn)(ABT_pool);
typedef int (*ABT_pool_print_all_fn)(ABT_pool, void *arg, void (*print)(void *arg, ABT_unit));

struct ABT_pool_def {
  ABT_pool_access access;
  ABT_unit_get_type_fn u_get_type;     /* not called */
  ABT_unit_get_thread_fn u_get_thread; /* not called */
  ABT_unit_get_task_fn u_get_task;     /* not called */
  ABT_unit_is_in_pool_fn u_is_in_pool; /* may be null; for ABT_thread_yield_to */
  ABT_unit_create_from_thread_fn u_create_from_thread;
  ABT_unit_create_from_task_fn u_create_from_task; /* not called: tasklets too go through u_create_from_thread */
  ABT_unit_free_fn u_free;
  ABT_pool_init_fn p_init; /* may be null */
  ABT_pool_get_size_fn p_get_size;
  ABT_pool_push_fn p_push;
  ABT_pool_pop_fn p_pop;
  ABT_pool_pop_timedwait_fn p_pop_timedwait; /* may be null; until a time of ABT_get_wtime */
  ABT_pool_remove_fn p_remove;               /* may be null; for ABT_thread_yield_to and ABT_pool_remove */
  ABT_pool_free_fn p_free;                   /* may be null */
  ABT_pool_print_all_fn p_print_all;         /* may be null */
};
typedef struct ABT_pool_def ABT_pool_def;

/* ---- tools ----------------------------------------------------------------------------------- */

/* Called where a work unit does something; event is one of the bits ABT_TOOL_EVENT_THREAD_*,
 * thread the unit that the event is of, and the stream is null outside. It may not wait, nor
 * keep the context. */
typedef void (*ABT_tool_thread_callback_fn)(ABT_thread, ABT_xstream, uint64_t event, ABT_tool_context context, void *user_arg);
typedef void (*ABT_tool_task_callback_fn)(ABT_task, ABT_xstream, uint64_t event, ABT_tool_context context, void *user_arg);

#ifdef __cplusplus
}
#endif
#endif
