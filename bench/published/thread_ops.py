"""ThreadOpsBench: 16 threads created and joined, with 0 and with 4000 yields each, on OS threads and on user-level threads, by number of
workers."""

import experiment

NAME = "thread-ops"
TITLE = "ThreadOpsBench: 16 threads created and joined, with 0 and with 4000 yields each"
SOURCE = """Published: J. Ciesko's program ThreadOpsBench (https://github.com/janciesko/ThreadOpsBench), which gives the nanoseconds that
a thread takes, and a yield, on OS threads, Argobots, Qthreads and others. It comes without figures: what can be compared is how far OS
threads lie behind."""
NOT_COMPARABLE = """there one worker runs all threads, and the yields are those of a thread that is alone with its creator. Here all 16
yield beside each other, by number of workers, and every runtime creates as it does best: Argobots and Boost.Fiber run the child first. A
yield counts whether or not another thread ran meanwhile (on one worker one does, in Weft and Argobots). OS threads are bound to as many
CPUs as there are workers, and do fewer rounds; figures are per operation. --full does more rounds; 16 threads and 4000 yields are the
published sizes."""

FIGURES, FACTS = ("each",), ()
OS_THREADS = "os-threads"
NAMED = ("ult", OS_THREADS, "argobots", "boost-fiber", "qthreads", "massivethreads")
# kernel: (what one operation is, rounds for user-level threads, for OS threads; usual and full)
KERNELS = {"thread-ops": ("a thread created and joined", {False: (10_000, 500), True: (100_000, 4096)}),
           "thread-ops-yields": ("a yield", {False: (20, 2), True: (200, 10)})}

look_aside = experiment.look_aside


def worker_counts(cpus):
    """1, 2, 4, … and all of them."""
    counts = [1]
    while counts[-1] * 2 < cpus:
        counts.append(counts[-1] * 2)
    return counts + [cpus] if cpus > 1 else counts


def runtimes(context):
    """Those that are asked for by name, and whatever else has such threads."""
    found, _ = context.runtimes()
    return [*NAMED, *(name for name in found if name not in NAMED and "thread-ops" in found[name].runs)]


def plan(context):
    cells = []
    for kernel, (_, rounds) in KERNELS.items():
        for workers in worker_counts(len(context.usable_cpus)):
            for runtime in runtimes(context):
                size = rounds[context.is_full][runtime == OS_THREADS]
                cells.append(experiment.plan_kernel(context, f"{kernel}, workers: {workers}", kernel, size, runtime, workers))
    return cells


def read(text):
    """The record of a run, with the seconds of one operation."""
    record = experiment.read_kernel(text)
    if record is not None:
        record["sample"]["each"] = record["sample"]["seconds"] / max(1, record["facts"]["units"])
    return record


def show_group(cells):
    name = cells[0]["group"]
    os_threads = experiment.find(cells, OS_THREADS)
    argobots = experiment.find(cells, "argobots")
    columns = [("median", lambda cell: f"{experiment.median(cell, 'each') * 1e9:,.1f} ns"),
               ("spread", lambda cell: experiment.spread(cell, "each")),
               (": argobots [95 %]", lambda cell: experiment.ratio(cell, argobots, "each")),
               ("OS threads : it [95 %]", lambda cell: experiment.ratio(os_threads, cell, "each")),
               ("published", lambda _: "")]
    return f"{name}; {KERNELS[name.split(',')[0]][0]}\n" + experiment.table(cells, columns)


def show(cells, _):
    return experiment.show_groups(cells, show_group)
