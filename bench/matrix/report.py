"""The comparison as text, but for the summary (summary.py): a table a kernel and number of workers, the fastest first."""

import figures
import machine
from runners import OWN
from sweep import groups


def show_seconds(seconds):
    for scale, unit in ((1, "s"), (1e3, "ms"), (1e6, "us")):
        if seconds * scale >= 0.9995 or unit == "us":
            value = seconds * scale
            return f"{value:.{max(0, 2 - len(str(int(value))) + 1)}f} {unit}"
    return ""


def show_bytes(count):
    return f"{count / (1 << 20):.0f} MiB" if count < 1 << 30 else f"{count / (1 << 30):.1f} GiB"


def seconds_of(cell):
    return [sample["seconds"] for sample in cell["samples"]]


def is_measured(cell):
    return cell["status"] == "measured" and bool(cell["samples"])


def best(cells):
    return min(cells, key=lambda cell: figures.median(seconds_of(cell)), default=None)


def best_rival(cell, cells, children):
    """Threads are compared with the fastest rival that has threads, tasklets with the fastest one that has threads or tasklets, both where
    there is one; all others with the fastest rival."""
    rivals = [other for other in cells if is_measured(other) and other["runtime"] not in OWN and other is not cell]
    alike = [other for other in rivals if children[other["runtime"]] in ALIKE.get(children[cell["runtime"]], ())]
    return best(alike or rivals)


# What children of which kinds are compared with: a child that anyone may join with others like it.
ALIKE = {"thread": ("thread",), "tasklet": ("thread", "tasklet")}
AGAINST = {"thread": "the fastest rival that has threads", "tasklet": "the fastest rival that has threads or tasklets"}


def digits(ratio):
    return f"{ratio:.{2 if ratio < 10 else 1 if ratio < 100 else 0}f}"


def show_ratio(cell, other):
    if other is None or other is cell:
        return ""
    ratio, low, high = figures.ratio_of_medians(seconds_of(cell), seconds_of(other))
    return f"{digits(ratio)} [{digits(low)}, {digits(high)}]"


def make_row(cell, cells, sequential, children):
    times = seconds_of(cell)
    samples = cell["samples"]
    rival = best_rival(cell, cells, children) if cell is not sequential else None
    against = f"{show_ratio(cell, rival)} {rival['runtime']}" if rival is not None else ""
    return [cell["runtime"], show_seconds(figures.median(times)), f"{figures.spread(times):.0%}",
            show_seconds(figures.median([sample["cpu_seconds"] for sample in samples])),
            show_bytes(max(sample["peak_bytes"] for sample in samples)), show_ratio(cell, sequential), against]


HEAD = ["runtime", "median", "spread", "CPU time", "memory", ": sequential [95 %]", ": best rival [95 %]"]


def align(rows):
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    left = (0, len(widths) - 1)
    return ["  ".join(text.ljust(width) if column in left else text.rjust(width)
                      for column, (text, width) in enumerate(zip(row, widths))).rstrip() for row in rows]


def title_of(cells):
    done = [cell for cell in cells if is_measured(cell)]
    units = f", {done[0]['units']:,} {done[0].get('unit', 'unit')}s" if done else ""
    return f"{cells[0]['kernel']}, size {cells[0]['size']}, workers: {cells[0]['workers']}{units}"


def without_figures(cells):
    return [cell for cell in cells if not is_measured(cell) and cell["status"] != "not installed"]


def why_no_figures(cell):
    return ": ".join(filter(None, (cell["status"], cell["why"])))


def show_group(cells, children, sequential):
    done = [cell for cell in cells if is_measured(cell)]
    lines = [title_of(cells)]
    done.sort(key=lambda cell: figures.median(seconds_of(cell)))
    lines += ["  " + line for line in align([HEAD] + [make_row(cell, cells, sequential, children) for cell in done])]
    width = max((len(cell["runtime"]) for cell in cells), default=0)
    lines += [f"  {cell['runtime'].ljust(width)}  {why_no_figures(cell)}" for cell in without_figures(cells)]
    return "\n".join(lines)


FEWEST_LOOPS = 5  # fewer on the same CPUs have no slow tenth


def noise(calibration):
    """How far the calibration loop's slow runs lie above its usual ones, None where too few were made; and a sentence."""
    by_cpus = {}
    for each in calibration:
        by_cpus.setdefault(tuple(each["cpus"]), []).append(each["seconds"])
    enough = [loops for loops in by_cpus.values() if len(loops) >= FEWEST_LOOPS]
    if not enough:
        return None, f"Whether the machine was quiet is not known: that takes {FEWEST_LOOPS} runs on the same CPUs."
    worst = max(figures.percentile(loops, 0.9) / figures.median(loops) - 1 for loops in enough)
    if worst < machine.NOISY_FROM:
        return worst, f"The machine was quiet: the slow tenth of {len(calibration)} calibration loops took {worst:.0%} more than the median."
    return worst, (f"NOISY: the slow tenth of {len(calibration)} calibration loops took {worst:.0%} more than the median. "
                   "Differences of that size mean nothing; measure again when nothing else runs.")


def show_missing(cells):
    missing = {cell["runtime"]: cell["why"] for cell in cells if cell["status"] == "not installed"}
    return "Not installed: " + "; ".join(f"{name} ({why})" for name, why in missing.items()) if missing else ""


def versions(cells):
    compilers = sorted({cell.get("compiler", "") for cell in cells if is_measured(cell)} - {""})
    known = {cell["runtime"]: ", ".join(filter(None, (cell["version"], cell["settings"]))) for cell in cells if is_measured(cell)}
    return known | ({"Compiler": "; ".join(compilers)} if compilers else {})


def show(state):
    parts = []
    for cells in groups(state["cells"]):
        plain = [cell for cell in cells if cell["runtime"] == "sequential" and is_measured(cell)]
        parts.append(show_group(cells, state["programs"]["children"], plain[0] if plain else None))
    known = "\n".join(f"{name}: {words}" for name, words in versions(state["cells"]).items())
    parts += filter(None, [known, show_missing(state["cells"])])
    return "\n\n".join(parts)
