#!/bin/sh
# MPICH 5 tells its launcher "finalize" after MPI_Finalize has returned, when the process exits. A
# process in between that stands in for the launcher (PMI 1 over a socket), and closes its side when
# MPI_Finalize returns, makes every rank end by SIGPIPE.
#
# Version: the wheel mpich 5.0.2 (Hydra, ch4:ucx,ofi). MPICH 4.0.2 says it inside MPI_Finalize.
# Seen: the rank's lines: finalized cmd=finalize
# Needs: gcc libc6-dev python3 python3-pip strace
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m pip -q --disable-pip-version-check install --no-deps --ignore-installed --prefix "$folder/mpi" mpich==5.0.2
cat > "$folder/ends.c" <<'C'
#include <mpi.h>
#include <unistd.h>
int main(int count, char **words) {
  MPI_Init(&count, &words);
  MPI_Finalize();
  return write(1, "finalized\n", 10) == 10 ? 0 : 1;
}
C
"$folder/mpi/bin/mpicc" -o "$folder/ends" "$folder/ends.c"
"$folder/mpi/bin/mpirun" -n 1 strace -e trace=write -o "$folder/said" "$folder/ends" > "$folder/out"
order=$(sed -n 's/^write([0-9]*, "\(cmd=finalize\|finalized\).*/\1/p' "$folder/said" | paste -s -d ' ')
echo "seen: the rank's lines: $order"
[ "$order" = "finalized cmd=finalize" ]
