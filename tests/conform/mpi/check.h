/* Checks and callers for the conformance tests of the library between programs and MPI: a failed
 * check names its place and rank, and ends the job. */
#ifndef WEFT_TESTS_CONFORM_MPI_CHECK_H
#define WEFT_TESTS_CONFORM_MPI_CHECK_H

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/weft.h>

extern int rank, ranks; /* in MPI_COMM_WORLD */

#define CHECK(condition)                                                                    \
  do {                                                                                      \
    if (!(condition)) {                                                                     \
      fprintf(stderr, "%s:%d: rank %d failed: %s\n", __FILE__, __LINE__, rank, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 3);                                                         \
    }                                                                                       \
  } while (0)
#define OK(call) CHECK((call) == 0) /* MPI_SUCCESS and WEFT_OK */

/* What calls MPI. MAIN is the caller of weft_init, a ULT on worker 0. */
typedef enum caller { ULT, OS_THREAD, TASKLET, MAIN } caller;

typedef struct running {
  caller kind;
  weft_function function;
  void *argument;
  weft_thread *thread;
  unsigned long os_thread;
} running;

/* Starts function(argument) on a caller; MAIN calls it in `finish`. */
running start(caller kind, weft_function function, void *argument);
void finish(running *one);

/* Lets the ULTs that were started run until they wait. */
void let_others_run(void);

/* The cases, each called by all ranks. */
void test_exchanges(void);
void test_pairs(void);
void test_collectives(void);
void test_communicators(void);
void test_windows(void);
void test_files(void);
void test_errors(void);
void test_statuses(void);
void test_fatal(void);
void test_late(void);
void test_left_parked(void);
void test_stall(void);
void test_dump(void);
void test_spawn(void);
void test_child(void); /* what test_spawn starts */
void test_meeting(void);
void test_sessions(void);
void test_join(void);
void test_serial(void);
void test_crossing(void);
void test_left_polling(void);
void test_freed_request(void);
void test_freed_fatal(void);
void test_freed_send(void);
void test_freed_complete(void);
void test_freed_early(void);
void test_dying(void);
void test_queue(void);
void test_one_behind_another(void);
void test_freed_communicator(void);
void test_states(void);
void test_collective_states(void);

/* The path of this program. */
void note_program(const char *path);

#endif
