/* Weft's Argobots interface: the functions of Argobots 1.2 and later on Weft's threads. A program
 * that was written for Argobots is compiled with this header instead, unchanged, and linked with
 * libweft-abt.
 *
 * Conventions of this header
 *   Words       A work unit is a ULT or a tasklet. An execution stream is an OS thread that runs a
 *               scheduler. The scheduler is itself a ULT, which takes work units out of pools and
 *               runs them. The primary ULT is the caller of ABT_init. "Outside" means on an OS
 *               thread that has no stream.
 *   Errors      Functions return ABT_SUCCESS or one of ABT_ERR_*. The following errors are not
 *               repeated below. A null handle, or one of the wrong kind, gives ABT_ERR_INV_ and the
 *               name of the kind. A call before ABT_init or after ABT_finalize gives
 *               ABT_ERR_UNINITIALIZED. Exhausted memory gives ABT_ERR_MEM.
 *   Results     Results are stored through pointers. On failure, functions that make a stream,
 *               scheduler, pool or work unit store the null handle of that kind, except create_to
 *               and the other functions whose name ends in _to.
 *   Callers     ULTs, tasklets and OS threads outside, after ABT_init, unless the comment of a
 *               function or of its section says otherwise.
 *   Switching   "Waits" or "switches" means that the calling ULT may leave its stream meanwhile, and
 *               may continue on another stream. If the caller is a tasklet or outside, its OS thread
 *               is blocked instead; for a tasklet, that blocks the whole stream.
 *   Names       A work unit whose creator asked for its handle is named: it remains, TERMINATED,
 *               until it is freed. A work unit that was made with a null pointer for the handle is
 *               unnamed: it is freed when it ends. A handle of it that was obtained in another way
 *               must not be used afterwards.
 *   Times       Times are seconds, as double. A struct timespec is a point in time of
 *               CLOCK_REALTIME.
 *   Owner       A "popped" work unit was taken out of its pool. The caller that took it must run it,
 *               or push it again.
 *   Undefined   Freeing an object that is in use; a call for a work unit that may end and be freed
 *               at that moment. */
#ifndef ABT_H_INCLUDED /* SPDX-License-Identifier: BSD-3-Clause */
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

/* ---- start and end --------------------------------------------------------------------------- */

/* Starts the library. Calls nest, and further ones may come from any caller. The first call makes
 * its caller the primary ULT, on stream 0. The arguments are not used. */
int ABT_init(int argc, char **argv) ABT_API_PUBLIC;
/* Undoes one call of ABT_init. The last call must come from the primary ULT. It waits for the work
 * units of stream 0, and ends everything. ABT_init may be called again afterwards. */
int ABT_finalize(void) ABT_API_PUBLIC;
int ABT_initialized(void) ABT_API_PUBLIC; /* ABT_SUCCESS or ABT_ERR_UNINITIALIZED; in signal handlers too */

/* ---- execution streams ----------------------------------------------------------------------- */

/* Make a stream that runs a scheduler. If sched is null, the stream has a basic scheduler with a
 * pool of its own. A scheduler serves one stream at a time (else ABT_ERR_INV_SCHED). */
int ABT_xstream_create(ABT_sched sched, ABT_xstream *newxstream) ABT_API_PUBLIC;
int ABT_xstream_create_basic(ABT_sched_predef predef, int num_pools, ABT_pool *pools, ABT_sched_config config,
                             ABT_xstream *newxstream) ABT_API_PUBLIC;
int ABT_xstream_create_with_rank(ABT_sched sched, int rank,
                                 ABT_xstream *newxstream) ABT_API_PUBLIC; /* ABT_ERR_INV_XSTREAM_RANK: taken */
/* ABT_xstream_join waits until the stream's scheduler finds no work and returns.
 * ABT_xstream_free joins the stream, and then frees it. ABT_ERR_INV_XSTREAM: the stream is the
 * primary one, or the caller is the stream's own main scheduler. Undefined: the caller is another
 * work unit of that stream. */
int ABT_xstream_free(ABT_xstream *xstream) ABT_API_PUBLIC;
int ABT_xstream_join(ABT_xstream xstream) ABT_API_PUBLIC;
/* Restarts a joined stream, with its scheduler. ABT_ERR_INV_XSTREAM: the stream runs. */
int ABT_xstream_revive(ABT_xstream xstream) ABT_API_PUBLIC;
/* Ends the calling ULT, and requests its stream to end. Callers: ULTs of a stream that is not the
 * primary one. */
int ABT_xstream_exit(void) ABT_API_PUBLIC;
/* Requests a stream to end. It ends when its scheduler next checks for requests, even if its pools
 * hold work units. */
int ABT_xstream_cancel(ABT_xstream xstream) ABT_API_PUBLIC;
int ABT_xstream_self(ABT_xstream *xstream) ABT_API_PUBLIC;              /* not from outside */
int ABT_xstream_self_rank(int *rank) ABT_API_PUBLIC;                    /* not from outside */
int ABT_xstream_set_rank(ABT_xstream xstream, int rank) ABT_API_PUBLIC; /* ABT_ERR_INV_XSTREAM_RANK: taken, or negative */
int ABT_xstream_get_rank(ABT_xstream xstream, int *rank) ABT_API_PUBLIC;
/* Replace the main scheduler of a stream. Either the stream was joined, or the caller is a ULT on
 * that stream, which then waits until the scheduler is replaced. The stream no longer serves the
 * pools of the old scheduler. */
int ABT_xstream_set_main_sched(ABT_xstream xstream, ABT_sched sched) ABT_API_PUBLIC;
int ABT_xstream_set_main_sched_basic(ABT_xstream xstream, ABT_sched_predef predef, int num_pools, ABT_pool *pools) ABT_API_PUBLIC;
int ABT_xstream_get_main_sched(ABT_xstream xstream, ABT_sched *sched) ABT_API_PUBLIC;
int ABT_xstream_get_main_pools(ABT_xstream xstream, int max_pools, ABT_pool *pools) ABT_API_PUBLIC;
int ABT_xstream_get_state(ABT_xstream xstream, ABT_xstream_state *state) ABT_API_PUBLIC;
int ABT_xstream_equal(ABT_xstream xstream1, ABT_xstream xstream2, ABT_bool *result) ABT_API_PUBLIC;
int ABT_xstream_get_num(int *num_xstreams) ABT_API_PUBLIC;
int ABT_xstream_is_primary(ABT_xstream xstream, ABT_bool *is_primary) ABT_API_PUBLIC;
/* Runs a popped unit on the caller's stream, until the unit ends, waits or yields. pool becomes the
 * unit's pool. It is for schedulers. Callers: ULTs. */
int ABT_xstream_run_unit(ABT_unit unit, ABT_pool pool) ABT_API_PUBLIC;
/* Serves requests to the stream, such as a cancellation. It is for schedulers. Switches. */
int ABT_xstream_check_events(ABT_sched sched) ABT_API_PUBLIC;
/* Bind a stream to CPUs, or read the CPUs to which it is bound. CPUs have the numbers of the
 * operating system. ABT_xstream_set_affinity with num_cpuids 0 binds the stream to all CPUs that
 * ABT_init found. ABT_xstream_get_cpubind stores one of the CPUs. ABT_xstream_get_affinity stores
 * how many CPUs there are, and at most max_cpuids of them. ABT_ERR_SYS: the system refuses the
 * binding, for example because it has no such CPU. */
int ABT_xstream_set_cpubind(ABT_xstream xstream, int cpuid) ABT_API_PUBLIC;
int ABT_xstream_get_cpubind(ABT_xstream xstream, int *cpuid) ABT_API_PUBLIC;
int ABT_xstream_set_affinity(ABT_xstream xstream, int num_cpuids, int *cpuids) ABT_API_PUBLIC;
int ABT_xstream_get_affinity(ABT_xstream xstream, int max_cpuids, int *cpuids, int *num_cpuids) ABT_API_PUBLIC;

/* A barrier at which OS threads wait, for any number of rounds. */
int ABT_xstream_barrier_create(uint32_t num_waiters, ABT_xstream_barrier *newbarrier) ABT_API_PUBLIC;
int ABT_xstream_barrier_free(ABT_xstream_barrier *barrier) ABT_API_PUBLIC;
int ABT_xstream_barrier_wait(ABT_xstream_barrier barrier) ABT_API_PUBLIC; /* blocks the caller's OS thread; does not switch */

/* ---- schedulers ------------------------------------------------------------------------------ */

/* Make a scheduler. For each null pool in pools, a new pool is made. For ABT_sched_create_basic,
 * pools itself may also be null. config may be null. */
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
int ABT_sched_finish(ABT_sched sched) ABT_API_PUBLIC;                       /* requests it to stop once its pools are empty */
int ABT_sched_exit(ABT_sched sched) ABT_API_PUBLIC;                         /* requests it to stop at once */
/* Tells the scheduler's run function whether it must return now. May switch. */
int ABT_sched_has_to_stop(ABT_sched sched, ABT_bool *stop) ABT_API_PUBLIC;

/* Makes a configuration. The arguments are variables, each followed by its value, and then
 * ABT_sched_config_var_end. A value has the type that its variable names: int, double or void *. */
int ABT_sched_config_create(ABT_sched_config *config, ...) ABT_API_PUBLIC;
int ABT_sched_config_read(ABT_sched_config config, int num_vars,
                          ...) ABT_API_PUBLIC; /* pointers to values 0, 1, ...; null: not wanted */
int ABT_sched_config_free(ABT_sched_config *config) ABT_API_PUBLIC;
int ABT_sched_config_set(ABT_sched_config config, int idx, ABT_sched_config_type type,
                         const void *val) ABT_API_PUBLIC; /* val null: unset */
int ABT_sched_config_get(ABT_sched_config config, int idx, ABT_sched_config_type *type,
                         void *val) ABT_API_PUBLIC; /* ABT_ERR_INV_ARG: unset */

/* ---- pools ----------------------------------------------------------------------------------- */

int ABT_pool_create(ABT_pool_user_def def, ABT_pool_config config,
                    ABT_pool *newpool) ABT_API_PUBLIC; /* also of an ABT_pool_def */
int ABT_pool_create_basic(ABT_pool_kind kind, ABT_pool_access access, ABT_bool automatic, ABT_pool *newpool) ABT_API_PUBLIC;
/* Frees a pool. Work units whose pool it is can no longer be reached through it, and one that is
 * requeued in it afterwards is lost. If such a unit outlives a user-defined pool, the pool's
 * free_unit is called when the unit is freed. Undefined: a scheduler uses the pool. */
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
/* Pop a work unit, and wait for one for at most `seconds`. ABT_ERR_POOL: the pool cannot wait. */
int ABT_pool_pop_wait_thread(ABT_pool pool, ABT_thread *thread, double seconds) ABT_API_PUBLIC;
int ABT_pool_pop_wait_thread_ex(ABT_pool pool, ABT_thread *thread, double seconds, ABT_pool_context context) ABT_API_PUBLIC;
int ABT_pool_print_all_threads(ABT_pool pool, void *arg, void (*print)(void *arg, ABT_thread)) ABT_API_PUBLIC;
int ABT_pool_set_data(ABT_pool pool, void *data) ABT_API_PUBLIC;
int ABT_pool_get_data(ABT_pool pool, void **data) ABT_API_PUBLIC;
/* Pushes a scheduler to a pool as a work unit, which ends when the scheduler's own pools are
 * empty. */
int ABT_pool_add_sched(ABT_pool pool, ABT_sched sched) ABT_API_PUBLIC;
int ABT_pool_get_id(ABT_pool pool, int *id) ABT_API_PUBLIC;

/* The calls above for units (ABT_unit) instead of work units (ABT_thread). */
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

/* Make, change and free the definition of a user-defined pool. ABT_pool_create copies the
 * definition, which may be freed afterwards. Setting an optional function to null removes it. */
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
/* Checks its arguments, and does nothing else: a unit changes its pool when it is pushed or run, or
 * by ABT_thread_set_associated_pool. */
int ABT_unit_set_associated_pool(ABT_unit unit, ABT_pool pool) ABT_API_PUBLIC;

/* ---- ULTs ------------------------------------------------------------------------------------ */

/* Makes a ULT, and pushes it to a pool. attr may be null. newthread may be null: the ULT is then
 * unnamed. */
int ABT_thread_create(ABT_pool pool, void (*thread_func)(void *), void *arg, ABT_thread_attr attr,
                      ABT_thread *newthread) ABT_API_PUBLIC;
/* Makes a ULT, and runs it at once in the caller's place. The caller is requeued in its own pool.
 * Callers: ULTs. */
int ABT_thread_create_to(ABT_pool pool, void (*thread_func)(void *), void *arg, ABT_thread_attr attr,
                         ABT_thread *newthread) ABT_API_PUBLIC;
int ABT_thread_create_on_xstream(ABT_xstream xstream, void (*thread_func)(void *), void *arg, ABT_thread_attr attr,
                                 ABT_thread *newthread) ABT_API_PUBLIC; /* in its main scheduler's first pool */
int ABT_thread_create_many(int num_threads, ABT_pool *pool_list, void (**thread_func_list)(void *), void **arg_list,
                           ABT_thread_attr attr, ABT_thread *newthread_list) ABT_API_PUBLIC;
/* Restarts a TERMINATED, named ULT, which keeps its handle, id, stack and attributes.
 * ABT_ERR_INV_THREAD: the ULT is not TERMINATED. */
int ABT_thread_revive(ABT_pool pool, void (*thread_func)(void *), void *arg, ABT_thread *thread) ABT_API_PUBLIC;
int ABT_thread_revive_to(ABT_pool pool, void (*thread_func)(void *), void *arg,
                         ABT_thread *thread) ABT_API_PUBLIC; /* as create_to */
/* Wait until named work units, ULTs or tasklets, have ended. The free functions join the work units
 * and then free them. ABT_ERR_INV_THREAD: a work unit is the caller, the primary ULT, a main
 * scheduler, or unnamed. */
int ABT_thread_free(ABT_thread *thread) ABT_API_PUBLIC;
int ABT_thread_free_many(int num_threads, ABT_thread *thread_list) ABT_API_PUBLIC;
int ABT_thread_join(ABT_thread thread) ABT_API_PUBLIC;
int ABT_thread_join_many(int num_threads, ABT_thread *thread_list) ABT_API_PUBLIC;
/* Ends the calling ULT. No destructor of its frames runs. Callers: ULTs, except the primary one and
 * one that has ended and runs the destructors of its values. */
int ABT_thread_exit(void) ABT_API_PUBLIC;
/* Requests a ULT to end: it ends when it would next run. The primary ULT cannot be cancelled. */
int ABT_thread_cancel(ABT_thread thread) ABT_API_PUBLIC;
int ABT_thread_self(ABT_thread *thread) ABT_API_PUBLIC; /* not from outside, nor from a tasklet (ABT_ERR_INV_THREAD) */
int ABT_thread_self_id(ABT_unit_id *id) ABT_API_PUBLIC;
int ABT_thread_get_last_xstream(ABT_thread thread, ABT_xstream *xstream) ABT_API_PUBLIC; /* null: it has not run */
int ABT_thread_get_state(ABT_thread thread, ABT_thread_state *state) ABT_API_PUBLIC;
int ABT_thread_get_last_pool(ABT_thread thread, ABT_pool *pool) ABT_API_PUBLIC;
int ABT_thread_get_last_pool_id(ABT_thread thread, int *id) ABT_API_PUBLIC;
int ABT_thread_get_unit(ABT_thread thread, ABT_unit *unit) ABT_API_PUBLIC;
int ABT_thread_set_associated_pool(ABT_thread thread, ABT_pool pool) ABT_API_PUBLIC; /* of a popped one */
/* Yields to a READY ULT, which is taken out of its pool and runs next. */
int ABT_thread_yield_to(ABT_thread thread) ABT_API_PUBLIC;
/* Does what ABT_self_yield does. In a tasklet and outside, nothing is done. */
int ABT_thread_yield(void) ABT_API_PUBLIC;
int ABT_thread_resume(ABT_thread thread) ABT_API_PUBLIC; /* ABT_ERR_THREAD: it is not BLOCKED */
/* Request that a work unit migrate. The request is met when the work unit would next run, yield or
 * wait, and its migration callback runs then. ABT_ERR_INV_THREAD: the work unit is not migratable,
 * or is a main scheduler. ABT_ERR_MIGRATION_TARGET: the work unit is at the target already. */
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
/* Sets the stack to memory of the caller, which must be aligned to 8 bytes and must stay until the
 * ULT was freed. If stack is null, only the size is set. ABT_ERR_INV_ARG: stack is not aligned. */
int ABT_thread_attr_set_stack(ABT_thread_attr attr, void *stack, size_t bytes) ABT_API_PUBLIC;
int ABT_thread_attr_get_stack(ABT_thread_attr attr, void **stack, size_t *bytes) ABT_API_PUBLIC;
int ABT_thread_attr_set_stacksize(ABT_thread_attr attr, size_t bytes) ABT_API_PUBLIC;
int ABT_thread_attr_get_stacksize(ABT_thread_attr attr, size_t *bytes) ABT_API_PUBLIC;
int ABT_thread_attr_set_callback(ABT_thread_attr attr, void (*callback)(ABT_thread thread, void *arg), void *arg) ABT_API_PUBLIC;
int ABT_thread_attr_set_migratable(ABT_thread_attr attr, ABT_bool is_migratable) ABT_API_PUBLIC;

/* ---- tasklets: work units that run to their end without a stack of their own; all of ABT_thread_* take them too  */

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

/* ---- the caller: not from outside (ABT_ERR_INV_XSTREAM) except where said -------------------- */

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
/* Leave the stream. Callers: ULTs. The words in a name say what happens:
 *   yield     the caller is requeued in its pool
 *   suspend   the caller is BLOCKED until another caller resumes it
 *   exit      the caller ends
 *   _to       thread runs next in the caller's place; it must be popped
 *   resume    thread must be BLOCKED instead, and is resumed
 * ABT_ERR_INV_THREAD: the caller is a tasklet, or thread is the caller. */
int ABT_self_yield(void) ABT_API_PUBLIC;
int ABT_self_yield_to(ABT_thread thread) ABT_API_PUBLIC;
int ABT_self_resume_yield_to(ABT_thread thread) ABT_API_PUBLIC;
int ABT_self_suspend(void) ABT_API_PUBLIC;
int ABT_self_suspend_to(ABT_thread thread) ABT_API_PUBLIC;
int ABT_self_resume_suspend_to(ABT_thread thread) ABT_API_PUBLIC;
int ABT_self_exit(void) ABT_API_PUBLIC;
int ABT_self_exit_to(ABT_thread thread) ABT_API_PUBLIC;
int ABT_self_resume_exit_to(ABT_thread thread) ABT_API_PUBLIC;
int ABT_self_schedule(ABT_thread thread, ABT_pool pool) ABT_API_PUBLIC; /* does what ABT_xstream_run_unit does */
int ABT_self_set_arg(void *arg) ABT_API_PUBLIC;
int ABT_self_get_arg(void **arg) ABT_API_PUBLIC;
int ABT_self_get_thread_func(void (**thread_func)(void *)) ABT_API_PUBLIC;

/* Keys of values that each work unit has for itself. When a work unit is freed, the destructor is
 * called for each of its values that is not null. ABT_key_set and ABT_key_get cannot be called from
 * outside. */
int ABT_key_create(void (*destructor)(void *value), ABT_key *newkey) ABT_API_PUBLIC;
int ABT_key_free(ABT_key *key) ABT_API_PUBLIC;
int ABT_key_set(ABT_key key, void *value) ABT_API_PUBLIC;
int ABT_key_get(ABT_key key, void **value) ABT_API_PUBLIC;

/* ---- mutexes: created ones also before ABT_init ---------------------------------------------- */

int ABT_mutex_create(ABT_mutex *newmutex) ABT_API_PUBLIC;
int ABT_mutex_create_with_attr(ABT_mutex_attr attr, ABT_mutex *newmutex) ABT_API_PUBLIC;
int ABT_mutex_free(ABT_mutex *mutex) ABT_API_PUBLIC;
/* Wait until the mutex is free, and lock it. The three calls do the same. */
int ABT_mutex_lock(ABT_mutex mutex) ABT_API_PUBLIC;
int ABT_mutex_lock_high(ABT_mutex mutex) ABT_API_PUBLIC;
int ABT_mutex_lock_low(ABT_mutex mutex) ABT_API_PUBLIC;
int ABT_mutex_trylock(ABT_mutex mutex) ABT_API_PUBLIC; /* ABT_ERR_MUTEX_LOCKED: it is locked already */
/* Locks the mutex: tries again and again until it is free, and yields now and then. */
int ABT_mutex_spinlock(ABT_mutex mutex) ABT_API_PUBLIC;
/* Unlock the mutex. The three calls do the same. */
int ABT_mutex_unlock(ABT_mutex mutex) ABT_API_PUBLIC;
int ABT_mutex_unlock_se(ABT_mutex mutex) ABT_API_PUBLIC;
int ABT_mutex_unlock_de(ABT_mutex mutex) ABT_API_PUBLIC;
int ABT_mutex_equal(ABT_mutex mutex1, ABT_mutex mutex2, ABT_bool *result) ABT_API_PUBLIC;
int ABT_mutex_get_attr(ABT_mutex mutex, ABT_mutex_attr *attr) ABT_API_PUBLIC; /* a new one, to be freed */

int ABT_mutex_attr_create(ABT_mutex_attr *newattr) ABT_API_PUBLIC;
int ABT_mutex_attr_free(ABT_mutex_attr *attr) ABT_API_PUBLIC;
int ABT_mutex_attr_set_recursive(ABT_mutex_attr attr, ABT_bool recursive) ABT_API_PUBLIC;
int ABT_mutex_attr_get_recursive(ABT_mutex_attr attr, ABT_bool *recursive) ABT_API_PUBLIC;

/* ---- other things to wait at ----------------------------------------------------------------- */

int ABT_cond_create(ABT_cond *newcond) ABT_API_PUBLIC;
int ABT_cond_free(ABT_cond *cond) ABT_API_PUBLIC;
/* Wait for a signal. The caller must hold the mutex, locked once. All callers that wait at one
 * condition must use the mutex of the first of them (else ABT_ERR_INV_MUTEX). No wait ends without
 * a signal, except by its deadline. A tasklet can only call ABT_cond_timedwait (ABT_ERR_COND). */
int ABT_cond_wait(ABT_cond cond, ABT_mutex mutex) ABT_API_PUBLIC;
int ABT_cond_timedwait(ABT_cond cond, ABT_mutex mutex, const struct timespec *until) ABT_API_PUBLIC; /* ABT_ERR_COND_TIMEDOUT */
int ABT_cond_signal(ABT_cond cond) ABT_API_PUBLIC;
int ABT_cond_broadcast(ABT_cond cond) ABT_API_PUBLIC;

int ABT_rwlock_create(ABT_rwlock *newrwlock) ABT_API_PUBLIC;
int ABT_rwlock_free(ABT_rwlock *rwlock) ABT_API_PUBLIC;
/* Wait until the lock is free to read, or to write, and lock it. A tasklet cannot call them
 * (ABT_ERR_RWLOCK). */
int ABT_rwlock_rdlock(ABT_rwlock rwlock) ABT_API_PUBLIC;
int ABT_rwlock_wrlock(ABT_rwlock rwlock) ABT_API_PUBLIC;
int ABT_rwlock_unlock(ABT_rwlock rwlock) ABT_API_PUBLIC;

/* An eventual: a value of nbytes bytes that is set once. nbytes 0 means that it has no value. A
 * wait stores in *value the address of the eventual's own copy. Tasklets cannot wait for an
 * eventual (ABT_ERR_EVENTUAL), nor for a future (ABT_ERR_FUTURE) or a barrier (ABT_ERR_BARRIER)
 * below. */
int ABT_eventual_create(int nbytes, ABT_eventual *neweventual) ABT_API_PUBLIC;
int ABT_eventual_free(ABT_eventual *eventual) ABT_API_PUBLIC;
int ABT_eventual_wait(ABT_eventual eventual, void **value) ABT_API_PUBLIC; /* value may be null */
int ABT_eventual_timedwait(ABT_eventual eventual, void **value,
                           const struct timespec *until) ABT_API_PUBLIC; /* ABT_ERR_COND_TIMEDOUT */
int ABT_eventual_test(ABT_eventual eventual, void **value, ABT_bool *is_ready) ABT_API_PUBLIC;
int ABT_eventual_set(ABT_eventual eventual, void *value,
                     int nbytes) ABT_API_PUBLIC; /* ABT_ERR_EVENTUAL: set; ABT_ERR_INV_EVENTUAL: too long */
int ABT_eventual_reset(ABT_eventual eventual) ABT_API_PUBLIC;

/* A future: it is ready when ABT_future_set was called once for each compartment. The callback is
 * then called with the values of the compartments; it may be null. */
int ABT_future_create(uint32_t num_compartments, void (*callback)(void **values), ABT_future *newfuture) ABT_API_PUBLIC;
int ABT_future_free(ABT_future *future) ABT_API_PUBLIC;
int ABT_future_wait(ABT_future future) ABT_API_PUBLIC;
int ABT_future_test(ABT_future future, ABT_bool *is_ready) ABT_API_PUBLIC;
int ABT_future_set(ABT_future future, void *value) ABT_API_PUBLIC; /* ABT_ERR_FUTURE: all are set */
int ABT_future_reset(ABT_future future) ABT_API_PUBLIC;

int ABT_barrier_create(uint32_t num_waiters, ABT_barrier *newbarrier) ABT_API_PUBLIC;
int ABT_barrier_reinit(ABT_barrier barrier, uint32_t num_waiters) ABT_API_PUBLIC; /* no caller may wait at it */
int ABT_barrier_free(ABT_barrier *barrier) ABT_API_PUBLIC;
int ABT_barrier_wait(ABT_barrier barrier) ABT_API_PUBLIC;
int ABT_barrier_get_num_waiters(ABT_barrier barrier, uint32_t *num_waiters) ABT_API_PUBLIC;

/* ---- errors, time: also before ABT_init ------------------------------------------------------ */

/* Stores the name of an error, such as "ABT_ERR_MEM", with a terminating 0 in str, and the
 * length of the name, without the 0, in *len. str and len may be null. ABT_ERR_OTHER: no such
 * error. */
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

/* ---- information: for people, in words that may change --------------------------------------- */

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
/* Requests all streams to stop when they next check for events, and one of them to print the
 * stacks of all READY ULTs. After timeout seconds, that stream prints without waiting for
 * streams that have not stopped; if timeout is negative, it waits for all. callback(timed out,
 * arg) may be null. Callers: any, signal handlers included. */
int ABT_info_trigger_print_all_thread_stacks(FILE *fp, double timeout, void (*callback)(ABT_bool timed_out, void *arg),
                                             void *arg) ABT_API_PUBLIC;

/* ---- tools ----------------------------------------------------------------------------------- */

int ABT_tool_register_thread_callback(ABT_tool_thread_callback_fn callback, uint64_t event_mask,
                                      void *user_arg) ABT_API_PUBLIC; /* null: none */
int ABT_tool_query_thread(ABT_tool_context context, uint64_t event, ABT_tool_query_kind query_kind, void *val) ABT_API_PUBLIC;

#ifdef __cplusplus
}
#endif
#endif
