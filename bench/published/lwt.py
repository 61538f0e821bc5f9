"""The microbenchmarks of a review of lightweight threads: units created and joined, parallel loops, tasks, each alone and nested, over the
threads interface (faces/threads), on MassiveThreads and on OpenMP, by number of workers."""

import experiment
import thread_ops

NAME = "lwt"
TITLE = "microbenchmarks of a review of lightweight threads: creation, join, loops and tasks, alone and nested"
SOURCE = """Published: A. Castelló, A. J. Peña, S. Seo, R. Mayo, P. Balaji, E. S. Quintana-Ortí (2016), A Review of Lightweight Thread
Approaches for High Performance Computing, IEEE Cluster (https://ieeexplore.ieee.org/document/7776544): times by number of threads, as curves,
no table. What it concludes: libraries of lightweight threads do better than solutions that are based on OS threads where there are tasks or
nested parallelism. Libraries differ in how a unit is joined: by ABT_thread_free in Argobots, a read of the word that it fills in Qthreads,
myth_join in MassiveThreads."""
NOT_COMPARABLE = """there each library has a text of its own; here Argobots, Qthreads, OS threads and Weft run one text over our threads
interface, which adds what MAP.md of it says. Loops and tasks are lists of its threads (of forks where "anonymous"); what is created and
joined by itself is a thread. openmp makes tasks inside of one region, also for loops; openmp-regions a parallel loop, which the nested ones
make again in each iteration. libomp: LLVM's instead of the compiler's. Each loop has a part for each worker. The loop of
1000 iterations is theirs; that nested loops are 100 of 100 and nested tasks 200 of 4 is ours. The times of lwt-create and lwt-join hold
a reading of the clocks in each round. Figures are of one round. OS threads, and what may wait in the kernel, do fewer rounds."""

FIGURES, FACTS = ("each",), ()
WEFT, FIFO, SEQUENTIAL = "threads-weft", "threads-fifo", "sequential"
VARIANTS = (WEFT, "threads-weft-anonymous", "threads-argobots", "threads-qthreads", "massivethreads", "openmp", "openmp-regions", "libomp",
            "libomp-regions", "threads-pool", FIFO, "os-threads", SEQUENTIAL)
SLOW = ("threads-qthreads", "openmp-regions", "libomp-regions", FIFO, "os-threads")  # they wait in the kernel, or may
WITH_CURVES = ("threads-argobots", "threads-qthreads", "massivethreads", "openmp", "openmp-regions")
REGIONS = ("lwt-for", "lwt-for-nested")  # what OpenMP has a construct for
# kernel: rounds, of those that are slow as well; usual and full
KERNELS = {"lwt-create": {False: (20_000, 500), True: (200_000, 5000)},
           "lwt-join": {False: (20_000, 100), True: (200_000, 1000)},
           "lwt-for": {False: (20_000, 100), True: (200_000, 1000)},
           "lwt-for-nested": {False: (200, 2), True: (2000, 20)},
           "lwt-tasks-single": {False: (500, 4), True: (5000, 40)},
           "lwt-tasks-all": {False: (500, 4), True: (5000, 40)},
           "lwt-tasks-nested": {False: (500, 4), True: (5000, 40)}}
INSTALL = {"threads-argobots": "Argobots, found by pkg-config; its shared library",
           "threads-qthreads": "Qthreads, found by CMake (CMAKE_PREFIX_PATH)",
           "openmp-regions": "a compiler with OpenMP",
           "libomp-regions": "clang and its OpenMP beside another compiler: clang-19 libomp-19-dev"}

look_aside, read = experiment.look_aside, thread_ops.read


def plan_cell(context, kernel, workers, variant):
    size = KERNELS[kernel][context.is_full][variant in SLOW]
    cell = experiment.plan_kernel(context, f"{kernel}, workers: {workers}", kernel, size, variant, 1 if variant == SEQUENTIAL else workers)
    cell["ours"] = cell["ours"] or variant.startswith(WEFT)
    if cell["status"] == "not installed":
        cell["why"] = INSTALL.get(variant, cell["why"])
    return cell


def plan(context):
    return [plan_cell(context, kernel, workers, variant)
            for kernel in KERNELS for workers in thread_ops.worker_counts(len(context.usable_cpus)) for variant in VARIANTS]


def find_openmp(kernel, cells):
    """What OpenMP's programs are written with: parallel loops, or tasks."""
    return experiment.find(cells, "openmp-regions" if kernel in REGIONS else "openmp")


def show_group(cells):
    name = cells[0]["group"]
    openmp, fifo = find_openmp(name.split(",")[0], cells), experiment.find(cells, FIFO)
    columns = [("median", lambda cell: f"{experiment.median(cell, 'each') * 1e6:,.3f} us"),
               ("spread", lambda cell: experiment.spread(cell, "each")),
               ("OpenMP : it [95 %]", lambda cell: experiment.ratio(openmp, cell, "each")),
               ("OS threads : it [95 %]", lambda cell: experiment.ratio(fifo, cell, "each")),
               ("published", lambda cell: "a curve" if cell["variant"] in WITH_CURVES else "")]
    return f"{name}; a round\n" + experiment.table(cells, columns)


def show(cells, _):
    return experiment.show_groups(cells, show_group)
