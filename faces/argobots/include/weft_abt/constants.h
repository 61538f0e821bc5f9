/* Weft's Argobots interface: version, error codes, enumerations and bits. Included by abt.h. */
#ifndef WEFT_ABT_CONSTANTS_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_ABT_CONSTANTS_H

#include <stdint.h>

/* ---- version: that of the interface, not of Weft (which is WEFT_VERSION) --------------------- */

#define ABT_RELEASE_TYPE_ALPHA 0
#define ABT_RELEASE_TYPE_BETA 1
#define ABT_RELEASE_TYPE_RC 2
#define ABT_RELEASE_TYPE_PATCH 3
#define ABT_CALC_VERSION(major, minor, revision, type, patch) \
  (((major) * 10000000) + ((minor) * 100000) + ((revision) * 1000) + ((type) * 100) + (patch))
#define ABT_VERSION "1.2"
#define ABT_NUMVERSION 10200300 /* ABT_CALC_VERSION(1, 2, 0, ABT_RELEASE_TYPE_PATCH, 0) */
/* The interface of 1.x; that of 2.0, which was never released, is not offered. */
#define ABT_ENABLE_VER_20_API_VAL 0
#undef ABT_ENABLE_VER_20_API

#define ABT_WEFT 1 /* lets a program see that this is Weft's abt.h */

/* ---- error codes: ABT_error_get_str gives their names ---------------------------------------- */

#define ABT_SUCCESS 0
#define ABT_ERR_UNINITIALIZED 1 /* ABT_init has not been called, or ABT_finalize has */
#define ABT_ERR_MEM 2           /* memory is exhausted */
#define ABT_ERR_OTHER 3
/* A handle that is null or not of the kind that the call takes, or a value out of range. */
#define ABT_ERR_INV_XSTREAM 4 /* also: the caller is an OS thread outside */
#define ABT_ERR_INV_XSTREAM_RANK 5
#define ABT_ERR_INV_XSTREAM_BARRIER 6
#define ABT_ERR_INV_SCHED 7
#define ABT_ERR_INV_SCHED_KIND 8
#define ABT_ERR_INV_SCHED_PREDEF 9
#define ABT_ERR_INV_SCHED_TYPE 10 /* never returned */
#define ABT_ERR_INV_SCHED_CONFIG 11
#define ABT_ERR_INV_POOL 12
#define ABT_ERR_INV_POOL_KIND 13
#define ABT_ERR_INV_POOL_ACCESS 14
#define ABT_ERR_INV_UNIT 15
#define ABT_ERR_INV_THREAD 16
#define ABT_ERR_INV_THREAD_ATTR 17
#define ABT_ERR_INV_TASK 18
#define ABT_ERR_INV_KEY 19
#define ABT_ERR_INV_MUTEX 20
#define ABT_ERR_INV_MUTEX_ATTR 21
#define ABT_ERR_INV_COND 22
#define ABT_ERR_INV_RWLOCK 23
#define ABT_ERR_INV_EVENTUAL 24
#define ABT_ERR_INV_FUTURE 25
#define ABT_ERR_INV_BARRIER 26
#define ABT_ERR_INV_TIMER 27
#define ABT_ERR_INV_QUERY_KIND 28
#define ABT_ERR_INV_TOOL_CONTEXT 52
#define ABT_ERR_INV_ARG 53
#define ABT_ERR_INV_POOL_CONFIG 56
#define ABT_ERR_INV_POOL_USER_DEF 57
/* The handle is good, but its object is not in a state for this call, or of a sort that cannot
 * do it. */
#define ABT_ERR_XSTREAM 29
#define ABT_ERR_XSTREAM_STATE 30 /* never returned */
#define ABT_ERR_XSTREAM_BARRIER 31
#define ABT_ERR_SCHED 32
#define ABT_ERR_SCHED_CONFIG 33
#define ABT_ERR_POOL 34
#define ABT_ERR_UNIT 35
#define ABT_ERR_THREAD 36
#define ABT_ERR_TASK 37
#define ABT_ERR_KEY 38
#define ABT_ERR_MUTEX 39
#define ABT_ERR_MUTEX_LOCKED 40 /* ABT_mutex_trylock: it is locked */
#define ABT_ERR_COND 41
#define ABT_ERR_COND_TIMEDOUT 42 /* ABT_cond_timedwait, ABT_eventual_timedwait: the time has passed */
#define ABT_ERR_RWLOCK 43
#define ABT_ERR_EVENTUAL 44
#define ABT_ERR_FUTURE 45
#define ABT_ERR_BARRIER 46
#define ABT_ERR_TIMER 47
#define ABT_ERR_MIGRATION_TARGET 48
#define ABT_ERR_MIGRATION_NA 49 /* there is nowhere to migrate to */
#define ABT_ERR_MISSING_JOIN 50 /* never returned */
#define ABT_ERR_FEATURE_NA 51   /* not offered: on this machine, or by a setting */
#define ABT_ERR_SYS 54          /* a call of the system failed */
#define ABT_ERR_CPUID 55

/* ---- states and kinds ------------------------------------------------------------------------ */

#define ABT_TRUE 1
#define ABT_FALSE 0
#define ABT_XSTREAM_ANY_RANK -1 /* the lowest rank that is free */

enum ABT_xstream_state { ABT_XSTREAM_STATE_RUNNING, ABT_XSTREAM_STATE_TERMINATED };

enum ABT_thread_state {
  ABT_THREAD_STATE_READY,     /* in a pool, or taken out of it by a caller that is going to run it */
  ABT_THREAD_STATE_RUNNING,   /* also while it runs others as their scheduler */
  ABT_THREAD_STATE_BLOCKED,   /* waits, and may be resumed */
  ABT_THREAD_STATE_TERMINATED /* has ended; not freed yet */
};

enum ABT_task_state { ABT_TASK_STATE_READY, ABT_TASK_STATE_RUNNING, ABT_TASK_STATE_TERMINATED };

/* No function uses it. */
enum ABT_sched_state { ABT_SCHED_STATE_READY, ABT_SCHED_STATE_RUNNING, ABT_SCHED_STATE_STOPPED, ABT_SCHED_STATE_TERMINATED };

enum ABT_sched_predef {
  ABT_SCHED_DEFAULT,   /* ABT_SCHED_BASIC */
  ABT_SCHED_BASIC,     /* the first of its pools that has a unit */
  ABT_SCHED_PRIO,      /* the same, said of priorities: the first pool is the most urgent */
  ABT_SCHED_RANDWS,    /* its first pool; when that is empty, one of the others chosen at random */
  ABT_SCHED_BASIC_WAIT /* ABT_SCHED_BASIC, for ABT_POOL_FIFO_WAIT */
};

enum ABT_sched_type { ABT_SCHED_TYPE_ULT, ABT_SCHED_TYPE_TASK /* the same */ };

enum ABT_pool_kind {
  ABT_POOL_FIFO,
  ABT_POOL_FIFO_WAIT, /* its pop_wait sleeps; with Weft that of ABT_POOL_FIFO does too */
  ABT_POOL_RANDWS /* the newest of those just made or revived first; a pop as ABT_POOL_CONTEXT_OWNER_SECONDARY takes the oldest */
};

/* Which streams push and pop: one execution stream or several. Weft's pools serve any number
 * in every case. */
enum ABT_pool_access {
  ABT_POOL_ACCESS_PRIV, /* one execution stream does both */
  ABT_POOL_ACCESS_SPSC,
  ABT_POOL_ACCESS_MPSC,
  ABT_POOL_ACCESS_SPMC,
  ABT_POOL_ACCESS_MPMC
};

enum ABT_unit_type {
  ABT_UNIT_TYPE_THREAD,
  ABT_UNIT_TYPE_TASK,
  ABT_UNIT_TYPE_XSTREAM, /* no function uses it */
  ABT_UNIT_TYPE_EXT      /* an OS thread outside */
};

/* What ABT_info_query_config answers, and the type of the value that it writes. ABT_bool unless
 * said otherwise. */
enum ABT_info_query_kind {
  ABT_INFO_QUERY_KIND_ENABLED_DEBUG,
  ABT_INFO_QUERY_KIND_ENABLED_PRINT_ERRNO,
  ABT_INFO_QUERY_KIND_ENABLED_LOG,
  ABT_INFO_QUERY_KIND_ENABLED_VALGRIND,
  ABT_INFO_QUERY_KIND_ENABLED_CHECK_ERROR,
  ABT_INFO_QUERY_KIND_ENABLED_CHECK_POOL_PRODUCER,
  ABT_INFO_QUERY_KIND_ENABLED_CHECK_POOL_CONSUMER,
  ABT_INFO_QUERY_KIND_ENABLED_PRESERVE_FPU,
  ABT_INFO_QUERY_KIND_ENABLED_THREAD_CANCEL,
  ABT_INFO_QUERY_KIND_ENABLED_TASK_CANCEL,
  ABT_INFO_QUERY_KIND_ENABLED_MIGRATION,
  ABT_INFO_QUERY_KIND_ENABLED_STACKABLE_SCHED,
  ABT_INFO_QUERY_KIND_ENABLED_EXTERNAL_THREAD,
  ABT_INFO_QUERY_KIND_ENABLED_SCHED_SLEEP,
  ABT_INFO_QUERY_KIND_ENABLED_PRINT_CONFIG,
  ABT_INFO_QUERY_KIND_ENABLED_AFFINITY,
  ABT_INFO_QUERY_KIND_MAX_NUM_XSTREAMS,         /* unsigned int */
  ABT_INFO_QUERY_KIND_DEFAULT_THREAD_STACKSIZE, /* size_t */
  ABT_INFO_QUERY_KIND_DEFAULT_SCHED_STACKSIZE,  /* size_t */
  ABT_INFO_QUERY_KIND_DEFAULT_SCHED_EVENT_FREQ, /* uint64_t */
  ABT_INFO_QUERY_KIND_DEFAULT_SCHED_SLEEP_NSEC, /* uint64_t */
  ABT_INFO_QUERY_KIND_ENABLED_TOOL,
  ABT_INFO_QUERY_KIND_FCONTEXT,
  ABT_INFO_QUERY_KIND_DYNAMIC_PROMOTION,
  ABT_INFO_QUERY_KIND_ENABLED_STACK_UNWIND,
  ABT_INFO_QUERY_KIND_ENABLED_STACK_OVERFLOW_CHECK, /* int: 0 none, 1 canary, 2 guard pages, 3 guard pages or an error */
  ABT_INFO_QUERY_KIND_WAIT_POLICY,                  /* int: 0 passive, 1 active */
  ABT_INFO_QUERY_KIND_ENABLED_LAZY_STACK_ALLOC
};

/* ---- tools ----------------------------------------------------------------------------------- */

/* What ABT_tool_query_thread answers, and the type of the value that it writes. */
enum ABT_tool_query_kind {
  ABT_TOOL_QUERY_KIND_POOL,              /* ABT_pool: where the unit is or will be */
  ABT_TOOL_QUERY_KIND_STACK_DEPTH,       /* int: how many units run below it as its schedulers */
  ABT_TOOL_QUERY_KIND_CALLER_TYPE,       /* ABT_exec_entity_type */
  ABT_TOOL_QUERY_KIND_CALLER_HANDLE,     /* ABT_thread; null when the caller is outside */
  ABT_TOOL_QUERY_KIND_SYNC_OBJECT_TYPE,  /* ABT_sync_event_type: of a yield, suspend or resume */
  ABT_TOOL_QUERY_KIND_SYNC_OBJECT_HANDLE /* the object's handle, or null */
};

enum ABT_exec_entity_type { ABT_EXEC_ENTITY_TYPE_EXT, ABT_EXEC_ENTITY_TYPE_THREAD };

enum ABT_sync_event_type {
  ABT_SYNC_EVENT_TYPE_UNKNOWN = 0,
  ABT_SYNC_EVENT_TYPE_USER, /* the program asked for it */
  ABT_SYNC_EVENT_TYPE_OTHER,
  ABT_SYNC_EVENT_TYPE_XSTREAM_JOIN,
  ABT_SYNC_EVENT_TYPE_THREAD_JOIN,
  ABT_SYNC_EVENT_TYPE_MUTEX,
  ABT_SYNC_EVENT_TYPE_COND,
  ABT_SYNC_EVENT_TYPE_RWLOCK,
  ABT_SYNC_EVENT_TYPE_EVENTUAL,
  ABT_SYNC_EVENT_TYPE_FUTURE,
  ABT_SYNC_EVENT_TYPE_BARRIER
};

#define ABT_TOOL_EVENT_THREAD_NONE (0)
#define ABT_TOOL_EVENT_THREAD_CREATE (1 << 0)
#define ABT_TOOL_EVENT_THREAD_JOIN (1 << 1)
#define ABT_TOOL_EVENT_THREAD_FREE (1 << 2)
#define ABT_TOOL_EVENT_THREAD_REVIVE (1 << 3)
#define ABT_TOOL_EVENT_THREAD_RUN (1 << 4)
#define ABT_TOOL_EVENT_THREAD_FINISH (1 << 5)
#define ABT_TOOL_EVENT_THREAD_CANCEL (1 << 6)
#define ABT_TOOL_EVENT_THREAD_YIELD (1 << 7)
#define ABT_TOOL_EVENT_THREAD_SUSPEND (1 << 8)
#define ABT_TOOL_EVENT_THREAD_RESUME (1 << 9)
#define ABT_TOOL_EVENT_THREAD_ALL ((uint64_t)((1 << 12) - 1))

/* ---- what a pool is told of a push or pop: a priority, an owner and one operation, or-ed ----- */

typedef uint64_t ABT_pool_context;
#define ABT_POOL_CONTEXT_PRIO_DEFAULT_PRIO UINT64_C(0x0)
#define ABT_POOL_CONTEXT_PRIO_HIGH_PRIO UINT64_C(0x1)
#define ABT_POOL_CONTEXT_PRIO_LOW_PRIO UINT64_C(0x2)
#define ABT_POOL_CONTEXT_OWNER_DEFAULT UINT64_C(0x0)
#define ABT_POOL_CONTEXT_OWNER_PRIMARY UINT64_C(0x100)
#define ABT_POOL_CONTEXT_OWNER_SECONDARY UINT64_C(0x200) /* a thief */
#define ABT_POOL_CONTEXT_OP_POOL_OTHER UINT64_C(0x0)
#define ABT_POOL_CONTEXT_OP_THREAD_CREATE UINT64_C(0x1000)
#define ABT_POOL_CONTEXT_OP_THREAD_CREATE_TO UINT64_C(0x2000)
#define ABT_POOL_CONTEXT_OP_THREAD_REVIVE UINT64_C(0x4000)
#define ABT_POOL_CONTEXT_OP_THREAD_REVIVE_TO UINT64_C(0x8000)
#define ABT_POOL_CONTEXT_OP_THREAD_YIELD UINT64_C(0x10000)
#define ABT_POOL_CONTEXT_OP_THREAD_YIELD_TO UINT64_C(0x20000)
#define ABT_POOL_CONTEXT_OP_THREAD_RESUME_YIELD_TO UINT64_C(0x40000)
#define ABT_POOL_CONTEXT_OP_THREAD_YIELD_LOOP UINT64_C(0x80000) /* it waits by yielding */
#define ABT_POOL_CONTEXT_OP_THREAD_RESUME UINT64_C(0x100000)
#define ABT_POOL_CONTEXT_OP_THREAD_MIGRATE UINT64_C(0x200000)

#endif
