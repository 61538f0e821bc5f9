"""Forks that migrate between processes: what a fork costs, how long a steal takes, and how programs scale, on 1, 2, 4 and 8 ranks."""

import json
import os

import experiment
import figures

NAME = "uni-address"
TITLE = "uni-address threads: creation, a steal on one node, and the programs of the paper"
SOURCE = """Published: S. Akiyama and K. Taura, Uni-Address Threads: Scalable Thread Management for RDMA-Based Work Stealing, HPDC 2015
(doi:10.1145/2749246.2749272). On Xeon a thread is created in 100 cycles, one of MassiveThreads in 110; a steal between nodes takes 42,000
cycles, of which 3,500 are the scheme's own; Binary Task Creation, UTS and n-queens run on up to 3840 cores with 144 KB of stack."""
NOT_COMPARABLE = """another CPU, and InfiniBand between nodes, where here all ranks are processes of one node, so that a steal is loads, stores
and a copy. Ranks beyond the number of CPUs share them: their line says "oversubscribed", and its efficiency is the sequential time divided by
the time on all CPUs. The programs are those of the matrix. Forks that carry addresses would stay with their forker (kept), so ranks run
the texts over values where the matrix has addresses; the line "values" says what that text costs on threads.
The two times of a steal hold what reads the clock, some 20 ns."""

FIGURES, FACTS = (), ()
PICTURE = "uni_picture.py"
CYCLES, STEAL = "a fork and its join", "a steal on one node, while the victim computes"
FORK_RANKS, FORK_THREADS = "forks on ranks", "forks on threads"
# kernel: (usual size, published or large size)
KERNELS = {"fib": (34, 40), "btc": (21, 24), "queens": (11, 14), "queens-array": (11, 13), "uts-t1": (10, 10),
           "uts-t3": (2000, 2000), "pentomino": (5, 6), "comp": (8192, 32768)}
OF_VALUES_ANYWAY = ("fib", "btc")  # their forks in the matrix carry no addresses
RANKS = (1, 2, 4, 8)
SEQUENTIAL = "sequential"
INSTALL = "the preset bench builds it"
PHASES = (("claim_ns", "look and claim"), ("copy_ns", "copy of frames and places"), ("take_up_ns", "queue, slots, check of what moved"))
BAR = 40  # characters
STARTS, RESUMES = "from the fork to its continuation", "from the child's end to its forker"

look_aside = experiment.look_aside


def plan_program(context, group, variant, words, ranks=0, cpus=1):
    """words: the program's name and its arguments; ranks: 0 without weft launch."""
    program = context.program("published", "uni", words[0])
    weft = os.path.join(context.build, "tools", "weft", "weft")
    if program is None or (ranks > 0 and not os.access(weft, os.X_OK)):
        return experiment.new_cell(group, variant, cpus, status="not installed", why=INSTALL, ours=True)
    command = [program, *words[1:]]
    if ranks > 0:
        command = [weft, "launch", "-q", "-n", str(ranks), "--", *command]
    return experiment.new_cell(group, variant, cpus, command, ours=True)


def plan_kernel(context, kernel):
    size = str(KERNELS[kernel][context.is_full])
    group = f"{kernel}, {size}"
    cpus = len(context.usable_cpus)
    workers = [count for count in (1, 2) if count <= cpus]
    cells = [plan_program(context, group, SEQUENTIAL, ["uni-kernels", kernel, size, "sequential"])]
    cells += [experiment.plan_kernel(context, group, kernel, size, "fork", count) for count in workers]
    for cell in cells[1:]:
        cell["variant"] = f"threads, workers: {cell['workers']}"
    text = "forks" if kernel in OF_VALUES_ANYWAY else "values"
    if text == "values":
        cells += [plan_program(context, group, f"values on threads, workers: {count}",
                               ["uni-kernels-threads", kernel, size, text, str(count)], cpus=count) for count in workers]
    cells += [plan_program(context, group, f"ranks: {ranks}", ["uni-kernels", kernel, size, text], ranks, min(ranks, cpus))
              for ranks in RANKS]
    return cells


def plan(context):
    cells = []
    for what in ("empty", "fib"):
        cells.append(plan_program(context, CYCLES, f"{FORK_RANKS}, {what}", ["uni-cycles", what], 1))
        cells.append(plan_program(context, CYCLES, f"{FORK_THREADS}, {what}", ["uni-cycles-threads", what]))
    rival = context.program("micro", "micro-massivethreads")
    words = ["massivethreads, child first, with its join", 1]
    cells.append(experiment.new_cell(CYCLES, *words, command=[rival, "create-first-join-one", "1", "--figures"]) if rival else
                 experiment.new_cell(CYCLES, *words, status="not installed", why="MassiveThreads, found by CMake (CMAKE_PREFIX_PATH)"))
    if len(context.usable_cpus) > 1:
        cells.append(plan_program(context, STEAL, STEAL, ["uni-steal"], 2, 2))
    for kernel in KERNELS:
        cells += plan_kernel(context, kernel)
    return cells


def read_steal(text):
    """Each rank prints a line; the samples of both are one."""
    ranks = [json.loads(line) for line in text.splitlines()]
    sample = {"forks": ranks[0]["forks"], "steals": sum(rank["steals"] for rank in ranks),
              "stolen_bytes": sum(rank["stolen_bytes"] for rank in ranks)}
    sample |= {phase: sum(rank[phase] for rank in ranks) / max(1, sample["steals"]) for phase, _ in PHASES}
    for name in ("starts_ns", "resumes_ns"):
        times = [time for rank in ranks for time in rank[name]]
        if not times:
            return None
        sample |= {f"{name}_least": min(times), f"{name}_median": figures.median(times), f"{name}_90": figures.percentile(times, 0.9)}
    return {"correct": True, "answer": "", "expected": "", "sample": sample, "facts": {}}


def read(text):
    """What uni-steal prints, what the other programs of uni/ do, or the record of a kernel of the matrix."""
    try:
        if "starts_ns" in text:
            return read_steal(text)
    except (ValueError, KeyError, TypeError):
        return None
    return experiment.read_figures(text) or experiment.read_kernel(text)


def show_cycles(cells):
    columns = [("TSC cycles", lambda cell: f"{experiment.median(cell, 'ticks'):.1f}"),
               ("core cycles", lambda cell: f"{experiment.median(cell, 'core_cycles'):.1f}"),
               ("ns", lambda cell: f"{experiment.median(cell, 'ns'):.2f}"),
               ("spread", lambda cell: experiment.spread(cell, "ticks")),
               ("published", lambda cell: "100 cycles" if cell["variant"].startswith(FORK_RANKS) else
                "110 cycles" if cell["variant"].startswith("massive") else "")]
    return f"{CYCLES}\n" + experiment.table(cells, columns)


def phases(cell):
    """The mean of each phase, as a bar."""
    means = [experiment.median(cell, phase) for phase, _ in PHASES]
    longest = max(*means, 1)
    width = max(len(title) for _, title in PHASES)
    return ["  the thief's part, by phase:",
            *(f"    {title:<{width}}  {'#' * max(1, round(BAR * mean / longest)):<{BAR}}  {mean:,.0f} ns"
              for (_, title), mean in zip(PHASES, means)),
            f"    {'all':<{width}}  {'':<{BAR}}  {sum(means):,.0f} ns"]


def show_steal(cells):
    cell = cells[0]
    if not experiment.is_measured(cell):
        return f"{STEAL}\n" + experiment.table(cells, [("published", lambda _: "")])
    lines = [STEAL]
    for title, name in ((STARTS, "starts_ns"), (RESUMES, "resumes_ns")):
        least, median, ninety = (experiment.median(cell, f"{name}_{which}") for which in ("least", "median", "90"))
        lines.append(f"  {title}: median {median:,.0f} ns, least {least:,.0f}, 90th percentile {ninety:,.0f}, "
                     f"spread of medians {experiment.spread(cell, f'{name}_median')}")
    steals, forks = experiment.median(cell, "steals"), experiment.median(cell, "forks")
    lines.append(f"  stolen: {steals:,.0f} of {forks:,.0f} continuations, {experiment.median(cell, 'stolen_bytes') / steals:,.0f} bytes each")
    return "\n".join([*lines, *phases(cell)])


def ranks_of(cell):
    words = cell["variant"].rsplit(": ", 1)
    return int(words[1]) if len(words) == 2 else 1


def speed_up(cell, sequential):
    return experiment.median(sequential, "seconds") / experiment.median(cell, "seconds") if sequential else None


def efficiency(cell, sequential):
    """The speed-up by the CPUs that the cell had."""
    ratio = speed_up(cell, sequential)
    if ratio is None:
        return ""
    words = f"{ratio / cell['workers']:.0%}"
    return f"{words}, oversubscribed" if ranks_of(cell) > cell["workers"] else words


def show_kernel(cells):
    sequential = experiment.find(cells, SEQUENTIAL)
    columns = [("median", lambda cell: f"{experiment.median(cell, 'seconds') * 1e3:,.2f} ms"),
               ("spread", lambda cell: experiment.spread(cell, "seconds")),
               ("sequential : it [95 %]", lambda cell: experiment.ratio(sequential, cell, "seconds")),
               ("efficiency", lambda cell: efficiency(cell, sequential)),
               ("kept", lambda cell: f"{experiment.median(cell, 'kept'):,.0f}" if "kept" in cell["samples"][0] else ""),
               ("published", lambda _: "")]
    return f"{cells[0]['group']}\n" + experiment.table(cells, columns)


def show_group(cells):
    if cells[0]["group"] == CYCLES:
        return show_cycles(cells)
    return show_steal(cells) if cells[0]["group"] == STEAL else show_kernel(cells)


def show(cells, _):
    cycles = [cell for cell in cells if cell["group"] == CYCLES]
    return "\n\n".join(filter(None, [experiment.show_groups(cells, show_group), experiment.clock(cycles)]))
