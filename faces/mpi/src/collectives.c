/* Collectives that have nonblocking twins. A blocking collective does not match its twin on another
 * rank (MPI 4.1, 6.12), so every caller starts the twin, whatever it runs on: a Bcast of a Weft
 * thread here and of an OS thread there meet. */
#include "caller.h"
#include "engine.h"
#include "errors.h"
#include "export.h"
#include "fortran.h"
#include "real.h"
#include "serial.h"

static int finish(const char *call, MPI_Comm comm, MPI_Request *request) {
  mpi_wait wait = {.call = call, .kind = WAITS_FOR_ALL, .requests = request, .count = 1, .has_comm = true, .comm = comm};
  wait_until_complete(&wait, way_of_caller());
  const int error = complete_on(comm, request, MPI_STATUS_IGNORE);
  end_wait(&wait);
  return error;
}

#define START_AND_FINISH(NAME, TWIN, ...)              \
  MPI_Request request;                                 \
  const int error = CALL(TWIN, __VA_ARGS__, &request); \
  return error != MPI_SUCCESS ? error : finish(WAIT_NAME("MPI_" #NAME), comm, &request)

#define COUNT int
#define DISPLACEMENT int
#define COLLECTIVE(NAME, TWIN, PARAMETERS, ...)                                   \
  EXPORT int MPI_##NAME PARAMETERS { START_AND_FINISH(NAME, TWIN, __VA_ARGS__); } \
  PROFILING_ENTRY(NAME, PARAMETERS, __VA_ARGS__)
#include "collectives_table.h"
#undef COLLECTIVE
#undef DISPLACEMENT
#undef COUNT

#if HAS_LARGE_COUNTS
#define COUNT MPI_Count
#define DISPLACEMENT MPI_Aint
#define COLLECTIVE(NAME, TWIN, PARAMETERS, ...)                                               \
  EXPORT int MPI_##NAME##_c PARAMETERS { START_AND_FINISH(NAME##_c, TWIN##_c, __VA_ARGS__); } \
  PROFILING_ENTRY(NAME##_c, PARAMETERS, __VA_ARGS__)
#include "collectives_table.h"
#endif

EXPORT int MPI_Barrier(MPI_Comm comm) { START_AND_FINISH(Barrier, Ibarrier, comm); }
PROFILING_ENTRY(Barrier, (MPI_Comm comm), comm)

EXPORT int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm) { START_AND_FINISH(Comm_dup, Comm_idup, comm, newcomm); }
PROFILING_ENTRY(Comm_dup, (MPI_Comm comm, MPI_Comm *newcomm), comm, newcomm)

#if MPI_VERSION >= 4
EXPORT int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm) {
  START_AND_FINISH(Comm_dup_with_info, Comm_idup_with_info, comm, info, newcomm);
}
PROFILING_ENTRY(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm), comm, info, newcomm)
#endif
