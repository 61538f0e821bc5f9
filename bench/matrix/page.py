"""The report as one HTML file that needs nothing else: pictures inline, tables below them, no script. What it may load is nothing, and its
policy has the browser hold it to that."""

from html import escape

import charts
import figures
import report
import style
import summary
from sweep import groups

STYLE = f"""
body {{ font: 15px/1.5 {style.FONTS}; color: {style.INK}; background: {style.PAPER}; max-width: 1040px; margin: 2.5em auto 5em; padding: 0 20px }}
h1 {{ font-size: 30px; margin: 0 0 .2em }}
h2 {{ font-size: 21px; margin: 2.6em 0 .5em; padding-top: .5em; border-top: 2px solid {style.GRID} }}
h3 {{ font-size: 15px; margin: 1.6em 0 .3em }}
.lead {{ font-size: 16px; background: {style.TINT}; border-left: 4px solid {style.OWN_COLOURS['fork']}; padding: .7em 1.1em; margin: 1em 0 }}
.lead p {{ margin: .3em 0 }}
.noisy {{ font-weight: bold; color: #a11212 }}
nav {{ columns: 3; margin: 1.2em 0 }} nav a {{ display: block; color: #1d4f91; text-decoration: none }} nav a:hover {{ text-decoration: underline }}
figure {{ margin: 1.2em 0 }} figure svg {{ width: 100%; height: auto; display: block }}
figcaption {{ font-size: 13px; color: {style.SOFT} }} figcaption a {{ color: inherit }}
.wide {{ overflow-x: auto }}
table {{ border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; width: 100% }}
th {{ text-align: right; font-weight: 600; color: {style.SOFT}; border-bottom: 1.5px solid {style.GRID}; padding: 3px 8px; white-space: nowrap }}
td {{ text-align: right; padding: 2px 8px; border-bottom: 1px solid {style.GRID}; white-space: nowrap }}
th:first-child, td:first-child, th.text, td.text {{ text-align: left }}
tr.own td {{ background: {style.TINT}; font-weight: 600 }}
.faster {{ color: #0b6b3a }} .slower {{ color: #a11212 }}
details {{ margin-top: 1.4em }} summary {{ cursor: pointer; color: {style.SOFT} }}
ul {{ font-size: 13px; color: {style.SOFT}; margin: .5em 0; padding-left: 1.4em }}
dl {{ font-size: 13px; display: grid; grid-template-columns: max-content 1fr; gap: 2px 14px }} dt {{ font-weight: 600 }} dd {{ margin: 0; overflow-wrap: anywhere }}
@media print {{ h2 {{ break-before: page }} nav {{ display: none }} }}
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def make_table(head, rows, texts=()):
    """rows: (class of the row, cells); texts: the columns beyond the first that are aligned left."""
    def cell(word, column, text):
        kind = ' class="text"' if column in texts else ""
        return f"<{word}{kind}>{text}</{word}>"

    lines = ["<tr>" + "".join(cell("th", column, escape(text)) for column, text in enumerate(head)) + "</tr>"]
    for kind, row in rows:
        mark = f' class="{kind}"' if kind else ""
        lines.append(f"<tr{mark}>" + "".join(cell("td", column, escape(text)) for column, text in enumerate(row)) + "</tr>")
    return f'<div class="wide"><table><thead>{lines[0]}</thead><tbody>{"".join(lines[1:])}</tbody></table></div>'


def kind_of(runtime):
    return "own" if runtime in summary.PARALLEL else ""


def show_figure(picture):
    return (f'<figure data-picture="{picture.name}">{picture.svg}'
            f'<figcaption><a href="{picture.name}.svg">{picture.name}.svg</a></figcaption></figure>')


def show_group(cells, children):
    plain = [cell for cell in cells if cell["runtime"] == "sequential" and report.is_measured(cell)]
    done = sorted((cell for cell in cells if report.is_measured(cell)), key=lambda cell: figures.median(report.seconds_of(cell)))
    rows = [(kind_of(cell["runtime"]), report.make_row(cell, cells, plain[0] if plain else None, children)) for cell in done]
    parts = [f"<h3>{escape(report.title_of(cells))}</h3>", make_table(report.HEAD, rows, (6,)) if rows else ""]
    others = [f"<li><b>{escape(cell['runtime'])}</b> {escape(report.why_no_figures(cell))}</li>" for cell in report.without_figures(cells)]
    return "".join(parts) + (f"<ul>{''.join(others)}</ul>" if others else "")


def standings_table(state):
    words = {"faster": "faster", "slower": "slower", "level": "within the noise"}
    rows = [(each.verdict, [each.where, each.cell["runtime"], report.show_ratio(each.cell, each.rival), each.rival["runtime"],
                            words[each.verdict]]) for each in sorted(summary.standings(state), key=lambda each: each.ratio)]
    return make_table(["program", "Weft's", ": best rival [95 %]", "best rival", "Weft is"], rows, (1, 3, 4))


def scaling_table(state):
    mains = charts.main_tables(state)
    workers = sorted({cells[0]["workers"] for tables in mains.values() for cells in tables})
    rows = []
    for kernel, tables in mains.items():
        for runtime, points in sorted(charts.speed_ups(tables)[1].items(), key=lambda line: -line[1][-1][1]):
            by_workers = {count: "{} [{}, {}]".format(*map(style.show_number, edges)) for count, *edges in points}
            rows.append((kind_of(runtime), [kernel, runtime, *(by_workers.get(count, "") for count in workers)]))
    return make_table(["program", "runtime", *(f"speed-up, {charts.how_many(count)} [95 %]" for count in workers)], rows, (1,))


def size_table(tables, lines):
    """Of one program and number of workers: a column a size."""
    units = {cell["units"]: cell["size"] for cells in tables for cell in cells if report.is_measured(cell)}
    columns = sorted(units)
    rows = []
    for runtime, points in sorted(lines.items(), key=lambda line: line[1][-1][1]):
        told = {point[0]: f"{style.show_time(point[1])} [{style.show_time(point[2])}, {style.show_time(point[3])}]" for point in points}
        rows.append((kind_of(runtime), [runtime, *(told.get(count, "") for count in columns)]))
    first = tables[0][0]
    heading = f"<h3>{escape(first['kernel'])}, {charts.how_many(first['workers'])}: time a unit [95 %]</h3>"
    return heading + make_table(["runtime", *(f"size {units[count]:,}, {count:,} units" for count in columns)], rows)


def sizes_table(state):
    return "".join(size_table(tables, lines) for tables, lines in charts.sweeps(state))


def memory_table(state):
    rows = []
    for tables in charts.main_tables(state).values():
        for cell in sorted((cell for cell in charts.cells_of(tables) if charts.bytes_each(cell)),
                           key=lambda cell: figures.median(charts.bytes_each(cell))):
            values = charts.bytes_each(cell)
            rows.append((kind_of(cell["runtime"]), [cell["runtime"], str(cell["workers"]), f"{cell['size']:,}", f"{figures.median(values):,.0f}",
                                                    f"{min(values):,.0f} to {max(values):,.0f}"]))
    return make_table(["runtime", "workers", "threads", "bytes a thread", "range"], rows)


def costs_table(state):
    found = charts.costs_rows(state)
    columns = charts.columns_of(found)
    rows = [("", [kernel, unit, *(style.show_time(costs[name][0]) if name in costs else "" for name in columns),
                  *(report.digits(costs[name][0] / costs["sequential"][0]) if name in costs else "" for name in list(columns)[1:])])
            for kernel, unit, costs in found]
    ratios = [f"{word} : call" for word in list(columns.values())[1:]]
    return make_table(["program", "each", *columns.values(), *ratios], rows, (1,))


def overview(state):
    """(anchor, heading, picture, what is below it) of what tells of all programs together."""
    return [(picture.name, heading, picture, table(state)) for heading, chart, table in (
        ("Weft against the fastest rival", charts.standings, standings_table),
        ("Costs of a child", charts.costs, costs_table),
        ("More workers", charts.scaling, scaling_table),
        ("Memory of blocked threads", charts.memory, memory_table),
        ("Problem size", charts.sizes, sizes_table)) if (picture := chart(state)) is not None]


def programs(state):
    """The same, a section a program; its picture is of the largest size."""
    found = {}
    for cells in groups(state["cells"]):
        found.setdefault(cells[0]["kernel"], []).append(cells)
    for kernel, tables in found.items():
        name = f"program-{kernel}"
        shown = charts.main_tables(state)[kernel]
        smaller = "".join(show_group(cells, state["programs"]["children"]) for cells in tables if cells not in shown)
        below = "".join(show_group(cells, state["programs"]["children"]) for cells in shown)
        folded = f"<details><summary>Smaller sizes</summary>{smaller}</details>" if smaller else ""
        yield name, kernel, charts.ratios(name, shown), below + folded


def definitions(state):
    facts = report.versions(state["cells"]) | {"not installed": report.show_missing(state["cells"]).removeprefix("Not installed: ")}
    return "<dl>" + "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in facts.items() if text) + "</dl>"


def lead(state):
    def kind(sentence):
        return ' class="noisy"' if sentence.startswith(("NOISY", "INTERRUPTED")) else ""

    return '<div class="lead">' + "".join(f"<p{kind(line)}>{escape(line)}</p>" for line in summary.tell(state)) + "</div>"


def make(state):
    """(the page, its pictures)"""
    sections = [*overview(state), *programs(state)]
    contents = "".join(f'<a href="#s-{name}">{escape(heading)}</a>' for name, heading, _, _ in sections)
    body = "".join(f'<section id="s-{name}"><h2>{escape(heading)}</h2>{show_figure(picture) if picture else ""}{below}</section>'
                   for name, heading, picture, below in sections)
    page = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>Weft and the others</title><style>{STYLE}</style></head><body>
<h1>Weft and the others</h1>{lead(state)}
<nav>{contents}<a href="#s-how">How it was measured</a></nav>
{body}
<section id="s-how"><h2>How it was measured</h2>
<p>Each repetition is a process of its own, bound to as many CPUs as it has workers; the runtimes of one table take turns. Times are wall
time, medians; ratios are of medians, with the 95 % interval of a bootstrap. Weft's threads are compared with the fastest rival that has
threads, which may block; its tasklets with the fastest that has threads or tasklets; its forks with the fastest of all. bench/README.md
says more.</p>{definitions(state)}</section>
</body></html>
"""
    return page, [picture for _, _, picture, _ in sections if picture is not None]
