#!/usr/bin/env python3
"""General mutation: one statement is changed, the library is built, and what concerns the file is run. Some test must fail. Of the core, that is
the unit tests of its layer, the models that are built with it, the tests of the interface, those with faults; of include/, dist/, net/, lang/ and
faces/ what mutate_places.py names. Works on a copy in build/mutate.

A mutant that does not compile does not count, nor does one whose object code is that of the original. What fails is run again: only a test
that fails twice, and that the unchanged library passes, has found the mutant. A test that lasts longer than its time limit has found it,
too: what waits for ever is seen by nothing else.

Changes: a statement deleted; a condition negated; < and <=, > and >=, == and !=, && and ||, + and - and ++ and -- exchanged; a constant
one larger; an early return. The sample is drawn by --seed, which is printed, from each layer by the number of its lines.

usage: mutate_source.py [--of FOLDERS] [--sample N [--seed N]] [--only TEXT] [--patch FILE...] [--jobs N] [--list]

--of takes src, include, dist, net, lang, faces, several with commas between them, or all; src without it.

--patch tries changes of your own, each a diff as git makes them, instead of a sample. Survivors with a reason stand in
tests/mutation_survivors.txt, a line each: file, the line as it was, the change, and why; they do not count."""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass

import mutate_places
import steps

TREE = os.path.join(steps.TOP, "build", "mutate")
BUILD = os.path.join(TREE, "build", "checked")
SURVIVORS = os.path.join(steps.TOP, "tests", "mutation_survivors.txt")
LAYERS = ("base", "arch", "os", "queue", "mem", "trace", "unwind", "fiber", "unit", "worker", "run", "thread", "place", "see", "seeded", "life",
          "sync", "capi")
LIMIT_S = 60  # of a test
# What reports say: they take long, and watch what a busy machine makes late, so they run alone and only for what they concern.
REPORTS = "standstill|report_signal|report_circles|report_deadlock|watchdog"
LAYER_OF_REPORTS = "see"
# Debuggers read what no mutant changes.
NO_WITNESSES = r"_static$|gdb|debugger|unload|libraries|privileges|_schedules$"

SWAPS = [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" == ", " != "), (" != ", " == "), (" && ", " || "),
         (" || ", " && "), (" + ", " - "), (" - ", " + "), ("++", "--"), ("--", "++")]
STATEMENT = re.compile(r"^\s+(?!return\b|const\b|auto\b|static\b|using\b|case\b|break\b|continue\b|goto\b|throw\b)[\w*(][^{}]*;$")
DECLARATION = re.compile(r"^\s+[\w:<>*&, ]+\s[*&]*\w+(\{.*\}|\[.*\])?( = .*)?;$")
CONDITION = re.compile(r"^(\s*(?:\} else )?(?:if|while)(?: constexpr)? \()(.*)(\)(?: \[\[\w+\]\])?(?: \{| .*;|)$)")
NUMBER = re.compile(r"(?<![\w.\"'])(\d+)(?![\w.\"'])")
FUNCTION = re.compile(r"^[\w:<>*&\[\], ]*\b(void|bool|status|unsigned|unit\*|worker\*) [\w:]+\([^;]*\)(?: const)? \{$")


@dataclass
class Mutant:
    path: str  # below the root
    line: int
    before: str
    what: str
    after: str  # the changed line

    def name(self):
        return f"{self.path}:{self.line}: {self.what}: {self.before.strip()}"


def code_of(line):
    return line.split("//")[0].rstrip()


def balanced(text):
    return text.count("(") == text.count(")")


def mutants_of_line(line):
    """(what, changed line) of each."""
    code = code_of(line)
    if not code.strip() or code.lstrip().startswith(("#", "namespace", "template", "static_assert", "WEFT_", "*", "/*", "[[", "using", "friend")):
        return
    if STATEMENT.match(code) and balanced(code) and (not DECLARATION.match(code) or " = " in code and re.match(r"^\s+[\w>.\-\[\]*]+ = ", code)):
        yield "deleted", re.match(r"\s*", code).group() + ";"
    condition = CONDITION.match(code)
    if condition and "constexpr" not in condition.group(1) and balanced(condition.group(2)) and ";" not in condition.group(2):
        yield "negated", f"{condition.group(1)}!({condition.group(2)}){condition.group(3)}"
    for old, new in SWAPS:
        for found in re.finditer(re.escape(old), code):
            yield f"'{old.strip()}' became '{new.strip()}'", code[: found.start()] + new + code[found.end() :]
    if not code.lstrip().startswith(("constexpr", "inline constexpr", "enum", "case")) or " = " in code:
        for found in NUMBER.finditer(code):
            larger = str(int(found.group(1)) + 1)
            yield f"{found.group(1)} became {larger}", code[: found.start(1)] + larger + code[found.end(1) :]
    function = FUNCTION.match(code)
    if function:
        kind = function.group(1)
        value = {"void": "", "status": " {}", "bool": " {}"}.get(kind, " {}")
        yield "returns at once", f"{code} if (__builtin_expect(true, 1)) return{value};"


def mutants_of_file(path):
    with open(os.path.join(steps.TOP, path), encoding="utf-8") as file:
        lines = file.read().split("\n")
    in_comment = False
    for number, line in enumerate(lines, 1):
        in_comment = in_comment or line.lstrip().startswith("/*")
        if not in_comment and "\\" not in line[-1:]:
            for what, changed in mutants_of_line(line):
                yield Mutant(path, number, line, what, changed)
        in_comment = in_comment and "*/" not in line


def sources(folders=("src",)):
    for folder in folders:
        if folder != "src":
            yield from mutate_places.sources(folder)
    for layer in LAYERS if "src" in folders else ():
        for folder, _, names in os.walk(os.path.join(steps.TOP, "src", layer)):
            for name in sorted(names):
                if name.endswith((".cpp", ".hpp")) and "aarch64" not in folder:
                    yield layer, os.path.relpath(os.path.join(folder, name), steps.TOP)


def sampled(count, seed, only, folders=("src",)):
    """By layers, as many of each as its share of lines is; one of each at least."""
    rng = random.Random(seed)
    by_layer = {}
    for layer, path in sources(folders):
        if only in path:
            by_layer.setdefault(layer, []).extend(mutants_of_file(path))
    lines = {layer: len({(m.path, m.line) for m in all_of}) for layer, all_of in by_layer.items()}
    shares = {layer: max(1, round(count * n / sum(lines.values()))) for layer, n in lines.items() if n}
    chosen = [m for layer, share in shares.items() for m in rng.sample(by_layer[layer], min(share, len(by_layer[layer])))]
    rng.shuffle(chosen)
    return chosen[:count]


# ---- the copy ----------------------------------------------------------------------------------------------------------------


def run(command, limit_s=None, cwd=None):
    try:
        return subprocess.run(["nice", "-n", "5", *command], cwd=cwd or TREE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              timeout=limit_s, check=False)
    except subprocess.TimeoutExpired as late:
        return subprocess.CompletedProcess(command, 124, late.stdout or "")


def copy_tree():
    """Tracked and new files; one that did not change keeps its time, so that it is not built again."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=steps.TOP, stdout=subprocess.PIPE, check=True)
    for name in filter(None, listed.stdout.decode().split("\0")):
        source, target = os.path.join(steps.TOP, name), os.path.join(TREE, name)
        if not os.path.isfile(source):
            continue
        if os.path.exists(target) and open(source, "rb").read() == open(target, "rb").read():
            continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(source, target)
        os.utime(target)


def build(targets, jobs):
    return run(["cmake", "--build", BUILD, "-j", str(jobs), "--target", *targets])


def object_code(path):
    """Of a file's object without what debuggers read; None: a header, whose code lies in many."""
    if path.startswith("src/"):
        found = os.path.join(BUILD, os.path.dirname(path), "CMakeFiles", f"weft_{path.split('/')[1]}.dir", os.path.basename(path) + ".o")
    else:
        found = mutate_places.object_of(BUILD, path)
    if found is None or not os.path.exists(found):
        return None
    stripped = os.path.join(BUILD, "stripped.o")
    if run(["objcopy", "--strip-debug", "--remove-section=.comment", found, stripped]).returncode != 0:
        return None
    with open(stripped, "rb") as file:
        return file.read()


def models_with(path):
    """Those whose `Built with` line, or an include, names the file."""
    folder = os.path.join(steps.TOP, "tests", "model")
    names = []
    for name in sorted(os.listdir(folder)):
        if name.endswith("_model.cpp"):
            text = open(os.path.join(folder, name), encoding="utf-8").read()
            if path in text or f'#include "{path[4:]}"' in text:
                names.append(name[: -len(".cpp")])
    return names


def failing(names_of_tests, excluded, jobs, stops=True):
    """The tests that fail, of those that the first regular expression allows and the second one does not: one, or all."""
    results = os.path.join(BUILD, "mutant.xml")
    if os.path.exists(results):
        os.remove(results)
    run(["ctest", "--test-dir", BUILD, "-R", names_of_tests, "-j", str(jobs), "--timeout", str(LIMIT_S), "-Q",
         "--output-junit", results, "-E", excluded, *(["--stop-on-failure"] if stops else [])])
    if not os.path.exists(results):
        return ["ctest"]
    text = open(results, encoding="utf-8", errors="replace").read()
    return re.findall(r'<testcase name="([^"]+)"[^>]*status="fail"', text)


def paths_of(patch):
    with open(patch, encoding="utf-8") as file:
        return re.findall(r"^\+\+\+ b/(\S+)", file.read(), re.M)


def is_core(path):
    return path.startswith("src/")


class Trial:
    def __init__(self, jobs, has_wings):
        self.jobs = jobs
        self.has_wings = has_wings
        self.unsound = set()
        self.originals = {}

    def prepare(self):
        os.makedirs(TREE, exist_ok=True)
        copy_tree()
        wings = "ON" if self.has_wings else "OFF"
        done = run(["cmake", "--preset", "checked", "-DWEFT_WERROR=OFF", f"-DWEFT_PROGRAMS={wings}", f"-DWEFT_FACES={wings}"])
        if done.returncode == 0 and not self.has_wings:
            done = build(["weft", "tests/unit/all", "tests/api/all", "tests/fault/all"], self.jobs)
        if done.returncode != 0:
            sys.exit(f"mutate: the copy in build/mutate does not build:\n{done.stdout[-2000:]}")

    def found_by(self, names_of_tests, without, jobs):
        excluded = "|".join([NO_WITNESSES, *without, *(f"^{re.escape(name)}$" for name in self.unsound)])
        for name in failing(names_of_tests, excluded, jobs):
            if failing(f"^{re.escape(name)}$", "^$", 1):
                return name
        return ""

    def steps_for(self, path):
        """Of each: what to build, the tests, those to leave out, how many at once."""
        if not is_core(path):
            for step in mutate_places.place_of(BUILD, path)[1]:
                yield list(step.targets), step.tests, list(step.without), self.jobs
            return
        layer = path.split("/")[1]
        yield [f"tests/unit/{layer}/all"], f"^unit\\.{layer}_", [], self.jobs
        models = models_with(path)
        if models:
            yield [f"model_{name}" for name in models], f"^model\\.({'|'.join(models)})$", [], self.jobs
        yield ["weft"], r"^api\.", [REPORTS], self.jobs
        if layer == LAYER_OF_REPORTS:
            yield ["weft"], rf"^api\.({REPORTS})", [], 1
        yield ["tests/fault/all"], r"^fault\.", ["everywhere"], self.jobs

    def check_sound(self, paths):
        """What the unchanged sources fail is no witness."""
        outside = sorted(path for path in paths if not is_core(path))
        if any(path.startswith("include/") for path in outside):
            self.must_build(["tests/api/all"])  # it tells which test includes what
        tried = set()
        for path in outside:
            self.must_build(mutate_places.place_of(BUILD, path)[0])
            for targets, tests, without, jobs in self.steps_for(path):
                if tests not in tried:
                    tried.add(tests)
                    self.must_build(targets)
                    self.unsound |= set(failing(tests, "|".join([NO_WITNESSES, *without]), jobs, stops=False))
        for path in paths:
            self.originals[path] = object_code(path)
        if len(outside) < len(paths):
            self.check_core_sound([path for path in paths if is_core(path)])
        if self.unsound:
            print(f"fails without any change, and is no witness: {' '.join(sorted(self.unsound))}", flush=True)

    def must_build(self, targets):
        done = build(list(targets), self.jobs)
        if done.returncode != 0:
            sys.exit(f"mutate: {' '.join(targets)} does not build:\n{done.stdout[-2000:]}")

    def check_core_sound(self, paths):
        models = sorted({name for path in paths for name in models_with(path)})
        if models:  # a program of an earlier mutant may lie there
            build([f"model_{name}" for name in models], self.jobs)
        kinds = "|".join([r"^(unit|api|fault)\.", *(f"^model\\.{name}$" for name in models)])
        for _ in range(2):
            self.unsound |= set(failing(kinds, f"{NO_WITNESSES}|{REPORTS}|everywhere", self.jobs, stops=False))
        if any(path.split("/")[1] == LAYER_OF_REPORTS for path in paths):
            self.unsound |= set(failing(rf"^api\.({REPORTS})", NO_WITNESSES, 1, stops=False))

    def outcome(self, path):
        done = build(["weft"] if is_core(path) else list(mutate_places.place_of(BUILD, path)[0]), self.jobs)
        if done.returncode != 0:
            return "does not compile"
        code = object_code(path)
        if code is not None and code == self.originals.get(path):
            return "equivalent: the same code"
        for targets, tests, without, jobs in list(self.steps_for(path)):
            if build(targets, self.jobs).returncode != 0 and not is_core(path):
                return "does not compile"
            found = self.found_by(tests, without, jobs)
            if found:
                return f"found by {found}"
        return "SURVIVED"

    def run(self, mutant):
        target = os.path.join(TREE, mutant.path)
        with open(target, encoding="utf-8") as file:
            text = file.read()
        lines = text.split("\n")
        lines[mutant.line - 1] = mutant.after
        try:
            with open(target, "w", encoding="utf-8") as file:
                file.write("\n".join(lines))
            return self.outcome(mutant.path)
        finally:
            with open(target, "w", encoding="utf-8") as file:
                file.write(text)

    def run_patch(self, patch):
        paths = paths_of(patch)
        if not paths or run(["git", "apply", "--unsafe-paths", f"--directory={TREE}", os.path.abspath(patch)], cwd="/").returncode != 0:
            return "does not apply"
        try:
            return self.outcome(paths[0])
        finally:
            run(["git", "apply", "-R", "--unsafe-paths", f"--directory={TREE}", os.path.abspath(patch)], cwd="/")


def accepted():
    """(file, line as it was, change) of survivors with a reason."""
    if not os.path.exists(SURVIVORS):
        return set()
    reasons = set()
    with open(SURVIVORS, encoding="utf-8") as file:
        for line in file:
            if " | " in line and not line.startswith("#"):
                path, rest = line.split(" | ", 1)
                before, what, _ = rest.rsplit(" | ", 2)
                reasons.add((path, before, what))
    return reasons


def interval(found, all_of):
    """Wilson's, at 95 %."""
    if all_of == 0:
        return 0.0, 1.0
    z, p = 1.96, found / all_of
    centre = (p + z * z / (2 * all_of)) / (1 + z * z / all_of)
    half = z * ((p * (1 - p) + z * z / (4 * all_of)) / all_of) ** 0.5 / (1 + z * z / all_of)
    return centre - half, centre + half


def options_of_command_line():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sample", type=int, default=15)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--of", default="src", help="src, include, dist, net, lang, faces, or all")
    parser.add_argument("--only", default="", help="files whose path contains this")
    parser.add_argument("--patch", nargs="+", default=[])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--list", action="store_true", help="prints the sample, and tries nothing")
    options = parser.parse_args()
    known = ("src", *mutate_places.FOLDERS)
    options.of = known if options.of == "all" else tuple(options.of.split(","))
    if unknown := set(options.of) - set(known):
        parser.error(f"--of {','.join(sorted(unknown))}: want some of {', '.join(known)}, or all")
    return options


def main():
    options = options_of_command_line()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    mutants = sampled(options.sample, seed, options.only, options.of)
    print(f"seed {seed}", flush=True)
    if options.list:
        print(*(m.name() for m in mutants), sep="\n")
        return 0
    paths = {path for patch in options.patch for path in paths_of(patch)} if options.patch else {m.path for m in mutants}
    trial = Trial(options.jobs, not all(is_core(path) for path in paths))
    trial.prepare()
    trial.check_sound(paths)
    if options.patch:
        results = [(patch, trial.run_patch(patch)) for patch in options.patch]
        print(*(f"{result:40} {patch}" for patch, result in results), sep="\n")
        return 1 if any(result == "SURVIVED" for _, result in results) else 0
    known, counted, found, of_folder = accepted(), 0, 0, {}
    for mutant in mutants:
        result = trial.run(mutant)
        if result == "SURVIVED" and (mutant.path, mutant.before.strip(), mutant.what) in known:
            result = "survived, with a reason"
        counted += result == "SURVIVED" or result.startswith("found")
        found += result.startswith("found")
        if result == "SURVIVED" or result.startswith("found"):
            of_folder.setdefault(mutant.path.rpartition("/")[0], []).append(result != "SURVIVED")
        print(f"{result:40} {mutant.name()}", flush=True)
    low, high = interval(found, counted)
    print(*(f"{sum(each):4} of {len(each):4} found: {folder}" for folder, each in sorted(of_folder.items())), sep="\n")
    print(f"figure: mutants tried = {counted}")
    print(f"{found} of {counted} found: {100 * found / max(1, counted):.0f} %, 95 % interval {100 * low:.0f} to {100 * high:.0f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
