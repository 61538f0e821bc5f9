/* What the tests have in the place of Chapel's runtime and of a generated program. */
#ifndef WEFT_TESTS_CONFORM_CHAPEL_RUNTIME_H
#define WEFT_TESTS_CONFORM_CHAPEL_RUNTIME_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "chpl-arg-bundle.h"
#include "chpl-comm.h"
#include "chpl-tasks-callbacks-internal.h"
#include "chpl-tasks.h"
#include "chpl-topo.h"
#ifdef STAND_IN_2_9
#include "chpl-error.h"
extern int stand_in_cpu; /* to which a thread was bound last; -1: none was */
#else
#include "error.h"
#endif

#ifndef IS_SLOW
#define IS_SLOW 0
#endif

/* Settings, which a test changes before chpl_task_init. */
extern int32_t stand_in_threads;      /* CHPL_RT_NUM_THREADS_PER_LOCALE; 0: not set */
extern int32_t stand_in_comm_limit;   /* of the communication layer; 0: none */
extern int stand_in_cpus;             /* logical ones, and as many physical ones */
extern size_t stand_in_stack_bytes;   /* CHPL_RT_CALL_STACK_SIZE; 0: not set */
extern chpl_bool stand_in_tasks_stay; /* CHPL_RT_WEFT_TASKS_STAY */

/* The last warning, or "". */
extern char stand_in_warning[256];

/* What chpl_task_do_callbacks calls; null: there is no callback. */
extern void (*stand_in_callback)(chpl_task_cb_event_kind_t event, chpl_fn_int_t fid, int32_t filename, int lineno, uint64_t id,
                                 int is_on);

/* The function with the number fid of the table, which generated code would have; at most 8. */
void stand_in_function(chpl_fn_int_t fid, chpl_fn_p function);

/* Runs body in a child process, whose lines on stderr must hold each of the texts. dies_with: it
 * must end by an error of Chapel's. ends_with: it must not return. */
void dies_with(void (*body)(void), const char *text, const char *other);
void ends_with(void (*body)(void), const char *text, const char *other);

/* A statement as the compiler writes it: the count that children take down, and the list. */
typedef struct end_count {
  int64_t left;
  void *list;
} end_count;

/* Starts function(fid) as a child of the statement, with a pointer as its argument. */
void add_child(end_count *count, chpl_fn_int_t fid, void *argument, int is_begin);

/* What each child does last. */
void child_ends(end_count *count);

/* Waits for all children as Chapel's modules do: the list, then a loop that yields. */
void wait_for_children(end_count *count);

/* The argument that add_child passed. */
void *argument_of_child(void *bundle);

/* The statement that add_child passed. */
end_count *statement_of_child(void *bundle);

#endif
