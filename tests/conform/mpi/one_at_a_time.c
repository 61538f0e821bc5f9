/* A tool behind the library, for LD_PRELOAD: it ends the process if two OS threads are in the MPI at
 * once, for the calls that serial.c makes of it, and says at the end how many it has seen. With
 * WEFT_TEST_ONE_OS_THREAD it also ends a process in which another OS thread than that of main calls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static int inside, calls;   /* atomic */
static __thread int nested; /* the MPI itself may call */

static void begin(const char *name) {
  if (nested++ != 0) return;
  const bool is_funneled = getenv("WEFT_TEST_ONE_OS_THREAD") != NULL;
  if (is_funneled && gettid() != getpid()) {
    fprintf(stderr, "tool: %s comes from another OS thread than that of main\n", name);
    abort();
  }
  if (__atomic_fetch_add(&inside, 1, __ATOMIC_RELAXED) != 0) {
    fprintf(stderr, "tool: another call is in the MPI while %s comes\n", name);
    abort();
  }
  if (!is_funneled) sched_yield(); /* so that others may come */
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
}

static void end(void) {
  if (--nested == 0) __atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED);
}

#define SEEN(NAME, PARAMETERS, ...)                                             \
  EXPORT int NAME PARAMETERS {                                                  \
    __typeof__(NAME) *const real = (__typeof__(NAME) *)dlsym(RTLD_NEXT, #NAME); \
    begin(#NAME);                                                               \
    const int error = real(__VA_ARGS__);                                        \
    end();                                                                      \
    return error;                                                               \
  }

SEEN(PMPI_Isend, (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request), buf,
     count, type, dest, tag, comm, request)
SEEN(PMPI_Irecv, (void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request), buf, count,
     type, source, tag, comm, request)
SEEN(PMPI_Request_get_status, (MPI_Request request, int *flag, MPI_Status *status), request, flag, status)
SEEN(PMPI_Iprobe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status), source, tag, comm, flag, status)
SEEN(PMPI_Wait, (MPI_Request * request, MPI_Status *status), request, status)
SEEN(PMPI_Testany, (int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status), count, requests, index, flag,
     status)
SEEN(MPI_Type_contiguous, (int count, MPI_Datatype old, MPI_Datatype *new), count, old, new)
SEEN(MPI_Type_commit, (MPI_Datatype * type), type)
SEEN(MPI_Type_free, (MPI_Datatype * type), type)
SEEN(MPI_Test, (MPI_Request * request, int *flag, MPI_Status *status), request, flag, status)

__attribute__((destructor)) static void tell(void) {
  if (calls != 0) printf("tool: %d calls, one at a time\n", calls);
}
