"""A picture of a run on the machine of many CPUs: a row a CPU, time from left to right, coloured by where most of the time went."""

import html

COLOURS = {
    "code": "#4477aa", "work": "#228833", "load": "#cc3311", "drain": "#dd7755", "store buffer": "#dd9977", "locked": "#aa3377",
    "fence": "#882255", "pause": "#bbbbbb", "clock": "#ccbb99", "system call": "#997700", "futex": "#ddcc22", "mm call": "#ee8866",
    "page fault": "#ffaabb", "membarrier": "#000000", "stopped": "#555555", "switch": "#66ccee", "neighbour": "#e0d0ff",
}
WIDTH, ROW, LEFT, LEGEND_ROW = 1024, 10, 60, 16


def cells(report, row):
    """(column, colour, opacity) of each column in which the CPU did something."""
    for column, spent in enumerate(row):
        total = sum(spent)
        if total <= 0:
            continue
        most = max(range(len(spent)), key=spent.__getitem__)
        yield column, COLOURS[report["causes"][most]], min(1.0, total / report["column_us"])


def svg(report, title):
    rows = report["picture"]
    columns = max(len(row) for row in rows)
    width = WIDTH / columns
    top, bottom = 24, 24 + ROW * len(rows)
    height = bottom + 24 + LEGEND_ROW * ((len(COLOURS) + 5) // 6)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 10}" height="{height}" font-family="sans-serif" font-size="10">']
    parts.append(f'<rect width="100%" height="100%" fill="white"/><text x="4" y="14" font-size="12">{html.escape(title)}</text>')
    for cpu, row in enumerate(rows):
        y = top + ROW * cpu
        if cpu % 4 == 0:
            parts.append(f'<text x="4" y="{y + 8}">CPU {cpu}</text>')
        for column, colour, opacity in cells(report, row):
            parts.append(f'<rect x="{LEFT + column * width:.2f}" y="{y}" width="{width:.2f}" height="{ROW - 1}" fill="{colour}" opacity="{opacity:.2f}"/>')
    parts.append(f'<text x="{LEFT}" y="{bottom + 12}">0</text><text x="{LEFT + WIDTH - 60}" y="{bottom + 12}">{columns * report["column_us"]:.1f} us</text>')
    for at, (name, colour) in enumerate(COLOURS.items()):
        x, y = LEFT + 160 * (at % 6), bottom + 20 + LEGEND_ROW * (at // 6)
        parts.append(f'<rect x="{x}" y="{y}" width="10" height="10" fill="{colour}"/><text x="{x + 14}" y="{y + 9}">{name}</text>')
    return "\n".join([*parts, "</svg>\n"])
