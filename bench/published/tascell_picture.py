#!/usr/bin/env python3
"""Draws the experiment tascell: efficiency against plain C by workers, and what copies of workspaces cost, one panel a program.

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

COLUMN_IN, ROW_IN = 2.6, 2.5
LINES = (("compiled", "#b83208", "o"), ("library", "#e07a1c", "v"), ("sc-tascell", "#4f759e", "s"))


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

    runs = [group for group in groups if not tascell.is_of_copies(group)]
    copies = [group for group in groups if tascell.is_of_copies(group)]
    figure = pyplot.figure(figsize=(COLUMN_IN * max(len(runs), 4), ROW_IN * (2 if copies else 1)), layout="constrained")
    upper, lower = figure.subfigures(2, 1) if copies else (figure, None)
    for place, cells in enumerate(runs):
        axes = upper.add_subplot(1, len(runs), place + 1)
        draw_efficiency(axes, cells)
        axes.set_title(cells[0]["group"], fontsize=style.NORMAL)
        axes.grid(True, color=style.GRID)
        if place == 0:
            axes.set_ylabel("efficiency against plain C")
            if axes.get_legend_handles_labels()[0]:
                axes.legend(frameon=False, fontsize=style.SMALL)
    for place, cells in enumerate(copies):
        axes = lower.add_subplot(1, len(copies), place + 1)
        draw_copies(axes, cells)
        axes.set_title(cells[0]["group"], fontsize=style.NORMAL)
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
