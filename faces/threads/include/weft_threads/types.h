/* Weft: the types of the generic threads interface, which are the same for every implementation. See threads.h. */
#ifndef WEFT_THREADS_TYPES_H
#define WEFT_THREADS_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
#define THREADS_NODISCARD [[nodiscard]]
extern "C" {
#else
#define THREADS_NODISCARD __attribute__((warn_unused_result))
#endif
#define THREADS_API __attribute__((visibility("default")))

typedef enum threads_status {
  THREADS_OK = 0,
  THREADS_NOMEM = 1,        /* memory is exhausted */
  THREADS_INVALID = 2,      /* an argument is null, finished or out of range */
  THREADS_BUSY = 3,         /* the object is held, or in use */
  THREADS_TIMEOUT = 4,      /* the deadline passed */
  THREADS_AGAIN = 5,        /* the system refused a resource for now (an OS thread) */
  THREADS_UNSUPPORTED = 6,  /* this implementation cannot do it; threads_features() says what it can */
  THREADS_NOT_STARTED = 7,  /* threads_start has not been called, or threads_stop has */
  THREADS_CANNOT_BLOCK = 8, /* the caller must not wait */
  THREADS_NOT_OWNER = 9,    /* the caller does not hold the mutex, or may not stop what another started */
  THREADS_DEADLOCK = 10     /* the call would wait for its own caller */
} threads_status;

typedef void (*threads_function)(void *argument);

typedef struct threads_thread threads_thread; /* a thread that somebody will join */

#define THREADS_FOREVER UINT64_MAX

/* ---- start ------------------------------------------------------------------------------------------------------- */

typedef struct threads_config {
  size_t size;                /* sizeof(threads_config); set by THREADS_CONFIG_INIT */
  const char *implementation; /* null: WEFT_THREADS, or "weft" */
  unsigned workers;           /* how many threads can run at once; 0: the implementation's own default, mostly the CPUs */
  size_t stack_bytes;         /* of each thread; 0: the implementation's default */
  bool caller_outside;        /* false: the caller is adopted as a thread; true: it stays an OS thread outside */
  bool counts;                /* keep what threads_counts tells also where that costs something */
} threads_config;

#define THREADS_CONFIG_INIT {sizeof(threads_config), NULL, 0, 0, false, false}

/* ---- queries ----------------------------------------------------------------------------------------------------- */

/* What an implementation is like: bits of threads_features(). */
typedef enum threads_feature {
  THREADS_BLOCKED_HOLDS_OS_THREAD =
      1 << 0, /* a thread that waits keeps an OS thread from others: where those are limited, threads that
                                               wait for ones not yet started can use them all up */
  THREADS_PARENT_RUNS_CHILDREN = 1 << 1, /* who waits for children runs those that have not started, on its own stack */
  THREADS_IDLE_SPINS = 1 << 2,           /* workers without work use their CPUs */
  THREADS_MIGRATES = 1 << 3,             /* a thread may continue on another OS thread after a call that may switch */
  THREADS_LIMITED = 1 << 4,              /* no more than threads_worker_count() threads run at once, whatever they wait for */
  THREADS_COUNTS = 1 << 5,               /* threads_counts works, as this implementation was started */
  THREADS_CALLER_OUTSIDE = 1 << 6        /* the caller of threads_start is no thread */
} threads_feature;

typedef struct threads_count {
  size_t queued;  /* made and not yet started */
  size_t running; /* started, and neither ended nor blocked; in implementations with workers: also those that wait for one */
  size_t blocked; /* in a call of this interface that waits */
} threads_count;

/* ---- objects ----------------------------------------------------------------------------------------------------- */
/* They live in the user's memory, may not be moved while in use, and are ready when zero-filled or set to their INIT. */

typedef struct threads_mutex {
  uint64_t opaque[8];
} threads_mutex;
#define THREADS_MUTEX_INIT {{0, 0, 0, 0, 0, 0, 0, 0}}

typedef struct threads_cond {
  uint64_t opaque[8];
} threads_cond;
#define THREADS_COND_INIT {{0, 0, 0, 0, 0, 0, 0, 0}}

/* A full/empty variable: a value that is there or not. */
typedef struct threads_sync {
  uint64_t value;
  uint32_t state;
  uint32_t waiting_full;
  uint32_t waiting_empty;
  uint32_t reserved;
  uint64_t opaque[24];
} threads_sync;
#define THREADS_SYNC_INIT {0, 0, 0, 0, 0, {0}}                 /* empty */
#define THREADS_SYNC_FULL_INIT(value) {value, 1, 0, 0, 0, {0}} /* full */

typedef struct threads_key {
  uint64_t opaque[2];
} threads_key;

/* One task of a list. */
typedef struct threads_task {
  threads_function function;
  void *argument;
  void *opaque[5];
} threads_task;

#define THREADS_TASKS_INSIDE 4 /* so many tasks lie in the list itself; more need memory */

/* The children of one parent. */
typedef struct threads_list {
  threads_task *tasks; /* null: those inside */
  size_t count;
  size_t capacity;
  bool anonymous;
  bool started;
  uint64_t opaque[20];
  threads_task inside[THREADS_TASKS_INSIDE];
} threads_list;

#define THREADS_LIST_INIT            \
  {                                  \
    NULL, 0, 0, false, false, {0}, { \
      {                              \
        NULL, NULL, { NULL }         \
      }                              \
    }                                \
  }
/* Tasks that do not ask who they are: see threads_list_start. */
#define THREADS_LIST_ANONYMOUS_INIT \
  {                                 \
    NULL, 0, 0, true, false, {0}, { \
      {                             \
        NULL, NULL, { NULL }        \
      }                             \
    }                               \
  }

/* The same without touching the rest of the list's memory, for the shortest of tasks. */
static inline void threads_list_init(threads_list *list, bool anonymous) {
  list->tasks = NULL;
  list->count = 0;
  list->capacity = 0;
  list->anonymous = anonymous;
  list->started = false;
}

#ifdef __cplusplus
}
#endif
#endif
