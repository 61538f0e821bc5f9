/* An MPI that loses one put of each hundred, for programs that check what they have copied. */
#include <mpi.h>

int MPI_Put(const void *origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint at, int target_count,
            MPI_Datatype target_type, MPI_Win window) {
  static int puts;
  if (__atomic_add_fetch(&puts, 1, __ATOMIC_RELAXED) % 100 == 0) return MPI_SUCCESS;
  return PMPI_Put(origin, origin_count, origin_type, target, at, target_count, target_type, window);
}
