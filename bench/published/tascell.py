"""Tascell: the programs of its authors against the same text in plain C, and what it is worth that workspaces are reused."""

import os
import re

import experiment
import tascell_nodes

NAME = "tascell"
TITLE = "Tascell: Fib, n-queens, pentominoes and Comp against plain C, reuse of workspaces, short runs, sleepers"
SOURCE = """Published: T. Hiraishi, M. Yasugi, S. Umatani, T. Yuasa, Backtracking-based load balancing, PPoPP 2009
(doi:10.1145/1504176.1504187): 16-queens 1.86 times as fast as Cilk on two dual-core processors. D. Muraoka et al., ICPP Workshops 2016
(doi:10.1109/ICPPW.2016.36): 19-queens 4615 times as fast as serial C on 7168 workers of the K computer, an efficiency of 64 %. Kojima,
T. Hiraishi, H. Nakashima, M. Yasugi, Implementing the Tascell task-parallel language using multithreaded MPI (poster): three ways to use an
MPI; two-sided with MPI_THREAD_MULTIPLE slightly ahead of FUNNELED but in Comp, one-sided last almost everywhere, first in Comp on 2 nodes."""
NOT_COMPARABLE = """another CPU, other numbers of workers, other sizes (n = 13 usually, 16 with --full), and Cilk is not installed: the lines of
"copied for each child" are what a Cilk program must do. The efficiency of n workers is the time of plain C divided by n times theirs. Plain C
is the same text, compiled by weft tascell --plain, which leaves the constructs out; the C compiler and its options are the same (-O3 -fno-tree-vectorize: vector loops of four iterations only cost time).
sc-tascell has texts of its own: its pentominoes lie in another order, so its line shows how it scales, not how much it costs.
What is timed holds the start and the end of a run, but not weft_init; each program runs once before it is timed.
Nodes are processes of this machine, and emulated nodes are namespaces on it: their network is a bridge without a delay."""

FIGURES, FACTS = (), ()
PICTURE = "tascell_picture.py"
PLAIN = "plain C"
INSTALL = "the preset bench builds it"
PEER_INSTALL = "sc-tascell: SC_TASCELL names the folder src/sample/tcell in which its programs were made"
# program: (title, usual size, published size, a size of some 10 ms)
PROGRAMS = {"fib": ("Fib", 40, 44, 36), "nq": ("Nq", 13, 16, 12), "pen": ("Pen", 12, 12, None), "comp": ("Comp", 20000, 30000, 4000)}
IN_LIBRARY = ("fib", "nq", "comp")
COPIES = {"nq-copy": ("Nq", 12, 13), "pen-copy": ("Pen", 12, 12)}
LEVELS = ("copied for each child", "shared by siblings", "reused")
# program: (its file, its -i, what it answers)
PEER = {"fib": ("fib-gcc", "1 {}"), "nq": ("nq-gcc", "0 {} -1"), "pen": ("pen6x17-gcc", "1 {}"), "comp": ("cmp-gcc", "0 {} -1")}
PEER_TIME = re.compile(r"^time: ([0-9.]+)", re.MULTILINE)
PUBLISHED = {"nq": "1.86 x Cilk on 4 cores; 64 % on 7168 workers"}
QUEENS = {12: 14200, 13: 73712, 16: 14772512}
WAKE = "a sleeping worker begins after the first poll that has work"
RUN_GROUP, SHORT_GROUP, COPY_GROUP = "{}, {}", "{}, {}: a short run", "{}, {}: reuse of workspaces"

look_aside = experiment.look_aside


def worker_counts(cpus):
    """1, 2, 4, … and all."""
    return sorted({cpus, *(1 << step for step in range(cpus.bit_length()) if 1 << step <= cpus)})


def plan_program(context, group, variant, program, words, workers=1):
    path = context.program("published", "tascell", program)
    if path is None:
        return experiment.new_cell(group, variant, workers, status="not installed", why=INSTALL, ours=True)
    return experiment.new_cell(group, variant, workers, [path, *map(str, words)], ours=True)


def answer_of(program, size):
    if program == "fib":
        current, following = 0, 1
        for _ in range(size):
            current, following = following, current + following
        return current
    return {"nq": QUEENS.get(size, 0), "pen": 2339, "comp": size - 1}[program]


def plan_peer(group, program, size, workers):
    variant = f"sc-tascell, workers: {workers}"
    file, words = PEER[program]
    path = os.path.join(os.environ.get("SC_TASCELL", ""), file)
    if not os.environ.get("SC_TASCELL") or not os.access(path, os.X_OK):
        return experiment.new_cell(group, "sc-tascell", workers, status="not installed", why=PEER_INSTALL)
    # It prints its time on stderr, and its answer as a line on stdout.
    script = 'echo "expected: $0"; "$@" 2>&1 </dev/null'
    command = ["/bin/sh", "-c", script, str(answer_of(program, size)), path, "-n", str(workers), "-i", words.format(size), "-x"]
    return experiment.new_cell(group, variant, workers, command)


def plan_runs(context, program, group, size, has_library=True):
    counts = worker_counts(len(context.usable_cpus))
    cells = [plan_program(context, group, PLAIN, f"plain-{program}", [size])]
    cells += [plan_program(context, group, f"compiled, workers: {count}", f"tascell-{program}", [size, count], count) for count in counts]
    if has_library and program in IN_LIBRARY:
        cells += [plan_program(context, group, f"library, workers: {count}", f"library-{program}", [size, count], count) for count in counts]
    return cells + [plan_peer(group, program, size, count) for count in counts]


def plan_copies(context, program):
    title, *sizes = COPIES[program]
    size = sizes[context.is_full]
    group = COPY_GROUP.format(title, size)
    cells = []
    for level, words in enumerate(LEVELS):
        cells.append(plan_program(context, group, f"plain C, {words}", f"plain-{program}-{level}", [size]))
        cells += [plan_program(context, group, f"{words}, workers: {count}", f"tascell-{program}-{level}", [size, count], count)
                  for count in worker_counts(len(context.usable_cpus))]
    return cells


def plan(context):
    cells = []
    for program, (title, *sizes, short) in PROGRAMS.items():
        cells += plan_runs(context, program, RUN_GROUP.format(title, sizes[context.is_full]), sizes[context.is_full])
    for program, (title, *_, short) in PROGRAMS.items():
        if short is not None:
            cells += plan_runs(context, program, SHORT_GROUP.format(title, short), short, has_library=False)
    for program in COPIES:
        cells += plan_copies(context, program)
    if len(context.usable_cpus) > 1:
        cells.append(plan_program(context, WAKE, "compiled", "tascell-wake", [], 2))
    return cells + tascell_nodes.plan(context)


def read_peer(text):
    times = PEER_TIME.findall(text)
    first, *rest = text.splitlines()
    if not times or not first.startswith("expected: "):
        return None
    expected = first.split(": ")[1]
    is_right = expected in rest
    return {"correct": is_right, "answer": "another one", "expected": expected, "sample": {"seconds": float(times[0])}, "facts": {}}


def read(text):
    """What the programs of tascell/ print, or those of sc-tascell."""
    return experiment.read_figures(text) or (read_peer(text) if text.startswith("expected: ") else None)


def efficiency(cell, plain):
    """The time of plain C divided by that of the workers, each of whom it would keep busy; None for plain C itself."""
    if plain is None or cell is plain:
        return None
    return experiment.median(plain, "seconds") / (cell["workers"] * experiment.median(cell, "seconds"))


def show_efficiency(cell, plain):
    share = efficiency(cell, plain)
    return "" if share is None else f"{share:.0%}"


def tasks(cell):
    return f"{experiment.median(cell, 'given'):,.0f}" if "given" in cell["samples"][0] and cell["variant"] != PLAIN else ""


def family(cell):
    """What of the variant stands before the number of workers."""
    return cell["variant"].split(", workers: ")[0]


def speed_up(cell, cells):
    one = experiment.find(cells, f"{family(cell)}, workers: 1")
    if one is None or one is cell or ", workers: " not in cell["variant"]:
        return ""
    return experiment.ratio(one, cell, "seconds")


def show_runs(cells):
    plain = experiment.find(cells, PLAIN)
    program = next(name for name, (title, *_) in PROGRAMS.items() if cells[0]["group"].startswith(title + ","))
    columns = [("median", lambda cell: f"{experiment.median(cell, 'seconds') * 1e3:,.2f} ms"),
               ("spread", lambda cell: experiment.spread(cell, "seconds")),
               ("it : plain C [95 %]", lambda cell: experiment.ratio(cell, plain, "seconds")),
               ("one worker : it", lambda cell: speed_up(cell, cells)),
               ("efficiency", lambda cell: show_efficiency(cell, plain)),
               ("tasks", tasks),
               ("published", lambda cell: PUBLISHED.get(program, "") if cell["variant"].startswith("compiled") and cell["workers"] > 1 else "")]
    return f"{cells[0]['group']}\n" + experiment.table(cells, columns)


def show_copies(cells):
    columns = [("median", lambda cell: f"{experiment.median(cell, 'seconds') * 1e3:,.2f} ms"),
               ("spread", lambda cell: experiment.spread(cell, "seconds")),
               ("it : reused [95 %]", lambda cell: experiment.ratio(cell, experiment.find(cells, reused_beside(cell)), "seconds")),
               ("tasks", lambda cell: "" if cell["variant"].startswith(PLAIN) else tasks(cell)),
               ("published", lambda _: "")]
    return f"{cells[0]['group']}\n" + experiment.table(cells, columns)


def reused_beside(cell):
    """The variant that reuses the workspace, as plain C or on as many workers."""
    if cell["variant"].startswith(PLAIN):
        return f"{PLAIN}, {LEVELS[-1]}"
    return f"{LEVELS[-1]}, workers: {cell['workers']}"


def show_wake(cells):
    columns = [("median", lambda cell: f"{experiment.median(cell, 'us'):,.1f} us"),
               ("90th percentile", lambda cell: f"{experiment.median(cell, 'us_90'):,.1f} us"),
               ("spread", lambda cell: experiment.spread(cell, "us")),
               ("published", lambda _: "")]
    return f"{WAKE}\n" + experiment.table(cells, columns)


def show_group(cells):
    if tascell_nodes.is_of_nodes(cells):
        return tascell_nodes.show_group(cells)
    if cells[0]["group"] == WAKE:
        return show_wake(cells)
    return show_copies(cells) if is_of_copies(cells) else show_runs(cells)


def is_of_copies(cells):
    return cells[0]["group"].endswith("reuse of workspaces")


def show(cells, _):
    return experiment.show_groups(cells, show_group)
