"""The pictures of a comparison. Each function makes one, or None where the comparison does not hold what it shows."""

import math
from dataclasses import dataclass

import figures
import report
import style
import summary
from sweep import groups

ROW_IN = 0.235
FAILURES = ("crashed", "failed", "wrong answer", "over time", "over memory")


@dataclass
class Picture:
    name: str
    title: str
    svg: str


def finish(sheet, name, title):
    return Picture(name, title, sheet.svg(name))


def how_many(workers):
    return f"{workers} worker{'s' if workers != 1 else ''}"


def draw_interval(axes, y, low, high, colour, width=2.4):
    axes.plot([low, high], [y, y], color=colour, linewidth=width, alpha=0.45, solid_capstyle="round", zorder=2)


def draw_mark(axes, x, y, runtime):
    plain = runtime == "sequential"
    axes.plot([x], [y], linestyle="none", marker=style.mark_of(runtime), color=style.colour_of(runtime), markersize=9 if plain else 6,
              markeredgewidth=2 if plain else 0.8, markeredgecolor=style.colour_of(runtime) if plain else style.PAPER, zorder=3)


def beside(axes, y, text, side, **looks):
    """A text left or right of the axes, at the height of a row."""
    x, align, shift = (0, "right", -8) if side == "left" else (1, "left", 8)
    axes.annotate(text, (x, y), (shift, 0), xycoords=("axes fraction", "data"), textcoords="offset points", ha=align, va="center",
                  annotation_clip=False, **looks)


def prepare_rows(axes, count):
    axes.set_ylim(count - 0.4, -0.6)
    axes.set_yticks([])


# ---- Weft against the fastest rival

def rows_of_standings(found):
    """Lists of standings, one list a table, the best for Weft first."""
    by_table = {}
    for each in found:
        by_table.setdefault((each.cell["kernel"], each.cell["size"]), []).append(each)
    return sorted(by_table.values(), key=lambda row: min(each.ratio for each in row))


def draw_standings(axes, rows, limits):
    prepare_rows(axes, sum(map(len, rows)))
    style.make_logarithmic(axes.xaxis, limits, style.show_number)
    axes.axvspan(limits[0], 1, color=style.TINT, zorder=0)
    axes.axvline(1, color=style.INK, linewidth=1.1, zorder=1)
    y = 0
    for row in rows:
        cell = row[0].cell
        beside(axes, y + (len(row) - 1) / 2, f"{cell['kernel']} {cell['size']:,}", "left")
        for each in row:
            colour = style.colour_of(each.cell["runtime"])
            draw_interval(axes, y, each.low, each.high, colour)
            draw_mark(axes, each.ratio, y, each.cell["runtime"])
            beside(axes, y, f"{each.cell['runtime']} {report.digits(each.ratio)}", "right", color=colour, fontweight="bold", fontsize=style.SMALL)
            axes.annotate(each.rival["runtime"], (1, y), (64, 0), xycoords=("axes fraction", "data"), textcoords="offset points",
                          va="center", fontsize=style.SMALL, color=style.SOFT)
            y += 1
        axes.axhline(y - 0.5, color=style.GRID, linewidth=0.6, xmin=-0.0)


def standings(state):
    """Weft's runtimes against the best rival, all programs at a glance."""
    found = summary.standings(state)
    if not found:
        return None
    workers = sorted({each.cell["workers"] for each in found})
    by_workers = {count: rows_of_standings([each for each in found if each.cell["workers"] == count]) for count in workers}
    most = max(sum(map(len, rows)) for rows in by_workers.values())
    limits = style.range_of([1] + [edge for each in found for edge in (each.low, each.high)])
    title = "Weft's time divided by the fastest rival's"
    sheet = style.Sheet(title, "Lower is better: in the tinted part Weft is faster. The band is the 95 % interval; the rival stands at the right.",
                        len(workers), 2, most * ROW_IN + 0.75)
    for index, count in enumerate(workers):
        rows = by_workers[count]
        axes = sheet.panel(index, 1.55, 1.75, top=0.35, height=sum(map(len, rows)) * ROW_IN)
        style.head_panel(axes, how_many(count))
        draw_standings(axes, rows, limits)
    return finish(sheet, "standings", title)


# ---- every runtime of one program

def reference(cells):
    """What the others of a table are divided by: plain calls, or the fastest where there are none."""
    done = [cell for cell in cells if report.is_measured(cell)]
    plain = [cell for cell in done if cell["runtime"] == "sequential"]
    return plain[0] if plain else report.best(done)


def ratio_rows(cells):
    """(cell, ratio, low, high), the fastest first; then what failed, without figures."""
    base = report.seconds_of(reference(cells))
    done = [cell for cell in cells if report.is_measured(cell)]
    rows = [(cell, *figures.ratio_of_medians(report.seconds_of(cell), base)) if cell is not reference(cells) else (cell, 1.0, 1.0, 1.0)
            for cell in done]
    rows.sort(key=lambda row: row[1])
    return rows + [(cell, None, None, None) for cell in cells if cell["status"] in FAILURES]


def draw_ratios(axes, rows, limits):
    prepare_rows(axes, len(rows))
    style.make_logarithmic(axes.xaxis, limits, style.show_number)
    axes.axvline(1, color=style.PLAIN_COLOUR, linewidth=1.1, zorder=1)
    for y, (cell, ratio, low, high) in enumerate(rows):
        runtime = cell["runtime"]
        looks = {"color": style.colour_of(runtime), "fontweight": style.weight_of(runtime)}
        beside(axes, y, style.name_of(runtime), "left", **looks)
        if ratio is None:
            beside(axes, y, cell["status"], "right", color=style.FAILED_COLOUR, fontstyle="italic", fontsize=style.SMALL)
            continue
        draw_interval(axes, y, low, high, looks["color"])
        draw_mark(axes, ratio, y, runtime)
        time = report.show_seconds(figures.median(report.seconds_of(cell)))
        for text, shift in ((report.digits(ratio), 44), (time, 96)):
            axes.annotate(text, (1, y), (shift, 0), xycoords=("axes fraction", "data"), textcoords="offset points", ha="right", va="center",
                          fontsize=style.SMALL, **looks)


def ratios(name, tables):
    """One program of one size: a panel for each number of workers."""
    tables = [cells for cells in tables if reference(cells) is not None]
    if not tables:
        return None
    all_rows = [ratio_rows(cells) for cells in tables]
    first, base = tables[0][0], reference(tables[0])["runtime"]
    edges = [edge for rows in all_rows for row in rows for edge in row[2:] if edge is not None]
    title = f"{first['kernel']} {first['size']:,}: time divided by that of {'plain calls' if base == 'sequential' else 'the fastest'}"
    sheet = style.Sheet(title, "Lower is better. The band is the 95 % interval; ratio and median time stand at the right.", len(tables), 2,
                        max(map(len, all_rows)) * ROW_IN + 0.68)
    for index, (cells, rows) in enumerate(zip(tables, all_rows)):
        axes = sheet.panel(index, 1.45, 1.5, height=len(rows) * ROW_IN)
        style.head_panel(axes, how_many(cells[0]["workers"]))
        draw_ratios(axes, rows, style.range_of([1, *edges]))
    return finish(sheet, name, title)


# ---- lines: workers, sizes

def label_ends(axes, ends):
    """Names at the right ends of lines, moved apart, with a leader to where the line ends. ends: (runtime, x, y) with y on a log axis."""
    low, high = map(math.log, axes.get_ylim())
    tall = axes.get_window_extent().height / axes.figure.dpi * 72
    places = style.spread_out([(math.log(y) - low) / (high - low) for _, _, y in ends], 10.5 / tall, 0, 1)
    for (runtime, x, y), place in zip(ends, places):
        looks = {"color": style.colour_of(runtime), "fontweight": style.weight_of(runtime)}
        leader = {"arrowstyle": "-", "color": looks["color"], "linewidth": 0.5, "alpha": 0.6, "shrinkA": 1, "shrinkB": 3, "relpos": (0, 0.5)}
        axes.annotate(style.name_of(runtime), (x, y), (1.07, place), textcoords="axes fraction", va="center", fontsize=style.SMALL,
                      annotation_clip=False, arrowprops=leader, **looks)


def draw_lines(axes, lines):
    """lines: runtime -> [(x, y, low, high), …]"""
    for runtime, points in lines.items():
        colour, own = style.colour_of(runtime), runtime in summary.PARALLEL
        axes.plot([point[0] for point in points], [point[1] for point in points], color=colour, linewidth=2.2 if own else 1.1,
                  zorder=4 if own else 3, alpha=1 if own else 0.8, marker=style.mark_of(runtime) if own else ".", markersize=5.5)
        for x, _, low, high in points:
            axes.plot([x, x], [low, high], color=colour, linewidth=2, alpha=0.35, zorder=2)
    label_ends(axes, [(runtime, points[-1][0], points[-1][1]) for runtime, points in lines.items()])


def main_tables(state):
    """Of each program the tables of its largest size: kernel -> list of tables, by workers."""
    found = {}
    for cells in groups(state["cells"]):
        found.setdefault(cells[0]["kernel"], []).append(cells)
    return {kernel: [cells for cells in tables if cells[0]["size"] == max(other[0]["size"] for other in tables)]
            for kernel, tables in found.items()}


def speed_ups(tables):
    """(what they are speed-ups over, lines)"""
    base = reference(tables[0])
    lines = {}
    for cells in tables:
        for cell in cells:
            if base is not None and report.is_measured(cell) and cell["runtime"] != "sequential":
                ratio, low, high = figures.ratio_of_medians(report.seconds_of(base), report.seconds_of(cell))
                lines.setdefault(cell["runtime"], []).append((cell["workers"], ratio, low, high))
    return base, {runtime: points for runtime, points in lines.items() if len(points) > 1}


def draw_speed_ups(axes, kernel, tables):
    base, lines = speed_ups(tables)
    workers = [cells[0]["workers"] for cells in tables]
    edges = [edge for points in lines.values() for point in points for edge in point[2:]]
    style.head_panel(axes, f"{kernel} {tables[0][0]['size']:,}" + ("" if base["runtime"] == "sequential" else f" (over {base['runtime']})"))
    style.make_logarithmic(axes.xaxis, style.range_of(workers, 0.05), str, ticks=workers)
    style.make_logarithmic(axes.yaxis, style.range_of([1, max(workers), *edges]), style.show_number)
    axes.plot(workers, workers, color=style.SOFT, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    axes.annotate("ideal", (workers[0], workers[0]), (3, 5), textcoords="offset points", color=style.SOFT, fontsize=style.SMALL, va="bottom")
    draw_lines(axes, lines)


def scaling(state):
    programs = {kernel: tables for kernel, tables in main_tables(state).items() if len(tables) > 1 and speed_ups(tables)[1]}
    if not programs:
        return None
    title = "What more workers give"
    sheet = style.Sheet(title, "Speed-up over plain calls against the number of workers, both logarithmic. Higher is better; dashed: ideal.",
                        len(programs), 3, 3.1)
    for index, (kernel, tables) in enumerate(programs.items()):
        draw_speed_ups(sheet.panel(index, 0.5, 1.25, top=0.3, bottom=0.45), kernel, tables)
    return finish(sheet, "scaling", title)


def costs_by_size(tables):
    """Seconds a unit: runtime -> [(units, seconds, low, high), …] of tables with one number of workers, the smallest first."""
    lines = {}
    for cells in sorted(tables, key=lambda cells: cells[0]["size"]):
        for cell in cells:
            if report.is_measured(cell) and cell["units"] > 0:
                cost = figures.median_with_interval(report.seconds_of(cell))
                lines.setdefault(cell["runtime"], []).append((cell["units"], *(each / cell["units"] for each in cost)))
    return {runtime: points for runtime, points in lines.items() if len(points) > 1}


def draw_costs_by_size(axes, tables, lines):
    cell = tables[0][0]
    ticks = {each["units"]: each["size"] for cells in tables for each in cells if report.is_measured(each)}
    unit = next((each.get("unit", "unit") for each in cells_of(tables) if report.is_measured(each)), "unit")
    style.head_panel(axes, f"{cell['kernel']}, {how_many(cell['workers'])}: time a {unit}")
    style.make_logarithmic(axes.xaxis, style.range_of(list(ticks), 0.05), lambda units: f"{ticks[units]:,}", ticks=sorted(ticks))
    edges = [edge for points in lines.values() for point in points for edge in point[1:]]
    style.make_logarithmic(axes.yaxis, style.range_of(edges), style.show_time)
    draw_lines(axes, lines)


def cells_of(tables):
    return [cell for cells in tables for cell in cells]


def sweeps(state):
    """(tables, lines) of the programs that were measured with several sizes, by number of workers."""
    panels = {}
    for cells in groups(state["cells"]):
        panels.setdefault((cells[0]["kernel"], cells[0]["workers"]), []).append(cells)
    found = [(tables, costs_by_size(tables)) for tables in panels.values() if len(tables) > 1]
    return [(tables, lines) for tables, lines in found if lines]


def sizes(state):
    drawn = sweeps(state)
    if not drawn:
        return None
    title = "Cost against problem size"
    sheet = style.Sheet(title, "Time divided by the units done, against the size of the program; both logarithmic. Lower is better; flat is ideal.",
                        len(drawn), 2, 3.4)
    for index, (tables, lines) in enumerate(drawn):
        draw_costs_by_size(sheet.panel(index, 0.75, 1.35, top=0.3, bottom=0.45), tables, lines)
    return finish(sheet, "sizes", title)


# ---- memory, costs

def bytes_each(cell):
    return [sample["metrics"]["bytes_per_thread"] for sample in cell["samples"] if "bytes_per_thread" in sample.get("metrics", {})]


def draw_bars(axes, cells):
    prepare_rows(axes, len(cells))
    axes.set_xlim(0, max(max(bytes_each(cell)) for cell in cells) * 1.02 / 1024)
    axes.tick_params(length=0)
    axes.grid(True, axis="x", color=style.GRID, linewidth=0.8)
    for y, cell in enumerate(cells):
        values = [each / 1024 for each in bytes_each(cell)]
        looks = {"color": style.colour_of(cell["runtime"]), "fontweight": style.weight_of(cell["runtime"])}
        axes.barh([y], [figures.median(values)], height=0.62, color=looks["color"])
        axes.plot([min(values), max(values)], [y, y], color=style.INK, linewidth=1)
        beside(axes, y, style.name_of(cell["runtime"]), "left", **looks)
        beside(axes, y, f"{figures.median(values) * 1024:,.0f} bytes", "right", fontsize=style.SMALL, **looks)


def memory(state):
    tables = [[cell for cell in cells if bytes_each(cell)] for tables in main_tables(state).values() for cells in tables]
    tables = [sorted(cells, key=lambda cell: figures.median(bytes_each(cell))) for cells in tables if cells]
    if not tables:
        return None
    title = "Memory of a blocked thread"
    sheet = style.Sheet(title, "KiB, resident memory and page tables, while all are blocked at once; the line is the range. Lower is better.",
                        len(tables), 2, max(map(len, tables)) * 0.3 + 0.68)
    for index, cells in enumerate(tables):
        axes = sheet.panel(index, 1.3, 1.2, height=len(cells) * 0.3)
        style.head_panel(axes, f"{cells[0]['size']:,} threads, {how_many(cells[0]['workers'])}")
        draw_bars(axes, cells)
    return finish(sheet, "memory", title)


COSTS = {"sequential": "plain call", "fork": "fork", "ult": "thread", "tascell": "Tascell task"}  # which only some programs have
ALWAYS = ("sequential", "fork", "ult")


def costs_rows(state):
    """[kernel, unit, {runtime: (seconds a unit, low, high)}] on the smallest number of workers, the cheapest fork first."""
    rows = []
    for kernel, tables in main_tables(state).items():
        cells = {cell["runtime"]: cell for cell in tables[0] if report.is_measured(cell) and cell["units"] > 0}
        if set(ALWAYS) <= set(cells):
            costs = {name: [each / cells[name]["units"] for each in figures.median_with_interval(report.seconds_of(cells[name]))]
                     for name in COSTS if name in cells}
            rows.append((kernel, cells["ult"].get("unit", "unit"), costs))
    return sorted(rows, key=lambda row: row[2]["sequential"][0])


def columns_of(rows):
    """The costs that are there: runtime to word."""
    return {name: word for name, word in COSTS.items() if any(name in found for _, _, found in rows)}


def draw_costs(axes, rows):
    prepare_rows(axes, len(rows))
    edges = [edge for _, _, costs in rows for cost in costs.values() for edge in cost]
    style.make_logarithmic(axes.xaxis, style.range_of(edges), style.show_time)
    for y, (kernel, unit, costs) in enumerate(rows):
        beside(axes, y, f"{kernel}, a {unit}", "left")
        axes.plot([min(cost[0] for cost in costs.values()), max(cost[0] for cost in costs.values())], [y, y], color=style.GRID, linewidth=3, zorder=1)
        for place, (runtime, (cost, low, high)) in enumerate(costs.items()):
            draw_interval(axes, y, low, high, style.colour_of(runtime))
            draw_mark(axes, cost, y, runtime)
            axes.annotate(style.show_time(cost), (1, y), (64 + 62 * place, 0), xycoords=("axes fraction", "data"), textcoords="offset points",
                          ha="right", va="center", color=style.colour_of(runtime), fontweight=style.weight_of(runtime), fontsize=style.SMALL)
    for place, (runtime, word) in enumerate(columns_of(rows).items()):
        axes.annotate(word, (1, 1), (64 + 62 * place, 9), xycoords="axes fraction", textcoords="offset points", ha="right", va="bottom",
                      color=style.colour_of(runtime), fontweight="bold", fontsize=style.SMALL)


def costs(state):
    rows = costs_rows(state)
    if not rows:
        return None
    title = "Costs of a child: as a plain call, a fork, a thread and a Tascell task"
    workers = min(cell["workers"] for cell in state["cells"])
    sheet = style.Sheet(title, f"Time of the whole program divided by its units, on {how_many(workers)}. Lower is better.", 1, 1,
                        len(rows) * 0.32 + 0.68)
    draw_costs(sheet.panel(0, 2.2, 3.0 + 0.86 * (len(columns_of(rows)) - len(ALWAYS)), height=len(rows) * 0.32), rows)
    return finish(sheet, "costs", title)
