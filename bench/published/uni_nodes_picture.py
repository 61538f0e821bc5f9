#!/usr/bin/env python3
"""Draws the experiment uni-address-nodes: speed-up and efficiency by ranks, a line for each number of nodes, one column a program, and
what a simulation says to 3840 workers. What is oversubscribed is hollow and dotted; what is simulated says so.

    bench/published/uni_nodes_picture.py FILE.json PICTURE.svg

FILE.json is what published.py keeps. Needs matplotlib (Debian: python3-matplotlib). Exit status: 0 done, 2 the file cannot be drawn or
the picture not be written."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(os.path.dirname(HERE), folder) for folder in ("matrix", "guard")]

import experiment  # noqa: E402
import uni_nodes  # noqa: E402

COLUMN_IN, ROW_IN = 2.5, 2.4
LINES = ((1, "one node", "#4f759e", "s"), (2, "two nodes, TCP", "#b83208", "o"))
SIMULATED = ((7, "#888888"), (3, "#b83208"), (2, "#6a8f3c"))


def is_of_program(cells):
    return any(cell["variant"] == uni_nodes.ALONE for cell in cells)


def points(cells, nodes):
    """(ranks, speed-up, efficiency, whether the CPUs are shared), the fewest ranks first."""
    alone = experiment.find(cells, uni_nodes.ALONE)
    found = [cell for cell in cells if experiment.is_measured(cell) and cell["variant"] != uni_nodes.ALONE]
    return sorted((uni_nodes.counts_of(cell)[0], uni_nodes.speed_up(cell, alone), uni_nodes.efficiency(cell, alone),
                   uni_nodes.is_oversubscribed(cell)) for cell in found if alone is not None and uni_nodes.counts_of(cell)[1] == nodes)


def draw_programs(rows, groups):
    for column, cells in enumerate(groups):
        for nodes, title, colour, mark in LINES:
            found = points(cells, nodes)
            for row, place in zip(rows, (1, 2)):
                own = [each for each in found if not each[3]]
                axes = row[column]
                axes.plot([each[0] for each in own], [each[place] for each in own], color=colour, marker=mark, linewidth=1.4, label=title)
                axes.plot([each[0] for each in found], [each[place] for each in found], color=colour, marker=mark, markerfacecolor="white",
                          linewidth=0.8, linestyle=":", zorder=1)
        rows[0][column].set_title(cells[0]["group"].removeprefix(uni_nodes.PREFIX), fontsize=7)
        rows[1][column].set_xlabel("ranks (measured)")
    for row, word in zip(rows, ("speed-up", "efficiency")):
        row[0].set_ylabel(word)
        for axes in row[:len(groups)]:
            axes.set_xscale("log", base=2)
            axes.set_ylim(0, 1.08 * axes.get_ylim()[1])  # room for the highest mark
            axes.minorticks_off()


def draw_simulated(top, bottom, rows):
    for operations, colour in SIMULATED:
        of = [row for row in rows if row["operations"] == operations]
        for axes, height in ((top, lambda row: row["efficiency"] * row["workers"]), (bottom, lambda row: row["efficiency"])):
            axes.plot([row["workers"] for row in of], [height(row) for row in of], color=colour, marker=".",
                      label=f"{operations} operations")
    for axes in (top, bottom):
        axes.set_xscale("log")
    top.set_yscale("log")
    top.axvspan(1, 3840, color="#eeeeee", zorder=0)  # the paper's range
    top.set_title("simulated, to the paper's 3840 cores", fontsize=7)
    bottom.set_ylim(bottom=0)
    bottom.set_xlabel("workers (simulated)")


def draw(groups, aside, path):
    import style  # needs matplotlib
    from matplotlib import pyplot

    simulated = [rows for rows in aside.values() if len({row["workers"] for row in rows}) > 1]
    columns = len(groups) + bool(simulated)
    figure, rows = pyplot.subplots(2, columns, figsize=(COLUMN_IN * columns, 2 * ROW_IN), squeeze=False)
    draw_programs(rows, groups)
    if simulated:
        draw_simulated(rows[0][-1], rows[1][-1], simulated[0])
    for axes in rows.flat:
        axes.grid(True, color=style.GRID)
    for axes in {0, columns - 1}:
        rows[1][axes].legend(frameon=False, fontsize=style.SMALL)
    figure.tight_layout()
    figure.savefig(path, format="svg", metadata={"Date": None})


def main():
    if len(sys.argv) != 3:
        sys.stderr.write(__doc__)
        return 2
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            state = json.load(file)
        groups = [cells for cells in experiment.groups(state["experiments"][uni_nodes.NAME]) if is_of_program(cells)]
        draw([cells for cells in groups if any(map(experiment.is_measured, cells))], state["aside"].get(uni_nodes.NAME, {}), sys.argv[2])
    except (OSError, ValueError, KeyError, TypeError, ImportError) as error:
        sys.stderr.write(f"uni_nodes_picture.py: {sys.argv[1]} cannot be drawn to {sys.argv[2]}: {error}\n")
        return 2
    print(sys.argv[2])
    return 0


if __name__ == "__main__":
    sys.exit(main())
