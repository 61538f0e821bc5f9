"""What mutate_source.py changes outside src/: where the sources are, what is built from them, and which tests a change of them must fail.

A header of include/ is tried by the api tests that include it, the nearest first: those that name it, then those that include least beside it.
The C++ library form of Tascell lies in include/ as well, and is tried by the tests of the runtime."""

import json
import os
import re
import subprocess
from dataclasses import dataclass

import steps

MOST_INCLUDERS = 24  # api tests, for a header that nearly all include


@dataclass(frozen=True)
class Step:
    targets: tuple
    tests: str  # a regular expression
    without: tuple = ()


NODES = Step(("weft_command", "tests/lang/all", "examples/tascell/all"), r"^lang\.nodes")
RUNTIME = (
    Step(("lang_runtime",), r"^lang\.(runtime|seeded)$"),
    Step(("weft_command", "examples/tascell/all"), r"^lang\.(protocol|transport|constructs|programs|checks|examples)$"),
    NODES,
)
# By the beginning of the path, the first that fits: what to build for the change itself, and the steps.
PLACES = (
    ("lang/runtime/", ("weft_tascell_static",), RUNTIME),
    ("lang/compiler/", ("weft_command",), (
        Step(("weft_command",), r"^lang\.(operators|diagnostics|constructs|programs|checks|refused)$"),
        Step(("weft_command", "tests/lang/all"), r"^lang\.(driver|short_forms|fuzz|guide|random_programs)$"))),
    ("lang/server/", ("weft_command",), (Step(("weft_command", "examples/tascell/all"), r"^lang\.(transport|nodes)"),)),
    ("net/", ("weft_net", "weft_frames"), (
        Step(("tests/unit/net/all",), r"^unit\.net_"),
        Step(("weft_command", "examples/tascell/all"), r"^lang\.(protocol|transport|nodes|nodes_strange|nodes_refuse|nodes_keys|nodes_conform)$"),
        Step(("tests/dist/all",), r"^dist\.(far_|random_on_2$|global_apart|errors)"))),
    ("dist/", ("weft_dist_static",), (Step(("tests/dist/all",), r"^dist\.", ("_shared$",)),)),
    ("include/weft/tascell", ("weft_tascell_static",), RUNTIME),
    ("include/weft_tascell", ("weft_tascell_static",), RUNTIME),
)
FOLDERS = ("include", "dist", "net", "lang", "faces")


def sources(folder):
    """(the name under which the sample counts it, path below the root) of each source of a folder."""
    for base, _, names in os.walk(os.path.join(steps.TOP, folder)):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(base, name), steps.TOP)
            if name.endswith((".cpp", ".hpp", ".c", ".h")) and "aarch64" not in path:
                yield "/".join(path.split("/")[: 2 if folder in ("lang", "faces", "net") else 1]), path


def tests_of_build(build):
    """The path of the program of each test."""
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], stdout=subprocess.PIPE, text=True, check=True)
    return {test["name"]: test["command"][0] for test in json.loads(listed.stdout)["tests"] if test.get("command")}


def includers(build, path):
    """The names of api tests whose sources include a header, the nearest first."""
    deps = subprocess.run(["ninja", "-C", build, "-t", "deps"], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = []
    for entry in deps.split("\n\n"):
        lines = entry.split("\n")
        made = re.match(r"tests/api/CMakeFiles/api_(\w+)\.dir/", lines[0])
        included = [line.strip() for line in lines[1:] if "include/weft" in line]
        if made is None or not any(each.endswith("/" + path) or each == path for each in included):
            continue
        source = next((line.strip() for line in lines[1:] if line.rstrip().endswith((".c", ".cpp"))), "")
        source = os.path.normpath(os.path.join(build, source))
        text = open(source, encoding="utf-8").read() if os.path.isfile(source) else ""
        found.append((f"<{path[len('include/'):]}>" not in text, len(included), made.group(1)))
    return [name for _, _, name in sorted(set(found))][:MOST_INCLUDERS]


def steps_for_header(build, path):
    """First the third of its includers that are nearest, then the others."""
    names, programs = includers(build, path), tests_of_build(build)
    nearest = max(1, len(names) // 3)
    for part in (names[:nearest], names[nearest:]):
        tests = [f"api.{name}_shared" for name in part if f"api.{name}_shared" in programs]
        if tests:
            targets = sorted({os.path.relpath(programs[test], build) for test in tests})
            yield Step(tuple(targets), "^(" + "|".join(re.escape(test) for test in tests) + ")$")


def place_of(build, path):
    """What to build for a change of a file outside src/, and the steps."""
    for begin, targets, its_steps in PLACES:
        if path.startswith(begin):
            return targets, its_steps
    if path.startswith("faces/"):
        face = path.split("/")[1]
        kind = "argobots|qthreads|threads" if face == "common" else face
        return ("faces/all",), (Step(("faces/all", "tests/conform/all", "tests/unit/faces/all"), rf"^(conform\.({kind})|unit\.faces)", ("_static$",)),)
    return ("weft",), tuple(steps_for_header(build, path))


def object_of(build, path):
    """The object file of a source, wherever its target lies; None for a header."""
    top = os.path.join(build, path.split("/")[0])
    for base, _, names in os.walk(top):
        if os.path.basename(path) + ".o" in names:
            made = os.path.join(base, os.path.basename(path) + ".o")
            if re.sub(r"CMakeFiles/[^/]+\.dir/", "", os.path.relpath(made, build)) == path + ".o":
                return made
    return None
