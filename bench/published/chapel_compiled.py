"""What Chapel's statements cost in programs that a Chapel compiler has made, on the tasking layers of a tree: CHPL_HOME names the tree, where
the runtime must have been built for each layer. chapel/statements.chpl is the program."""

import os
import subprocess

import experiment
import report

NAME = "chapel-compiled"
TITLE = "Chapel's begin, coforall, cobegin, sync variables, tree exploration and quicksort, compiled by a Chapel compiler"
SOURCE = """Published: K. B. Wheeler, R. C. Murphy, D. Stark, B. L. Chamberlain (2011), The Chapel Tasking Layer Over Qthreads. Chapel's
FIFO layer takes longer than the layer on Qthreads: 71 to 182 % in quicksort, 50 to 80 % in tree exploration."""
NOT_COMPARABLE = """a later Chapel compiles other programs, of which each trial takes milliseconds; the best of five trials of a process
counts. "qthreads" is whatever Qthreads that layer was built with, which may be Weft's. The FIFO layer of later versions runs those tasks
of a cobegin or coforall that have not started in their parent; it has as many OS threads as it wants, the others as many workers as CPUs."""

FIGURES = ("begin_sync", "begin_read", "coforall", "cobegin", "sync_int", "sync_real", "ping_pong", "tree", "sort_1", "sort_10")
FACTS = ()
WORDS = {"begin_sync": "a begin, in a sync statement of 1000", "begin_read": "a begin, and a read of what it writes",
         "coforall": "a coforall of 2", "cobegin": "a cobegin of 2", "sync_int": "write and read of a sync int",
         "sync_real": "write and read of a sync real", "ping_pong": "there and back between two tasks", "tree": "a task of two trees of 2^14",
         "sort_1": "quicksort of 2^17, tasks on 1 level", "sort_10": "quicksort of 2^17, tasks on 10 levels"}
PUBLISHED = {"tree": "1.5 to 1.8", "sort_1": "1.71 to 2.82", "sort_10": "1.71 to 2.82"}
LAYERS = ("weft", "qthreads", "fifo")
FIFO = "fifo"
PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "chapel", "statements.chpl")

look_aside = experiment.look_aside
read = experiment.read_figures


def compiler(tree):
    """The path of chpl in a tree, or None."""
    for folder, _, names in os.walk(os.path.join(tree, "bin")):
        if "chpl" in names:
            return os.path.join(folder, "chpl")
    return None


def compiled(context, chpl, layer):
    """(the program's path, "") or (None, why there is none)."""
    folder = os.path.join(context.build, "bench", "published", "chapel")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, layer)
    done = subprocess.run([chpl, "--fast", "-o", path, PROGRAM], env={**os.environ, "CHPL_TASKS": layer}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    if done.returncode == 0:
        return path, ""
    return None, next((line for line in done.stdout.split("\n") if "rror" in line or "***" in line), "chpl failed").strip()


def plan_layer(context, layer):
    tree = os.environ.get("CHPL_HOME")
    workers = len(context.usable_cpus)
    if not tree:
        return experiment.new_cell("statements", layer, workers, status="not installed", why="a Chapel tree: CHPL_HOME does not name one")
    chpl = compiler(tree)
    if chpl is None:
        return experiment.new_cell("statements", layer, workers, status="not installed", why=f"{tree} has no bin/*/chpl")
    path, why = compiled(context, chpl, layer)
    if path is None:
        return experiment.new_cell("statements", layer, workers, status="not installed", why=f"{tree}: {why}")
    limit = 0 if layer == FIFO else workers
    command = ["/usr/bin/env", f"CHPL_RT_NUM_THREADS_PER_LOCALE={limit}", path]
    return experiment.new_cell("statements", layer, workers, command, ours=layer == "weft")


def plan(context):
    return [plan_layer(context, layer) for layer in LAYERS]


def show_time(seconds):
    return f"{seconds * 1e9:.1f} ns" if seconds < 1e-6 else report.show_seconds(seconds)


def show_group(cells):
    measured = [cell for cell in cells if experiment.is_measured(cell)]
    head = ["", *(cell["variant"] for cell in measured)]
    ratios = [cell for cell in measured if cell["variant"] != FIFO]
    head += [f"{FIFO} : {cell['variant']} [95 %]" for cell in ratios] + ["published, FIFO : Qthreads"]
    rows = []
    for figure in FIGURES:
        row = [WORDS[figure], *(show_time(experiment.median(cell, figure)) for cell in measured)]
        row += [experiment.ratio(experiment.find(cells, FIFO), cell, figure) for cell in ratios]
        rows.append([*row, PUBLISHED.get(figure, "")])
    lines = report.align([head, *rows]) if measured else []
    lines += [f"{cell['variant']}: {cell['status']}: {cell['why']}" for cell in cells if cell["status"] not in ("measured", "not installed")]
    return f"workers: {cells[0]['workers']}\n" + "\n".join("  " + line for line in lines)


def show(cells, _):
    return experiment.show_groups(cells, show_group)
