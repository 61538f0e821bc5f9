#!/usr/bin/env python3
"""Mutation test of the memory orders: weakens one tagged order, or removes one tagged fence, in a copy of the file that it stands in,
builds the models that include that file, and runs them. Some model must fail; an order whose weakening no model notices is either not
needed or not tested.

Each tag gives one full mutant (every order of its operation relaxed; a fence removed) and, where the operation has more than one order
to lose, partial mutants, for which the models of the tag's own letter are run, if there are any. Those that survive and are not in
survivors.txt, and those there that no longer survive, make the exit status 1. There a full mutant is called by its tag, a partial one
by its tag and the order that it leaves, T2:release, after the number of that order where there are two, T3:1:release.

--markdown renews the rows of what was tried in a table, as docs/protocols/mutants.md is one. --sample N tries N full mutants alone, of as
many protocols as there are, and none that is in survivors.txt; which ones follows from --seed, else from the commit, so that a run repeats.

usage: mutate.py [--src FOLDER] [--only TEXT] [--files TEXT] [--models TEXT] [--deep] [--no-partial] [--sample N [--seed N]] [--jobs N]
                 [--markdown FILE]"""

import argparse
import concurrent.futures
import itertools
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SRC = os.path.join(ROOT, "src")  # --src: of another tree
BESIDE = ("net", "dist", os.path.join("lang", "runtime"), os.path.join("faces", "mpi", "src"))  # likewise
TAG = re.compile(r"\[([A-Z]\d+)\]\s+(?:relaxed|acquire|release|acq_rel|seq_cst|light fence|heavy fence|fence)\s*:")
ORDER = re.compile(r"\b(base::|__ATOMIC_|std::memory_order_)(acquire|release|acq_rel|seq_cst|ACQUIRE|RELEASE|ACQ_REL|SEQ_CST)\b")
FENCE = re.compile(r"\b(?:base::|os::|weft_hot_)(light_fence|heavy_fence|heavy_fence_between_processes|fence_seq_cst)\(\);")
WEAKER = {"acquire": ["relaxed"], "release": ["relaxed"], "acq_rel": ["acquire", "release"], "seq_cst": ["acq_rel"]}
COMPILER = os.environ.get("CXX", "g++")
FLAGS = ["-std=c++20", "-O1", "-w", "-ffunction-sections", "-DWEFT_YIELD_BY_CALL"]  # their schedules are not read: no line numbers
# As in CMakeLists.txt.
SEEN_BY_EXPLORER = ["-fsanitize=thread", "-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset",
                    "-include", os.path.join(HERE, "explorer", "copies.hpp")]
TABLE = os.path.join(ROOT, "docs", "protocols", "mutants.md")
TIME_LIMIT_S = 300
EXECUTIONS = 10000  # a model: most failures come in the first rounds, survivors cost all of it
EXECUTIONS_OF_WITNESS = 400000  # the model that noticed it when the table was written
STAND_INS = ["core_stand_ins.cpp"]
FACE_STAND_INS = "face_stand_ins.cpp"  # of all faces
WRAPPED = ("malloc", "calloc", "aligned_alloc", "free", "atexit", "sched_yield", "pthread_mutex_lock", "pthread_mutex_unlock", "pthread_cond_wait",
           "pthread_cond_broadcast")
FACE_LINK = ["-Wl,--gc-sections", *("-Wl,--wrap=" + function for function in WRAPPED)]
TABLE_HEAD = """# Mutations

Each tagged order of the core and of the faces, weakened to relaxed, or its fence removed: the first
model that noticed, and what it saw. Where an operation has more than one order to lose,
such as both halves of acq_rel, each is weakened alone, too. Where none notices, the reason why that
is accepted. Written by `tests/model/mutate.py --markdown docs/protocols/mutants.md`; with `--only`
or `--files` only those rows. A lint fails when a row is missing here.

| tag | file | mutation | noticed by |
|---|---|---|---|
"""


@dataclass(frozen=True)
class Face:
    """What models over it include, and are linked with."""

    name: str
    world: str
    stand_ins: str

    @property
    def path(self):
        """Below the root of the tree."""
        return os.path.join("faces", self.name, "src")

    @property
    def folder(self):
        return os.path.join(os.path.dirname(SRC), self.path)


FACES = (Face("argobots", "abt_world.hpp", "abt_stand_ins.cpp"), Face("qthreads", "qthread_world.hpp", "qthread_stand_ins.cpp"))


class BuildError(Exception):
    pass


@dataclass
class Mutant:
    tag: str
    path: str  # below src/ or include/; of a face below the root
    line: int
    what: str
    full: bool
    name: str  # in survivors.txt
    text: str  # of the whole mutated file
    killed_by: str = ""
    note: str = ""


# ---- finding mutants -------------------------------------------------------------------------------------------------------


def code_of(line):
    """Without its comment."""
    return re.sub(r"/\*.*?(\*/|$)", "", line.split("//")[0])


def statement(lines, first):
    """The lines of code that a tag on line `first` belongs to: its own, or from the next line of code to the end of the statement."""
    if code_of(lines[first]).strip():
        return first, first
    start = first
    while not code_of(lines[start]).strip():
        start += 1
    end = start
    while end < len(lines) - 1 and not (ORDER.search(lines[end]) or FENCE.search(lines[end])):
        end += 1
    while end < len(lines) - 1 and not re.search(r"[;{}]\s*(//.*)?$", lines[end]):
        end += 1
    return start, end


def replace(lines, number, begin, end, by):
    copy = list(lines)
    copy[number] = copy[number][:begin] + by + copy[number][end:]
    return copy


def relax_all(lines, start, end):
    copy = list(lines)
    for number in range(start, end + 1):
        code, mark, comment = copy[number].partition("//")
        copy[number] = ORDER.sub(lambda m: m.group(1) + ("RELAXED" if m.group(2).isupper() else "relaxed"), code) + mark + comment
    return copy


def mutants_of_tag(tag, path, lines, number):
    start, end = statement(lines, number)
    orders = [(i, m) for i in range(start, end + 1) for m in ORDER.finditer(lines[i].split("//")[0])]
    for i in range(start, end + 1):
        fence = FENCE.search(lines[i].split("//")[0])
        if fence:
            text = replace(lines, i, fence.start(), fence.end(), ";")
            yield Mutant(tag, path, i + 1, f"{fence.group(1)} removed", True, tag, "\n".join(text))
            return
    if not orders:
        yield Mutant(tag, path, number + 1, "NO ORDER FOUND", True, tag, "\n".join(lines))
        return
    names = ", ".join(m.group(2) for _, m in orders)
    yield Mutant(tag, path, orders[0][0] + 1, f"{names} -> relaxed", True, tag, "\n".join(relax_all(lines, start, end)))
    several = len(orders) > 1
    for number, (i, m) in enumerate(orders, 1):
        weaker = [w for w in WEAKER[m.group(2).lower()] if several or w != "relaxed"]
        for by in weaker:
            which = f"{m.group(2)} -> {by}" + (f" (order {number})" if several else "")
            name = f"{tag}:{number}:{by}" if several else f"{tag}:{by}"
            text = replace(lines, i, m.start(2), m.end(2), by.upper() if m.group(2).isupper() else by)
            yield Mutant(tag, path, i + 1, which, False, name, "\n".join(text))


def all_mutants():
    root = os.path.dirname(SRC)
    for top in (SRC, os.path.join(root, "include")):
        yield from mutants_below(top, top)
    for below in (*(face.path for face in FACES), *BESIDE):
        yield from mutants_below(root, os.path.join(root, below))


def worth_trying():
    """No model notices a part of what is not noticed as a whole."""
    accepted = accepted_survivors()
    return [mutant for mutant in all_mutants() if mutant.full or mutant.tag not in accepted]


def mutants_below(top, below):
    for folder, _, names in os.walk(below):
        for name in sorted(names):
            if not name.endswith((".hpp", ".cpp", ".h")):
                continue
            path = os.path.relpath(os.path.join(folder, name), top)
            lines = open(os.path.join(folder, name)).read().split("\n")
            for number, line in enumerate(lines):
                for found in TAG.finditer(line):
                    yield from mutants_of_tag(found.group(1), path, lines, number)


# ---- a sample --------------------------------------------------------------------------------------------------------------


def seed_of_commit():
    """Another where there is no git."""
    try:
        done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return int(done.stdout[:8], 16)
    except (OSError, ValueError):
        return random.SystemRandom().randrange(1 << 32)


def sampled(mutants, count, seed):
    """One of each letter before any letter gets its second."""
    rng = random.Random(seed)
    by_letter = {}
    for m in sorted(mutants, key=key):
        by_letter.setdefault(m.tag[0], []).append(m)
    letters = list(by_letter.values())
    rng.shuffle(letters)
    for each in letters:
        rng.shuffle(each)
    return [m for turn in itertools.zip_longest(*letters) for m in turn if m][:count]


# ---- building and running --------------------------------------------------------------------------------------------------


def face_of(path):
    """That a file of a face, below the root, belongs to, or None."""
    return next((face for face in FACES if path.startswith(face.path)), None)


def face_of_unit(unit):
    """That it is compiled with, or None."""
    if not unit.startswith("tests/model/"):
        return face_of(unit)
    text = open(source_of(unit), encoding="utf-8").read()
    return next((face for face in FACES if f'#include "{face.world}"' in text), None)


def includes(face=None, overlay=None):
    folders = [os.path.join(HERE, "include"), HERE]
    folders += ([overlay] + ([os.path.join(overlay, face.path)] if face else [])) if overlay else []
    folders += [SRC, os.path.join(ROOT, "include"), os.path.dirname(SRC)]
    folders += [face.folder, os.path.join(ROOT, "faces", face.name, "include")] if face else []
    return [word for folder in folders for word in ("-I", folder)]


def lay_out(overlay, mutant):
    """The mutated file alone; of a face with links to all others, for they include each other from their own folder."""
    own = os.path.join(overlay, mutant.path)
    os.makedirs(os.path.dirname(own), exist_ok=True)
    if face := face_of(mutant.path):
        for name in os.listdir(face.folder):
            os.symlink(os.path.join(face.folder, name), os.path.join(overlay, face.path, name))
        os.remove(own)
    with open(own, "w") as file:
        file.write(mutant.text)


def run(command, limit=None):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=limit, cwd=HERE)


def build_explorer(folder):
    """One unit of all its parts, as CMakeLists.txt has it: they call each other at every access."""
    parts = sorted(os.path.join(HERE, "explorer", name) for name in os.listdir(os.path.join(HERE, "explorer")) if name.endswith(".cpp"))
    unit, target = os.path.join(folder, "explorer.cpp"), os.path.join(folder, "explorer.o")
    with open(unit, "w", encoding="utf-8") as file:
        file.write("".join(f'#include "{part}"\n' for part in parts))
    done = run([COMPILER, *FLAGS, "-O2", *includes(), "-c", unit, "-o", target])
    if done.returncode != 0:
        sys.exit(done.stdout)
    return [target]


def units_of(model):
    """The files that a model is built from, as paths below the root."""
    text = open(os.path.join(HERE, model)).read()
    built_with = [w for line in re.findall(r"^// Built with (.*)$", text, re.M) for w in line.split()]
    face = face_of_unit("tests/model/" + model)
    core = [w for w in built_with if w.startswith("src/")] if face else built_with
    stand_ins = ([face.stand_ins, FACE_STAND_INS] if face else []) + (STAND_INS if core else [])
    hooks = ["src/life/hooks.cpp"] if core else []
    return ["tests/model/" + name for name in [model, *stand_ins]] + built_with + hooks


def below_top(unit):
    """As a mutant's path is written; None: no file that is mutated."""
    if unit.startswith("src/"):
        return unit[4:]
    return unit if face_of(unit) else None


def source_of(unit):
    if unit.startswith("src/"):
        return os.path.join(SRC, unit[4:])
    return os.path.join(os.path.dirname(SRC) if face_of(unit) else ROOT, unit)


class Builder:
    """Objects by file; what a mutant does not change is compiled once, when first needed."""

    def __init__(self, folder, pool, deep):
        self.folder = folder
        self.explorer = build_explorer(folder)
        self.models = {n: units_of(n) for n in sorted(os.listdir(HERE)) if n.endswith("_model.cpp")}
        units = sorted({u for each in self.models.values() for u in each})
        self.depends = dict(zip(units, pool.map(self.files_under, units)))
        self.locks = {u: threading.Lock() for u in units}
        self.objects = {}
        self.deep = deep
        self.sound = {}
        self.sound_locks = {n: threading.Lock() for n in self.models}
        self.texts = {n: open(os.path.join(HERE, n)).read() for n in self.models}

    def files_under(self, unit):
        done = run([COMPILER, *FLAGS, *includes(face_of_unit(unit)), "-MM", source_of(unit)])
        words = done.stdout.replace("\\\n", " ").split()
        root = os.path.dirname(SRC)
        return {os.path.relpath(os.path.realpath(w), os.path.realpath(top)) for w in words for top in (SRC, root, root + "/include")}

    def object_of(self, unit):
        with self.locks[unit]:
            if unit not in self.objects:
                self.objects[unit] = self.compile(unit, None, self.folder)
        return self.objects[unit]

    def compile(self, unit, overlay, folder):
        source = source_of(unit)
        if overlay and below_top(unit) and os.path.exists(os.path.join(overlay, below_top(unit))):
            source = os.path.join(overlay, below_top(unit))
        target = os.path.join(folder, unit.replace("/", "_") + ".o")
        done = run([COMPILER, *FLAGS, *SEEN_BY_EXPLORER, *includes(face_of_unit(unit), overlay), "-c", source, "-o", target])
        if done.returncode != 0:
            raise BuildError(done.stdout)
        return target

    def link(self, objects, target):
        wraps = FACE_LINK if any(FACE_STAND_INS in each for each in objects) else []
        done = run([COMPILER, *objects, *self.explorer, "-ldl", *wraps, "-o", target])
        if done.returncode != 0:
            raise BuildError(done.stdout)

    def fails_unchanged(self, model):
        target = os.path.join(self.folder, model + ".exe")
        try:
            self.link([self.object_of(u) for u in self.models[model]], target)
        except BuildError as error:
            return str(error)
        return failing(target, self.bounds())

    def bounds(self, executions=EXECUTIONS):
        return ["--deep"] if self.deep else ["--executions", str(executions)]

    def is_sound(self, model):
        """Whether it passes without any mutation: what it notices counts only then."""
        with self.sound_locks[model]:
            if model not in self.sound:
                self.sound[model] = not self.fails_unchanged(model)
        return self.sound[model]

    def is_witness(self, model, noticed):
        """Whether it holds the case that the table names."""
        title = noticed.split(" (")[0]
        return bool(title) and f'"{title}' in self.texts[model]

    def models_with(self, path):
        return [n for n, units in self.models.items() if any(path in self.depends[u] for u in units)]

    def models_for(self, mutant, noticed):
        """The model that noticed it when the table was written comes first, then those of its own letter; for a part of an operation's
        orders nothing else."""
        names = sorted(self.models_with(mutant.path), key=lambda n: (not self.is_witness(n, noticed), not n.startswith(mutant.tag[0] + "_")))
        own = [n for n in names if n.startswith(mutant.tag[0] + "_")]
        return names if mutant.full or not own else own

    def build(self, model, path, overlay):
        objects = [self.compile(u, overlay, overlay) if path in self.depends[u] else self.object_of(u) for u in self.models[model]]
        target = os.path.join(overlay, "model")
        self.link(objects, target)
        return target


def failing(target, bounds):
    """The first model that fails, or an empty string."""
    try:
        done = run([target, "--quiet", *bounds], TIME_LIMIT_S)
    except subprocess.TimeoutExpired:
        return ""
    if done.returncode == 0:
        return ""
    lines = done.stdout.splitlines()
    for number, line in enumerate(lines):
        if line.startswith("FAIL"):
            reason = lines[number + 1].strip().split(":")[0] if number + 1 < len(lines) else ""
            return f"{line[4:49].strip()} ({reason})"
    return f"signal {-done.returncode}" if done.returncode < 0 else f"exit status {done.returncode}"


def try_mutant(mutant, builder, known):
    names = builder.models_for(mutant, known)
    if not names:
        mutant.note = "no model includes this file"
        return mutant
    overlay = tempfile.mkdtemp(dir=builder.folder)
    lay_out(overlay, mutant)
    try:
        for name in names:
            executions = EXECUTIONS_OF_WITNESS if builder.is_witness(name, known) else EXECUTIONS
            noticed = failing(builder.build(name, mutant.path, overlay), builder.bounds(executions))
            if noticed and builder.is_sound(name):
                mutant.killed_by = noticed
                break
    except BuildError as error:
        mutant.note = "does not build: " + next((l for l in str(error).splitlines() if "error" in l), "?")[:100]
    shutil.rmtree(overlay)
    return mutant


# ---- reporting -------------------------------------------------------------------------------------------------------------


def accepted_survivors():
    path = os.path.join(HERE, "survivors.txt")
    if not os.path.exists(path):
        return {}
    pairs = (line.split(None, 1) for line in open(path) if line.strip() and not line.startswith("#"))
    return {name: reason.strip() for name, reason in pairs}


def verdict(mutant, accepted):
    if mutant.killed_by:
        return mutant.killed_by
    known = f"accepted: {accepted[mutant.name]}" if mutant.name in accepted else ""
    return "SURVIVED" + (f" ({known or mutant.note})" if known or mutant.note else "")


def row(mutant, accepted):
    return (mutant.tag, f"{mutant.path}:{mutant.line}", mutant.what, verdict(mutant, accepted))


def in_table(mutant):
    """What a row of the table begins with; the rest is what was found."""
    return f"| {mutant.tag} | `{mutant.path}` | {mutant.what} | "


def rows_of(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if re.match(r"\| [A-Z]\d+ \|", line)]


def noticed_before(mutant, rows):
    """What the table says of it, or an empty string."""
    begin = in_table(mutant)
    return next((row[len(begin) :].rstrip(" |") for row in rows if row.startswith(begin)), "")


def write_markdown(path, tried, accepted):
    """Mutants that were tried get a new row, others keep theirs; those that are gone lose it."""
    known = rows_of(path)
    new = {in_table(mutant): in_table(mutant) + verdict(mutant, accepted) + " |" for mutant in tried}
    rows = []
    for mutant in sorted(worth_trying(), key=key):
        begin = in_table(mutant)
        rows += [new[begin]] if begin in new else [row for row in known if row.startswith(begin)]
    with open(path, "w", encoding="utf-8") as file:
        file.write(TABLE_HEAD + "\n".join(rows) + "\n")


def key(mutant):
    return (mutant.tag[0], int(mutant.tag[1:]), not mutant.full)


def options_of_command_line():
    parser = argparse.ArgumentParser()
    parser.add_argument("--src", help="another src/ than that of this tree")
    parser.add_argument("--only", help="tags or letters, such as D or D3,D4")
    parser.add_argument("--files", help="files whose path contains this")
    parser.add_argument("--models", default="", help="models whose file name contains this")
    parser.add_argument("--deep", action="store_true", help="the models' deep bounds")
    parser.add_argument("--no-partial", action="store_true")
    parser.add_argument("--sample", type=int, help="so many full mutants")
    parser.add_argument("--seed", type=int, help="of a sample; printed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--markdown", metavar="FILE")
    return parser.parse_args()


def chosen_by(options, accepted):
    wanted = options.only.split(",") if options.only else None
    chosen = [m for m in worth_trying()
              if (m.full or not options.no_partial)
              and (wanted is None or m.tag in wanted or m.tag[0] in wanted)
              and (options.files or "") in m.path]
    if options.sample is not None:
        seed = options.seed if options.seed is not None else seed_of_commit()
        print(f"seed {seed}", flush=True)
        chosen = sampled([m for m in chosen if m.full and m.tag not in accepted], options.sample, seed)
    return sorted(chosen, key=key)


def finish(chosen, broken, accepted):
    """Says what came of it, and returns the exit status."""
    survivors = [m.name for m in chosen if not m.killed_by]
    unexpected = [name for name in survivors if name not in accepted]
    stale = [m.name for m in chosen if m.killed_by and m.name in accepted]
    print(f"figure: orders mutated = {len(chosen)}")
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} mutants noticed; not noticed: {' '.join(survivors) or 'none'}")
    if unexpected:
        print(f"not accepted in survivors.txt: {' '.join(unexpected)}")
    if broken:
        print(f"fail without any mutation and were left out: {' '.join(broken)}")
    if stale:
        print(f"in survivors.txt, but noticed now: {' '.join(stale)}")
    return 1 if unexpected or stale or broken else 0


def main():
    options = options_of_command_line()
    if options.src:
        global SRC
        SRC = os.path.abspath(options.src)
    accepted = accepted_survivors()
    chosen = chosen_by(options, accepted)
    known = rows_of(TABLE)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        builder = Builder(folder, pool, options.deep)
        builder.models = {name: units for name, units in builder.models.items() if options.models in name}
        work = [pool.submit(try_mutant, m, builder, noticed_before(m, known)) for m in chosen]
        for each in work:
            print("%-4s %-34s %-44s %s" % row(each.result(), accepted), flush=True)
        broken = sorted(name for name, is_sound in builder.sound.items() if not is_sound)
    if options.markdown:
        write_markdown(options.markdown, chosen, accepted)
    return finish(chosen, broken, accepted)


if __name__ == "__main__":
    sys.exit(main())
