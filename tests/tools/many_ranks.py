#!/usr/bin/env python3
"""More ranks and nodes than each test run takes time for: programs on 8 ranks that are nodes of their own, and on 8 ranks of 4 nodes of
namespaces, over each MPI; and what a rank maps and uses on 2, 8 and 64 nodes, which must not grow. What is missing is skipped by name.

usage: many_ranks.py WEFT FOLDER [MPI...]     FOLDER: of the programs tests/dist/dist_*; MPI: mpich, openmpi"""

import os
import re
import shutil
import subprocess
import sys

import mpis

CLUSTER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "test", "cluster.py")
PROGRAMS = (("dist_random", "20", "8"), ("dist_global",), ("dist_traced",))
LIMIT_S = 600  # ranks that wait spin, on more ranks than processors
SPACE_RANKS = (2, 8, 64)
USED_MORE_KIB = 4096  # pages that a rank has used depend on what it stole


def fail(text):
    sys.exit(f"many_ranks: {text}")


def run(words, **environment):
    return subprocess.run([str(each) for each in words], capture_output=True, text=True, timeout=LIMIT_S, check=False,
                          env={**os.environ, **mpis.QUIET, **environment})


def run_right(words, **environment):
    result = run(words, **environment)
    if result.returncode != 0:
        fail(f"{' '.join(map(str, words))}: {result}")
    return result.stdout


def check_programs(weft, folder, mpi):
    for name, *words in PROGRAMS:
        program = [os.path.join(folder, name), *words]
        run_right([weft, "launch", "-q", "--mpi", mpis.LAUNCHERS[mpi], "-n", 8, *program], WEFT_LAUNCH_APART="on")
        print(f"{mpi}: {name} on 8 ranks, each a node", flush=True)
        result = run([sys.executable, "-B", CLUSTER, weft, 4, 8, mpis.LAUNCHERS[mpi], *program])
        if result.returncode == 77:
            print(result.stdout, end="", flush=True)
        elif result.returncode != 0:
            fail(f"{mpi}: {name} on 8 ranks of 4 nodes: {result}")
        else:
            print(f"{mpi}: {name} on 8 ranks of 4 nodes", flush=True)


def check_space(weft, folder, mpi):
    """Without what the MPI itself has for each peer."""
    said = {}
    for ranks in SPACE_RANKS:
        words = [weft, "launch", "-q", "--mpi", mpis.LAUNCHERS[mpi], "-n", ranks, os.path.join(folder, "dist_space")]
        text = run_right(words, WEFT_LAUNCH_APART="on", WEFT_DIST_PROGRESS="polling")
        said[ranks] = [int(each) for each in re.fullmatch(r"(\d+) KiB of addresses, (\d+) KiB used\n", text).groups()]
        print(f"figure: a rank of {ranks} nodes maps {said[ranks][0]} KiB, and uses {said[ranks][1]} KiB", flush=True)
    fewest = said[SPACE_RANKS[0]]
    for addresses, used in said.values():
        if addresses != fewest[0] or used > fewest[1] + USED_MORE_KIB:
            fail(f"the memory of a rank depends on how many nodes there are: {said}")


def main():
    weft, folder, *wanted = sys.argv[1:]
    here = [each for each in wanted if shutil.which(mpis.LAUNCHERS[each])]
    for each in mpis.LAUNCHERS:
        if each not in here:
            print(f"skipped: {mpis.NAMES[each]}: no module or no launcher")
    for mpi in here:
        check_programs(weft, folder, mpi)
    for mpi in here[:1]:
        check_space(weft, folder, mpi)


if __name__ == "__main__":
    main()
