"""RMA-MT: puts and gets of 1 to 16 threads between two ranks, by the way in which they are synchronised; OS threads and user-level threads
over one text."""

import os
import shutil

import experiment

NAME = "rma-mt"
TITLE = "RMA-MT: puts and gets of many threads between two ranks, by synchronisation"
SOURCE = """Published: M. G. F. Dosanjh, T. Groves, R. E. Grant, R. Brightwell, P. G. Bridges (2016), RMA-MT: A Benchmark Suite for Assessing MPI
Multi-threaded RMA Performance, CCGrid, doi:10.1109/CCGrid.2016.84: bandwidth, both directions and latency of put and get with 1 to 16 threads, as
curves. Over a threads interface in Open MPI: no significant difference between OS threads and user-level threads, while the interface's calls
cost 20 to 30 % more. (That statement is quoted; its figures could not be looked up.)"""
NOT_COMPARABLE = """there two nodes, a network and a core for each thread; here two ranks share this machine. The text is our own, written from the
description, over our threads interface: each thread has a window of its own from MPI_Win_allocate, and threads meet at a barrier that lets
others run, where the published program spins. Figures are of one operation: of all threads in bandwidth and bidirectional (up to 64
operations between two synchronisations, of all sizes 1 MiB at most), of each thread in latency. "Stock" threads call the MPI
itself, so that one that waits in it keeps its worker: they have as many workers as threads where both ranks synchronise (fence, pscw). "weft"
without a further word has libweft-mpi between, and half of the CPUs as workers, one at least. Each process checks what it has copied, word by word. More OS threads than CPUs that wait
in an MPI that spins wait for time slices."""

SIZES = (8, 64, 512, 4096, 32768, 262144)
FIGURES, FACTS = tuple(f"us_{size}" for size in SIZES), ("threads", "checked_words")
KERNELS, OPERATIONS, SYNCS = ("bandwidth", "bidirectional", "latency"), ("put", "get"), ("fence", "lock", "lock_all", "flush", "pscw")
ACTIVE = ("fence", "pscw")  # both ranks take part
USUAL = (*(("bandwidth", "put", sync) for sync in SYNCS), ("bandwidth", "get", "flush"), ("bidirectional", "put", "flush"),
         ("latency", "put", "flush"))
THREADS = {False: (1, 4, 16), True: (1, 2, 4, 8, 16)}
ITERATIONS = {False: 50, True: 4}  # by whether both ranks take part
MPIS = ("openmpi", "mpich")
OS_THREADS = "OS threads"
# variant: (the program's ending, implementation, whether it calls the MPI itself)
VARIANTS = {OS_THREADS: ("shared", "fifo", True), "OS threads, static": ("static", "fifo", True),
            "OS threads, inlined": ("inlined-fifo", "fifo", True), "weft": ("shared-weft-mpi", "weft", False),
            "weft, inlined": ("inlined-weft-weft-mpi", "weft", False), "weft, stock": ("shared", "weft", True),
            "weft, stock, static": ("static", "weft", True), "weft, stock, inlined": ("inlined-weft", "weft", True),
            "argobots, stock": ("shared", "argobots", True), "qthreads, stock": ("shared", "qthreads", True)}
MODULES = {"argobots": "Argobots, found by pkg-config; its shared library", "qthreads": "Qthreads, found by CMake (CMAKE_PREFIX_PATH)"}
BUILDS = "OPENMPI_BUILDS"  # folders of Open MPIs that run ULTs themselves, such as with faces/openmpi
LIMIT_S = 100  # less than that of the process, so that the launcher ends its ranks
ENV, TIMEOUT = (shutil.which(name) or f"/usr/bin/{name}" for name in ("env", "timeout"))
# Open MPI hangs by itself at some 500 outstanding operations.
LISTS = [f"OMPI_MCA_btl_{btl}_free_list_max=65536" for btl in ("self", "vader", "sm")]

read = experiment.read_figures
look_aside = experiment.look_aside


def launcher(mpi, build=""):
    """The words that start two ranks; build: the folder of another Open MPI, whose launcher is taken where it has one."""
    own = os.path.join(build, "bin", "mpirun")
    words = [own if build and os.access(own, os.X_OK) else f"mpirun.{mpi}"]
    if mpi == "openmpi":
        words += ["--oversubscribe", "--bind-to", "none", *["--allow-run-as-root"] * (os.geteuid() == 0)]
        words += ["-x", f"LD_LIBRARY_PATH={os.path.join(build, 'lib')}"] if build else []
    return [*words, "-n", "2"]


def other_builds():
    """(variant, implementation, folder) of the Open MPIs that the user names: user-level threads, and OS threads beside them."""
    folders = [each for each in os.environ.get(BUILDS, "").split(":") if each]
    return [(f"{what} in {os.path.basename(os.path.normpath(folder))}", implementation, folder)
            for folder in folders for what, implementation in ((OS_THREADS, "fifo"), ("weft", "weft"))]


class Place:
    def __init__(self, context):
        self.context = context
        self.cpus = len(context.usable_cpus)
        self.mpis = [mpi for mpi in MPIS if shutil.which(f"mpirun.{mpi}") and self.program(mpi, "shared")]
        self.builds = other_builds()

    def program(self, mpi, ending):
        return self.context.program("published", "rma_mt", f"rma-mt-{mpi}-{ending}")

    def has_module(self, name):
        return os.path.exists(os.path.join(self.context.build, "faces", "threads", "weft-threads", f"weft-threads-{name}.so"))

    def workers(self, sync, threads, is_stock):
        return threads if is_stock and sync in ACTIVE else max(1, self.cpus // 2)

    def cell(self, mpi, case, threads, variant, kind, build=""):
        ending, implementation, is_stock = kind
        group = f"{mpi}: {', '.join(case)}, threads: {threads}"
        ours = implementation == "weft"
        program = self.program(mpi, ending)
        if program is None or (implementation in MODULES and not self.has_module(implementation)):
            why = MODULES.get(implementation, "libweft-mpi for this MPI")
            return experiment.new_cell(group, variant, status="not installed", why=why, ours=ours)
        workers = self.workers(case[2], threads, is_stock)
        iterations = ITERATIONS[case[2] in ACTIVE]
        command = [ENV, f"WEFT_THREADS={implementation}", *LISTS, TIMEOUT, "--kill-after=5", str(LIMIT_S), *launcher(mpi, build), program,
                   *case, str(threads), "--workers", str(workers), "--iterations", str(iterations)]
        return experiment.new_cell(group, variant, min(self.cpus, 2 * workers), command, ours=ours)

    def cells(self, mpi, case, threads):
        found = [self.cell(mpi, case, threads, variant, kind) for variant, kind in VARIANTS.items()]
        if mpi == "openmpi":
            found += [self.cell(mpi, case, threads, variant, ("shared", implementation, False), folder)
                      for variant, implementation, folder in self.builds]
        return found


def plan(context):
    here = Place(context)
    if not here.mpis:
        return [experiment.new_cell(NAME, NAME, status="not installed", why="an MPI: libopenmpi-dev openmpi-bin, or libmpich-dev mpich")]
    cases = [(kernel, operation, sync) for kernel in KERNELS for operation in OPERATIONS for sync in SYNCS] if context.is_full else USUAL
    mpis = here.mpis if context.is_full else here.mpis[:1]
    return [cell for mpi in mpis for case in cases for threads in THREADS[context.is_full] for cell in here.cells(mpi, case, threads)]


def show_group(cells):
    base = experiment.find(cells, OS_THREADS)
    columns = [(f"{size} B", lambda cell, size=size: f"{experiment.median(cell, f'us_{size}'):,.3f} us") for size in SIZES]
    columns += [(f"OS threads : it, {size} B [95 %]", lambda cell, size=size: experiment.ratio(base, cell, f"us_{size}"))
                for size in (SIZES[0], SIZES[-1])]
    columns += [("published", lambda _: "")]
    return f"{cells[0]['group']}; an operation\n" + experiment.table(cells, columns)


def show(cells, _):
    return experiment.show_groups(cells, show_group)
