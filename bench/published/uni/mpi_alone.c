/* What an MPI's own start and end take, with nothing of Weft: `mpirun -n RANKS uni-MPI-alone`.
 * As a rank does, each process says that it has another OS thread, and finds out with which
 * others it shares memory. */
#include <mpi.h>

int main(int count, char **words) {
  int provided = 0;
  MPI_Comm near;
  if (MPI_Init_thread(&count, &words, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) return 1;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
  MPI_Comm_free(&near);
  return MPI_Finalize() != MPI_SUCCESS;
}
