"""Where Weft stands: each of its runtimes against the best rival in every table, and the few sentences that come first in a report."""

from dataclasses import dataclass

import figures
import report
from runners import IDLE, OWN
from sweep import groups

PLAIN = "sequential"
PARALLEL = tuple(name for name in OWN if name != PLAIN)  # Weft's runtimes that are compared with rivals


@dataclass
class Standing:
    """One of Weft's runtimes in one table, against the best rival: below 1 is faster than it."""

    cell: dict
    rival: dict
    ratio: float
    low: float
    high: float

    @property
    def verdict(self):
        return "faster" if self.high < 1 else "slower" if self.low > 1 else "level"

    @property
    def where(self):
        workers = self.cell["workers"]
        return f"{self.cell['kernel']} {self.cell['size']:,}, {workers} worker{'s' if workers > 1 else ''}"


def standing_of(cell, cells, children):
    rival = report.best_rival(cell, cells, children)
    if rival is None or not report.is_measured(cell):
        return None
    return Standing(cell, rival, *figures.ratio_of_medians(report.seconds_of(cell), report.seconds_of(rival)))


def standings(state):
    """Of Weft's runtimes, in all tables where it and a rival were measured."""
    children = state["programs"]["children"]
    found = [standing_of(cell, cells, children) for cells in groups(state["cells"]) for cell in cells if cell["runtime"] in PARALLEL]
    return [each for each in found if each is not None]


def tables(count):
    return f"{count} table{'s' if count != 1 else ''}"


def tell_standing(runtime, mine, against):
    count = {word: sum(each.verdict == word for each in mine) for word in ("faster", "level", "slower")}
    ratios = sorted(each.ratio for each in mine)
    text = (f"Weft's {runtime} against {against}: faster in {count['faster']} of {tables(len(mine))}, slower in {count['slower']}, "
            f"within the noise in {count['level']}; median ratio {report.digits(figures.median(ratios))}")
    worst = max(mine, key=lambda each: each.ratio)
    return f"{text}, worst {report.digits(worst.ratio)} ({worst.where}, against {worst.rival['runtime']})."


def tell_standings(state):
    children, found = state["programs"]["children"], standings(state)
    for runtime in PARALLEL:
        mine = [each for each in found if each.cell["runtime"] == runtime]
        if mine:
            yield tell_standing(runtime, mine, report.AGAINST.get(children[runtime], "the fastest rival"))
    if not found:
        yield "No rival was measured beside Weft."


def is_too_few(repetitions):
    return repetitions < figures.LEAST_REPETITIONS


def tell_what(state):
    cells = [cell for cell in state["cells"] if report.is_measured(cell)]
    kernels, runtimes = ({cell[name] for cell in cells} for name in ("kernel", "runtime"))
    rivals = sorted(runtimes - set(OWN))
    workers = sorted({cell["workers"] for cell in cells})
    repetitions = state["plan"]["repetitions"]
    few = f" TOO FEW repetitions: with fewer than {figures.LEAST_REPETITIONS} the intervals are too narrow." if is_too_few(repetitions) else ""
    return (f"{len(kernels)} program{'s' if len(kernels) != 1 else ''} on {', '.join(map(str, workers))} workers, {repetitions} processes "
            f"each, answers checked; rivals: {', '.join(rivals) or 'none'}.{few}")


def tell_failures(state):
    """What was run and did not get through."""
    bad = [cell for cell in state["cells"] if cell["status"] not in ("measured", "to run", *IDLE)]
    if not bad:
        return "Everything that was run got through with the right answer."
    named = sorted({f"{cell['runtime']} ({cell['kernel']}: {cell['status']})" for cell in bad})
    return f"Not every run got through: {', '.join(named)}."


def tell_machine(here):
    cpus = len(here["usable_cpus"])
    return f"{here['processor']}, {cpus} CPU{'s' if cpus != 1 else ''} usable, {here['memory_bytes'] / (1 << 30):.0f} GiB, {here['system']}."


def tell(state):
    """The sentences, most important last but one: a reader of a terminal sees the end first."""
    missing = sum(max(0, state["plan"]["repetitions"] - len(cell["samples"])) for cell in state["cells"]
                  if cell["status"] in ("to run", "measured"))
    interrupted = [f"INTERRUPTED: {missing} of its runs are missing (--resume makes them)."] if missing else []
    return [tell_machine(state["machine"]), tell_what(state), report.noise(state["calibration"])[1], *interrupted, tell_failures(state),
            *tell_standings(state)]
