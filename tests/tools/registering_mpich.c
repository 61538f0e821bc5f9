/* The module of MPICH over a network that registers the memory of windows, as InfiniBand does: what
 * is registered stays in memory, within the limit of locked memory. */
#include <mpi.h>
#include <sys/mman.h>

int MPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win) {
  if (mlock(base, (size_t)size) != 0) return MPI_ERR_NO_MEM;
  return PMPI_Win_create(base, size, unit, info, comm, win);
}
