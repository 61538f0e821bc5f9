#!/usr/bin/env python3
"""Draws the experiment tascell: efficiency against plain C by workers and by nodes, and what copies of workspaces cost, one panel a
program. What is oversubscribed is dotted.

    bench/published/tascell_picture.py FILE.json PICTURE.svg

FILE.json is what published.py keeps. Needs matplotlib (Debian: python3-matplotlib). Exit status: 0 done, 2 the file cannot be drawn or the
picture not be written."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(os.path.dirname(HERE), folder) for folder in ("matrix", "guard")]

import experiment  # noqa: E402
import tascell  # noqa: E402
import tascell_nodes  # noqa: E402

COLUMN_IN, ROW_IN = 2.6, 2.5
LINES = (("compiled", "#b83208", "o"), ("library", "#e07a1c", "v"), ("sc-tascell", "#4f759e", "s"))


TRANSPORTS = (("tcp", "#66727f", "o"), ("mpi-multiple", "#b83208", "s"), ("mpi-funneled", "#e07a1c", "v"),
              ("mpi-funneled-poster", "#d9b08c", "^"), ("mpi-onesided", "#2b6b8f", "D"), ("mpi-onesided-poster", "#8fb4c9", "d"))


def measured(cells, family):
    return sorted((cell for cell in cells if tascell.family(cell) == family and ", workers: " in cell["variant"]
                   and experiment.is_measured(cell)), key=lambda cell: cell["workers"])


def draw_efficiency(axes, cells):
    plain = experiment.find(cells, tascell.PLAIN)
    for family, colour, mark in LINES:
        found = measured(cells, family)
        if plain is not None and found:
            axes.plot([cell["workers"] for cell in found], [tascell.efficiency(cell, plain) for cell in found], color=colour, marker=mark,
                      linewidth=1.4, label=family)
    counts = sorted({cell["workers"] for cell in cells})
    axes.set_xscale("log", base=2)
    axes.set_xticks(counts, [str(count) for count in counts])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.axhline(1, color="#66727f", linewidth=0.8, linestyle=":")
    axes.set_xlabel("workers")


def draw_nodes(axes, cells):
    plain = experiment.find(cells, tascell_nodes.PLAIN)
    for transport, colour, mark in TRANSPORTS:
        found = [experiment.find(cells, f"{transport}, nodes: {nodes}") for nodes in tascell_nodes.NODES]
        points = [(tascell_nodes.nodes_of(cell), tascell_nodes.efficiency(cell, plain), tascell_nodes.is_oversubscribed(cell))
                  for cell in found if cell is not None and plain is not None]
        within = sum(not is_over for *_, is_over in points)
        axes.plot(*points_of(points[:within]), color=colour, marker=mark, linewidth=1.4, label=transport)
        axes.plot(*points_of(points[max(within - 1, 0):]), color=colour, marker=mark, markersize=3, linewidth=1, linestyle=":")
    axes.set_xscale("log", base=2)
    axes.set_xticks(tascell_nodes.NODES, [str(count) for count in tascell_nodes.NODES])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.axhline(1, color="#66727f", linewidth=0.8, linestyle=":")
    axes.set_xlabel("nodes")


def draw_pauses(axes, cells):
    figure, unit, scale = ("us", "us", 1) if "answers" in cells[0]["group"] else ("seconds", "ms", 1e3)
    for transport, colour, mark in TRANSPORTS:
        found = [cell for cell in cells if cell["variant"].startswith(f"{transport}, pause: ") and experiment.is_measured(cell)]
        points = sorted((tascell_nodes.pause_of(cell), experiment.median(cell, figure) * scale) for cell in found)
        if points:
            axes.plot([pause for pause, _ in points], [value for _, value in points], color=colour, marker=mark, linewidth=1.4, label=transport)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("longest pause, us; 1: none")
    axes.text(0.02, 0.97, unit, transform=axes.transAxes, va="top")


def points_of(points):
    return [nodes for nodes, *_ in points], [share for _, share, _ in points]


def draw_copies(axes, cells):
    """Time divided by that of the reused workspace: bars, plain C first."""
    rows = [cell for cell in cells if experiment.is_measured(cell)]
    for place, cell in enumerate(rows):
        reused = experiment.find(cells, tascell.reused_beside(cell))
        ratio = experiment.median(cell, "seconds") / experiment.median(reused, "seconds") if reused else 0
        axes.barh(place, ratio, color="#4a5560" if cell["variant"].startswith(tascell.PLAIN) else "#b83208")
    axes.set_yticks(range(len(rows)), [cell["variant"] for cell in rows])
    axes.invert_yaxis()
    axes.set_xlabel("time : that of the reused workspace")


def draw(groups, path):
    import style  # needs matplotlib
    from matplotlib import pyplot

    nodes = [group for group in groups if tascell_nodes.is_of_programs(group)]
    copies = [group for group in groups if tascell.is_of_copies(group)]
    runs = [group for group in groups if not tascell.is_of_copies(group) and not tascell_nodes.is_of_nodes(group)]
    pauses = [group for group in groups if tascell_nodes.is_of_pauses(group)]
    rows = [(cells, *how) for cells, how in ((runs, (draw_efficiency, "efficiency against plain C")), (nodes, (draw_nodes, "efficiency on nodes")),
                                             (pauses, (draw_pauses, "pauses between two looks")), (copies, (draw_copies, ""))) if cells]
    figure = pyplot.figure(figsize=(COLUMN_IN * max(4, *(len(row[0]) for row in rows)), ROW_IN * len(rows)), layout="constrained")
    parts = figure.subfigures(len(rows), 1, squeeze=False)
    for (found, draw_panel, title), (part,) in zip(rows, parts):
        for place, cells in enumerate(found):
            axes = part.add_subplot(1, len(found), place + 1)
            draw_panel(axes, cells)
            axes.set_title(cells[0]["group"].split(": ")[-1] if found in (nodes, pauses) else cells[0]["group"], fontsize=style.NORMAL)
            if place == 0 and title:
                axes.set_ylabel(title)
                if axes.get_legend_handles_labels()[0]:
                    axes.legend(frameon=False, fontsize=style.SMALL)
            if title:
                axes.grid(True, color=style.GRID)
    figure.savefig(path, format="svg", metadata={"Date": None})


def main():
    if len(sys.argv) != 3:
        sys.stderr.write(__doc__)
        return 2
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            cells = json.load(file)["experiments"][tascell.NAME]
        draw([group for group in experiment.groups(cells) if group[0]["group"] != tascell.WAKE], sys.argv[2])
    except (OSError, ValueError, KeyError, TypeError, ImportError) as error:
        sys.stderr.write(f"tascell_picture.py: {sys.argv[1]} cannot be drawn to {sys.argv[2]}: {error}\n")
        return 2
    print(sys.argv[2])
    return 0


if __name__ == "__main__":
    sys.exit(main())
