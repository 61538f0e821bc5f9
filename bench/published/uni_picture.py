#!/usr/bin/env python3
"""Draws the scaling of the experiment uni-address: speed-up and efficiency by ranks, one column a program.

    bench/published/uni_picture.py FILE.json PICTURE.svg

FILE.json is what published.py keeps. Points beyond the number of CPUs are hollow: those ranks share CPUs, and their efficiency is the
sequential time divided by the time on all CPUs. Needs matplotlib (Debian: python3-matplotlib). Exit status: 0 done, 2 the file cannot be
drawn or the picture not be written."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(os.path.dirname(HERE), folder) for folder in ("matrix", "guard")]

import experiment  # noqa: E402
import uni_address  # noqa: E402

COLUMN_IN, ROW_IN = 2.4, 2.3
LINES = (("ranks: ", "ranks", "#b83208", "o"), ("threads, workers: ", "threads", "#4f759e", "s"),
         ("values on threads, workers: ", "values on threads", "#6a8f3c", "^"))


def points(cells, prefix):
    """(count, speed-up, efficiency, whether the CPUs are shared) of each measured cell whose variant begins so."""
    sequential = experiment.find(cells, uni_address.SEQUENTIAL)
    found = [cell for cell in cells if cell["variant"].startswith(prefix) and experiment.is_measured(cell)]
    rows = [(uni_address.ranks_of(cell), uni_address.speed_up(cell, sequential), cell["workers"]) for cell in found if sequential]
    return sorted((count, ratio, ratio / cpus, count > cpus) for count, ratio, cpus in rows)


def draw_line(axes, line, place):
    """place: of the figure in a point."""
    prefix, title, colour, mark = line
    found = points(axes.weft_cells, prefix)
    axes.plot([each[0] for each in found], [each[place] for each in found], color=colour, linewidth=1.4, label=title, zorder=2)
    for count, *figures, shared in found:
        axes.plot([count], [figures[place - 1]], marker=mark, color=colour, markerfacecolor="white" if shared else colour, zorder=3)


def draw(groups, path):
    import style  # needs matplotlib
    from matplotlib import pyplot

    figure, rows = pyplot.subplots(2, len(groups), figsize=(COLUMN_IN * len(groups), 2 * ROW_IN), squeeze=False, sharex=True)
    for row, word, place in zip(rows, ("speed-up", "efficiency"), (1, 2)):
        for axes, cells in zip(row, groups):
            axes.weft_cells = cells
            for line in LINES:
                draw_line(axes, line, place)
            axes.set_xscale("log", base=2)
            axes.set_xticks(uni_address.RANKS, [str(ranks) for ranks in uni_address.RANKS])
            axes.set_ylim(bottom=0)
            axes.grid(True, color=style.GRID)
            if place == 1:
                axes.set_title(cells[0]["group"], fontsize=style.NORMAL)
            else:
                axes.axhline(1, color=style.SOFT, linewidth=0.8, linestyle=":")
                axes.set_xlabel("ranks or workers")
        row[0].set_ylabel(word)
    rows[0][0].legend(frameon=False, fontsize=style.SMALL)
    figure.tight_layout()
    figure.savefig(path, format="svg", metadata={"Date": None})


def main():
    if len(sys.argv) != 3:
        sys.stderr.write(__doc__)
        return 2
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            cells = json.load(file)["experiments"][uni_address.NAME]
        kernels = {f"{kernel}, {size}" for kernel, sizes in uni_address.KERNELS.items() for size in map(str, sizes)}
        draw([group for group in experiment.groups(cells) if group[0]["group"] in kernels], sys.argv[2])
    except (OSError, ValueError, KeyError, TypeError, ImportError) as error:
        sys.stderr.write(f"uni_picture.py: {sys.argv[1]} cannot be drawn to {sys.argv[2]}: {error}\n")
        return 2
    print(sys.argv[2])
    return 0


if __name__ == "__main__":
    sys.exit(main())
