/* Calls that may wait and have no nonblocking twin: communicators and windows. A ULT makes them in
 * a blocking region, so that another OS thread can run its worker meanwhile. */
#include "family.h"

#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

#include "caller.h"
#include "engine.h"
#include "export.h"
#include "fortran.h"
#include "real.h"
#include "region.h"
#include "serial.h"

/* ---- communicators --------------------------------------------------------------------------- */

COLLECTIVE_REGION(Comm_create, comm, (MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm), comm, group, newcomm)
REGION(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm), comm, group, tag, newcomm)
COLLECTIVE_REGION(Comm_split, comm, (MPI_Comm comm, int color, int key, MPI_Comm *newcomm), comm, color, key, newcomm)
COLLECTIVE_REGION(Comm_split_type, comm, (MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm), comm,
                  split_type, key, info, newcomm)
REGION(Intercomm_create,
       (MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag, MPI_Comm *newintercomm),
       local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm)
COLLECTIVE_REGION(Intercomm_merge, intercomm, (MPI_Comm intercomm, int high, MPI_Comm *newintracomm), intercomm, high,
                  newintracomm)
COLLECTIVE_REGION(Cart_create, comm,
                  (MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm *cart), comm, ndims,
                  dims, periods, reorder, cart)
COLLECTIVE_REGION(Cart_sub, comm, (MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm), comm, remain_dims, newcomm)
COLLECTIVE_REGION(Graph_create, comm,
                  (MPI_Comm comm, int nnodes, const int index[], const int edges[], int reorder, MPI_Comm *graph), comm, nnodes,
                  index, edges, reorder, graph)
COLLECTIVE_REGION(Dist_graph_create, comm,
                  (MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[], const int weights[],
                   MPI_Info info, int reorder, MPI_Comm *graph),
                  comm, n, sources, degrees, destinations, weights, info, reorder, graph)
COLLECTIVE_REGION(Dist_graph_create_adjacent, comm,
                  (MPI_Comm comm, int indegree, const int sources[], const int sourceweights[], int outdegree,
                   const int destinations[], const int destweights[], MPI_Info info, int reorder, MPI_Comm *graph),
                  comm, indegree, sources, sourceweights, outdegree, destinations, destweights, info, reorder, graph)

COLLECTIVE_REGION(Comm_set_info, comm, (MPI_Comm comm, MPI_Info info), comm, info)

#if MPI_VERSION < 4 /* no nonblocking twin */
COLLECTIVE_REGION(Comm_dup_with_info, comm, (MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm), comm, info, newcomm)
#endif

/* MPI_Comm_free does not wait. */
#define FREE_COMMUNICATOR(NAME, WAITS)                                                                 \
  EXPORT int MPI_##NAME(MPI_Comm *comm) {                                                              \
    static bool was_said;                                                                              \
    if (comm != NULL) forget_communicator(*comm);                                                      \
    const bool is_admitted = WAITS && comm != NULL && begin_admission(WAIT_NAME("MPI_" #NAME), *comm); \
    const mpi_region region = begin_region(WAIT_NAME("MPI_" #NAME));                                   \
    if (WAITS) note_call_without_twin("MPI_" #NAME, &was_said);                                        \
    const int error = CALL(NAME, comm);                                                                \
    end_region(&region);                                                                               \
    end_admission(is_admitted);                                                                        \
    return error;                                                                                      \
  }                                                                                                    \
  PROFILING_ENTRY(NAME, (MPI_Comm * comm), comm)
FREE_COMMUNICATOR(Comm_free, false)
FREE_COMMUNICATOR(Comm_disconnect, true)

/* ---- windows --------------------------------------------------------------------------------- */

MAKING_REGION(Win_create, win, (void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win), base, size,
              disp_unit, info, comm, win)
MAKING_REGION(Win_allocate, win, (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win), size,
              disp_unit, info, comm, baseptr, win)
MAKING_REGION(Win_allocate_shared, win, (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win),
              size, disp_unit, info, comm, baseptr, win)
MAKING_REGION(Win_create_dynamic, win, (MPI_Info info, MPI_Comm comm, MPI_Win *win), info, comm, win)
FREEING_REGION(Win_free, win, (MPI_Win * win))
COLLECTIVE_REGION(Win_fence, ranks_of((uintptr_t)win), (int assert, MPI_Win win), assert, win)
COLLECTIVE_REGION(Win_set_info, ranks_of((uintptr_t)win), (MPI_Win win, MPI_Info info), win, info)
REGION(Win_start, (MPI_Group group, int assert, MPI_Win win), group, assert, win)
REGION(Win_complete, (MPI_Win win), win)
REGION(Win_wait, (MPI_Win win), win)
REGION(Win_lock, (int lock_type, int rank, int assert, MPI_Win win), lock_type, rank, assert, win)
REGION(Win_lock_all, (int assert, MPI_Win win), assert, win)
REGION(Win_unlock, (int rank, MPI_Win win), rank, win)
REGION(Win_unlock_all, (MPI_Win win), win)
REGION(Win_flush, (int rank, MPI_Win win), rank, win)
REGION(Win_flush_all, (MPI_Win win), win)
REGION(Win_flush_local, (int rank, MPI_Win win), rank, win)
REGION(Win_flush_local_all, (MPI_Win win), win)

#if HAS_LARGE_COUNTS
MAKING_REGION(Win_create_c, win, (void *base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win),
              base, size, disp_unit, info, comm, win)
MAKING_REGION(Win_allocate_c, win, (MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win),
              size, disp_unit, info, comm, baseptr, win)
MAKING_REGION(Win_allocate_shared_c, win,
              (MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win), size, disp_unit,
              info, comm, baseptr, win)
#endif

/* ---- buffered sends -------------------------------------------------------------------------- */

REGION(Buffer_detach, (void *buffer, int *size), buffer, size)

#if MPI_VERSION >= 5 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
REGION(Buffer_detach_c, (void *buffer, MPI_Count *size), buffer, size)
REGION(Buffer_flush, (void), )
REGION(Comm_detach_buffer, (MPI_Comm comm, void *buffer, int *size), comm, buffer, size)
REGION(Comm_detach_buffer_c, (MPI_Comm comm, void *buffer, MPI_Count *size), comm, buffer, size)
REGION(Comm_flush_buffer, (MPI_Comm comm), comm)
REGION(Session_detach_buffer, (MPI_Session session, void *buffer, int *size), session, buffer, size)
REGION(Session_detach_buffer_c, (MPI_Session session, void *buffer, MPI_Count *size), session, buffer, size)
REGION(Session_flush_buffer, (MPI_Session session), session)
#endif

#if defined(OMPI_HAVE_MPIX_COMM_GET_FAILED)
/* ---- calls that wait for all processes that live -------------------------------------------- */

#define FAULT_REGION(NAME, PARAMETERS, ...)                                                            \
  EXPORT int MPIX_##NAME PARAMETERS {                                                                  \
    static bool was_said;                                                                              \
    const mpi_region region = begin_region(WAIT_NAME("MPIX_" #NAME));                                  \
    note_call_without_twin("MPIX_" #NAME, &was_said);                                                  \
    const bool is_taken = begin_turn();                                                                \
    const int error = BEHIND(PMPIX_##NAME)(__VA_ARGS__);                                               \
    leave_turn(is_taken);                                                                              \
    end_region(&region);                                                                               \
    return error;                                                                                      \
  }                                                                                                    \
  EXPORT int PMPIX_##NAME PARAMETERS {                                                                 \
    if (!is_in_fortran_library(__builtin_return_address(0))) return BEHIND(PMPIX_##NAME)(__VA_ARGS__); \
    return MPIX_##NAME(__VA_ARGS__);                                                                   \
  }

FAULT_REGION(Comm_agree, (MPI_Comm comm, int *flag), comm, flag)
FAULT_REGION(Comm_shrink, (MPI_Comm comm, MPI_Comm *newcomm), comm, newcomm)
#endif
