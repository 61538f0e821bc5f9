"""Forks that migrate between processes: what a fork costs, how long a steal takes, and how programs scale, on 1, 2, 4 and 8 ranks."""

import json
import os
import shutil

import experiment
import figures

NAME = "uni-address"
TITLE = "uni-address threads: creation, a steal on one node, and the programs of the paper"
SOURCE = """Published: S. Akiyama and K. Taura, Uni-Address Threads: Scalable Thread Management for RDMA-Based Work Stealing, HPDC 2015
(doi:10.1145/2749246.2749272). On Xeon a thread is created in 100 cycles, one of MassiveThreads in 110; a steal between nodes takes 42,000
cycles, of which 3,500 are the scheme's own; Binary Task Creation, UTS and n-queens run on up to 3840 cores with 144 KB of stack. The scheme that it replaces,
iso-address, needs 2^14 bytes of stack x 2^13 threads x 2^22 cores = 2^49 bytes of addresses, where a CPU has 2^47 for programs."""
NOT_COMPARABLE = """another CPU, and InfiniBand between nodes, where here all ranks are processes of one node, so that a steal is loads, stores
and a copy. Ranks beyond the number of CPUs share them: their line says "oversubscribed", and its efficiency is the sequential time divided by
the time on all CPUs. The programs are those of the matrix. Forks that carry addresses would stay with their forker (kept), so ranks run
the texts over values where the matrix has addresses; the line "values" says what that text costs on threads.
The two times of a steal hold what reads the clock, some 20 ns.
Policies (WEFT_DIST_POLICY): `child` takes functions, not frames: its steal is the start of the child on the other rank, while the forker
computes. Stacks of iso-address have 2^16 bytes, and a rank 2^12 of them; fewer threads a rank are alive at a time than on a core of 2015."""

FIGURES, FACTS = (), ()
PICTURE = "uni_picture.py"
CYCLES, STEAL = "a fork and its join", "a steal on one node, while the victim computes"
POLICY_FORKS, POLICY_STEALS = "policies: a fork and its join", "policies: a steal on one node"
POLICY_SPACE = "policies: address space of each rank, in bytes"
POLICIES = ("optimised", "basic", "iso-address", "child")
SPACE_RANKS = (1, 8, 64)
PLAIN = "threads"
FORK_RANKS, FORK_THREADS = "forks on ranks", "forks on threads"
# kernel: (usual size, published or large size)
KERNELS = {"fib": (34, 40), "btc": (21, 24), "queens": (11, 14), "queens-array": (11, 13), "uts-t1": (10, 10),
           "uts-t3": (2000, 2000), "pentomino": (5, 6), "comp": (8192, 32768)}
OF_VALUES_ANYWAY = ("fib", "btc")  # their forks in the matrix carry no addresses
RANKS = (1, 2, 4, 8)
SEQUENTIAL = "sequential"
ENV = shutil.which("env") or "/usr/bin/env"
INSTALL = "the preset bench builds it"
PHASES = (("claim_ns", "look and claim"), ("copy_ns", "copy of frames and places"), ("take_up_ns", "queue, slots, check of what moved"))
BAR = 40  # characters
STARTS, RESUMES = "from the fork to its continuation", "from the child's end to its forker"

look_aside = experiment.look_aside


def plan_program(context, group, variant, words, ranks=0, cpus=1, policy=""):
    """words: the program's name and its arguments; ranks: 0 without weft launch; policy: "" is the default one."""
    program = context.program("published", "uni", words[0])
    weft = os.path.join(context.build, "tools", "weft", "weft")
    if program is None or (ranks > 0 and not os.access(weft, os.X_OK)):
        return experiment.new_cell(group, variant, cpus, status="not installed", why=INSTALL, ours=True)
    command = [program, *words[1:]]
    if ranks > 0:
        command = [weft, "launch", "-q", "-n", str(ranks), "--", *command]
    if policy:
        command = [ENV, f"WEFT_DIST_POLICY={policy}", *command]
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


def plan_policies(context):
    cells = [plan_program(context, POLICY_FORKS, f"{PLAIN}, {what}", ["uni-cycles-threads", what]) for what in ("empty", "fib")]
    for policy in POLICIES:
        for what in ("empty", "fib"):
            cells.append(plan_program(context, POLICY_FORKS, f"{policy}, {what}", ["uni-cycles", what], 1, policy=policy))
    for policy in POLICIES if len(context.usable_cpus) > 1 else ():
        cells.append(plan_program(context, POLICY_STEALS, policy, ["uni-steal"], 2, 2, policy))
    for policy in POLICIES:
        for ranks in SPACE_RANKS:
            cells.append(plan_program(context, POLICY_SPACE, f"{policy}, ranks: {ranks}", ["uni-space"], ranks,
                                      min(ranks, len(context.usable_cpus)), policy))
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
    cells += plan_policies(context)
    for kernel in KERNELS:
        cells += plan_kernel(context, kernel)
    return cells


def read_steal(text):
    """Each rank prints a line; the samples of both are one."""
    ranks = [json.loads(line) for line in text.splitlines()]
    sample = {"forks": ranks[0]["forks"], "steals": sum(rank["steals"] for rank in ranks),
              "stolen_bytes": sum(rank["stolen_bytes"] for rank in ranks)}
    sample["faults_a_steal"] = sum(rank["tree_faults"] for rank in ranks) / max(1, sum(rank["tree_steals"] for rank in ranks))
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


def ratio_to_threads(cells, cell):
    """To the same program on threads of one process, of the same run; "" where that is not in the group."""
    what = cell["variant"].split(", ")[-1]
    plain = [each for each in cells if each["variant"] == f"{PLAIN}, {what}" and experiment.is_measured(each)]
    return f"{experiment.median(cell, 'ticks') / experiment.median(plain[0], 'ticks'):.2f}" if plain else ""


def show_cycles(cells):
    columns = [("TSC cycles", lambda cell: f"{experiment.median(cell, 'ticks'):.1f}"),
               ("core cycles", lambda cell: f"{experiment.median(cell, 'core_cycles'):.1f}"),
               ("ns", lambda cell: f"{experiment.median(cell, 'ns'):.2f}"),
               ("spread", lambda cell: experiment.spread(cell, "ticks")),
               ("published", lambda cell: "100 cycles" if cell["variant"].startswith(FORK_RANKS) else
                "100 cycles" if cell["variant"].startswith(POLICIES[0]) else
                "110 cycles" if cell["variant"].startswith("massive") else "")]
    if cells[0]["group"] == POLICY_FORKS:
        columns.insert(3, (": threads", lambda cell: ratio_to_threads(cells, cell)))
    return f"{cells[0]['group']}\n" + experiment.table(cells, columns)


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


def show_policy_steals(cells):
    columns = [(title, lambda cell, name=name: f"{experiment.median(cell, name) / 1e3:,.2f} us")
               for title, name in (("it starts", "starts_ns_median"), ("least", "starts_ns_least"),
                                   ("end to forker", "resumes_ns_median"), ("least", "resumes_ns_least"))]
    columns += [("spread", lambda cell: experiment.spread(cell, "starts_ns_median")),
                ("bytes", lambda cell: f"{experiment.median(cell, 'stolen_bytes') / max(1, experiment.median(cell, 'steals')):,.0f}"),
                ("page faults a steal", lambda cell: f"{experiment.median(cell, 'faults_a_steal'):.2f}"),
                ("published", lambda _: "42,000 cycles between nodes, 3,500 of them the scheme's")]
    return f"{POLICY_STEALS}\n" + experiment.table(cells, columns)


def power_of_two(number):
    """As an exponent, rounded up: the address space that the number needs."""
    return max(0, int(number) - 1).bit_length()


def show_space(cells):
    columns = [("region of its stacks", lambda cell: f"{experiment.median(cell, 'region_bytes'):,.0f}"),
               ("", lambda cell: f"< 2^{power_of_two(experiment.median(cell, 'region_bytes'))}"),
               ("with those of the node's ranks", lambda cell: f"{experiment.median(cell, 'mapped_bytes'):,.0f}"),
               ("published", lambda cell: "2^49 on 2^22 cores: 2^14 x 2^13 x 2^22" if cell["variant"].startswith("iso") else "144 KB")]
    lines = [POLICY_SPACE, experiment.table(cells, columns)]
    few, many = (experiment.find(cells, f"iso-address, ranks: {ranks}") for ranks in (SPACE_RANKS[0], SPACE_RANKS[-1]))
    if few and many:
        more = (experiment.median(many, "region_bytes") - experiment.median(few, "region_bytes")) / (SPACE_RANKS[-1] - SPACE_RANKS[0])
        lines.append(f"  iso-address adds 2^{power_of_two(more)} bytes a rank, so that 2^22 ranks need 2^{power_of_two(more) + 22}; the others "
                     f"add none. Programs have 2^47.")
    return "\n".join(lines)


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
    shows = {CYCLES: show_cycles, STEAL: show_steal, POLICY_FORKS: show_cycles, POLICY_STEALS: show_policy_steals, POLICY_SPACE: show_space}
    return shows.get(cells[0]["group"], show_kernel)(cells)


def show(cells, _):
    cycles = [cell for cell in cells if cell["group"] == CYCLES]
    return "\n\n".join(filter(None, [experiment.show_groups(cells, show_group), experiment.clock(cycles)]))
