"""Halves of tests, of which a run of everything takes one where another step of it runs the tests, too.

Every test runs in the checked build in every run. Under a sanitizer, with another compiler and for
another processor a run takes a half, which follows from the commit, as the sample of
tests/model/mutate.py does: a run repeats, the next commits take the other half, and at one commit
two steps of a pair take different halves. make check-deep runs both halves everywhere."""

import subprocess

# Of the interface's tests: families of C++ headers over the same calls.
FAMILIES = (("loops", "coroutines"), ("futures", "channels"))
# Folders of tests/conform: what stands on a queue of its own, and the rest.
CONFORM = (("argobots", "chapel", "qthreads"), ("alpi", "event", "fortran", "mpi", "openmpi", "threads"))
# Folders of tests/unit, about as much in each half.
UNIT = (
    ("arch", "base", "fiber", "os", "seeded", "sync", "unit", "worker"),
    ("faces", "mem", "net", "queue", "run", "see", "trace", "unwind"),
)


def of_commit(folder):
    """0 or 1, by the commit that is checked out; 0 where there is no git."""
    try:
        done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return int(done.stdout[:8], 16) % 2
    except (OSError, ValueError):
        return 0


def targets(kind, folders):
    return tuple(f"{kind}_of_{folder}" for folder in folders)


def names(kind, folders):
    """A regular expression of the names of these folders' tests."""
    return f"^{kind}[.]({'|'.join(folders)})(_|$)"


def families(some):
    """A regular expression of the labels of these families of C++."""
    return f"^cpp_({'|'.join(some)})_family$"
