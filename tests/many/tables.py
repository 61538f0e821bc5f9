"""Tables about runs on the machine of many CPUs."""

import places

SHOWN_ALWAYS = ("code", "work")
LEAST_SHARE = 0.002


def shares_of(report, cpus):
    """How the time of some CPUs went, as shares by cause; "asleep" is the rest."""
    whole = report["us"] * len(cpus)
    sums = [sum(report["cpus"][cpu]["us"][at] for cpu in cpus) for at in range(len(report["causes"]))]
    shares = {name: value / whole for name, value in zip(report["causes"], sums)} if whole else {}
    shares["asleep"] = max(0.0, 1 - sum(shares.values()))
    return shares


def time_table(report, every_cpu=False):
    """Where each CPU's time went, in percent."""
    count = report["cpu_count"]
    rows = [("all", shares_of(report, range(count))), ("CPU 0", shares_of(report, [0]))]
    if every_cpu:
        rows += [(f"CPU {cpu}", shares_of(report, [cpu])) for cpu in range(1, count)]
    names = [name for name in [*report["causes"], "asleep"] if name in SHOWN_ALWAYS or any(shares.get(name, 0) > LEAST_SHARE for _, shares in rows)]
    yield "where the time went, %"
    yield f"  {'':8}" + "".join(f"{name:>14}" for name in names)
    for title, shares in rows:
        yield f"  {title:8}" + "".join(f"{100 * shares.get(name, 0):14.1f}" for name in names)


def place_rows(rows, program, most, heading):
    rows = rows[:most]
    if not rows:
        return
    found = places.places_of(program, [address for address, _, _ in rows])
    yield heading
    yield f"  {'number':>9}{'ns each':>10}{'us':>11}  {'tag':4} place"
    for address, count, ns in rows:
        place = found[address]
        yield f"  {count:9}{ns / count:10.1f}{ns / 1000:11.1f}  {place.tag() or '-':4} {place}"
        if text := place.text():
            yield f"  {'':36} {text[:110]}"


def line_rows(report, program, most):
    """Transfers by memory line, with the fields that lie there and the places that asked for it."""
    lines = report["lines"][:most]
    if not lines:
        return
    variables = places.Variables(program)
    found = places.places_of(program, [address for line in lines for address, _, _ in line["places"]])
    yield "transfers by line of memory"
    yield f"  {'number':>9}{'ns each':>10}{'us':>11}  what lies there"
    for line in lines:
        name = line["name"] or variables.on_line(line["address"]) or f"memory at {line['address']:#x}"
        yield f"  {line['count']:9}{line['ns'] / line['count']:10.1f}{line['ns'] / 1000:11.1f}  {name}"
        for address, count, _ in sorted(line["places"], key=lambda each: -each[2])[:2]:
            place = found[address]
            yield f"  {'':32}  {count} by {f'[{place.tag()}] ' if place.tag() else ''}{place}"


def details(report, program, most, every_cpu=False):
    yield from time_table(report, every_cpu)
    yield from place_rows(report["transfers_by_place"], program, most, "transfers by place")
    yield from line_rows(report, program, most)
    yield from place_rows(report["fences_by_place"], program, most, "heavy fences by caller")


def mean(values):
    return sum(values) / len(values)


def scaling_table(runs, base_us):
    """runs: {(runtime, CPUs): reports, one a layout}; base_us: {runtime: time on one CPU}."""
    yield f"{'runtime':10}{'CPUs':>5}{'mean us':>12}{'least':>10}{'most':>10}{'speed-up':>10}{'fences':>9}{'mm calls':>10}{'transfers':>11}{'real ms':>9}"
    for (runtime, cpus), reports in runs.items():
        times = [report["told"]["mean_us"] for report in reports]
        counts = [mean([report[name] / report["told"]["repeats"] for report in reports]) for name in ("heavy_fences", "mm_calls", "transfers")]
        yield (
            f"{runtime:10}{cpus:5}{mean(times):12.2f}{min(times):10.2f}{max(times):10.2f}{base_us[runtime] / mean(times):10.2f}"
            f"{counts[0]:9.2f}{counts[1]:10.2f}{counts[2]:11.1f}{mean([report['real_ms'] for report in reports]):9.0f}"
        )
