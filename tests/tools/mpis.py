"""What the tests of ranks that an MPI starts share."""

import itertools
import os
import shutil
import sys

LAUNCHERS = {"mpich": "mpirun.mpich", "openmpi": "mpirun.openmpi"}
POLICIES = ("child", "stalling", "run-to-completion")  # that work between nodes, beside the default
NAMES = {"mpich": "MPICH", "openmpi": "Open MPI"}
# The ranks of tests that run side by side must not be bound to the same processors.
QUIET = {"OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_orte_base_help_aggregate": "1"}
FOREVER = next((each for each in sys.argv[4:] if "launch_forks" in each), None)  # tests/tools/launch_forks.cpp


def named(*names):
    """Programs of tests/dist, linked with either library."""
    return [each for each in sys.argv[4:] if os.path.basename(each).removesuffix("_shared") in names]


HEAP = named("dist_global", "dist_cilksort")  # what uses the global heap
SPACE = next(iter(named("dist_space")), None)  # tests/dist/space.cpp
LONG_LEAF = next(iter(named("dist_long_leaf")), None)  # tests/dist/long_leaf.cpp
TRACED = next(iter(named("dist_traced")), None)  # tests/dist/traced.cpp
HASTY = next((each for each in sys.argv[4:] if "tools_hasty_mpich" in each), None)  # tests/tools/hasty_mpich.c
REGISTERING = next((each for each in sys.argv[4:] if "tools_registering_mpich" in each), None)  # tests/tools/registering_mpich.c
# make check-deep runs whole matrices of MPIs, ranks and programs, make test one case of each kind.
WHOLE = os.environ.get("WEFT_TEST_MATRICES") == "whole"
BUILT = [each for each in sys.argv[4:] if "/" not in each]


def cases(*axes):
    """Combinations of a value of each axis: all of them for whole matrices, else so few that each value is in one."""
    if WHOLE or not all(axes):
        return list(itertools.product(*axes))
    return [tuple(axis[number % len(axis)] for axis in axes) for number in range(max(map(len, axes)))]


def few(values):
    """One of values that are tested alike, of MPIs above all; all of them for whole matrices."""
    return values if WHOLE else values[:1]


def arguments():
    """The conformance program of transports, tests/dist/random, programs of kernels if they are built, and the MPIs for which there
    are a module and a launcher."""
    here = [each for each in BUILT if each in LAUNCHERS and shutil.which(LAUNCHERS[each])]
    return sys.argv[2], sys.argv[3], [each for each in sys.argv[4:] if "/" in each and each != FOREVER and each not in [*HEAP, SPACE, LONG_LEAF, TRACED, HASTY, REGISTERING]], here


def tell_skipped():
    for each, launcher in LAUNCHERS.items():
        if each not in BUILT or not shutil.which(launcher):
            print(f"skipped: {NAMES[each]}: {'no ' + launcher if each in BUILT else 'no module was built'}")
