"""What a call into a library costs: linked statically, shared through the procedure linkage table (PLT), shared without it, and inlined;
in cycles, in instructions, and as the code itself."""

import os
import re
import shutil
import subprocess

import experiment
import guard

NAME = "call-overhead"
TITLE = "a short call into a library: static, shared, inlined"
SOURCE = """Published: a call into the shared library takes 20 to 30 % more cycles than into the static one, and the procedure linkage
table adds 30 % of the instructions. (The figures are quoted; where they were printed, and for which calls, could not be looked up.)"""
NOT_COMPARABLE = """the calls are our own. `add`: a check and two words of state, as a lock's or counter's fast path; `pair`: a function
of the library that calls `add` of the same library twice, which the compiler sees through where no other library may put another `add` in
its place; `fork`: hot.h's fork and join as two calls, or inlined, as programs have it; `lock`: weft_mutex_lock and weft_mutex_unlock,
which have no inlined form. Cycles are those of the loop around the call, too, and of what the CPU does meanwhile: it runs ahead through
calls, so that they cost less than their instructions suggest. TSC cycles have a constant rate; core cycles are those at the clock that
the core had in that run. Instructions are callgrind's, the loop's included."""

FIGURES, FACTS = ("ticks", "core_cycles", "ns"), ("counter", "ticks_per_ns", "core_cycles_per_tick")
OPERATIONS = ("add", "pair", "fork", "lock")
VARIANTS = {"static": "static library", "shared": "shared library, through the PLT", "shared-no-plt": "shared, caller built with -fno-plt",
            "shared-symbolic": "shared, library linked with -Bsymbolic", "inlined": "inlined"}
NOT_INLINED = ("lock",)
USUAL_ROUNDS, FULL_ROUNDS = 10_000_000, 100_000_000
PUBLISHED = {"shared": "1.2 to 1.3 of static; + 30 % instructions"}
# What is worth seeing: (variant, file, function)
CODE = (("static", "call-static", "loop_add"), ("static", "call-static", "tally_add"), ("shared", "call-shared", "loop_add"),
        ("shared", "call-shared", "tally_add@plt"), ("shared", "libtally_shared.so", "tally_add"),
        ("shared", "libtally_shared.so", "tally_add_pair"), ("shared-symbolic", "libtally_symbolic.so", "tally_add_pair"),
        ("shared-no-plt", "call-shared-no-plt", "loop_add"), ("inlined", "call-inlined", "loop_add"),
        ("inlined", "call-inlined", "loop_fork"))

read = experiment.read_figures


def plan(context):
    return [plan_cell(context, operation, variant) for operation in OPERATIONS for variant in VARIANTS]


def plan_cell(context, operation, variant):
    if variant == "inlined" and operation in NOT_INLINED:
        return experiment.new_cell(operation, variant, status="cannot", why="the library's own file alone has its code", ours=True)
    program = context.program("published", "calls", f"call-{variant}")
    if program is None:
        return experiment.new_cell(operation, variant, status="not installed", why="the preset bench builds it", ours=True)
    rounds = FULL_ROUNDS if context.is_full else USUAL_ROUNDS
    return experiment.new_cell(operation, variant, command=[program, operation, str(rounds)], ours=True)


def look_aside(cells):
    measured = [cell for cell in cells if experiment.is_measured(cell)]
    return {"instructions": count_instructions(measured), "code": disassemble(measured)}


def count_instructions(cells):
    """{operation: {variant: instructions}}, or {"missing": why}."""
    if shutil.which("valgrind") is None:
        return {"missing": "valgrind is not installed"}
    counts = {}
    try:
        for cell in cells:
            counted = guard.count(cell["command"][0], [cell["group"]])
            counts.setdefault(cell["group"], {})[cell["variant"]] = counted[cell["group"]]
    except guard.Problem as problem:
        return {"missing": str(problem)}
    return counts


def disassemble(cells):
    """[[variant, function, its code]]"""
    if shutil.which("objdump") is None or not cells:
        return []
    folder = os.path.dirname(cells[0]["command"][0])
    found = []
    for variant, file, function in CODE:
        code = code_of(os.path.join(folder, file), function)
        if code:
            found.append([variant, function, code])
    return found


def code_of(path, function):
    done = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], capture_output=True, text=True, check=False)
    block = re.search(rf"^[0-9a-f]+ <{re.escape(function)}>:\n(.*?)(?:\n\n|\Z)", done.stdout, re.DOTALL | re.MULTILINE)
    return block.group(1).rstrip() if block else ""


def show_instructions(cell, counts):
    counted = counts.get(cell["group"], {})
    if cell["variant"] not in counted:
        return ""
    static = counted.get("static")
    against = f" ({counted[cell['variant']] / static - 1:+.0%})" if static and cell["variant"] != "static" else ""
    return f"{counted[cell['variant']]:.1f}{against}"


def show_group(cells, counts):
    static = experiment.find(cells, "static")
    columns = [("TSC cycles", lambda cell: f"{experiment.median(cell, 'ticks'):.2f}"),
               ("core cycles", lambda cell: f"{experiment.median(cell, 'core_cycles'):.2f}"),
               ("spread", lambda cell: experiment.spread(cell, "core_cycles")),
               (": static [95 %]", lambda cell: experiment.ratio(cell, static, "core_cycles")),
               ("instructions", lambda cell: show_instructions(cell, counts)),
               ("published", lambda cell: PUBLISHED.get(cell["variant"], ""))]
    return f"{cells[0]['group']}, one call\n" + experiment.table(cells, columns)


def show(cells, aside):
    counts = aside.get("instructions", {})
    parts = [experiment.show_groups(cells, lambda group: show_group(group, counts)), experiment.clock(cells)]
    if "missing" in counts:
        parts.append(f"Instructions were not counted: {counts['missing']}")
    parts += [f"{VARIANTS[variant]}: {function}\n{code}" for variant, function, code in aside.get("code", [])]
    if not aside.get("code"):
        parts.append("No disassembly: objdump (binutils) is not installed.")
    return "\n\n".join(filter(None, parts))
