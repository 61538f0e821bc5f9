"""The programs that Chapel's tasking layers were compared with: quicksort, tree exploration, STREAM, STREAM-EP, RandomAccess, each written
once over the threads interface (faces/threads) and run on every implementation of it, against the FIFO layer."""

import json

import experiment
import report

NAME = "chapel"
TITLE = "Chapel's quicksort, tree exploration, STREAM, STREAM-EP, RandomAccess over the threads interface, against OS threads"
SOURCE = """Published: K. B. Wheeler, R. C. Murphy, D. Stark, B. L. Chamberlain (2011), The Chapel Tasking Layer Over Qthreads. Chapel's
FIFO layer, an OS thread a task, takes longer than the layer on Qthreads: 71 to 182 % in quicksort, 50 to 80 % in tree exploration, about
25 % in STREAM, 45 % in STREAM-EP, 15 % in RandomAccess. The paper blames the difference of the two STREAMs on who hands the loops out:
the program's first thread, which is outside the tasking layer, or a task."""
NOT_COMPARABLE = """there Chapel's compiler made the programs, with what it adds to each task; here they are C++ after Chapel's texts of that
time, and the tasking layers are implementations of our interface. fifo-2011 is the layer of the paper: a parent that waits runs those of
its children that have not started; OS threads are made whenever more tasks are queued than are idle. fifo is today's layer, whose parents
wait: with many tasks all its OS threads can come to wait for tasks that none is left to run. Both have as many OS threads as the system
bears (settings below), and idle ones sleep here, where Chapel's yield. The paper does not give quicksort's threshold: several are here.
One process is one run, which makes its OS threads as well, as there. "outside": the caller is not adopted as a thread; "inlined": the
interface compiled for one implementation; "anonymous": tasks that need no identity, which are Weft's forks."""

FIGURES, FACTS = ("time", "wrong_words"), ("units",)
# A kernel: sizes that take minutes in all, those of the paper, and the largest of them; in the program's measure.
EXPONENTS = {"full": (20, 22, 24, 26), "largest": (28,)}
USUAL = {"chapel-quicksort-1": 18, "chapel-quicksort-log": 18, "chapel-quicksort-10": 18, "chapel-quicksort-all": 18, "chapel-tree": 18,
         "stream": 22, "stream-ep": 22, "random-access": 20}
SIZE_IS_EXPONENT = ("chapel-tree", "random-access")
PUBLISHED = {"chapel-quicksort": "1.71 to 2.82", "chapel-tree": "1.5 to 1.8", "stream": "1.25", "stream-ep": "1.45",
             "random-access": "1.15"}
SEQUENTIAL = "sequential"
FIFO_2011, FIFO_TODAY, OUTSIDE = "threads-fifo-2011", "threads-fifo", "-outside"
VARIANTS = ("threads-weft", "threads-weft-inlined", "threads-weft-anonymous", "threads-qthreads", "threads-argobots",
            "threads-argobots-inlined", "threads-pool", FIFO_2011, FIFO_TODAY)
COMPARED = ("threads-weft", "threads-qthreads")  # what stands for the paper's layer on Qthreads
INSTALL = {"argobots": "Argobots, found by pkg-config; its shared library, unless inlined",
           "qthreads": "Qthreads, found by CMake (CMAKE_PREFIX_PATH)"}

look_aside = experiment.look_aside


def exponents(context, kernel):
    if context.is_largest:
        return EXPONENTS["largest"]
    return EXPONENTS["full"] if context.is_full else (USUAL[kernel],)


def plan_cell(context, kernel, exponent, variant):
    size = exponent if kernel in SIZE_IS_EXPONENT else 1 << exponent
    workers = 1 if variant == SEQUENTIAL else len(context.usable_cpus)
    cell = experiment.plan_kernel(context, f"{kernel}, 2^{exponent}", kernel, size, variant, workers, warm_ups=0)
    cell["ours"] = variant.startswith("threads-weft") or variant == SEQUENTIAL
    if cell["status"] == "not installed":
        cell["why"] = next((why for name, why in INSTALL.items() if name in variant), cell["why"])
    return cell


def plan(context):
    variants = [variant + caller for caller in ("", OUTSIDE) for variant in VARIANTS] + [SEQUENTIAL]
    return [plan_cell(context, kernel, exponent, variant)
            for kernel in USUAL for exponent in exponents(context, kernel) for variant in variants]


def read(text):
    """The record of a run; its time is that of the best trial where a program has several."""
    record = experiment.read_kernel(text)
    if record is None:
        return None
    metrics = json.loads(text).get("metrics", {})
    record["sample"]["time"] = float(metrics.get("best_trial_seconds", record["sample"]["seconds"]))
    record["sample"]["wrong_words"] = int(metrics.get("wrong_words", 0))
    return record


def caller_of(variant):
    return OUTSIDE if variant.endswith(OUTSIDE) else ""


def slower(cells, layer, cell):
    """How much longer the FIFO layer takes, with the same caller."""
    return experiment.ratio(experiment.find(cells, layer + caller_of(cell["variant"])), cell, "time") if is_layer(cell) else ""


def is_layer(cell):
    return cell["variant"] != SEQUENTIAL and not cell["variant"].startswith(FIFO_TODAY)


def published(kernel, cell):
    if cell["variant"].removesuffix(OUTSIDE) not in COMPARED:
        return ""
    return next(ratio for name, ratio in PUBLISHED.items() if kernel == name or name == "chapel-quicksort" and kernel.startswith(name))


def rate(kernel, cell):
    seconds, units = experiment.median(cell, "time"), cell["facts"]["units"]
    if kernel.startswith("stream"):
        return f"{24 * units / 10 / seconds * 1e-9:.1f} GB/s"
    return f"{units / seconds * 1e-9:.4f} GUP/s"


def columns_of(kernel, cells):
    columns = [("median", lambda cell: report.show_seconds(experiment.median(cell, "time"))),
               ("spread", lambda cell: experiment.spread(cell, "time")),
               ("memory", lambda cell: report.show_bytes(max(experiment.samples(cell, "peak_bytes"))))]
    if kernel.startswith(("stream", "random-access")):
        columns.append(("rate", lambda cell: rate(kernel, cell)))
    if kernel == "random-access":
        columns.append(("wrong words", lambda cell: f"{max(experiment.samples(cell, 'wrong_words')):,}"))
    columns += [("FIFO of 2011 : it [95 %]", lambda cell: slower(cells, FIFO_2011, cell)),
                ("FIFO of today : it [95 %]", lambda cell: slower(cells, FIFO_TODAY, cell)),
                ("published, FIFO : Qthreads", lambda cell: published(kernel, cell))]
    return columns


def show_group(cells):
    kernel = cells[0]["group"].split(",")[0]
    return f"{cells[0]['group']}; workers: {cells[0]['workers']}\n" + experiment.table(cells, columns_of(kernel, cells))


def show(cells, _):
    return experiment.show_groups(cells, show_group)
