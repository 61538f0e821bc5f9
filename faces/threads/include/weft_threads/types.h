/* Weft: the types of the generic threads interface, which are the same for every implementation.
 * Included by threads.h, whose conventions hold here.
 *
 * A mutex, a condition, a sync variable or a list lives in the user's memory, must not be moved
 * while in use, and is ready when it is zero-filled or set to its INIT. */
#ifndef WEFT_THREADS_TYPES_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
/* Marks a call whose result must be looked at. */
#define THREADS_NODISCARD [[nodiscard]]
extern "C" {
#else
/* Marks a call whose result must be looked at. */
#define THREADS_NODISCARD __attribute__((warn_unused_result))
#endif
/* Marks what the library exports. */
#define THREADS_API __attribute__((visibility("default")))

/* What a call that can fail returns. */
typedef enum threads_status {
  THREADS_OK = 0,           /* the call has done what its comment says */
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

/* What a thread runs. */
typedef void (*threads_function)(void *argument);

/* A thread that can be joined. */
typedef struct threads_thread threads_thread;

/* The deadline that never passes. */
#define THREADS_FOREVER UINT64_MAX

/* ---- start ----------------------------------------------------------------------------------- */

/* How threads_start starts an implementation. */
typedef struct threads_config {
  size_t size;                /* sizeof(threads_config); set by THREADS_CONFIG_INIT */
  const char *implementation; /* null: WEFT_THREADS, or "weft" */
  unsigned workers;           /* how many threads can run at once; 0: the implementation's own default, mostly the CPUs */
  size_t stack_bytes;         /* of each thread; 0: the implementation's default */
  bool caller_outside;        /* false: the caller is adopted as a thread; true: it stays an OS thread outside */
  bool counts;                /* keep what threads_counts tells also where that costs something */
} threads_config;

/* All defaults. */
#define THREADS_CONFIG_INIT {sizeof(threads_config), NULL, 0, 0, false, false}

/* ---- queries --------------------------------------------------------------------------------- */

/* What an implementation is like: bits of threads_features(). */
typedef enum threads_feature {
  /* A thread that waits keeps an OS thread from others: where those are limited, threads that wait
   * for ones not yet started can use them all up. */
  THREADS_BLOCKED_HOLDS_OS_THREAD = 1 << 0,
  THREADS_PARENT_RUNS_CHILDREN = 1 << 1, /* a parent that waits runs children that have not started */
  THREADS_IDLE_SPINS = 1 << 2,           /* workers without work use their CPUs */
  THREADS_MIGRATES = 1 << 3,             /* a thread may continue on another OS thread after a call that may switch */
  THREADS_LIMITED = 1 << 4,              /* no more than threads_worker_count() threads run at once, whatever they wait for */
  THREADS_COUNTS = 1 << 5,               /* threads_counts works, as this implementation was started */
  THREADS_CALLER_OUTSIDE = 1 << 6        /* the caller of threads_start is no thread */
} threads_feature;

/* What threads_counts tells. */
typedef struct threads_count {
  size_t queued;  /* made and not yet started */
  size_t running; /* started, and neither ended nor blocked; in implementations with workers: also those that wait for one */
  size_t blocked; /* in a call of this interface that waits */
} threads_count;

/* ---- objects --------------------------------------------------------------------------------- */

/* A lock that one caller holds at a time. */
typedef struct threads_mutex {
  uint64_t opaque[8]; /* the library's own */
} threads_mutex;
/* A free mutex. */
#define THREADS_MUTEX_INIT {{0, 0, 0, 0, 0, 0, 0, 0}}

/* A place to wait at for a change that is made under a mutex. */
typedef struct threads_cond {
  uint64_t opaque[8]; /* the library's own */
} threads_cond;
/* A condition at which no caller waits. */
#define THREADS_COND_INIT {{0, 0, 0, 0, 0, 0, 0, 0}}

/* A full/empty variable: a value that is there or not.
 * (B. Smith, HEP, 1981; as sync variables: Chamberlain, Callahan, Zima, 2007,
 * doi:10.1177/1094342007078442) */
typedef struct threads_sync {
  uint64_t value;         /* the value, if it is full */
  uint32_t state;         /* the library's own */
  uint32_t waiting_full;  /* the library's own */
  uint32_t waiting_empty; /* the library's own */
  uint32_t reserved;      /* the library's own */
  uint64_t opaque[24];    /* the library's own */
} threads_sync;
/* An empty sync variable. */
#define THREADS_SYNC_INIT {0, 0, 0, 0, 0, {0}}
/* A full sync variable with a value. */
#define THREADS_SYNC_FULL_INIT(value) {value, 1, 0, 0, 0, {0}}

/* Names a value that each thread has for itself. */
typedef struct threads_key {
  uint64_t opaque[2]; /* the library's own */
} threads_key;

/* One task of a list. */
typedef struct threads_task {
  threads_function function; /* what it runs */
  void *argument;            /* what that is called with */
  void *opaque[5];           /* the library's own */
} threads_task;

/* So many tasks lie in the list itself; more need memory. */
#define THREADS_TASKS_INSIDE 4

/* The children of one parent. */
typedef struct threads_list {
  threads_task *tasks;                       /* null: those inside */
  size_t count;                              /* how many tasks it has */
  size_t capacity;                           /* the library's own */
  bool anonymous;                            /* THREADS_LIST_ANONYMOUS_INIT */
  bool started;                              /* by threads_list_start */
  uint64_t opaque[20];                       /* the library's own */
  threads_task inside[THREADS_TASKS_INSIDE]; /* the first tasks */
} threads_list;

/* An empty list. */
#define THREADS_LIST_INIT            \
  {                                  \
    NULL, 0, 0, false, false, {0}, { \
      {                              \
        NULL, NULL, { NULL }         \
      }                              \
    }                                \
  }
/* An empty list of tasks that do not ask for their identity: see threads_list_start. */
#define THREADS_LIST_ANONYMOUS_INIT \
  {                                 \
    NULL, 0, 0, true, false, {0}, { \
      {                             \
        NULL, NULL, { NULL }        \
      }                             \
    }                               \
  }

/* Makes a list empty without touching all of its memory, for the shortest of tasks.
 * Switches: never. Callers: any. */
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
