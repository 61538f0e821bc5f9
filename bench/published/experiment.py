"""What a published experiment is here: a module with

    NAME, TITLE, SOURCE, NOT_COMPARABLE    words: where it was published, with which figures; what was different there
    FIGURES, FACTS                         the names that its tables need of each sample, and of each cell's facts
    plan(context)                          its cells: what is run how often, or why it is not
    read(text)                             what a program printed: {"correct", "answer", "expected", "sample", "facts"}, or None
    look_aside(cells)                      what is found without repetition (instructions, disassembly), as JSON; {} where there is none
    show(cells, aside)                     the tables
    PICTURE                                the script that draws it: SCRIPT FILE.json PICTURE.svg; optional

published.py lists the modules and runs them. This file has what they share: cells, the readers of the two kinds of programs, tables."""

import json
import os

import figures
import process
import report
import runners

FIGURES = "weft-figures-1"


class Context:
    """What a plan may ask for."""

    def __init__(self, build, is_full, is_largest, usable_cpus):
        self.build, self.is_full, self.is_largest, self.usable_cpus = build, is_full, is_largest, usable_cpus
        self.asked = None

    def runtimes(self):
        """(runtimes by name, those that would not say what they run): the programs of the matrix; they are asked once."""
        if self.asked is None:
            self.asked = runners.find(self.build)
        return self.asked

    def program(self, *place):
        """The path of a program of the build, or None where it was not built."""
        path = os.path.join(self.build, "bench", *place)
        return path if os.access(path, os.X_OK) else None


def new_cell(group, variant, workers=1, command=(), status="to run", why="", ours=False):
    """What is compared with each other has one group; a variant is a line of its table. ours: its failure is the run's."""
    return {"group": group, "variant": variant, "workers": workers, "command": list(command), "ours": ours, "status": status, "why": why,
            "samples": []}


def plan_kernel(context, group, kernel, size, runtime, workers, warm_ups=1):
    """A cell that runs a kernel of the matrix on one of its runtimes."""
    found, silent = context.runtimes()
    ours = runtime in runners.OWN
    if runtime in silent:
        return new_cell(group, runtime, workers, [], "failed", silent[runtime], ours)
    if runtime not in found:
        return new_cell(group, runtime, workers, [], "not installed", runners.RIVALS.get(runtime, "no program for it was built"), ours)
    status, why = found[runtime].status_of(kernel)
    if status != "to run":
        return new_cell(group, runtime, workers, [], status, why, ours)
    command = [*found[runtime].command, kernel, "--runtime", runtime, "--workers", str(workers), "--size", str(size), "--warm-ups",
               str(warm_ups), "--json", "-"]
    return new_cell(group, runtime, workers, command, ours=ours)


def read_kernel(text):
    """The record of a kernel of the matrix."""
    record = process.read_record(text)
    if record is None:
        return None
    sample = {name: record[name] for name in ("seconds", "cpu_seconds", "peak_bytes")}
    facts = {name: record[name] for name in ("units", "version", "settings", "note", "compiler")}
    return {"correct": record["correct"], "answer": record["answer"], "expected": record["expected"], "sample": sample, "facts": facts}


def read_figures(text):
    """{"format": "weft-figures-1", "correct": true, "figures": {name: number}, "facts": {name: text or number}}"""
    try:
        record = json.loads(text)
        if record["format"] != FIGURES:
            return None
        sample = {name: float(value) for name, value in record["figures"].items()}
        return {"correct": record["correct"] is True, "answer": "what it computed", "expected": "another result", "sample": sample,
                "facts": dict(record["facts"])}
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def look_aside(_):
    return {}


def clock(cells):
    """How the counter and the core's own clock were related, as bench/micro/cycles.h found it."""
    facts = [cell["facts"] for cell in cells if is_measured(cell)]
    if not facts:
        return ""
    counter, rate = facts[0]["counter"], float(facts[0]["ticks_per_ns"])
    core = sorted(float(each["core_cycles_per_tick"]) for each in facts)
    return f"The {counter} counts {rate:.3f} a nanosecond; the core had {core[0]:.2f} to {core[-1]:.2f} cycles of its own for each."


def groups(cells):
    """The cells of each group, in their order."""
    found = {}
    for cell in cells:
        found.setdefault(cell["group"], []).append(cell)
    return list(found.values())


def show_groups(cells, show):
    """The tables of all groups of which something is there."""
    return "\n\n".join(show(group) for group in groups(cells) if any(cell["status"] != "not installed" for cell in group))


def show_missing(cells):
    missing = {}
    for cell in cells:
        if cell["status"] == "not installed" and cell["variant"] not in missing.setdefault(cell["why"], []):
            missing[cell["why"]].append(cell["variant"])
    return "Not installed: " + "; ".join(f"{', '.join(names)} ({why})" for why, names in missing.items()) if missing else ""


def show_settings(cells):
    """Versions, and the settings that make a difference."""
    facts = [(cell["variant"], cell["facts"]) for cell in cells if is_measured(cell)]
    known = {variant: ", ".join(filter(None, (each.get("version", ""), each.get("settings", "")))) for variant, each in facts}
    lines = [f"{variant}: {words}" for variant, words in known.items() if words]
    return "\n".join(lines + [f"Compiler: {each}" for each in sorted({each.get("compiler", "") for _, each in facts}) if each])


def is_measured(cell):
    return cell["status"] == "measured" and bool(cell["samples"])


def samples(cell, figure):
    return [sample[figure] for sample in cell["samples"]]


def median(cell, figure):
    return figures.median(samples(cell, figure))


def spread(cell, figure):
    return f"{figures.spread(samples(cell, figure)):.0%}"


def find(cells, variant):
    """The measured cell of this variant, or None."""
    return next((cell for cell in cells if cell["variant"] == variant and is_measured(cell)), None)


def ratio(cell, base, figure):
    """cell's figure : base's, with its interval; empty where one of them is missing."""
    if cell is None or base is None or base is cell:
        return ""
    values = figures.ratio_of_medians(samples(cell, figure), samples(base, figure))
    return "{} [{}, {}]".format(*map(report.digits, values))


def table(cells, columns):
    """columns: (head, cell to text), for cells that were measured; what became of the others stands under them. The last column is of
    the published figures, which stand also beside what failed here."""
    *others, (last, published) = columns
    rows = [[cell["variant"], *(show(cell) for _, show in others), published(cell)] for cell in cells if is_measured(cell)]
    lines = report.align([["", *(head for head, _ in others), last], *rows]) if rows else []
    for cell in cells:
        if not is_measured(cell) and cell["status"] != "not installed":
            became = ": ".join(filter(None, (cell["variant"], cell["status"], cell["why"])))
            lines.append(became + (f"; {last}: {published(cell)}" if published(cell) else ""))
    return "\n".join("  " + line for line in lines)
