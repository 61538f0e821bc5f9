/* Qthreads on Weft: the interface of Qthreads 1.23, as libweft-qthread has it.
 *
 * Conventions. "Errors" lists what a call returns besides QTHREAD_SUCCESS. A call that may switch
 * lets other tasks run before it returns. OS threads outside may call every function, unless it
 * says otherwise; where a task would be parked, they wait in the kernel. "Task" is a unit that one
 * of the fork functions made, or the caller of qthread_initialize. docs/guide/qthreads.md says what
 * differs from Qthreads; the guide is the place to begin. */
#ifndef WEFT_QTHREADS_QTHREAD_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_QTHREADS_QTHREAD_H

#include <errno.h>

#if defined(__cplusplus)
#include <atomic>
#define QT_Atomic(T) std::atomic<T>
using std::atomic_load_explicit;
using std::memory_order_relaxed;
#else
#include <stdatomic.h>
#define QT_Atomic(T) _Atomic(T)
#endif

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common.h"
#include "macros.h"

/* This is the interface on Weft. */
#define QTHREAD_WEFT 1

/* ---- codes, versions, types ------------------------------------------------------------------ */

#define QTHREAD_SUCCESS 0
#define QTHREAD_BADARGS -1
#define QTHREAD_PTHREAD_ERROR -2
#define QTHREAD_NOT_ALLOWED -3
#define QTHREAD_MALLOC_ERROR ENOMEM
#define QTHREAD_THIRD_PARTY_ERROR -4
#define QTHREAD_TIMEOUT -5
#define QTHREAD_OVERFLOW EOVERFLOW
#define QTHREAD_OPFAIL -7

#define NO_SHEPHERD ((qthread_shepherd_id_t) - 1)
#define NO_WORKER ((qthread_worker_id_t) - 1)

#define QTHREAD_RELEASE_TYPE_ALPHA 0
#define QTHREAD_RELEASE_TYPE_BETA 1
#define QTHREAD_RELEASE_TYPE_RC 2
#define QTHREAD_RELEASE_TYPE_PATCH 3
/* The release of Qthreads whose interface this is. */
#define QTHREAD_VERSION "1.23"
/* Octal, as Qthreads has it. */
#define QTHREAD_NUMVERSION 012300300
#define QTHREADS_GET_VERSION(MAJOR, MINOR, REVISION, TYPE, PATCH) \
  (((MAJOR) * 10000000) + ((MINOR) * 100000) + ((REVISION) * 1000) + ((TYPE) * 100) + (PATCH))

#define MACHINE_FENCE atomic_thread_fence(memory_order_acq_rel);
#if QTHREAD_ASSEMBLY_ARCH == QTHREAD_AMD64
#define QTHREAD_SWAPS_IMPLY_ACQ_REL_FENCES
#endif

Q_STARTCXX

#define QTHREAD_BITS 64

/* A word with a full/empty bit, and parts of one. */
typedef uint64_t aligned_t;
typedef uint32_t haligned_t;
typedef int64_t saligned_t;
#define QTHREAD_ALIGNMENT_ALIGNED_T (sizeof(aligned_t))
#define QALIGN(d, s) (s) = (d)

/* A word of 60 bits that has its full/empty state inside: full of 0 where it is zero-filled. */
typedef struct _syncvar_s {
  union {
    uint64_t w; /* the whole word */

    struct {
      unsigned lock : 1;  /* the library's */
      unsigned state : 3; /* 0 full, 2 empty; 1 more while a task waits */
      uint64_t data : 60; /* the value */
    } s;                  /* its parts */
  } u;                    /* the word */
} syncvar_t;

#define SYNCVAR_STATIC_INITIALIZER {{0}}
#define SYNCVAR_STATIC_EMPTY_INITIALIZER {.u.s = {.lock = 0, .state = 2, .data = 0}}
#define SYNCVAR_STATIC_INITIALIZE_TO(value)          \
  {                                                  \
    .u.s = {.lock = 0, .state = 0, .data = (value) } \
  }
#define SYNCVAR_STATIC_EMPTY_INITIALIZE_TO(value)    \
  {                                                  \
    .u.s = {.lock = 0, .state = 2, .data = (value) } \
  }
#define SYNCVAR_INITIALIZER ((syncvar_t)SYNCVAR_STATIC_INITIALIZER)
#define SYNCVAR_EMPTY_INITIALIZER ((syncvar_t)SYNCVAR_STATIC_EMPTY_INITIALIZER)
#define SYNCVAR_INITIALIZE_TO(value) ((syncvar_t)SYNCVAR_STATIC_INITIALIZE_TO(value))
#define SYNCVAR_EMPTY_INITIALIZE_TO(value) ((syncvar_t)SYNCVAR_STATIC_EMPTY_INITIALIZE_TO(value))

/* Signed numbers and doubles in 60 bits. */
#define INT64TOINT60(x) ((uint64_t)((x) & (uint64_t)0xfffffffffffffffULL))
#define INT60TOINT64(x) ((int64_t)(((x) & (uint64_t)0x800000000000000ULL) ? ((x) | (uint64_t)0xf800000000000000ULL) : (x)))
#define DBL64TODBL60(in, out) \
  do {                        \
    memcpy(&(out), &(in), 8); \
    (out) >>= 4;              \
  } while (0)
#define DBL60TODBL64(in, out) \
  do {                        \
    (in) <<= 4;               \
    memcpy(&(out), &(in), 8); \
  } while (0)

/* Shepherds and workers are numbered from 0. */
typedef unsigned short qthread_shepherd_id_t;
typedef unsigned short qthread_worker_id_t;

/* What a task runs: the value that it returns goes to the task's return word. */
typedef aligned_t (*qthread_f)(void *arg);

/* ---- start and end --------------------------------------------------------------------------- */

/* Starts the shepherds and their workers; the caller becomes a task of shepherd 0. Settings are the
 * variables of docs/guide/qthreads.md. A call while they run does nothing. A process that ends
 * through exit in that task calls qthread_finalize.
 * Errors: QTHREAD_MALLOC_ERROR, QTHREAD_THIRD_PARTY_ERROR (Weft did not start; a line on stderr
 * says why), QTHREAD_NOT_ALLOWED (the caller is a thread of Weft's own runtime, which runs already;
 * or another OS thread has ended the shepherds, and the one that started them has not followed).
 * Switches: never. */
int qthread_initialize(void);

/* As qthread_initialize, with nshepherds shepherds; the environment's number does not count.
 * Deprecated in Qthreads. */
int qthread_init(qthread_shepherd_id_t nshepherds);

/* Ends the shepherds and their workers. Tasks that have not ended are dropped: they never run
 * again, and a line on stderr says how many. The call waits until tasks that run have yielded, wait
 * or have ended.
 *
 * It comes from the task that called qthread_initialize, or from an OS thread outside. In the latter
 * case that task is an OS thread outside from then on, as far as this interface goes. What Weft
 * keeps for it ends when its OS thread calls qthread_finalize or qthread_initialize, or ends. Until
 * then, no other OS thread can start the shepherds again; and a task of shepherd 0 that waits, and
 * is woken, may run until it waits again; with the scheduler weft, tasks without a shepherd that were
 * ready go on. If an OS thread outside has called qthread_initialize while
 * the shepherds ran, its next call does nothing. So does a call from any other task.
 * Switches: may. */
void qthread_finalize(void);

/* Calls f(arg) for a return word; flags are those of qthread_spawn that concern ret.
 * Switches: may. */
void qthread_call_method(qthread_f f, void *arg, void *ret, uint16_t flags);

/* ---- tasks ----------------------------------------------------------------------------------- */

/* Lets other tasks that are ready on this shepherd run before the caller goes on: with nemesis all
 * of them. On an OS thread outside it yields the CPU. qthread_yield_(1), qthread_yield_near, is the
 * same.
 * Switches: may. */
void qthread_yield_(int near_tasks);
#define qthread_yield() \
  do {                  \
    qthread_yield_(0);  \
  } while (0)
#define qthread_yield_near() \
  do {                       \
    qthread_yield_(1);       \
  } while (0)

/* Does nothing: a task that was made is ready at once. */
void qthread_flushsc(void);

/* Features of qthread_spawn. */
enum _qthread_features {
  SPAWN_PARENT,         /* no meaning */
  SPAWN_SIMPLE,         /* the task does not block; one that does is named on stderr, and goes on */
  SPAWN_NEW_TEAM,       /* the task leads a new team */
  SPAWN_NEW_SUBTEAM,    /* the task leads a new team within the caller's */
  SPAWN_RET_SYNCVAR_T,  /* ret is a syncvar_t */
  SPAWN_RET_SINC,       /* ret is a qt_sinc_t, which gets the value */
  SPAWN_RET_SINC_VOID,  /* ret is a qt_sinc_t, which gets no value */
  SPAWN_PC_SYNCVAR_T,   /* the preconditions are syncvar_t */
  SPAWN_COUNT,          /* no meaning */
  SPAWN_LOCAL_PRIORITY, /* no meaning, as in 1.23 */
  SPAWN_NETWORK         /* no meaning */
};
#define QTHREAD_SPAWN_PARENT (1 << SPAWN_PARENT)
#define QTHREAD_SPAWN_SIMPLE (1 << SPAWN_SIMPLE)
#define QTHREAD_SPAWN_NEW_TEAM (1 << SPAWN_NEW_TEAM)
#define QTHREAD_SPAWN_NEW_SUBTEAM (1 << SPAWN_NEW_SUBTEAM)
#define QTHREAD_SPAWN_RET_SYNCVAR_T (1 << SPAWN_RET_SYNCVAR_T)
#define QTHREAD_SPAWN_RET_SINC (1 << SPAWN_RET_SINC)
#define QTHREAD_SPAWN_RET_SINC_VOID (1 << SPAWN_RET_SINC_VOID)
#define QTHREAD_SPAWN_PC_SYNCVAR_T (1 << SPAWN_PC_SYNCVAR_T)
#define QTHREAD_SPAWN_LOCAL_PRIORITY (1 << SPAWN_LOCAL_PRIORITY)
#define QTHREAD_SPAWN_NETWORK (1 << SPAWN_NETWORK)

/* Makes a task that runs f(arg), or f(a copy of the arg_size bytes at arg) if arg_size is not 0.
 *
 * ret, which may be null, receives the value that f returns. It is emptied before the task is
 * ready, and filled at its end, when a reader of the word goes on. The task becomes ready once
 * npreconds preconditions are full. If there are any, preconds is an array from malloc, which the
 * library frees after a success: the number npreconds, cast to a pointer, and then the words, each
 * an aligned_t * or, with QTHREAD_SPAWN_PC_SYNCVAR_T, a syncvar_t *. A task with target_shep stays
 * on that shepherd, taken modulo their number; with NO_SHEPHERD the scheduler chooses. The other
 * functions of this group are this one with some of its arguments fixed.
 * Errors: QTHREAD_BADARGS (f is null; a word is null or not aligned; the first element of preconds
 * is not npreconds), QTHREAD_MALLOC_ERROR, QTHREAD_NOT_ALLOWED (before qthread_initialize).
 * Switches: never.
 * Undefined: the memory of ret is freed before the task has ended and filled it. */
int qthread_spawn(qthread_f f, void const *arg, size_t arg_size, void *ret, size_t npreconds, void *preconds,
                  qthread_shepherd_id_t target_shep, unsigned int feature_flag);

int qthread_fork(qthread_f f, void const *arg, aligned_t *ret);
int qthread_fork_net(qthread_f f, void const *arg, aligned_t *ret);
int qthread_fork_to(qthread_f f, void const *arg, aligned_t *ret, qthread_shepherd_id_t shepherd);
int qthread_fork_syncvar(qthread_f f, void const *arg, syncvar_t *ret);
int qthread_fork_syncvar_to(qthread_f f, void const *arg, syncvar_t *ret, qthread_shepherd_id_t shepherd);
int qthread_fork_copyargs(qthread_f f, void const *arg, size_t arg_size, aligned_t *ret);
/* ret is an aligned_t, whatever its type says, as in Qthreads. */
int qthread_fork_copyargs_to(qthread_f f, void const *arg, size_t arg_size, syncvar_t *ret, qthread_shepherd_id_t preferred_shep);
int qthread_fork_syncvar_copyargs(qthread_f f, void const *arg, size_t arg_size, syncvar_t *ret);
int qthread_fork_syncvar_copyargs_simple(qthread_f f, void const *arg, size_t arg_size, syncvar_t *ret);

/* The preconditions are the npreconds further arguments, each an aligned_t *; if npreconds is
 * negative, the one further argument is an array of -npreconds of them. */
int qthread_fork_precond(qthread_f f, void const *arg, aligned_t *ret, int npreconds, ...);
int qthread_fork_precond_to(qthread_f f, void const *arg, aligned_t *ret, qthread_shepherd_id_t shepherd, int npreconds, ...);
int qthread_fork_precond_simple(qthread_f f, void const *arg, aligned_t *ret, int npreconds, ...);
/* ret is a syncvar_t, and each precondition an aligned_t *. */
int qthread_fork_copyargs_precond(qthread_f f, void const *arg, size_t arg_size, syncvar_t *ret, int npreconds, ...);

#define qthread_fork_new_team(f, a, r) qthread_spawn((f), (a), 0, (r), 0, NULL, NO_SHEPHERD, QTHREAD_SPAWN_NEW_TEAM)
#define qthread_fork_new_subteam(f, a, r) qthread_spawn((f), (a), 0, (r), 0, NULL, NO_SHEPHERD, QTHREAD_SPAWN_NEW_SUBTEAM)
#define qthread_fork_new_team_to(f, a, r, p) qthread_spawn((f), (a), 0, (r), 0, NULL, (p), QTHREAD_SPAWN_NEW_TEAM)
#define qthread_fork_syncvar_new_team(f, a, r) \
  qthread_spawn((f), (a), 0, (r), 0, NULL, NO_SHEPHERD, QTHREAD_SPAWN_NEW_TEAM | QTHREAD_SPAWN_RET_SYNCVAR_T)
#define qthread_fork_syncvar_new_subteam(f, a, r) \
  qthread_spawn((f), (a), 0, (r), 0, NULL, NO_SHEPHERD, QTHREAD_SPAWN_NEW_SUBTEAM | QTHREAD_SPAWN_RET_SYNCVAR_T)
#define qthread_fork_copyargs_new_team(f, a, z, r) qthread_spawn((f), (a), (z), (r), 0, NULL, NO_SHEPHERD, QTHREAD_SPAWN_NEW_TEAM)
#define qthread_fork_copyargs_new_subteam(f, a, z, r) \
  qthread_spawn((f), (a), (z), (r), 0, NULL, NO_SHEPHERD, QTHREAD_SPAWN_NEW_SUBTEAM)
#define qthread_fork_syncvar_copyargs_to(f, a, z, r, p) \
  qthread_spawn((f), (a), (z), (r), 0, NULL, (p), QTHREAD_SPAWN_RET_SYNCVAR_T)

/* Moves the calling task to a shepherd, where it stays; NO_SHEPHERD frees it again. The task that
 * called qthread_initialize stays where it is.
 * Errors: QTHREAD_BADARGS (no such shepherd), QTHREAD_NOT_ALLOWED (not from a task, or from the one
 * that called qthread_initialize).
 * Switches: may. */
int qthread_migrate_to(qthread_shepherd_id_t const shepherd);

/* The next task without a shepherd of the calling task's shepherd goes to shepherd 0, if the
 * scheduler deals tasks out in turn (nemesis, distrib). */
void qthread_reset_target_shep(void);

/* ---- ids and places ------------------------------------------------------------------------- */

#define QTHREAD_NULL_TASK_ID UINT_MAX
#define QTHREAD_NON_TASK_ID 0
#define QTHREAD_DEFAULT_TEAM_ID 1
#define QTHREAD_NON_TEAM_ID 0
#define QTHREAD_NULL_TEAM_ID UINT_MAX

/* Returns: the task's number, from 1; QTHREAD_NULL_TASK_ID outside. */
unsigned qthread_id(void);
/* Returns: the shepherd whose worker runs the caller; NO_SHEPHERD outside and in blocking actions. */
qthread_shepherd_id_t qthread_shep(void);
/* Return the number of the caller's worker, and its shepherd in *s unless s is null: among all
 * workers (qthread_worker, qthread_worker_unique), or among those of its shepherd. NO_WORKER
 * outside. */
qthread_worker_id_t qthread_worker(qthread_shepherd_id_t *s);
qthread_worker_id_t qthread_worker_unique(qthread_shepherd_id_t *s);
qthread_worker_id_t qthread_worker_local(qthread_shepherd_id_t *s);

/* Returns: the calling task's own size bytes, zero at first; null outside, and without memory. A
 * call with a larger size than any before may move them, and keeps what they hold. */
void *qthread_get_tasklocal(unsigned int size);
/* Returns: how many bytes of its own the task has. */
unsigned qthread_size_tasklocal(void);

/* The calling task's stack: its lowest and its highest address, and how many bytes are left. Null
 * and 0 outside, for the task that called qthread_initialize, and for one that runs on its stack. */
void *qthread_tos(void);
void *qthread_bos(void);
size_t qthread_stackleft(void);
/* Returns: the calling task's return word, or null. */
aligned_t *qthread_retloc(void);

/* Returns: 1 if the caller's shepherd is active, and 0 if not; QTHREAD_PTHREAD_ERROR outside. */
int qthread_shep_ok(void);
/* Changes *shep to the next or previous active shepherd, by number, or by distance from the
 * caller's. */
void qthread_shep_next(qthread_shepherd_id_t *shep);
void qthread_shep_prev(qthread_shepherd_id_t *shep);
void qthread_shep_next_local(qthread_shepherd_id_t *shep);
void qthread_shep_prev_local(qthread_shepherd_id_t *shep);

/* Returns: how far two shepherds are from each other. That is 0 for the same one, 10 where the CPUs
 * of their first workers share a core, and 10 more for each further level of the machine, from the
 * last-level cache to the packages, on which they are in different groups; QTHREAD_BADARGS. */
int qthread_distance(qthread_shepherd_id_t const src, qthread_shepherd_id_t const dest);
/* Return: all other shepherds, the nearest first, as seen from the caller's shepherd or from src;
 * null outside. The array stays until qthread_finalize. */
qthread_shepherd_id_t const *qthread_sorted_sheps(void);
qthread_shepherd_id_t const *qthread_sorted_sheps_remote(qthread_shepherd_id_t const src);

/* Return: how many shepherds, workers, and workers of one shepherd (or, with NO_SHEPHERD, of all)
 * are active. */
qthread_shepherd_id_t qthread_num_shepherds(void);
qthread_worker_id_t qthread_num_workers(void);
qthread_worker_id_t qthread_num_workers_local(qthread_shepherd_id_t shepherd_id);

/* What qthread_readstate tells. */
enum introspective_state {
  STACK_SIZE,            /* bytes of a task's stack */
  RUNTIME_DATA_SIZE,     /* bytes that a task has besides its stack */
  BUSYNESS,              /* tasks that are ready or run on the caller's shepherd */
  NODE_BUSYNESS,         /* tasks that are ready or run */
  ACTIVE_SHEPHERDS,      /* shepherds that are not disabled */
  TOTAL_SHEPHERDS,       /* shepherds */
  ACTIVE_WORKERS,        /* workers that are not disabled */
  TOTAL_WORKERS,         /* workers */
  WORKER_OCCUPATION,     /* workers that run a task */
  CURRENT_SHEPHERD,      /* the caller's shepherd */
  CURRENT_WORKER,        /* the caller's worker, among those of its shepherd */
  CURRENT_UNIQUE_WORKER, /* the caller's worker, among all */
  CURRENT_TEAM,          /* the caller's team */
  PARENT_TEAM            /* the team of which the caller's is a subteam */
};
/* Returns: the state, which others may have changed since; SIZE_MAX for another type. */
size_t qthread_readstate(const enum introspective_state type);

/* Disables a shepherd: the nearest active one gets its tasks, those of a later qthread_fork_to
 * among them. A running task goes on until it switches.
 * Errors: QTHREAD_BADARGS (no such shepherd), QTHREAD_NOT_ALLOWED (shepherd 0; with the scheduler
 * weft, a thread of weft.h is pinned to one of its workers).
 * Switches: may. */
int qthread_disable_shepherd(qthread_shepherd_id_t shep);
/* Undoes qthread_disable_shepherd. */
void qthread_enable_shepherd(qthread_shepherd_id_t shep);
/* Disables a worker, by its number among all: the others of its shepherd run the tasks. Without
 * another one the shepherd is disabled.
 * Errors: QTHREAD_BADARGS (no such worker), QTHREAD_NOT_ALLOWED (worker 0; with the scheduler weft,
 * a thread of weft.h is pinned to it).
 * Switches: may. */
int qthread_disable_worker(qthread_worker_id_t worker);
/* Undoes qthread_disable_worker. */
void qthread_enable_worker(qthread_worker_id_t worker);

/* ---- teams ----------------------------------------------------------------------------------- */

typedef enum qt_team_critical_section_e { BEGIN, END } qt_team_critical_section_t;

/* Return: the numbers of the caller's team, QTHREAD_DEFAULT_TEAM_ID unless a leader of its team was
 * made, and of the team in which that is a subteam, or QTHREAD_NON_TEAM_ID. */
unsigned int qt_team_id(void);
unsigned int qt_team_parent_id(void);
void qt_team_critical_section(qt_team_critical_section_t boundary)
    QTHREAD_IS_ABSENT("Qthreads 1.23 declares qt_team_critical_section and has no such function");

/* ---- queues of tasks ------------------------------------------------------------------------- */

struct qthread_queue_s;
typedef struct qthread_queue_s *qthread_queue_t;

#define QTHREAD_QUEUE_NO_SYNCH (1 << 0)
#define QTHREAD_QUEUE_MULTI_JOIN (1 << 1)
#define QTHREAD_QUEUE_MULTI_JOIN_LENGTH (1 << 2)
#define QTHREAD_QUEUE_CAPPED (1 << 3)

/* Creates a queue of parked tasks, which are released in their order. flags is one of the above:
 * all are safe to use from any task. With QTHREAD_QUEUE_CAPPED at most length tasks fit.
 * Returns: the queue; null without memory. */
qthread_queue_t qthread_queue_create(uint8_t flags, aligned_t length);
/* Parks the calling task in a queue until a release.
 * Errors: QTHREAD_BADARGS (q is null), QTHREAD_NOT_ALLOWED (not from a task), QTHREAD_OPFAIL (it is
 * full).
 * Switches: may. */
int qthread_queue_join(qthread_queue_t q);
/* Returns: how many tasks are parked in a queue. */
aligned_t qthread_queue_length(qthread_queue_t q);
/* Make the first task, or all tasks, of a queue ready.
 * Errors: QTHREAD_BADARGS (q is null). */
int qthread_queue_release_one(qthread_queue_t q);
int qthread_queue_release_all(qthread_queue_t q);
/* Frees a queue without tasks.
 * Errors: QTHREAD_BADARGS (q is null; tasks are in it). */
int qthread_queue_destroy(qthread_queue_t q);

/* ---- full/empty words ------------------------------------------------------------------------ */

/* Every aligned word of memory is full, until a call empties it. Waiters are served in the order in
 * which they came. Unless a call says otherwise its errors are QTHREAD_BADARGS (the word is null or
 * not aligned) and QTHREAD_MALLOC_ERROR; one whose name has a capital E or F for what it waits for,
 * readFE and readFF, writeEF and writeFF, may switch. dest may be null in a read. */

/* Return: 1 if the word is full, and 0 if it is empty. */
int qthread_feb_status(aligned_t const *addr);
int qthread_syncvar_status(syncvar_t *const v);

/* Make the word empty, or full, whatever it was. */
int qthread_empty(aligned_t const *dest);
int qthread_syncvar_empty(syncvar_t *restrict dest);
int qthread_fill(aligned_t const *dest);
int qthread_syncvar_fill(syncvar_t *restrict dest);

/* Wait until the word is empty, write it, and fill it. */
int qthread_writeEF(aligned_t *restrict dest, aligned_t const *restrict src);
int qthread_writeEF_const(aligned_t *dest, aligned_t const src);
/* Values of syncvars have 60 bits. Errors: QTHREAD_OVERFLOW (the value has more). */
int qthread_syncvar_writeEF(syncvar_t *restrict dest, uint64_t const *restrict src);
int qthread_syncvar_writeEF_const(syncvar_t *restrict dest, uint64_t src);

/* Write the word and fill it, whatever it was. */
int qthread_writeF(aligned_t *dest, aligned_t const *src);
int qthread_writeF_const(aligned_t *dest, aligned_t src);
int qthread_syncvar_writeF(syncvar_t *restrict dest, uint64_t const *restrict src);
int qthread_syncvar_writeF_const(syncvar_t *restrict dest, uint64_t src);

/* Write the word, 0 or a value, and empty it, whatever it was. */
int qthread_purge(aligned_t *dest);
int qthread_purge_to(aligned_t *restrict dest, aligned_t const *restrict src);
int qthread_purge_to_const(aligned_t *dest, aligned_t value);

/* Wait until the word is full, and write it: it stays full. */
int qthread_writeFF(aligned_t *restrict dest, aligned_t const *restrict src);
int qthread_writeFF_const(aligned_t *dest, aligned_t src);

/* Wait until the word is full, and copy it. */
int qthread_readFF(aligned_t *dest, aligned_t const *src);
int qthread_syncvar_readFF(uint64_t *restrict dest, syncvar_t *restrict src);

/* Wait until the word is full, copy it, and empty it. */
int qthread_readFE(aligned_t *dest, aligned_t const *src);
int qthread_syncvar_readFE(uint64_t *restrict dest, syncvar_t *restrict src);

/* Copies the word, whatever its state. */
int qthread_readXX(aligned_t *dest, aligned_t const *src);

/* As the calls without _nb, but where those would wait these return QTHREAD_OPFAIL. Qthreads
 * exports them and declares them nowhere. */
int qthread_readFE_nb(aligned_t *restrict dest, aligned_t const *restrict src);
int qthread_readFF_nb(aligned_t *restrict dest, aligned_t const *restrict src);
int qthread_writeEF_nb(aligned_t *restrict dest, aligned_t const *restrict src);
int qthread_writeEF_const_nb(aligned_t *dest, aligned_t src);
int qthread_syncvar_readFE_nb(uint64_t *restrict dest, syncvar_t *restrict src);
int qthread_syncvar_readFF_nb(uint64_t *restrict dest, syncvar_t *restrict src);
int qthread_syncvar_writeEF_nb(syncvar_t *restrict dest, uint64_t const *restrict src);
int qthread_syncvar_writeEF_const_nb(syncvar_t *restrict dest, uint64_t src);

/* Adds inc to a syncvar, and fills it, whatever it was.
 * Returns: the sum. */
uint64_t qthread_syncvar_incrF(syncvar_t *restrict operand, uint64_t inc);

/* ---- locks ----------------------------------------------------------------------------------- */

/* Lock and unlock a word: qthread_lock is qthread_readFE without a copy, and qthread_unlock is
 * qthread_fill, unless the word was given to qthread_lock_init.
 * Errors: QTHREAD_BADARGS, QTHREAD_MALLOC_ERROR, QTHREAD_OPFAIL (qthread_trylock: it is locked). */
int qthread_lock(aligned_t const *a);
int qthread_unlock(aligned_t const *a);
int qthread_trylock(aligned_t const *a);
/* Make a mutex of a word, which the task that locked it may lock again if is_recursive is true; and
 * undo that. */
int qthread_lock_init(aligned_t const *a, bool const is_recursive);
int qthread_lock_destroy(aligned_t *a);

#define QTHREAD_SPINLOCK_IS_RECURSIVE (-1)
#define QTHREAD_SPINLOCK_IS_NOT_RECURSIVE (-2)

/* The members of a lock are the library's. */
typedef union qt_spin_trylock_s {
  aligned_t u; /* both */

  struct {
    QT_Atomic(haligned_t) ticket; /* which turn has come */
    QT_Atomic(haligned_t) users;  /* the next turn */
  } s;                            /* the turns */
} qt_spin_trylock_t;

typedef struct {
  int64_t s;     /* QTHREAD_SPINLOCK_IS_..., or the holder */
  int64_t count; /* how often the holder has locked it */
} qthread_spinlock_state_t;

typedef struct {
  qt_spin_trylock_t lock;         /* the turns */
  qthread_spinlock_state_t state; /* the holder */
} qthread_spinlock_t;

#define QTHREAD_MUTEX_INITIALIZER {{.s = {0, 0}}, {QTHREAD_SPINLOCK_IS_NOT_RECURSIVE, 0}}
#define QTHREAD_RECURSIVE_MUTEX_INITIALIZER {{.s = {0, 0}}, {QTHREAD_SPINLOCK_IS_RECURSIVE, 0}}

/* A lock in memory of its own, which belongs to a task, not to a worker. A waiter parks.
 * Errors: QTHREAD_BADARGS (a is null), QTHREAD_OPFAIL (qthread_spinlock_trylock: it is locked;
 * qthread_spinlock_unlock: it is recursive, and the caller does not hold it).
 * Switches: qthread_spinlock_lock may. */
int qthread_spinlock_init(qthread_spinlock_t *a, bool const is_recursive);
int qthread_spinlock_destroy(qthread_spinlock_t *a);
int qthread_spinlock_lock(qthread_spinlock_t *a);
int qthread_spinlock_unlock(qthread_spinlock_t *a);
int qthread_spinlock_trylock(qthread_spinlock_t *a);
/* As the two without the s. */
int qthread_spinlocks_init(qthread_spinlock_t *a, bool const is_recursive);
int qthread_spinlocks_destroy(qthread_spinlock_t *a);

/* ---- atomic operations ----------------------------------------------------------------------- */

/* Each adds incr to *operand and returns what it was before. */
static inline float qthread_fincr(float *operand, float incr) {
  float seen, sum;
  __atomic_load(operand, &seen, __ATOMIC_RELAXED);
  do {
    sum = seen + incr;
  } while (!__atomic_compare_exchange(operand, &seen, &sum, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  return seen;
}

static inline double qthread_dincr(double *operand, double incr) {
  double seen, sum;
  __atomic_load(operand, &seen, __ATOMIC_RELAXED);
  do {
    sum = seen + incr;
  } while (!__atomic_compare_exchange(operand, &seen, &sum, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  return seen;
}

static inline uint32_t qthread_incr32(uint32_t *operand, uint32_t incr) { return __sync_fetch_and_add(operand, incr); }
static inline uint64_t qthread_incr64(uint64_t *operand, uint64_t incr) { return __sync_fetch_and_add(operand, incr); }
/* length: 4 or 8 bytes. */
static inline int64_t qthread_incr_xx(void *addr, int64_t incr, size_t length) {
  switch (length) {
    case 4: return (int64_t)qthread_incr32((uint32_t *)addr, (uint32_t)incr);
    case 8: return (int64_t)qthread_incr64((uint64_t *)addr, (uint64_t)incr);
    default: QTHREAD_TRAP();
  }
  return 0;
}

/* Each writes NEWV if the word is OLDV, and returns what it was. */
#define qthread_cas(ADDR, OLDV, NEWV) __sync_val_compare_and_swap((ADDR), (OLDV), (NEWV))
#define qthread_cas32(ADDR, OLDV, NEWV) __sync_val_compare_and_swap((ADDR), (OLDV), (NEWV))
#define qthread_cas64(ADDR, OLDV, NEWV) __sync_val_compare_and_swap((ADDR), (OLDV), (NEWV))
#define qthread_cas_ptr(ADDR, OLDV, NEWV) (void *)__sync_val_compare_and_swap((ADDR), (OLDV), (NEWV))

Q_ENDCXX

#ifndef __cplusplus
#define qthread_incr(ADDR, INCVAL) __sync_fetch_and_add(ADDR, INCVAL)
#else
extern "C++" {
#include "qthread.hpp"
}
#endif

#endif
