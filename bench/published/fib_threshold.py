"""fib(n) with a threshold: both children of a call are threads, but one with n < 10 is computed by plain calls. One worker. First as the
kernel fib-cutoff of the matrix, which joins threads as each runtime does best; then in the form of the lecture's program, with two futures
a call, as each interface of futures offers it (futures/)."""

import json

import experiment
import report
import runners

NAME = "fib-threshold"
TITLE = "recursive fib with the threshold n < 10, one worker, both children of a call created"
SOURCE = """Source: a lecture on user-level threads. Argobots takes 13.1 s for fib(45); Boost.Fiber crashes there. The calls that are
threads: 57 K of fib(30), 635 K of fib(35), 7,049 K of fib(40), 78,176 K of fib(45)."""
NOT_COMPARABLE = """the lecture names neither machine nor year nor settings. Here Argobots creates into its own pool and lets the child
run first (ABT_thread_create_to; argobots-tasklet makes the plain calls tasklets), and Boost.Fiber starts a fiber at once on pooled stacks
of 32 KiB: what each does best. Boost.Fiber frees ended fibers when its dispatcher runs, which this recursion leaves no time for, so that
its memory grows with the calls. Weft's fork was not there; it is a thread only where somebody has taken it."""

FIGURES, FACTS = ("seconds", "peak_bytes"), ("units",)
USUAL, FULL = (30, 35, 40), (30, 35, 40, 45)
RUNTIMES = ("ult", "fork", "argobots", "argobots-tasklet", "boost-fiber", "sequential")
TWO_FUTURES = ", two futures a call"
WAYS = ("weft-fibers", "weft-async", "argobots", "boost-fiber", "std-async")
NEEDS = {"argobots": runners.RIVALS["argobots"], "boost-fiber": runners.RIVALS["boost-fiber"]}
CALLS = {30: 57_313, 35: 635_621, 40: 7_049_155, 45: 78_176_337}
PUBLISHED = {("fib(45)", "argobots"): "13.1 s", ("fib(45)", "boost-fiber"): "crashed"}

look_aside = experiment.look_aside


def group(n):
    return f"fib({n})"


def plan_futures(context, n, way):
    program = context.program("published", "futures", f"fib-futures-{way}")
    cell = experiment.new_cell(f"{group(n)}{TWO_FUTURES}", way, ours=way.startswith("weft"))
    if program is None:
        return {**cell, "status": "not installed", "why": NEEDS.get(way, "no program for it was built")}
    return {**cell, "command": [program, str(n)]}


def plan(context):
    sizes = FULL if context.is_full else USUAL
    threads = [experiment.plan_kernel(context, group(n), "fib-cutoff", n, runtime, 1) for n in sizes for runtime in RUNTIMES]
    return threads + [plan_futures(context, n, way) for n in sizes for way in WAYS]


def read(text):
    """The record of a run, which must also have made as many calls as were published."""
    of_futures = experiment.read_figures(text)
    record = of_futures or experiment.read_kernel(text)
    if record is None:
        return None
    calls = CALLS.get(of_futures["facts"].get("size") if of_futures else json.loads(text).get("size"))
    if record["facts"].get("units") != calls:
        record.update(correct=False, answer=f"{record['facts'].get('units')} calls", expected=calls)
    return record


def each_call(cell):
    return f"{experiment.median(cell, 'seconds') / cell['facts']['units'] * 1e9:.1f} ns"


def show_group(cells):
    name = cells[0]["group"]
    calls = CALLS[int(name.removesuffix(TWO_FUTURES).removeprefix("fib(").removesuffix(")"))]
    argobots = experiment.find(cells, "argobots")
    columns = [("median", lambda cell: report.show_seconds(experiment.median(cell, "seconds"))),
               ("spread", lambda cell: experiment.spread(cell, "seconds")),
               ("a call", each_call),
               ("memory", lambda cell: report.show_bytes(max(experiment.samples(cell, "peak_bytes")))),
               (": argobots [95 %]", lambda cell: experiment.ratio(cell, argobots, "seconds")),
               ("published", lambda cell: PUBLISHED.get((name.removesuffix(TWO_FUTURES), cell["variant"]), ""))]
    return f"{name}, {calls:,} calls (published: {calls // 1000:,} K)\n" + experiment.table(cells, columns)


def show(cells, _):
    return experiment.show_groups(cells, show_group)
