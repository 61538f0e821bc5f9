/* A rank without the library, beside ranks that have it: mpirun -n 1 program : -n 1 strange HOW.
 * "silent" waits in a collective as a program without the library does; "other" answers with the word
 * of another version. */
#include <mpi.h>
#include <string.h>

#define TAG 32749

int main(int count, char **words) {
  char word[64] = "weft-mpi: a rule of another version";
  int rank = 0;
  int ranks = 0;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (count > 1 && strcmp(words[1], "other") == 0) {
    MPI_Send(word, sizeof word, MPI_BYTE, (rank + 1) % ranks, TAG, MPI_COMM_WORLD);
    MPI_Send(word, sizeof word, MPI_BYTE, (rank + ranks - 1) % ranks, TAG, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
