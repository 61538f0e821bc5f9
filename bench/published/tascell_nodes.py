"""Of the experiment tascell: the programs on several nodes of this machine, over each transport, and what goes between them."""

import os
import shutil
import sys

import experiment
import figures

HERE = os.path.dirname(os.path.abspath(__file__))
ON_NODES = os.path.join(HERE, "on_nodes.py")
sys.path.append(os.path.join(os.path.dirname(os.path.dirname(HERE)), "tools", "test"))
import cluster  # noqa: E402  # pylint: disable=wrong-import-position

PREFIX = "nodes: "
PLAIN = "plain C"
INSTALL = "the preset bench builds it"
# program: (title, usual size, size of --full). Comp's first task is of 1 MB and more from 180000 on.
PROGRAMS = {"fib": ("Fib", 42, 44), "nq": ("Nq", 14, 16), "pen": ("Pen", 12, 12), "comp": ("Comp", 30000, 180000)}
NODES = (1, 2, 4)
TRANSPORTS = ("mpi-funneled-poster", "mpi-funneled", "mpi-multiple", "mpi-onesided-poster", "mpi-onesided")
FUNNELED, MULTIPLE, ONE_SIDED = "mpi-funneled-poster", "mpi-multiple", "mpi-onesided-poster"  # the poster's
MPIS = {"mpich": "MPICH", "openmpi": "Open MPI"}
SLEEPING, POLLING = "1ms", "1us"
BYTES = {"0 B": 0, "1 KB": 1 << 10, "1 MB": 1 << 20}
PLACES = {"on one machine": False, "between emulated nodes": True}
LATENCY, JOIN, RELAY = PREFIX + "from a task's end on node 2 to its next task", PREFIX + "a node that joins", PREFIX + "what servers relay"
SWEEP = PREFIX + "pauses between two looks, two nodes, "  # the poster's t_slp
PAUSES = ("1us", "20us", "100us", "300us", "1ms")
SWEPT = ("mpi-funneled-poster", "mpi-funneled")
FRAMES = 100000
HOLDS, FAILS, UNKNOWN = "holds", "does not", "cannot be told here"
FEWEST_SAMPLES = 7


def is_of_nodes(cells):
    return cells[0]["group"].startswith(PREFIX)


def is_of_programs(cells):
    return is_of_nodes(cells) and "--idle-sleep 1ms: " in cells[0]["group"]


def is_of_pauses(cells):
    return cells[0]["group"].startswith(SWEEP)


class Nodes:
    """What a build and this machine offer."""

    def __init__(self, context):
        self.context = context
        self.weft = os.path.join(context.build, "tools", "weft", "weft")
        there = (each for each in MPIS if os.path.exists(os.path.join(context.build, "net", "mpi", f"libweft-net-{each}.so")))
        self.mpi = next((each for each in there if shutil.which(f"mpirun.{each}")), None)
        self.why_not_apart = cluster.why_not()

    def mpi_name(self):
        return MPIS.get(self.mpi, "no MPI")

    # pylint: disable-next=too-many-arguments,too-many-positional-arguments
    def cell(self, group, variant, transport, nodes, words, options=(), is_apart=False):
        """words: the program's name and its arguments."""
        cpus = min(nodes, len(self.context.usable_cpus))
        program = self.context.program("published", "tascell", words[0])
        why = ""
        if program is None or not os.access(self.weft, os.X_OK):
            why = INSTALL
        elif not transport.startswith("tcp") and self.mpi is None:
            why = "a launcher (mpirun.mpich, mpirun.openmpi) and its module of this build"
        elif is_apart and self.why_not_apart:
            why = f"no nodes on this machine: {self.why_not_apart}"
        if why:
            return experiment.new_cell(group, variant, cpus, status="not installed", why=why, ours=True)
        command = [sys.executable, "-B", ON_NODES, self.weft, transport, str(nodes), *options, *(["--apart"] if is_apart else [])]
        command += [] if transport.startswith("tcp") else ["--mpi", f"mpirun.{self.mpi}"]
        return experiment.new_cell(group, variant, cpus, [*command, "--", program, *map(str, words[1:])], ours=True)


def plan_program(here, program):
    title, *sizes = PROGRAMS[program]
    size = sizes[here.context.is_full]
    group = f"{PREFIX}{here.mpi_name()}, --idle-sleep {SLEEPING}: {title}, {size}"
    path = here.context.program("published", "tascell", f"plain-{program}")
    cells = [experiment.new_cell(group, PLAIN, 1, [path, str(size)], ours=True) if path else
             experiment.new_cell(group, PLAIN, 1, status="not installed", why=INSTALL, ours=True)]
    for transport in ("tcp", *TRANSPORTS):
        options = [] if transport == "tcp" else ["--idle-sleep", SLEEPING]
        cells += [here.cell(group, f"{transport}, nodes: {nodes}", transport, nodes, [f"nodes-{program}", size], options) for nodes in NODES]
    return cells


def plan_latency(here, place):
    cells = []
    for name, size in BYTES.items():
        group = f"{LATENCY}, {name}, {place}: {here.mpi_name()}, polling (--idle-sleep {POLLING})"
        for transport in ("tcp", *TRANSPORTS):
            options = [] if transport == "tcp" else ["--idle-sleep", POLLING]
            cells.append(here.cell(group, transport, transport, 2, ["nodes-latency", size], options, PLACES[place]))
    return cells


def plan_pauses(here):
    """How the pause decides a run's time and an answer's: 1us is none at all."""
    size = PROGRAMS["pen"][1 + here.context.is_full]
    kinds = (("Pen, " + str(size), ["nodes-pen", size]), ("answers, 1 KB", ["nodes-latency", BYTES["1 KB"]]))
    return [here.cell(f"{SWEEP}{here.mpi_name()}: {kind}", f"{transport}, pause: {pause}", transport, 2, words, ["--idle-sleep", pause])
            for kind, words in kinds for transport in SWEPT for pause in PAUSES]


def plan(context):
    here = Nodes(context)
    cells = [cell for program in PROGRAMS for cell in plan_program(here, program)]
    if len(context.usable_cpus) < 2:
        return cells
    cells += [cell for place in PLACES for cell in plan_latency(here, place)] + plan_pauses(here)
    cells.append(here.cell(JOIN, "tcp", "tcp", 2, ["nodes-join"], ["--late"]))
    cells.append(here.cell(RELAY, "one server, 2 nodes", "tcp-alone", 2, ["nodes-relay", 2, FRAMES]))
    cells.append(here.cell(RELAY, "tree of three servers, 4 nodes", "tcp-alone", 4, ["nodes-relay", 4, FRAMES // 2], ["--servers", "3"]))
    return cells


# ---- tables -------------------------------------------------------------------------------------


def nodes_of(cell):
    return int(cell["variant"].split(", nodes: ")[1]) if ", nodes: " in cell["variant"] else 0


def is_oversubscribed(cell):
    return nodes_of(cell) > cell["workers"]


def efficiency(cell, plain):
    """The time of plain C divided by that of the nodes, each of which has a worker; None for plain C itself."""
    if plain is None or cell is plain:
        return None
    return experiment.median(plain, "seconds") / (nodes_of(cell) * experiment.median(cell, "seconds"))


def show_efficiency(cell, plain):
    share = efficiency(cell, plain)
    return "" if share is None else f"{share:.0%}{', oversubscribed' if is_oversubscribed(cell) else ''}"


def judge(cell, base, is_ahead):
    """Is cell's time less than base's (or more, if not is_ahead)? As the intervals tell."""
    if cell is None or base is None or min(len(cell["samples"]), len(base["samples"])) < FEWEST_SAMPLES or is_oversubscribed(cell):
        return UNKNOWN
    _, low, high = figures.ratio_of_medians(experiment.samples(cell, "seconds"), experiment.samples(base, "seconds"))
    is_less, is_more = high < 1, low > 1
    return HOLDS if (is_less if is_ahead else is_more) else FAILS if (is_more if is_ahead else is_less) else UNKNOWN


def findings(cells, nodes):
    """(the poster's words, verdict, our ratio) about the three ways on so many nodes."""
    funneled, multiple, one_sided = (experiment.find(cells, f"{each}, nodes: {nodes}") for each in (FUNNELED, MULTIPLE, ONE_SIDED))
    is_comp = cells[0]["group"].split(": ")[-1].startswith("Comp")
    two_sided = sorted((each for each in (funneled, multiple) if each is not None), key=lambda cell: experiment.median(cell, "seconds"))
    fastest, slowest = (two_sided[0], two_sided[-1]) if len(two_sided) == 2 else (None, None)
    words = "MULTIPLE is not ahead of FUNNELED" if is_comp else "MULTIPLE is slightly ahead of FUNNELED"
    yield words, judge(multiple, funneled, not is_comp), experiment.ratio(multiple, funneled, "seconds")
    if is_comp and nodes == 2:
        yield "one-sided is first", judge(one_sided, fastest, True), experiment.ratio(one_sided, fastest, "seconds")
    elif not is_comp:
        yield "one-sided is last", judge(one_sided, slowest, False), experiment.ratio(one_sided, slowest, "seconds")


def show_findings(cells):
    lines = ["  The poster (its three ways; ratio of times here):"]
    for nodes in NODES[1:]:
        for words, verdict, ratio in findings(cells, nodes):
            lines.append(f"    {nodes} nodes: {words}: {verdict}{f': {ratio}' if ratio else ''}")
    return "\n".join(lines)


def show_program(cells):
    plain = experiment.find(cells, PLAIN)
    columns = [("median", lambda cell: f"{experiment.median(cell, 'seconds') * 1e3:,.2f} ms"),
               ("spread", lambda cell: experiment.spread(cell, "seconds")),
               ("one node : it [95 %]", lambda cell: experiment.ratio(one_node(cells, cell), cell, "seconds")),
               ("efficiency", lambda cell: show_efficiency(cell, plain)),
               ("published", lambda _: "")]
    return f"{cells[0]['group']}\n{experiment.table(cells, columns)}\n{show_findings(cells)}"


def one_node(cells, cell):
    return experiment.find(cells, f"{cell['variant'].split(', nodes: ')[0]}, nodes: 1") if nodes_of(cell) else None


def show_latency(cells):
    columns = [("median", lambda cell: f"{experiment.median(cell, 'us'):,.0f} us"),
               ("90th percentile", lambda cell: f"{experiment.median(cell, 'us_90'):,.0f} us"),
               ("least", lambda cell: f"{experiment.median(cell, 'us_least'):,.0f} us"),
               ("spread", lambda cell: experiment.spread(cell, "us")),
               ("published", lambda _: "")]
    return f"{cells[0]['group']}\n" + experiment.table(cells, columns)


def pause_of(cell):
    """In microseconds."""
    text = cell["variant"].split(", pause: ")[1]
    return float(text[:-2]) * (1000 if text.endswith("ms") else 1)


def show_pauses(cells):
    if "answers" in cells[0]["group"]:
        return show_latency(cells)
    columns = [("median", lambda cell: f"{experiment.median(cell, 'seconds') * 1e3:,.2f} ms"),
               ("spread", lambda cell: experiment.spread(cell, "seconds")),
               ("published", lambda _: "")]
    return f"{cells[0]['group']}\n" + experiment.table(cells, columns)


def show_join(cells):
    columns = [("from its process's start to its first task", lambda cell: f"{experiment.median(cell, 'ms'):,.2f} ms"),
               ("spread", lambda cell: experiment.spread(cell, "ms")),
               ("published", lambda _: "4 ms: sc-tascell, on another machine")]
    return f"{JOIN}\n" + experiment.table(cells, columns)


def messages(cell, figure):
    """A second, by the median of the ratios of each run."""
    return figures.median([sample["messages"] / max(sample[figure], 1e-9) for sample in cell["samples"]])


def show_relay(cells):
    columns = [("messages a second", lambda cell: f"{messages(cell, 'seconds'):,.0f}"),
               ("and a second of the busiest server's processor", lambda cell: f"{messages(cell, 'server_seconds'):,.0f}"),
               ("spread", lambda cell: experiment.spread(cell, "server_seconds")),
               ("published", lambda _: "")]
    return f"{RELAY}, 64 bytes each, servers and nodes on the same CPUs\n" + experiment.table(cells, columns)


def show_group(cells):
    if is_of_programs(cells):
        return show_program(cells)
    if is_of_pauses(cells):
        return show_pauses(cells)
    return {JOIN: show_join, RELAY: show_relay}.get(cells[0]["group"], show_latency)(cells)
