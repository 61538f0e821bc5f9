"""How all pictures look: colours, ticks, labels, and figures as SVG that a page can hold."""

import io
import math
import re

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator  # noqa: E402

from runners import OWN  # noqa: E402

# Vermilion against blue is told apart with every kind of colour blindness; names stand beside the marks all the same.
INK, SOFT, GRID, PAPER, TINT = "#1b2530", "#66727f", "#e3e8ed", "#ffffff", "#fdf3ec"
OWN_COLOURS = {"fork": "#b83208", "ult": "#e07a1c", "tasklet": "#7c2406", "tascell": "#a8573d", "tascell-library": "#d99a83"}
PLAIN_COLOUR, RIVAL_COLOUR, FAILED_COLOUR = "#4a5560", "#4f759e", "#75828f"
OWN_MARKS = {"fork": "o", "ult": "s", "tasklet": "D", "tascell": "^", "tascell-library": "v"}
WIDTH_IN = 10.5
SMALL, NORMAL, LARGE = 8.5, 9.5, 13

# Laid out in DejaVu Sans, the widest of them: in a viewer that has none of it every text still fits.
FONTS = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"

matplotlib.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "weft", "font.family": "DejaVu Sans", "font.size": NORMAL, "text.color": INK,
    "axes.edgecolor": GRID, "axes.labelcolor": SOFT, "xtick.color": SOFT, "ytick.color": SOFT, "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL, "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True, "figure.facecolor": PAPER,
})


def name_of(runtime):
    return f"Weft {runtime}" if runtime in OWN and runtime != "sequential" else runtime


def colour_of(runtime):
    return PLAIN_COLOUR if runtime == "sequential" else OWN_COLOURS.get(runtime, OWN_COLOURS["fork"]) if runtime in OWN else RIVAL_COLOUR


def mark_of(runtime):
    return "|" if runtime == "sequential" else OWN_MARKS.get(runtime, "o")


def weight_of(runtime):
    return "bold" if runtime in OWN and runtime != "sequential" else "normal"


def log_ticks(low, high):
    """Round numbers between low and high, some four to seven of them whatever the range is."""
    for steps, every in (((1, 1.1, 1.2, 1.3, 1.5, 1.7, 2, 2.5, 3, 4, 5, 6, 7, 8), 1), ((1, 1.5, 2, 3, 5, 7), 1), ((1, 2, 5), 1), ((1, 3), 1),
                         ((1,), 1), ((1,), 2), ((1,), 3)):
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        ticks = [step * 10.0**power for power in powers if power % every == 0 for step in steps]
        inside = [tick for tick in ticks if low <= tick <= high]
        if len(inside) <= 7:
            return inside
    return inside


def range_of(values, part=0.06):
    """Limits of a logarithmic axis that holds the values with some room beside them."""
    low, high = min(values), max(values)
    room = max((high / low) ** part, 1.04)
    return low / room, high * room


def make_logarithmic(axis, limits, show, base=10, ticks=None):
    axis_name = axis.axis_name
    getattr(axis.axes, f"set_{axis_name}scale")("log", base=base)
    getattr(axis.axes, f"set_{axis_name}lim")(*limits)
    chosen = log_ticks(*limits) if ticks is None else ticks
    axis.set_major_locator(FixedLocator(chosen))
    axis.set_major_formatter(FixedFormatter([show(tick) for tick in chosen]))
    axis.set_minor_locator(NullLocator())
    axis.set_tick_params(length=0)
    axis.grid(True, color=GRID, linewidth=0.8)


def show_number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def show_time(seconds):
    for scale, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs"), (1e9, "ns")):
        if seconds * scale >= 0.9995 or unit == "ns":
            return f"{seconds * scale:.3g} {unit}"
    return ""


def spread_out(wanted, gap, low, high):
    """Places as near to the wanted ones as can be, at least gap apart, in the same order (isotonic regression)."""
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    blocks = []  # [sum, count] of what has to move together
    for place, index in enumerate(order):
        blocks.append([wanted[index] - place * gap, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            total, count = blocks.pop()
            blocks[-1] = [blocks[-1][0] + total, blocks[-1][1] + count]
    moved = [total / count for total, count in blocks for _ in range(count)]
    top = high - (len(wanted) - 1) * gap
    places = [0.0] * len(wanted)
    for place, index in enumerate(order):
        places[index] = max(low, min(moved[place], top)) + place * gap
    return places


class Sheet:
    """A picture of equal panels in columns, under a title and a line that says how to read it. All measures are inches."""

    HEAD, FOOT = 0.86, 0.12

    def __init__(self, title, how, count, columns, panel_height):
        self.columns, self.panel_height = max(1, min(count, columns)), panel_height
        self.rows = math.ceil(count / self.columns)
        self.height = self.HEAD + self.rows * panel_height + self.FOOT
        self.panel_width = WIDTH_IN / self.columns
        self.figure = pyplot.figure(figsize=(WIDTH_IN, self.height))
        self.figure.text(0.12 / WIDTH_IN, 1 - 0.16 / self.height, title, fontsize=LARGE, fontweight="bold", va="top")
        self.figure.text(0.12 / WIDTH_IN, 1 - 0.48 / self.height, how, fontsize=NORMAL, color=SOFT, va="top")

    def panel(self, index, left, right, top=0.3, bottom=0.35, height=None):
        """Axes in the panel of this number, with margins."""
        row, column = divmod(index, self.columns)
        above = self.HEAD + row * self.panel_height + top
        tall = (self.panel_height - top - bottom) if height is None else height
        axes = self.figure.add_axes(((column * self.panel_width + left) / WIDTH_IN, 1 - (above + tall) / self.height,
                                     (self.panel_width - left - right) / WIDTH_IN, tall / self.height))
        for side in axes.spines.values():
            side.set_visible(False)
        return axes

    def svg(self, name):
        text = io.StringIO()
        self.figure.savefig(text, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
        pyplot.close(self.figure)
        return tidy(text.getvalue(), name)


def head_panel(axes, text):
    """A panel's own title, over its left end."""
    axes.annotate(text, (0, 1), (0, 9), xycoords="axes fraction", textcoords="offset points", fontweight="bold", va="bottom")


def tidy(svg, name):
    """Fit to stand in a page with others: ids of its own, no style for all elements, no header."""
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', svg)
    svg = re.sub(r'(href="|url\()#', rf"\1#{name}-", svg)
    svg = svg.replace("*{stroke-linejoin: round; stroke-linecap: butt}", f"#{name} *{{stroke-linejoin: round; stroke-linecap: butt}}")
    svg = re.sub(r"'DejaVu Sans'(, [^;\"]*)?", FONTS, svg)
    return svg.replace("<svg ", f'<svg id="{name}" role="img" ', 1)
