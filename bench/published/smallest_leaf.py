"""The smallest leaf of a run that still has half, or nine tenths, of the speed that two processors could give: on two threads, on two ranks
of one node, and on two nodes."""

import os
import shutil
import sys

import experiment

HERE = os.path.dirname(os.path.abspath(__file__))
CLUSTER = os.path.join(os.path.dirname(os.path.dirname(HERE)), "tools", "test", "cluster.py")
sys.path.append(os.path.dirname(CLUSTER))
import cluster  # noqa: E402  # pylint: disable=wrong-import-position

NAME = "smallest-leaf"
TITLE = "the smallest leaf at half and at nine tenths of the speed, on 2 threads, 2 ranks and 2 nodes"
SOURCE = """Published: METG, the minimum effective task granularity, of Task Bench (E. Slaughter et al., SC 2020,
doi:10.1109/SC41405.2020.00066); Itoyori, HPX and MPI by the same measure in arXiv:2601.14608."""
NOT_COMPARABLE = """Task Bench runs graphs of dependences over rows of tasks, on whole nodes of a cluster. Here a run is one tree of forks with 4096
leaves for each rank, or 64 trees one after the other with a leaf for each rank, so that each needs a steal. The number of leaves stays while they
become smaller. A leaf is a chain of multiplications, and what it takes alone is measured in the same process. Nodes on this machine, and
emulated ones, reach each other by TCP or by the MPI's own way between processes, without a network's delay. Itoyori and MassiveThreads/DM run
the same trees in their own words."""

FIGURES, FACTS = ("half_us", "nine_tenths_us", "largest_us", "smallest_us"), ("leaves", "steps")
SHAPES = {"tree": "one tree of 4096 leaves a rank", "steps": "64 steps of one leaf a rank"}
MPIS = {"mpich": "MPICH", "openmpi": "Open MPI"}
RIVALS = {"itoyori": "Itoyori", "massivethreads-dm": "MassiveThreads/DM"}
INSTALL = "the preset bench builds it"
ENV = shutil.which("env") or "/usr/bin/env"
BETWEEN = "between emulated nodes"

look_aside = experiment.look_aside
read = experiment.read_figures


class Place:
    """What a build and this machine offer."""

    def __init__(self, context):
        self.context = context
        self.cpus = min(2, len(context.usable_cpus))
        self.weft = os.path.join(context.build, "tools", "weft", "weft")
        self.why_no_nodes = cluster.why_not()

    def cell(self, shape, variant, program, command, missing=""):
        """command: the words before the program's path, and a function of it where there are none behind."""
        group = SHAPES[shape]
        path = self.context.program("published", "uni", program)
        if path is None or missing:
            rival = program.removeprefix("uni-leaf-")
            why = missing or (f"{RIVALS[rival]}, found by CMake (CMAKE_PREFIX_PATH)" if rival in RIVALS else INSTALL)
            return experiment.new_cell(group, variant, self.cpus, status="not installed", why=why, ours=rival not in RIVALS)
        return experiment.new_cell(group, variant, self.cpus, command(path), ours=program in ("uni-leaf", "uni-leaf-threads"))

    def why_no_mpi(self, mpi):
        module = os.path.join(self.context.build, "net", "mpi", f"libweft-net-{mpi}.so")
        return "" if shutil.which(f"mpirun.{mpi}") and os.path.exists(module) else f"mpirun.{mpi} and its module of this build"


def plan_nodes(here, shape, mpi):
    launcher, missing = f"mpirun.{mpi}", here.why_no_mpi(mpi)
    one_machine = [ENV, "WEFT_LAUNCH_APART=on", "OMPI_MCA_hwloc_base_binding_policy=none", here.weft, "launch", "-q", "--mpi", launcher, "-n", "2"]
    apart = [sys.executable, "-B", CLUSTER, here.weft, "2", "2", launcher]
    why_not = missing or (f"no nodes on this machine: {here.why_no_nodes}" if here.why_no_nodes else "")
    return [here.cell(shape, f"nodes: 2, {MPIS[mpi]} on one machine", "uni-leaf", lambda path: [*one_machine, path, shape], missing),
            here.cell(shape, f"nodes: 2, {MPIS[mpi]} {BETWEEN}", "uni-leaf", lambda path: [*apart, path, shape], why_not)]


def plan_rival(here, shape, rival):
    """Its MPI is the one of which CMake found mpiexec, as the script beside the program has it."""
    def launcher(path):
        return f"{path}.launcher"

    def on_nodes(path):
        with open(launcher(path), encoding="utf-8") as file:
            words = file.read().split()
        return [sys.executable, "-B", CLUSTER, here.weft, "2", "2", words[0], "--plain", *words[1:], path, shape]

    def on_one(path):
        with open(launcher(path), encoding="utf-8") as file:
            words = file.read().split()
        return [words[0], "-n", "2", *words[1:], path, shape]

    name = RIVALS[rival]
    why_not = f"no nodes on this machine: {here.why_no_nodes}" if here.why_no_nodes else ""
    return [here.cell(shape, f"{name}, ranks: 2", f"uni-leaf-{rival}", on_one),
            here.cell(shape, f"{name}, nodes: 2, {BETWEEN}", f"uni-leaf-{rival}", on_nodes, why_not)]


def plan(context):
    here, cells = Place(context), []
    for shape in SHAPES:
        cells.append(here.cell(shape, "threads: 2", "uni-leaf-threads", lambda path, shape=shape: [path, shape, "2"]))
        cells.append(here.cell(shape, "ranks: 2, one node", "uni-leaf",
                               lambda path, shape=shape: [here.weft, "launch", "-q", "-n", "2", path, shape]))
        for mpi in MPIS:
            cells += plan_nodes(here, shape, mpi)
        for rival in RIVALS:
            cells += plan_rival(here, shape, rival)
    return cells


def show_leaf(cell, figure):
    """0: not even the largest leaf has that speed; the smallest: every leaf has."""
    value = experiment.median(cell, figure)
    if value == 0:
        return f"> {experiment.median(cell, 'largest_us'):,.0f} us"
    words = f"{value:,.2f} us"
    return f"<= {words}" if value <= experiment.median(cell, "smallest_us") else words


def show_group(cells):
    columns = [("half", lambda cell: show_leaf(cell, "half_us")),
               ("spread", lambda cell: experiment.spread(cell, "half_us") if experiment.median(cell, "half_us") else ""),
               ("nine tenths", lambda cell: show_leaf(cell, "nine_tenths_us")),
               ("spread", lambda cell: experiment.spread(cell, "nine_tenths_us") if experiment.median(cell, "nine_tenths_us") else ""),
               ("", lambda _: "")]
    return f"{cells[0]['group']}: the smallest leaf at\n" + experiment.table(cells, columns)


def show(cells, _):
    few = "\nThis machine lends fewer than two processors: nothing here can be fast." if any(cell["workers"] < 2 for cell in cells) else ""
    return experiment.show_groups(cells, show_group) + few
