"""Of the experiment uni-address: ranks of several nodes of this machine, and what a simulation says of more."""

import json
import os
import re
import shutil
import subprocess
import sys

import experiment
import figures

HERE = os.path.dirname(os.path.abspath(__file__))
ON_NODES = os.path.join(HERE, "on_nodes.py")
sys.path.append(os.path.join(os.path.dirname(os.path.dirname(HERE)), "tools", "test"))
import cluster  # noqa: E402  # pylint: disable=wrong-import-position

NAME = "uni-address-nodes"
TITLE = "uni-address threads between nodes: a steal and its phases, the programs, other policies, the start"
SOURCE = """Published: S. Akiyama and K. Taura, Uni-Address Threads, HPDC 2015 (doi:10.1145/2749246.2749272): a steal between nodes takes
42,000 cycles of a SPARC64; BTC with one and two iterations, UTS and n-queens run on up to 3840 cores. S. Shiina and K. Taura, Distributed
Continuation Stealing is More Scalable than You Might Think, CLUSTER 2022: RecPFor on 576 cores takes 1.93 s by continuation stealing with
greedy joins, 1.95 s with stalling ones, 2.19 s by child stealing with full threads, and 11.3 s where children run to completion; a steal
takes 30.5 to 36 us."""
NOT_COMPARABLE = """nodes are namespaces of this machine (network, processes, IPC, mounts) with TCP over veth, or ranks that share no
memory ("apart"); no network card works by itself here, and no delay can be injected. So a figure between nodes is that of TCP between
processes of one machine, in which both sides' CPUs do the network's work. Ranks, their assistants and the kernel's network share the CPUs.
Ranks beyond the CPUs are "oversubscribed": an MPI's waits spin, so such figures say that programs end rightly, not how they scale. Lines
"simulated" come from `weft simulate steal`, all others are measured."""

FIGURES, FACTS = (), ()
PICTURE = "uni_nodes_picture.py"
PREFIX = "nodes: "
MPIS = {"mpich": "MPICH", "openmpi": "Open MPI"}
PLACES = {"between emulated nodes": True, "between ranks apart": False}
POLICIES = {"optimised": "1.93 s", "stalling": "1.95 s", "child": "2.19 s", "run-to-completion": "11.3 s"}
TITLES = {"optimised": "continuation stealing, greedy joins", "stalling": "continuation stealing, stalling joins",
          "child": "child stealing, full threads", "run-to-completion": "child stealing, run to completion"}
STEAL, OPERATIONS, POLICY = PREFIX + "a steal, ", PREFIX + "an operation, ", PREFIX + "policies, RecPFor, "
START = PREFIX + "start and end of 8 ranks on one node"
INSTALL = "the preset bench builds it"
# title: (program and words, usual size; the same of --full)
PROGRAMS = {"BTC, 1 iteration": (["uni-tree", "btc", 26, 1], ["uni-tree", "btc", 28, 1]),
            "BTC, 2 iterations": (["uni-tree", "btc", 13, 2], ["uni-tree", "btc", 14, 2]),
            "UTS": (["uni-kernels", "uts-t1", 10, "values"], ["uni-kernels", "uts-t1l", 13, "values"]),
            "n-queens": (["uni-kernels", "queens", 14, "values"], ["uni-kernels", "queens", 15, "values"])}
RECPFOR = (["uni-tree", "recpfor", 10, 10], ["uni-tree", "recpfor", 13, 10])
RANKS_A_NODE, NODES = (1, 2, 4), (1, 2)
ALONE, LOADED = "1 rank, no MPI", "1 rank, 1 node"
STARTS, ALONE_STARTS = "ranks", "the MPI alone"
PHASES = (("claim", "claims_ns"), ("frames", "copies_ns"), ("take up", "take_ups_ns"), ("it runs", "starts_ns"),
          ("end to forker", "resumes_ns"))
AIM_STEAL_US, AIM_SPEED_UP, AIM_LOADED, AIM_START_S, AIM_SIMULATED = 65, 1.85, 1.03, 1.0, 0.96
SIMULATIONS = (("PFor, 5 x 2^20 leaves of 10 us, 15 workers a node, 2 us between nodes",
                ["--workers", "1,15,60,240,960,3840", "--node", "15", "--leaves-log", "20"]),
               ("PFor, 5 x 2^22 leaves of 10 us, 64 workers a node, 2 us between nodes, half of the victims near",
                ["--workers", "4096", "--node", "64", "--leaves-log", "22", "--operations", "3,2"]))
OPERATION = re.compile(r"^  (\S[\w, ]+?) +one-sided: (?:yes|no ) +median (\d+\.\d\d) us$", re.MULTILINE)


class Here:
    """What a build and this machine offer."""

    def __init__(self, context):
        self.context = context
        self.weft = os.path.join(context.build, "tools", "weft", "weft")
        self.why_not_apart = cluster.why_not()
        self.mpis = [each for each in MPIS if os.path.exists(self.module(each)) and shutil.which(f"mpirun.{each}")]

    def module(self, mpi):
        return os.path.join(self.context.build, "net", "mpi", f"libweft-net-{mpi}.so")

    def why_not(self, program, mpi, nodes):
        if program is None or not os.access(self.weft, os.X_OK):
            return INSTALL
        if mpi not in self.mpis:
            return "a launcher (mpirun.mpich, mpirun.openmpi) and its module of this build"
        return f"no nodes on this machine: {self.why_not_apart}" if nodes > 1 and self.why_not_apart else ""

    # pylint: disable-next=too-many-arguments,too-many-positional-arguments
    def cell(self, group, variant, mpi, ranks, nodes, words, options=(), environment=()):
        """words: the program's name and its arguments; nodes: 1, all ranks share memory, or are apart by their environment."""
        program = self.weft if words[0] == "info" else self.context.program("published", "uni", words[0])
        cpus = min(ranks, len(self.context.usable_cpus))
        if why := self.why_not(program, mpi, nodes):
            return experiment.new_cell(group, variant, cpus, status="not installed", why=why, ours=True)
        command = [shutil.which("env") or "/usr/bin/env", *environment, sys.executable, "-B", ON_NODES, self.weft, "ranks", str(nodes),
                   "--ranks", str(ranks), "--mpi", f"mpirun.{mpi}", *(["--apart"] if nodes > 1 else []), *options, "--",
                   "info" if words[0] == "info" else program, *map(str, words[1:])]
        return experiment.new_cell(group, variant, cpus, command, ours=True)

    def local_cell(self, group, variant, words):
        program = self.context.program("published", "uni", words[0])
        if program is None:
            return experiment.new_cell(group, variant, 1, status="not installed", why=INSTALL, ours=True)
        return experiment.new_cell(group, variant, 1, [program, *map(str, words[1:])], ours=True)


def variant_of(ranks, nodes):
    return f"{ranks} rank{'s' * (ranks > 1)}, {nodes} node{'s' * (nodes > 1)}"


def plan_steals(here, mpi):
    cells = []
    for place, is_emulated in PLACES.items():
        environment = ["WEFT_DIST_POLL=0", *([] if is_emulated else ["WEFT_LAUNCH_APART=on"])]
        nodes = 2 if is_emulated else 1
        cells.append(here.cell(f"{OPERATIONS}{MPIS[mpi]}, {place}", "ranks", mpi, 2, nodes, ["info"], environment=environment))
        for policy in POLICIES if is_emulated else ("optimised",):
            cells.append(here.cell(f"{STEAL}{MPIS[mpi]}, {place}", policy, mpi, 2, nodes, ["uni-steal", "polls"],
                                   environment=[*environment, f"WEFT_DIST_POLICY={policy}"]))
    return cells


def plan_program(here, title):
    words = PROGRAMS[title][here.context.is_full]
    first = (here.mpis or list(MPIS))[0]
    cells = []
    for mpi in MPIS:
        group = f"{PREFIX}{MPIS[mpi]}: {title}, {' '.join(map(str, words[1:]))}"
        cells += [here.local_cell(group, ALONE, words), here.cell(group, LOADED, mpi, 1, 1, words),
                  here.cell(group, variant_of(2, 2), mpi, 2, 2, words)]
        if mpi == first:
            more = ((each * nodes, nodes) for nodes in NODES for each in RANKS_A_NODE if each > 1)
            cells += [here.cell(group, variant_of(*each), mpi, *each, words) for each in more]
    return cells


def plan(context):
    here = Here(context)
    cells = []
    if len(context.usable_cpus) > 1:
        for mpi in MPIS:
            cells += plan_steals(here, mpi)
    for title in PROGRAMS:
        cells += plan_program(here, title)
    words = RECPFOR[context.is_full]
    for mpi in MPIS if len(context.usable_cpus) > 1 else ():
        group = f"{POLICY}{MPIS[mpi]}, {variant_of(2, 2)}"
        cells += [here.cell(group, policy, mpi, 2, 2, words, environment=[f"WEFT_DIST_POLICY={policy}"]) for policy in POLICIES]
    for mpi in MPIS:
        cells.append(here.cell(f"{START}, {MPIS[mpi]}", STARTS, mpi, 8, 1, ["uni-tree", "nothing"], ["--whole"]))
        cells.append(here.cell(f"{START}, {MPIS[mpi]}", ALONE_STARTS, mpi, 8, 1, [f"uni-{mpi}-alone"], ["--no-weft"]))
    return cells


# ---- what programs print ----------------------------------------------------------------------------


def read_steal(text):
    """Each rank prints a line; the samples of both are one."""
    ranks = [json.loads(line) for line in text.splitlines()]
    sample = {"forks": ranks[0]["forks"], "steals": sum(rank["steals"] for rank in ranks),
              "stolen_bytes": sum(rank["stolen_bytes"] for rank in ranks)}
    for _, name in PHASES:
        times = [time for rank in ranks for time in rank[name]]
        sample |= {f"{name}_count": len(times), f"{name}_median": figures.median(times) if times else 0,
                   f"{name}_least": min(times, default=0), f"{name}_90": figures.percentile(times, 0.9) if times else 0}
    return {"correct": True, "answer": "", "expected": "", "sample": sample, "facts": {}}


def read_operations(text):
    """Of weft info: the medians of four operations in each of the two windows."""
    found = OPERATION.findall(text)
    if len(found) != 8:
        return None
    names = [f"{window}, {name}" for window in ("stacks", "words") for name in ("get", "put", "add", "swap")]
    return {"correct": True, "answer": "", "expected": "", "sample": {name: float(us) for name, (_, us) in zip(names, found)}, "facts": {}}


def read(text):
    try:
        if "claims_ns" in text:
            return read_steal(text)
    except (ValueError, KeyError, TypeError):
        return None
    return read_operations(text) if "one-sided" in text else experiment.read_figures(text)


def look_aside(cells):
    """What a simulation says: {title: rows}; {} where no program of this build can tell."""
    weft = next((cell["command"][cell["command"].index(ON_NODES) + 1] for cell in cells if ON_NODES in cell["command"]), None)
    found = {}
    for title, words in SIMULATIONS if weft else ():
        done = subprocess.run([weft, "simulate", "steal", *words], capture_output=True, text=True, check=False)
        rows = [line.split() for line in done.stdout.splitlines()[1:]]
        found[title] = [{"operations": int(row[0]), "workers": int(row[1]), "efficiency": float(row[4])} for row in rows if len(row) == 8]
    return found


# ---- tables ----------------------------------------------------------------------------------------


def us(cell, name, which="median"):
    return f"{experiment.median(cell, f'{name}_{which}') / 1e3:,.1f} us"


def steal_us(cell):
    """Until the thief runs what it took: from the first of its operations."""
    return sum(experiment.median(cell, f"{name}_median") for _, name in PHASES[:3]) / 1e3


def verdict(value, aim, is_less=True):
    return "holds" if (value <= aim if is_less else value >= aim) else "is missed"


def show_steals(cells):
    columns = [(title, lambda cell, name=name: us(cell, name)) for title, name in PHASES[:3]]
    columns += [("all three", lambda cell: f"{steal_us(cell):,.1f} us"),
                ("spread", lambda cell: experiment.spread(cell, "claims_ns_median")),
                ("from the fork", lambda cell: us(cell, "starts_ns")), ("least", lambda cell: us(cell, "starts_ns", "least")),
                ("end to forker", lambda cell: us(cell, "resumes_ns")),
                ("spread", lambda cell: experiment.spread(cell, "resumes_ns_median")),
                ("bytes", lambda cell: f"{experiment.median(cell, 'stolen_bytes') / max(1, experiment.median(cell, 'steals')):,.0f}"),
                ("stolen", lambda cell: f"{experiment.median(cell, 'steals'):,.0f} of {experiment.median(cell, 'forks'):,.0f}"),
                ("published", lambda _: "42,000 cycles; CLUSTER'22: 30.5 to 36 us")]
    lines = [cells[0]["group"], experiment.table(cells, columns)]
    cell = experiment.find(cells, "optimised")
    if cell is not None and experiment.median(cell, "claims_ns_count") > 0:
        lines.append(f"  Aim, 3 operations: at most {AIM_STEAL_US} us: {verdict(steal_us(cell), AIM_STEAL_US)} ({steal_us(cell):,.1f} us)")
    return "\n".join(lines)


def show_operations(cells):
    names = list(cells[0]["samples"][0]) if experiment.is_measured(cells[0]) else []
    columns = [(name, lambda cell, name=name: f"{experiment.median(cell, name):,.1f} us") for name in names]
    return f"{cells[0]['group']}, as the start finds it\n" + experiment.table(cells, [*columns, ("published", lambda _: "")])


def counts_of(cell):
    """(ranks, nodes) of a cell of a program."""
    numbers = [int(each) for each in re.findall(r"\d+", cell["variant"])]
    return (numbers[0], numbers[1] if len(numbers) > 1 else 1)


def is_oversubscribed(cell):
    return counts_of(cell)[0] > cell["workers"]


def speed_up(cell, alone):
    return experiment.median(alone, "seconds") / experiment.median(cell, "seconds") if alone else None


def efficiency(cell, alone):
    """The speed-up by the CPUs that the cell had."""
    ratio = speed_up(cell, alone)
    return None if ratio is None else ratio / cell["workers"]


def show_efficiency(cell, alone):
    share = efficiency(cell, alone)
    return "" if share is None else f"{share:.0%}{', oversubscribed' if is_oversubscribed(cell) else ''}"


def show_program(cells):
    alone, loaded, two = (experiment.find(cells, each) for each in (ALONE, LOADED, variant_of(2, 2)))
    columns = [("median", lambda cell: f"{experiment.median(cell, 'seconds') * 1e3:,.2f} ms"),
               ("spread", lambda cell: experiment.spread(cell, "seconds")),
               ("1 rank : it [95 %]", lambda cell: experiment.ratio(alone, cell, "seconds")),
               ("efficiency", lambda cell: show_efficiency(cell, alone)),
               ("measured", lambda _: "measured"), ("published", lambda cell: "to 3840 cores" if cell is two else "")]
    lines = [cells[0]["group"], experiment.table(cells, columns)]
    if two is not None and two["workers"] == 2 and alone is not None:
        lines.append(f"  Aim, 2 nodes: at least {AIM_SPEED_UP} times one rank: {verdict(speed_up(two, alone), AIM_SPEED_UP, False)}")
    if loaded is not None and alone is not None:
        ratio = experiment.median(loaded, "seconds") / experiment.median(alone, "seconds")
        lines.append(f"  Aim, one rank with the MPI loaded: at most {AIM_LOADED} times without: {verdict(ratio, AIM_LOADED)} "
                     f"({experiment.ratio(loaded, alone, 'seconds')})")
    return "\n".join(lines)


def show_policies(cells):
    columns = [("", lambda cell: TITLES[cell["variant"]]), ("median", lambda cell: f"{experiment.median(cell, 'seconds') * 1e3:,.1f} ms"),
               ("spread", lambda cell: experiment.spread(cell, "seconds")),
               ("efficiency", lambda cell: f"{experiment.median(cell, 'work_seconds') / 2 / experiment.median(cell, 'seconds'):.1%}"),
               ("steals of rank 0", lambda cell: f"{experiment.median(cell, 'steals_of_rank_0'):,.0f}"),
               ("published, 576 cores", lambda cell: POLICIES[cell["variant"]])]
    return f"{cells[0]['group']}, measured\n" + experiment.table(cells, columns)


def show_start(cells):
    columns = [("median", lambda cell: f"{experiment.median(cell, 'seconds'):.2f} s"),
               ("spread", lambda cell: experiment.spread(cell, "seconds")), ("published", lambda _: "")]
    lines = [cells[0]["group"], experiment.table(cells, columns)]
    whole, alone = (experiment.find(cells, each) for each in (STARTS, ALONE_STARTS))
    if whole and alone:
        beyond = experiment.median(whole, "seconds") - experiment.median(alone, "seconds")
        lines.append(f"  Aim: at most {AIM_START_S:.0f} s beyond the MPI's own: {verdict(beyond, AIM_START_S)} ({beyond:.2f} s)")
    return "\n".join(lines)


def show_group(cells):
    shows = {STEAL: show_steals, OPERATIONS: show_operations, POLICY: show_policies, START: show_start}
    return next((show for prefix, show in shows.items() if cells[0]["group"].startswith(prefix)), show_program)(cells)


def show_simulated(aside):
    lines = []
    for title, rows in aside.items():
        lines.append(f"simulated: {title}")
        workers = sorted({row["workers"] for row in rows})
        for operations in sorted({row["operations"] for row in rows}, reverse=True):
            of = {row["workers"]: row["efficiency"] for row in rows if row["operations"] == operations}
            cells = ", ".join(f"{each} workers {of[each]:.3f}" for each in workers if each in of)
            lines.append(f"  {operations} operations: efficiency of {cells}")
            if workers == [4096] and operations == 3:
                lines.append(f"  Aim: at least {AIM_SIMULATED}: {verdict(of[4096], AIM_SIMULATED, False)}")
    return "\n".join([*lines, "  published: BTC, UTS and n-queens to 3840 cores"] if lines else [])


def show(cells, aside):
    return "\n\n".join(filter(None, [experiment.show_groups(cells, show_group), show_simulated(aside)]))
