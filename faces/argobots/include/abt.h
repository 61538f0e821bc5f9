/* Weft's Argobots interface: the functions of Argobots 1.2 and later on Weft's threads. A program that was written for Argobots is
 * compiled with this header instead, unchanged, and linked with libweft-abt.
 *
 * Conventions of this header
 *   Words       A work unit is a ULT or a tasklet. An execution stream is an OS thread that runs a scheduler, itself a ULT, which takes
 *               work units out of pools and runs them. The primary ULT is the caller of ABT_init. Outside is an OS thread without a stream.
 *   Errors      Functions return ABT_SUCCESS or one of ABT_ERR_*. A null handle or one of the wrong kind gives ABT_ERR_INV_ and the kind's
 *               name, a call before ABT_init or after ABT_finalize ABT_ERR_UNINITIALIZED, exhausted memory ABT_ERR_MEM: these are not
 *               repeated below. Results come through pointers; functions that make a stream, scheduler, pool or work unit set
 *               them to the kind's null handle on failure, but for create_to and the like.
 *   Callers     From a ULT, a tasklet or outside, after ABT_init, unless a line or the head of its section says otherwise.
 *   Switching   "Waits" or "switches" means that the calling ULT may leave its stream meanwhile and may go on on another. A tasklet or an
 *               OS thread outside blocks its OS thread instead; in a tasklet that is the whole stream.
 *   Names       A work unit that was made with a place for its handle is named: it stays, TERMINATED, until it is freed. One that was made
 *               with null is unnamed: it goes when it ends, and its handle, if it was had otherwise, may not be used any more.
 *   Times       Seconds as double; struct timespec is a point in time of CLOCK_REALTIME.
 *   Owner       "Popped" means taken out of its pool: whoever did that runs the unit or pushes it again.
 *   Undefined   Freeing what is still in use; acting on a work unit that may end and go at that moment.
 */
#ifndef ABT_H_INCLUDED
#define ABT_H_INCLUDED

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>

#include <weft_abt/constants.h>
#include <weft_abt/types.h>

struct timespec; /* time.h leaves it out under -std=c99 */

#ifdef __cplusplus
extern "C" {
#endif

/* ---- start and end ------------------------------------------------------------------------------------------------- */

/* Calls nest, from any caller; the first makes its caller the primary ULT on stream 0. The arguments are not looked at. ABT_finalize undoes
 * one; the last, by the primary ULT, waits for that stream's units and ends everything; ABT_init may follow. */
int ABT_init(int argc, char **argv) ABT_API_PUBLIC;
int ABT_finalize(void) ABT_API_PUBLIC;
int ABT_initialized(void) ABT_API_PUBLIC; /* ABT_SUCCESS or ABT_ERR_UNINITIALIZED; in signal handlers too */

/* ---- execution streams --------------------------------------------------------------------------------------------- */

/* The scheduler null: a basic one with a pool of its own. A scheduler serves one stream at a time (ABT_ERR_INV_SCHED). */
int ABT_xstream_create(ABT_sched sched, ABT_xstream *newxstream) ABT_API_PUBLIC;
int ABT_xstream_create_basic(ABT_sched_predef predef, int num_pools, ABT_pool *pools, ABT_sched_config config,
                             ABT_xstream *newxstream) ABT_API_PUBLIC;
int ABT_xstream_create_with_rank(ABT_sched sched, int rank,
                                 ABT_xstream *newxstream) ABT_API_PUBLIC; /* ABT_ERR_INV_XSTREAM_RANK: taken */
/* Wait until the stream's scheduler finds no work and returns. Free joins first. ABT_ERR_INV_XSTREAM: the primary, or called by
 * its own main scheduler. Undefined: by another unit of its own. */
int ABT_xstream_free(ABT_xstream *xstream) ABT_API_PUBLIC;
int ABT_xstream_join(ABT_xstream xstream) ABT_API_PUBLIC;
int ABT_xstream_revive(ABT_xstream xstream)
    ABT_API_PUBLIC; /* starts one that was joined again, with its scheduler. ABT_ERR_INV_XSTREAM: runs */
int ABT_xstream_exit(void)
    ABT_API_PUBLIC; /* ends the caller and asks its stream to end. From a ULT of another stream than the primary */
int ABT_xstream_cancel(ABT_xstream xstream) ABT_API_PUBLIC; /* it ends at its scheduler's next look, whatever is in its pools */
int ABT_xstream_self(ABT_xstream *xstream) ABT_API_PUBLIC;  /* not from outside */
int ABT_xstream_self_rank(int *rank) ABT_API_PUBLIC;        /* not from outside */
int ABT_xstream_set_rank(ABT_xstream xstream, int rank) ABT_API_PUBLIC; /* ABT_ERR_INV_XSTREAM_RANK: taken, or negative */
int ABT_xstream_get_rank(ABT_xstream xstream, int *rank) ABT_API_PUBLIC;
/* Replaces the main scheduler: of a stream that was joined, or from a ULT on that stream, which waits until it is done. The old one's pools
 * are no longer served by it. */
int ABT_xstream_set_main_sched(ABT_xstream xstream, ABT_sched sched) ABT_API_PUBLIC;
int ABT_xstream_set_main_sched_basic(ABT_xstream xstream, ABT_sched_predef predef, int num_pools, ABT_pool *pools) ABT_API_PUBLIC;
int ABT_xstream_get_main_sched(ABT_xstream xstream, ABT_sched *sched) ABT_API_PUBLIC;
int ABT_xstream_get_main_pools(ABT_xstream xstream, int max_pools, ABT_pool *pools) ABT_API_PUBLIC;
int ABT_xstream_get_state(ABT_xstream xstream, ABT_xstream_state *state) ABT_API_PUBLIC;
int ABT_xstream_equal(ABT_xstream xstream1, ABT_xstream xstream2, ABT_bool *result) ABT_API_PUBLIC;
int ABT_xstream_get_num(int *num_xstreams) ABT_API_PUBLIC;
int ABT_xstream_is_primary(ABT_xstream xstream, ABT_bool *is_primary) ABT_API_PUBLIC;
/* For schedulers: runs a popped unit on the caller's stream until it ends, waits or yields. pool: its home from now on.
 * From a ULT. */
int ABT_xstream_run_unit(ABT_unit unit, ABT_pool pool) ABT_API_PUBLIC;
int ABT_xstream_check_events(ABT_sched sched) ABT_API_PUBLIC; /* for schedulers: looks at requests to the stream; switches */
/* CPUs as the system numbers them; with num_cpuids 0 all that ABT_init found. ABT_ERR_SYS: the system refuses, as for CPUs that it does not
 * have. The getters: one of them, or how many there are and at most max_cpuids of them. */
int ABT_xstream_set_cpubind(ABT_xstream xstream, int cpuid) ABT_API_PUBLIC;
int ABT_xstream_get_cpubind(ABT_xstream xstream, int *cpuid) ABT_API_PUBLIC;
int ABT_xstream_set_affinity(ABT_xstream xstream, int num_cpuids, int *cpuids) ABT_API_PUBLIC;
int ABT_xstream_get_affinity(ABT_xstream xstream, int max_cpuids, int *cpuids, int *num_cpuids) ABT_API_PUBLIC;

/* A barrier at which whole OS threads wait, for any number of rounds. */
int ABT_xstream_barrier_create(uint32_t num_waiters, ABT_xstream_barrier *newbarrier) ABT_API_PUBLIC;
int ABT_xstream_barrier_free(ABT_xstream_barrier *barrier) ABT_API_PUBLIC;
int ABT_xstream_barrier_wait(ABT_xstream_barrier barrier) ABT_API_PUBLIC; /* blocks the caller's OS thread; does not switch */

/* ---- schedulers ---------------------------------------------------------------------------------------------------- */

/* A null pool in pools is made new; for a basic one pools itself may be null, too. config may be null. */
int ABT_sched_create(ABT_sched_def *def, int num_pools, ABT_pool *pools, ABT_sched_config config,
                     ABT_sched *newsched) ABT_API_PUBLIC;
int ABT_sched_create_basic(ABT_sched_predef predef, int num_pools, ABT_pool *pools, ABT_sched_config config,
                           ABT_sched *newsched) ABT_API_PUBLIC;
int ABT_sched_free(ABT_sched *sched) ABT_API_PUBLIC; /* ABT_ERR_SCHED: in use */
int ABT_sched_set_data(ABT_sched sched, void *data) ABT_API_PUBLIC;
int ABT_sched_get_data(ABT_sched sched, void **data) ABT_API_PUBLIC;
int ABT_sched_get_num_pools(ABT_sched sched, int *num_pools) ABT_API_PUBLIC;
int ABT_sched_get_pools(ABT_sched sched, int max_pools, int idx, ABT_pool *pools) ABT_API_PUBLIC; /* from idx on */
int ABT_sched_get_size(ABT_sched sched, size_t *size) ABT_API_PUBLIC;       /* sums of ABT_pool_get_size ... */
int ABT_sched_get_total_size(ABT_sched sched, size_t *size) ABT_API_PUBLIC; /* ... and ABT_pool_get_total_size */
int ABT_sched_finish(ABT_sched sched) ABT_API_PUBLIC;                       /* asks it to stop once its pools are empty */
int ABT_sched_exit(ABT_sched sched) ABT_API_PUBLIC;                         /* asks it to stop at once */
int ABT_sched_has_to_stop(ABT_sched sched, ABT_bool *stop) ABT_API_PUBLIC;  /* for its run function: return now? May switch */

/* Variables and their values in turn, and ABT_sched_config_var_end. Types as the variables say: int, double, void *. */
int ABT_sched_config_create(ABT_sched_config *config, ...) ABT_API_PUBLIC;
int ABT_sched_config_read(ABT_sched_config config, int num_vars,
                          ...) ABT_API_PUBLIC; /* pointers to values 0, 1, ...; null: not wanted */
int ABT_sched_config_free(ABT_sched_config *config) ABT_API_PUBLIC;
int ABT_sched_config_set(ABT_sched_config config, int idx, ABT_sched_config_type type,
                         const void *val) ABT_API_PUBLIC; /* val null: unset */
int ABT_sched_config_get(ABT_sched_config config, int idx, ABT_sched_config_type *type,
                         void *val) ABT_API_PUBLIC; /* ABT_ERR_INV_ARG: unset */

/* ---- pools --------------------------------------------------------------------------------------------------------- */

int ABT_pool_create(ABT_pool_user_def def, ABT_pool_config config,
                    ABT_pool *newpool) ABT_API_PUBLIC; /* also of an ABT_pool_def */
int ABT_pool_create_basic(ABT_pool_kind kind, ABT_pool_access access, ABT_bool automatic, ABT_pool *newpool) ABT_API_PUBLIC;
/* Units that still belong to it can no longer be reached by it, and one that goes back into it is lost. For those that outlive a user's pool
 * free_unit is called when they go. Undefined: a scheduler has it. */
int ABT_pool_free(ABT_pool *pool) ABT_API_PUBLIC;
int ABT_pool_get_access(ABT_pool pool, ABT_pool_access *access) ABT_API_PUBLIC;
int ABT_pool_is_empty(ABT_pool pool, ABT_bool *is_empty) ABT_API_PUBLIC;
int ABT_pool_get_size(ABT_pool pool, size_t *size) ABT_API_PUBLIC;         /* READY units in it */
int ABT_pool_get_total_size(ABT_pool pool, size_t *size) ABT_API_PUBLIC;   /* and the BLOCKED ones that will come back */
int ABT_pool_pop_thread(ABT_pool pool, ABT_thread *thread) ABT_API_PUBLIC; /* ABT_SUCCESS and null: nothing there */
int ABT_pool_pop_thread_ex(ABT_pool pool, ABT_thread *thread, ABT_pool_context context) ABT_API_PUBLIC;
int ABT_pool_pop_threads(ABT_pool pool, ABT_thread *threads, size_t len, size_t *num) ABT_API_PUBLIC;
int ABT_pool_pop_threads_ex(ABT_pool pool, ABT_thread *threads, size_t len, size_t *num, ABT_pool_context context) ABT_API_PUBLIC;
int ABT_pool_push_thread(ABT_pool pool, ABT_thread thread) ABT_API_PUBLIC; /* popped ones; the pool becomes their home */
int ABT_pool_push_thread_ex(ABT_pool pool, ABT_thread thread, ABT_pool_context context) ABT_API_PUBLIC;
int ABT_pool_push_threads(ABT_pool pool, const ABT_thread *threads, size_t num) ABT_API_PUBLIC;
int ABT_pool_push_threads_ex(ABT_pool pool, const ABT_thread *threads, size_t num, ABT_pool_context context) ABT_API_PUBLIC;
/* Wait up to that time for something to pop. ABT_ERR_POOL: the pool cannot wait. */
int ABT_pool_pop_wait_thread(ABT_pool pool, ABT_thread *thread, double seconds) ABT_API_PUBLIC;
int ABT_pool_pop_wait_thread_ex(ABT_pool pool, ABT_thread *thread, double seconds, ABT_pool_context context) ABT_API_PUBLIC;
int ABT_pool_print_all_threads(ABT_pool pool, void *arg, void (*print)(void *arg, ABT_thread)) ABT_API_PUBLIC;
int ABT_pool_set_data(ABT_pool pool, void *data) ABT_API_PUBLIC;
int ABT_pool_get_data(ABT_pool pool, void **data) ABT_API_PUBLIC;
int ABT_pool_add_sched(ABT_pool pool,
                       ABT_sched sched) ABT_API_PUBLIC; /* as a unit of this pool, which ends when its own are empty */
int ABT_pool_get_id(ABT_pool pool, int *id) ABT_API_PUBLIC;

/* The same by units. */
int ABT_pool_pop(ABT_pool pool, ABT_unit *unit) ABT_API_PUBLIC;
int ABT_pool_pop_wait(ABT_pool pool, ABT_unit *unit, double seconds) ABT_API_PUBLIC;
int ABT_pool_pop_timedwait(ABT_pool pool, ABT_unit *unit,
                           double until_seconds) ABT_DEPRECATED ABT_API_PUBLIC; /* of ABT_get_wtime */
int ABT_pool_remove(ABT_pool pool, ABT_unit unit) ABT_API_PUBLIC; /* out of the middle. ABT_ERR_POOL: the pool cannot */
int ABT_pool_push(ABT_pool pool, ABT_unit unit) ABT_API_PUBLIC;
int ABT_pool_print_all(ABT_pool pool, void *arg, void (*print)(void *arg, ABT_unit)) ABT_API_PUBLIC;

int ABT_pool_config_create(ABT_pool_config *config) ABT_API_PUBLIC;
int ABT_pool_config_free(ABT_pool_config *config) ABT_API_PUBLIC;
int ABT_pool_config_set(ABT_pool_config config, int key, ABT_pool_config_type type,
                        const void *val) ABT_API_PUBLIC; /* val null: unset */
int ABT_pool_config_get(ABT_pool_config config, int key, ABT_pool_config_type *type,
                        void *val) ABT_API_PUBLIC; /* ABT_ERR_INV_ARG: unset */

/* The definition is copied by ABT_pool_create and may be freed then. Setting null takes an optional function away. */
int ABT_pool_user_def_create(ABT_pool_user_create_unit_fn create_unit, ABT_pool_user_free_unit_fn free_unit,
                             ABT_pool_user_is_empty_fn is_empty, ABT_pool_user_pop_fn pop, ABT_pool_user_push_fn push,
                             ABT_pool_user_def *newdef) ABT_API_PUBLIC;
int ABT_pool_user_def_free(ABT_pool_user_def *def) ABT_API_PUBLIC;
int ABT_pool_user_def_set_init(ABT_pool_user_def def, ABT_pool_user_init_fn init) ABT_API_PUBLIC;
int ABT_pool_user_def_set_free(ABT_pool_user_def def, ABT_pool_user_free_fn free) ABT_API_PUBLIC;
int ABT_pool_user_def_set_get_size(ABT_pool_user_def def, ABT_pool_user_get_size_fn get_size) ABT_API_PUBLIC;
int ABT_pool_user_def_set_pop_wait(ABT_pool_user_def def, ABT_pool_user_pop_wait_fn pop_wait) ABT_API_PUBLIC;
int ABT_pool_user_def_set_pop_many(ABT_pool_user_def def, ABT_pool_user_pop_many_fn pop_many) ABT_API_PUBLIC;
int ABT_pool_user_def_set_push_many(ABT_pool_user_def def, ABT_pool_user_push_many_fn push_many) ABT_API_PUBLIC;
int ABT_pool_user_def_set_print_all(ABT_pool_user_def def, ABT_pool_user_print_all_fn print_all) ABT_API_PUBLIC;

int ABT_unit_get_thread(ABT_unit unit, ABT_thread *thread) ABT_API_PUBLIC;
/* Looks at its arguments and does nothing else: units change pools when they are pushed or run, or by ABT_thread_set_associated_pool. */
int ABT_unit_set_associated_pool(ABT_unit unit, ABT_pool pool) ABT_API_PUBLIC;

/* ---- ULTs ---------------------------------------------------------------------------------------------------------- */

/* attr may be null, newthread too: the ULT is then unnamed. */
int ABT_thread_create(ABT_pool pool, void (*thread_func)(void *), void *arg, ABT_thread_attr attr,
                      ABT_thread *newthread) ABT_API_PUBLIC;
/* Runs it at once; the caller, a ULT, goes to its pool. */
int ABT_thread_create_to(ABT_pool pool, void (*thread_func)(void *), void *arg, ABT_thread_attr attr,
                         ABT_thread *newthread) ABT_API_PUBLIC;
int ABT_thread_create_on_xstream(ABT_xstream xstream, void (*thread_func)(void *), void *arg, ABT_thread_attr attr,
                                 ABT_thread *newthread) ABT_API_PUBLIC; /* in its main scheduler's first pool */
int ABT_thread_create_many(int num_threads, ABT_pool *pool_list, void (**thread_func_list)(void *), void **arg_list,
                           ABT_thread_attr attr, ABT_thread *newthread_list) ABT_API_PUBLIC;
/* A TERMINATED, named ULT begins anew with the same handle, id, stack and attributes. ABT_ERR_INV_THREAD: it is not TERMINATED. */
int ABT_thread_revive(ABT_pool pool, void (*thread_func)(void *), void *arg, ABT_thread *thread) ABT_API_PUBLIC;
int ABT_thread_revive_to(ABT_pool pool, void (*thread_func)(void *), void *arg,
                         ABT_thread *thread) ABT_API_PUBLIC; /* as create_to */
/* Wait for named work units, tasklets too. Free joins first. ABT_ERR_INV_THREAD: the caller, the primary, a main scheduler, unnamed. */
int ABT_thread_free(ABT_thread *thread) ABT_API_PUBLIC;
int ABT_thread_free_many(int num_threads, ABT_thread *thread_list) ABT_API_PUBLIC;
int ABT_thread_join(ABT_thread thread) ABT_API_PUBLIC;
int ABT_thread_join_many(int num_threads, ABT_thread *thread_list) ABT_API_PUBLIC;
int ABT_thread_exit(void) ABT_API_PUBLIC; /* ends the calling ULT; no destructor of its frames runs. Not the primary, nor one
                                               * that ends already and calls destructors of its values */
int ABT_thread_cancel(ABT_thread thread) ABT_API_PUBLIC; /* it ends when it would run next. Not the primary */
int ABT_thread_self(ABT_thread *thread) ABT_API_PUBLIC;  /* not from outside, nor from a tasklet (ABT_ERR_INV_THREAD) */
int ABT_thread_self_id(ABT_unit_id *id) ABT_API_PUBLIC;
int ABT_thread_get_last_xstream(ABT_thread thread, ABT_xstream *xstream) ABT_API_PUBLIC; /* null: it has not run */
int ABT_thread_get_state(ABT_thread thread, ABT_thread_state *state) ABT_API_PUBLIC;
int ABT_thread_get_last_pool(ABT_thread thread, ABT_pool *pool) ABT_API_PUBLIC;
int ABT_thread_get_last_pool_id(ABT_thread thread, int *id) ABT_API_PUBLIC;
int ABT_thread_get_unit(ABT_thread thread, ABT_unit *unit) ABT_API_PUBLIC;
int ABT_thread_set_associated_pool(ABT_thread thread, ABT_pool pool) ABT_API_PUBLIC; /* of a popped one */
int ABT_thread_yield_to(ABT_thread thread) ABT_API_PUBLIC; /* to a READY one, which is taken out of its pool */
int ABT_thread_yield(void) ABT_API_PUBLIC;                 /* as ABT_self_yield; does nothing in a tasklet and outside */
int ABT_thread_resume(ABT_thread thread) ABT_API_PUBLIC;   /* ABT_ERR_THREAD: it is not BLOCKED */
/* Requests, which are met when the work unit would run, yields or waits next; its callback runs then. ABT_ERR_INV_THREAD: it is not
 * migratable, or is a main scheduler. ABT_ERR_MIGRATION_TARGET: it is there already. */
int ABT_thread_migrate_to_xstream(ABT_thread thread, ABT_xstream xstream) ABT_API_PUBLIC;
int ABT_thread_migrate_to_sched(ABT_thread thread, ABT_sched sched) ABT_API_PUBLIC;
int ABT_thread_migrate_to_pool(ABT_thread thread, ABT_pool pool) ABT_API_PUBLIC;
int ABT_thread_migrate(ABT_thread thread) ABT_API_PUBLIC; /* ABT_ERR_MIGRATION_NA: all streams serve its pool */
int ABT_thread_set_callback(ABT_thread thread, void (*callback)(ABT_thread thread, void *arg), void *arg) ABT_API_PUBLIC;
int ABT_thread_set_migratable(ABT_thread thread, ABT_bool migratable) ABT_API_PUBLIC;
int ABT_thread_is_migratable(ABT_thread thread, ABT_bool *is_migratable) ABT_API_PUBLIC;
int ABT_thread_is_primary(ABT_thread thread, ABT_bool *is_primary) ABT_API_PUBLIC;
int ABT_thread_is_unnamed(ABT_thread thread, ABT_bool *is_unnamed) ABT_API_PUBLIC;
int ABT_thread_equal(ABT_thread thread1, ABT_thread thread2, ABT_bool *result) ABT_API_PUBLIC;
int ABT_thread_get_stacksize(ABT_thread thread, size_t *bytes) ABT_API_PUBLIC;
int ABT_thread_get_stack(ABT_thread thread, void **stack,
                         size_t *bytes) ABT_API_PUBLIC; /* null: none now; its size stays. Either may be null */
int ABT_thread_get_id(ABT_thread thread, ABT_unit_id *thread_id) ABT_API_PUBLIC;
int ABT_thread_set_arg(ABT_thread thread, void *arg) ABT_API_PUBLIC;
int ABT_thread_get_arg(ABT_thread thread, void **arg) ABT_API_PUBLIC;
int ABT_thread_get_thread_func(ABT_thread thread, void (**thread_func)(void *)) ABT_API_PUBLIC;
int ABT_thread_set_specific(ABT_thread thread, ABT_key key, void *value) ABT_API_PUBLIC;
int ABT_thread_get_specific(ABT_thread thread, ABT_key key, void **value) ABT_API_PUBLIC;
int ABT_thread_get_attr(ABT_thread thread, ABT_thread_attr *attr) ABT_API_PUBLIC; /* a new one, to be freed */

int ABT_thread_attr_create(ABT_thread_attr *newattr) ABT_API_PUBLIC;
int ABT_thread_attr_free(ABT_thread_attr *attr) ABT_API_PUBLIC;
/* Memory of the caller's, aligned to 8, that stays until the ULT was freed; null: the size alone. ABT_ERR_INV_ARG: not aligned. */
int ABT_thread_attr_set_stack(ABT_thread_attr attr, void *stack, size_t bytes) ABT_API_PUBLIC;
int ABT_thread_attr_get_stack(ABT_thread_attr attr, void **stack, size_t *bytes) ABT_API_PUBLIC;
int ABT_thread_attr_set_stacksize(ABT_thread_attr attr, size_t bytes) ABT_API_PUBLIC;
int ABT_thread_attr_get_stacksize(ABT_thread_attr attr, size_t *bytes) ABT_API_PUBLIC;
int ABT_thread_attr_set_callback(ABT_thread_attr attr, void (*callback)(ABT_thread thread, void *arg), void *arg) ABT_API_PUBLIC;
int ABT_thread_attr_set_migratable(ABT_thread_attr attr, ABT_bool is_migratable) ABT_API_PUBLIC;

/* ---- tasklets: work units that run to their end without a stack of their own; all of ABT_thread_* take them too ---------- */

int ABT_task_create(ABT_pool pool, void (*task_func)(void *), void *arg, ABT_task *newtask) ABT_API_PUBLIC;
int ABT_task_create_on_xstream(ABT_xstream xstream, void (*task_func)(void *), void *arg, ABT_task *newtask) ABT_API_PUBLIC;
int ABT_task_revive(ABT_pool pool, void (*task_func)(void *), void *arg, ABT_task *task) ABT_API_PUBLIC;
int ABT_task_free(ABT_task *task) ABT_API_PUBLIC;
int ABT_task_join(ABT_task task) ABT_API_PUBLIC;
int ABT_task_cancel(ABT_task task) ABT_API_PUBLIC;
int ABT_task_self(ABT_task *task) ABT_API_PUBLIC; /* not from outside, nor from a ULT (ABT_ERR_INV_TASK) */
int ABT_task_self_id(uint64_t *id) ABT_API_PUBLIC;
int ABT_task_get_xstream(ABT_task task, ABT_xstream *xstream) ABT_API_PUBLIC;
int ABT_task_get_state(ABT_task task, ABT_task_state *state) ABT_API_PUBLIC;
int ABT_task_get_last_pool(ABT_task task, ABT_pool *pool) ABT_API_PUBLIC;
int ABT_task_get_last_pool_id(ABT_task task, int *id) ABT_API_PUBLIC;
int ABT_task_set_migratable(ABT_task task, ABT_bool migratable) ABT_API_PUBLIC;
int ABT_task_is_migratable(ABT_task task, ABT_bool *is_migratable) ABT_API_PUBLIC;
int ABT_task_equal(ABT_task task1, ABT_task task2, ABT_bool *result) ABT_API_PUBLIC;
int ABT_task_get_id(ABT_task task, uint64_t *task_id) ABT_API_PUBLIC;
int ABT_task_get_arg(ABT_task task, void **arg) ABT_API_PUBLIC;
#define ABT_task_is_unnamed ABT_thread_is_unnamed
#define ABT_task_set_specific ABT_thread_set_specific
#define ABT_task_get_specific ABT_thread_get_specific

/* ---- the caller: not from outside (ABT_ERR_INV_XSTREAM) except where said ------------------------------------------ */

int ABT_self_get_xstream(ABT_xstream *xstream) ABT_API_PUBLIC;
int ABT_self_get_xstream_rank(int *rank) ABT_API_PUBLIC;
int ABT_self_get_thread(ABT_thread *thread) ABT_API_PUBLIC;
int ABT_self_get_thread_id(ABT_unit_id *id) ABT_API_PUBLIC;
int ABT_self_set_specific(ABT_key key, void *value) ABT_API_PUBLIC;
int ABT_self_get_specific(ABT_key key, void **value) ABT_API_PUBLIC;
#define ABT_self_get_task ABT_self_get_thread
#define ABT_self_get_task_id ABT_self_get_thread_id
int ABT_self_get_type(ABT_unit_type *type) ABT_API_PUBLIC; /* outside: ABT_ERR_INV_XSTREAM, and ABT_UNIT_TYPE_EXT written */
int ABT_self_is_primary(ABT_bool *is_primary) ABT_API_PUBLIC;
int ABT_self_on_primary_xstream(ABT_bool *on_primary) ABT_API_PUBLIC;
int ABT_self_is_unnamed(ABT_bool *is_unnamed) ABT_API_PUBLIC;
int ABT_self_get_last_pool(ABT_pool *pool) ABT_API_PUBLIC;
int ABT_self_get_last_pool_id(int *pool_id) ABT_API_PUBLIC;
int ABT_self_set_associated_pool(ABT_pool pool) ABT_API_PUBLIC;
int ABT_self_get_unit(ABT_unit *unit) ABT_API_PUBLIC;
/* From a ULT. Yield: the caller goes to its pool. Suspend: it waits for a resume. Exit: it ends. With "to", thread, which is popped, runs
 * next in its place; with "resume", thread is BLOCKED. ABT_ERR_INV_THREAD: not from a tasklet; thread is the caller. */
int ABT_self_yield(void) ABT_API_PUBLIC;
int ABT_self_yield_to(ABT_thread thread) ABT_API_PUBLIC;
int ABT_self_resume_yield_to(ABT_thread thread) ABT_API_PUBLIC;
int ABT_self_suspend(void) ABT_API_PUBLIC;
int ABT_self_suspend_to(ABT_thread thread) ABT_API_PUBLIC;
int ABT_self_resume_suspend_to(ABT_thread thread) ABT_API_PUBLIC;
int ABT_self_exit(void) ABT_API_PUBLIC;
int ABT_self_exit_to(ABT_thread thread) ABT_API_PUBLIC;
int ABT_self_resume_exit_to(ABT_thread thread) ABT_API_PUBLIC;
int ABT_self_schedule(ABT_thread thread, ABT_pool pool) ABT_API_PUBLIC; /* as ABT_xstream_run_unit */
int ABT_self_set_arg(void *arg) ABT_API_PUBLIC;
int ABT_self_get_arg(void **arg) ABT_API_PUBLIC;
int ABT_self_get_thread_func(void (**thread_func)(void *)) ABT_API_PUBLIC;

/* Values of work units. The destructor is called for each that is not null when the work unit is freed. Set and get: not from outside. */
int ABT_key_create(void (*destructor)(void *value), ABT_key *newkey) ABT_API_PUBLIC;
int ABT_key_free(ABT_key *key) ABT_API_PUBLIC;
int ABT_key_set(ABT_key key, void *value) ABT_API_PUBLIC;
int ABT_key_get(ABT_key key, void **value) ABT_API_PUBLIC;

/* ---- mutexes: created ones also before ABT_init ---------------------------------------------------------------------- */

int ABT_mutex_create(ABT_mutex *newmutex) ABT_API_PUBLIC;
int ABT_mutex_create_with_attr(ABT_mutex_attr attr, ABT_mutex *newmutex) ABT_API_PUBLIC;
int ABT_mutex_free(ABT_mutex *mutex) ABT_API_PUBLIC;
int ABT_mutex_lock(ABT_mutex mutex) ABT_API_PUBLIC;      /* waits */
int ABT_mutex_lock_high(ABT_mutex mutex) ABT_API_PUBLIC; /* these two: the same */
int ABT_mutex_lock_low(ABT_mutex mutex) ABT_API_PUBLIC;
int ABT_mutex_trylock(ABT_mutex mutex) ABT_API_PUBLIC;  /* ABT_ERR_MUTEX_LOCKED */
int ABT_mutex_spinlock(ABT_mutex mutex) ABT_API_PUBLIC; /* tries again and again, and yields now and then */
int ABT_mutex_unlock(ABT_mutex mutex) ABT_API_PUBLIC;
int ABT_mutex_unlock_se(ABT_mutex mutex) ABT_API_PUBLIC; /* these two: the same */
int ABT_mutex_unlock_de(ABT_mutex mutex) ABT_API_PUBLIC;
int ABT_mutex_equal(ABT_mutex mutex1, ABT_mutex mutex2, ABT_bool *result) ABT_API_PUBLIC;
int ABT_mutex_get_attr(ABT_mutex mutex, ABT_mutex_attr *attr) ABT_API_PUBLIC; /* a new one, to be freed */

int ABT_mutex_attr_create(ABT_mutex_attr *newattr) ABT_API_PUBLIC;
int ABT_mutex_attr_free(ABT_mutex_attr *attr) ABT_API_PUBLIC;
int ABT_mutex_attr_set_recursive(ABT_mutex_attr attr, ABT_bool recursive) ABT_API_PUBLIC;
int ABT_mutex_attr_get_recursive(ABT_mutex_attr attr, ABT_bool *recursive) ABT_API_PUBLIC;

/* ---- other things to wait at ----------------------------------------------------------------------------------------- */

int ABT_cond_create(ABT_cond *newcond) ABT_API_PUBLIC;
int ABT_cond_free(ABT_cond *cond) ABT_API_PUBLIC;
/* All waits at one use the mutex of the first (ABT_ERR_INV_MUTEX), which the caller holds, once. None ends without a signal. A tasklet may
 * wait with a time only (ABT_ERR_COND). */
int ABT_cond_wait(ABT_cond cond, ABT_mutex mutex) ABT_API_PUBLIC;
int ABT_cond_timedwait(ABT_cond cond, ABT_mutex mutex, const struct timespec *until) ABT_API_PUBLIC; /* ABT_ERR_COND_TIMEDOUT */
int ABT_cond_signal(ABT_cond cond) ABT_API_PUBLIC;
int ABT_cond_broadcast(ABT_cond cond) ABT_API_PUBLIC;

int ABT_rwlock_create(ABT_rwlock *newrwlock) ABT_API_PUBLIC;
int ABT_rwlock_free(ABT_rwlock *rwlock) ABT_API_PUBLIC;
int ABT_rwlock_rdlock(ABT_rwlock rwlock) ABT_API_PUBLIC; /* these two wait; not from a tasklet (ABT_ERR_RWLOCK) */
int ABT_rwlock_wrlock(ABT_rwlock rwlock) ABT_API_PUBLIC;
int ABT_rwlock_unlock(ABT_rwlock rwlock) ABT_API_PUBLIC;

/* A value that is set once, of nbytes bytes (0: none). *value points to the eventual's own copy. Waits not from a tasklet, here
 * (ABT_ERR_EVENTUAL) and below (ABT_ERR_FUTURE, ABT_ERR_BARRIER). */
int ABT_eventual_create(int nbytes, ABT_eventual *neweventual) ABT_API_PUBLIC;
int ABT_eventual_free(ABT_eventual *eventual) ABT_API_PUBLIC;
int ABT_eventual_wait(ABT_eventual eventual, void **value) ABT_API_PUBLIC; /* value may be null */
int ABT_eventual_timedwait(ABT_eventual eventual, void **value,
                           const struct timespec *until) ABT_API_PUBLIC; /* ABT_ERR_COND_TIMEDOUT */
int ABT_eventual_test(ABT_eventual eventual, void **value, ABT_bool *is_ready) ABT_API_PUBLIC;
int ABT_eventual_set(ABT_eventual eventual, void *value,
                     int nbytes) ABT_API_PUBLIC; /* ABT_ERR_EVENTUAL: set; ABT_ERR_INV_EVENTUAL: too long */
int ABT_eventual_reset(ABT_eventual eventual) ABT_API_PUBLIC;

/* Ready when ABT_future_set was called once for each compartment; the callback, which may be null, is then called with their values. */
int ABT_future_create(uint32_t num_compartments, void (*callback)(void **values), ABT_future *newfuture) ABT_API_PUBLIC;
int ABT_future_free(ABT_future *future) ABT_API_PUBLIC;
int ABT_future_wait(ABT_future future) ABT_API_PUBLIC;
int ABT_future_test(ABT_future future, ABT_bool *is_ready) ABT_API_PUBLIC;
int ABT_future_set(ABT_future future, void *value) ABT_API_PUBLIC; /* ABT_ERR_FUTURE: all are set */
int ABT_future_reset(ABT_future future) ABT_API_PUBLIC;

int ABT_barrier_create(uint32_t num_waiters, ABT_barrier *newbarrier) ABT_API_PUBLIC;
int ABT_barrier_reinit(ABT_barrier barrier, uint32_t num_waiters) ABT_API_PUBLIC; /* nobody may wait at it */
int ABT_barrier_free(ABT_barrier *barrier) ABT_API_PUBLIC;
int ABT_barrier_wait(ABT_barrier barrier) ABT_API_PUBLIC;
int ABT_barrier_get_num_waiters(ABT_barrier barrier, uint32_t *num_waiters) ABT_API_PUBLIC;

/* ---- errors, time: also before ABT_init ------------------------------------------------------------------------------ */

/* The code's name ("ABT_ERR_MEM") with its ending 0, and its length without that; each may be null. ABT_ERR_OTHER: no such code. */
int ABT_error_get_str(int err, char *str, size_t *len) ABT_API_PUBLIC;

double ABT_get_wtime(void) ABT_API_PUBLIC; /* seconds of CLOCK_REALTIME, which can be set; timers cannot */
int ABT_timer_create(ABT_timer *newtimer) ABT_API_PUBLIC;
int ABT_timer_dup(ABT_timer timer, ABT_timer *newtimer) ABT_API_PUBLIC;
int ABT_timer_free(ABT_timer *timer) ABT_API_PUBLIC;
int ABT_timer_start(ABT_timer timer) ABT_API_PUBLIC;
int ABT_timer_stop(ABT_timer timer) ABT_API_PUBLIC;
int ABT_timer_read(ABT_timer timer, double *secs) ABT_API_PUBLIC; /* between the last start and stop */
int ABT_timer_stop_and_read(ABT_timer timer, double *secs) ABT_API_PUBLIC;
int ABT_timer_stop_and_add(ABT_timer timer, double *secs) ABT_API_PUBLIC;
int ABT_timer_get_overhead(double *overhead) ABT_API_PUBLIC; /* what a start and stop cost themselves */

/* ---- information: for people, in words that may change -------------------------------------------------------------- */

int ABT_info_query_config(ABT_info_query_kind query_kind, void *val) ABT_API_PUBLIC; /* what val points to: see the kinds */
int ABT_info_print_config(FILE *fp) ABT_API_PUBLIC;
int ABT_info_print_all_xstreams(FILE *fp) ABT_API_PUBLIC;
int ABT_info_print_xstream(FILE *fp, ABT_xstream xstream) ABT_API_PUBLIC;
int ABT_info_print_sched(FILE *fp, ABT_sched sched) ABT_API_PUBLIC;
int ABT_info_print_pool(FILE *fp, ABT_pool pool) ABT_API_PUBLIC;
int ABT_info_print_thread(FILE *fp, ABT_thread thread) ABT_API_PUBLIC;
int ABT_info_print_thread_attr(FILE *fp, ABT_thread_attr attr) ABT_API_PUBLIC;
int ABT_info_print_task(FILE *fp, ABT_task task) ABT_API_PUBLIC;
int ABT_info_print_thread_stack(FILE *fp, ABT_thread thread) ABT_API_PUBLIC; /* undefined for one that may run meanwhile */
int ABT_info_print_thread_stacks_in_pool(FILE *fp, ABT_pool pool) ABT_API_PUBLIC;
/* Asks all streams to stop at their next look at events, and one of them to print the stacks of all READY ULTs. After timeout seconds
 * (negative: never) it prints without those that did not come. callback(timed out, arg) may be null. In signal handlers too. */
int ABT_info_trigger_print_all_thread_stacks(FILE *fp, double timeout, void (*callback)(ABT_bool timed_out, void *arg),
                                             void *arg) ABT_API_PUBLIC;

/* ---- tools --------------------------------------------------------------------------------------------------------- */

int ABT_tool_register_thread_callback(ABT_tool_thread_callback_fn callback, uint64_t event_mask,
                                      void *user_arg) ABT_API_PUBLIC; /* null: none */
int ABT_tool_query_thread(ABT_tool_context context, uint64_t event, ABT_tool_query_kind query_kind, void *val) ABT_API_PUBLIC;

#ifdef __cplusplus
}
#endif
#endif
