/* Calls that may wait and have no nonblocking twin: communicators and windows. A ULT makes them in a
 * blocking region, so that another OS thread can run its worker meanwhile. */
#include "caller.h"
#include "engine.h"
#include "export.h"
#include "fortran.h"
#include "real.h"
#include "region.h"
#include "serial.h"

/* ---- communicators --------------------------------------------------------------------------- */

REGION(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm), comm, group, newcomm)
REGION(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm), comm, group, tag, newcomm)
REGION(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *newcomm), comm, color, key, newcomm)
REGION(Comm_split_type, (MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm), comm, split_type, key, info,
       newcomm)
REGION(Intercomm_create,
       (MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag, MPI_Comm *newintercomm),
       local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm)
REGION(Intercomm_merge, (MPI_Comm intercomm, int high, MPI_Comm *newintracomm), intercomm, high, newintracomm)
REGION(Cart_create, (MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm *cart), comm, ndims,
       dims, periods, reorder, cart)
REGION(Cart_sub, (MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm), comm, remain_dims, newcomm)
REGION(Graph_create, (MPI_Comm comm, int nnodes, const int index[], const int edges[], int reorder, MPI_Comm *graph), comm,
       nnodes, index, edges, reorder, graph)
REGION(Dist_graph_create,
       (MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[], const int weights[],
        MPI_Info info, int reorder, MPI_Comm *graph),
       comm, n, sources, degrees, destinations, weights, info, reorder, graph)
REGION(Dist_graph_create_adjacent,
       (MPI_Comm comm, int indegree, const int sources[], const int sourceweights[], int outdegree, const int destinations[],
        const int destweights[], MPI_Info info, int reorder, MPI_Comm *graph),
       comm, indegree, sources, sourceweights, outdegree, destinations, destweights, info, reorder, graph)

#if MPI_VERSION < 4 /* no nonblocking twin */
REGION(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm), comm, info, newcomm)
#endif

/* MPI_Comm_free does not wait. */
#define FREE_COMMUNICATOR(NAME, WAITS)                          \
  EXPORT int MPI_##NAME(MPI_Comm *comm) {                       \
    static bool was_said;                                       \
    if (comm != NULL) forget_communicator(*comm);               \
    const bool is_region = begin_region();                      \
    if (WAITS) note_call_without_twin("MPI_" #NAME, &was_said); \
    const int error = CALL(NAME, comm);                         \
    end_region(is_region);                                      \
    return error;                                               \
  }                                                             \
  PROFILING_ENTRY(NAME, (MPI_Comm * comm), comm)
FREE_COMMUNICATOR(Comm_free, false)
FREE_COMMUNICATOR(Comm_disconnect, true)

/* ---- windows --------------------------------------------------------------------------------- */

REGION(Win_create, (void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win), base, size, disp_unit,
       info, comm, win)
REGION(Win_allocate, (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win), size, disp_unit,
       info, comm, baseptr, win)
REGION(Win_allocate_shared, (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win), size,
       disp_unit, info, comm, baseptr, win)
REGION(Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *win), info, comm, win)
REGION(Win_free, (MPI_Win * win), win)
REGION(Win_fence, (int assert, MPI_Win win), assert, win)
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
REGION(Win_create_c, (void *base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win), base, size,
       disp_unit, info, comm, win)
REGION(Win_allocate_c, (MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win), size,
       disp_unit, info, comm, baseptr, win)
REGION(Win_allocate_shared_c, (MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win),
       size, disp_unit, info, comm, baseptr, win)
#endif

/* ---- buffered sends -------------------------------------------------------------------------- */

REGION(Buffer_detach, (void *buffer, int *size), buffer, size)
