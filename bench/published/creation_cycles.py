"""What it takes to create a thread, in cycles: the creation alone, with the child run first, and with the join."""

import experiment

NAME = "creation-cycles"
TITLE = "cycles to create a thread whose function is empty"
SOURCE = """Published: a uni-address thread is created in 100 cycles, one of MassiveThreads in 110, on a Xeon (S. Akiyama and K. Taura,
Uni-Address Threads: Scalable Thread Management for RDMA-Based Work Stealing, HPDC 2015). Both run the child first: an empty child has
ended when its creator goes on."""
NOT_COMPARABLE = """another CPU, of 2015 or before; whether its cycles were the TSC's or the core's, and whether they hold the join, could
not be looked up, so that all of these stand here. Weft's threads and tasklets do not run at creation but at the join, or when a worker
comes to them: the nearest to a creation with the child run first is a creation and join, one at a time. A fork is no thread until it is
taken. Uni-address threads live in processes: the experiment uni-address measures ours. The best of three rounds in each process; these
sizes are all there are, --full changes nothing."""

FIGURES, FACTS = ("ticks", "core_cycles", "ns"), ("counter", "ticks_per_ns", "core_cycles_per_tick")
LATER, FIRST, JOINED = "created alone, to run later", "created and run to the end, one at a time", "created and joined, 1000 at a time"
# group, variant, program, operation
LINES = (
    (LATER, "weft fork", "weft", "fork-only"), (LATER, "weft tasklet", "weft", "create-tasklet"), (LATER, "weft thread", "weft", "create"),
    (LATER, "argobots tasklet", "argobots", "create-tasklet"), (LATER, "argobots thread", "argobots", "create"),
    (LATER, "massivethreads, child last", "massivethreads", "create"),
    (FIRST, "weft fork, with its join", "weft", "fork-one"), (FIRST, "weft thread, with its join", "weft", "create-join-one-by-ult"),
    (FIRST, "weft thread, with its join, by the main thread", "weft", "create-join-one"),
    (FIRST, "argobots, child first", "argobots", "create-first"),
    (FIRST, "argobots, child first, with its join", "argobots", "create-first-join-one"),
    (FIRST, "massivethreads, child first", "massivethreads", "create-first"),
    (FIRST, "massivethreads, child first, with its join", "massivethreads", "create-first-join-one"),
    (JOINED, "weft fork", "weft", "fork-flat"), (JOINED, "weft tasklet", "weft", "tasklet"), (JOINED, "weft thread", "weft", "create-join"),
    (JOINED, "argobots tasklet", "argobots", "tasklet"), (JOINED, "argobots thread", "argobots", "create-join"),
    (JOINED, "massivethreads, child last", "massivethreads", "create-join"),
)
INSTALL = {"weft": "the preset bench builds it", "argobots": "Argobots, found by pkg-config",
           "massivethreads": "MassiveThreads, found by CMake (CMAKE_PREFIX_PATH)"}
UNI_ADDRESS = "uni-address, child first"
PUBLISHED = {UNI_ADDRESS: "100 cycles", "massivethreads, child first": "110 cycles"}

read = experiment.read_figures
look_aside = experiment.look_aside


def plan_line(context, group, variant, library, operation):
    program = context.program("micro", f"micro-{library}")
    ours = library == "weft"
    if program is None:
        return experiment.new_cell(group, variant, status="not installed", why=INSTALL[library], ours=ours)
    return experiment.new_cell(group, variant, command=[program, operation, "1", "--figures"], ours=ours)


def plan(context):
    cells = [plan_line(context, *line) for line in LINES]
    return [*cells, experiment.new_cell(FIRST, UNI_ADDRESS, status="cannot", why="its threads live in processes that MPI connects")]


def show_group(cells):
    thread = next((cell for cell in cells if cell["variant"].startswith("weft thread") and experiment.is_measured(cell)), None)
    columns = [("TSC cycles", lambda cell: f"{experiment.median(cell, 'ticks'):.1f}"),
               ("core cycles", lambda cell: f"{experiment.median(cell, 'core_cycles'):.1f}"),
               ("ns", lambda cell: f"{experiment.median(cell, 'ns'):.2f}"),
               ("spread", lambda cell: experiment.spread(cell, "ticks")),
               (": weft thread [95 %]", lambda cell: experiment.ratio(cell, thread, "ticks")),
               ("published", lambda cell: PUBLISHED.get(cell["variant"], ""))]
    return f"{cells[0]['group']}\n" + experiment.table(cells, columns)


def show(cells, _):
    return "\n\n".join(filter(None, [experiment.show_groups(cells, show_group), experiment.clock(cells)]))
