#!/usr/bin/env python3
"""Random Tascell programs against plain C. A seed makes a worker function and, by the rules of the
language, the plain function that computes the same sequentially. A hundred of them are one file,
whose main compares each pair: the result, and the workspace, which both must leave as it was. Each
file runs on several workers, with requests at every poll, and with every task shipped.

usage: random_programs.py WEFT [--seed FIRST] [--batches COUNT] [--cc-options OPTIONS] [--keep FOLDER]"""

import argparse
import concurrent.futures
import os
import random
import shlex
import subprocess
import sys
import tempfile

BATCH = 100
# Of the text that the compiler makes; what the random texts themselves are warned of by gcc or by clang is left out.
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wno-unused", "-Wno-unused-parameter", "-Wno-unknown-warning-option", "-Wno-xor-used-as-pow")
GROUPS = tuple((nodes, workers) for nodes in (1, 2, 4) for workers in (1, 2))  # of nodes
RUNS = (
    {"WEFT_WORKERS": "3"},
    {"WEFT_WORKERS": "2", "WEFT_TASCELL_STORM": "1", "WEFT_TASCELL_CHECK": "on"},
    {"WEFT_WORKERS": "2", "WEFT_TASCELL_STORM": "3", "WEFT_TASCELL_SHIP": "on"},
)
HEAD = """#include <stdio.h>
#include <string.h>

enum { cells = 6 };
typedef struct space { long depth; long cell[cells]; } space;
static const space start = {0, {3, 1, 4, 1, 5, 9}};
static int is_thrown; /* in the plain functions, which go on where a worker function throws */
"""
# reduce: operation, identity, how a value is added
REDUCTIONS = (("+", "0", "{0} += {1};"), ("^", "0", "{0} ^= {1};"), ("*", "1", "{0} *= ({1} & 3) | 1;"),
              ("max", "-1000000", "{0} = {0} > {1} ? {0} : {1};"), ("min", "1000000", "{0} = {0} < {1} ? {0} : {1};"))


class Program:
    """One pair of functions. Each part of the text is a pair: of the worker function, of the plain one."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.seed, self.names, self.calls = seed, 0, 0

    def name(self, letter):
        self.names += 1
        return f"{letter}{self.names}"

    def one(self, *choices):
        return self.random.choice(choices)

    def number(self, low, high):
        return self.random.randint(low, high)

    def cell(self):
        return f"w->cell[{self.number(0, 5)}]"

    def value(self, known):
        """An expression without side effects, small enough for a product."""
        terms = [self.one(*known, self.cell(), str(self.number(1, 9)), "w->depth") for _ in range(self.number(1, 3))]
        return "(" + self.one(" + ", " ^ ", " - ").join(terms) + ") % 1009"

    def change(self, known):
        """A wind's redo and undo, of which each is the other's inverse."""
        cell, value = f"w->cell[{self.number(0, 2)}]", self.one(*known, str(self.number(1, 99)))
        return f"w->depth++; {cell} += {value};", f"{cell} -= {value}; w->depth--;"

    def reversible(self, known):
        """The changes of a reversible wind, and the plain undo."""
        a, b, c = self.random.sample(range(6), 3)
        value, bound = self.one(*known, str(self.number(1, 9))), self.number(-3, 9)
        steps = [(f"w->cell[{a}] ^= {value};", f"w->cell[{a}] ^= {value};"),
                 (f"swap(w->cell[{a}], w->cell[{b}]);", f"{{ long t = w->cell[{a}]; w->cell[{a}] = w->cell[{b}]; w->cell[{b}] = t; }}"),
                 (f"if (w->cell[{a}] > {bound}) {{ w->cell[{c}] += 3; }} fi (w->cell[{a}] > {bound});",
                  f"if (w->cell[{a}] > {bound}) {{ w->cell[{c}] -= 3; }}"),
                 (f"w->cell[{b}] -= {value};", f"w->cell[{b}] += {value};")]
        chosen = self.random.sample(steps, self.number(1, 4))
        plain = " ".join(undo if "swap" in redo else redo.replace(f"fi (w->cell[{a}] > {bound});", "") for redo, undo in chosen)
        return " ".join(redo for redo, _ in chosen), plain, " ".join(undo for _, undo in reversed(chosen))

    def statements(self, into, known, level, tag):
        parts = [self.statement(into, known, level, tag) for _ in range(self.number(1, 2))]
        return " ".join(part[0] for part in parts), " ".join(part[1] for part in parts)

    def statement(self, into, known, level, tag):
        kinds = [self.leaf]
        if level > 0:
            kinds = [self.do_two, self.do_two, self.do_many, self.halves, self.elements, self.wind, self.reversible_wind, self.catch, self.branch]
        if tag is not None:
            kinds.append(self.throw)
        return self.one(*kinds)(into, known, level - 1, tag)

    def leaf(self, into, known, _level, _tag):
        if self.calls < 4 and self.number(0, 3) > 0:
            self.calls += 1
            words = f"(w, n - {self.number(1, 2)}, {self.value(known)});"
            return f"{into} += worker_{self.seed}{words}", f"{into} += plain_{self.seed}{words}"
        both = f"{into} += {self.value(known)};"
        return self.one("", "check_request; ") + both, both

    def branch(self, into, known, level, tag):
        worker, plain = self.statements(into, known, level, tag)
        condition = f"if ({self.value(known)} & 1)"
        return f"{condition} {{ {worker} }} else {into}++;", f"{condition} {{ {plain} }} else {into}++;"

    def throw(self, into, known, _level, tag):
        condition = f"if ((({self.value(known)}) & {self.one(3, 7, 15)}) == 1)"
        return f"{condition} throw {tag};", f"{condition} is_thrown = 1;"

    def inputs(self, known):
        return f"in {', '.join(known)}; " if self.number(0, 1) else ""

    def do_two(self, into, known, level, tag):
        x, y = self.name("x"), self.name("y")
        first, second = self.statements(x, known, level, tag), self.statements(y, known, level, tag)
        share = f"share ({self.inputs(known)}copy *w; out {y})"
        begin = f"long {x} = 0, {y} = {self.number(0, 3)};"
        after = f" {into} += {x} * 3 ^ {y};"
        return (f"{begin} do_two {{ {first[0]} }} {share} {{ {second[0]} }}{after}",
                f"{begin} {{ {first[1]} }} {{ {second[1]} }}{after}")

    def do_many(self, into, known, level, tag):
        i, s, v = self.name("i"), self.name("s"), self.name("v")
        operation, identity, add = self.one(*REDUCTIONS)
        worker, plain = self.statements(v, [*known, i], level, tag)
        low = self.number(-1, 1)
        clauses = self.one("", "", " poll(2)", f" split at ({i} + 1)", " guard(0.5)")
        share = f"share ({self.inputs(known)}copy *w; reduce({operation}: {s})){clauses}"
        add = add.format(s, v)
        high = low + self.number(0, 3)
        return (f"long {s} = {identity}; do_many (long {i} : {low}, {high}) {share} {{ long {v} = 0; {worker} {add} }} {into} += {s};",
                f"long {s} = {identity}; for (long {i} = {low}; {i} < {high}; {i}++) {{ long {v} = 0; {plain} {add} }} {into} += {s};")

    def halves(self, into, known, level, tag):
        """A do_two over a local array: its second task gets and returns the upper part."""
        a, z, k, v, y = (self.name(letter) for letter in "azkvy")
        size = self.number(2, 6)
        middle = self.number(0, size)
        first, second = self.statements(v, known, level, tag), self.statements(y, known, level, tag)
        part = f"{a}[{middle} .. {size}]"
        form, operation = self.one((f"inout {part}", "+="), (f"copy {part}; out {part}", "^="), (f"out {part}; copy {part}", "-="), (f"out {part}", "="))
        begin = f"long {a}[{size}], {v} = 0, {y} = 0, {z} = 5; for (int {k} = 0; {k} < {size}; {k}++) {a}[{k}] = {k} + m;"
        share = f"share ({self.inputs(known)}{form}; inout {z}; copy *w; out {y})"
        low = f"for (int {k} = 0; {k} < {middle}; {k}++) {a}[{k}] {self.one('+=', '=')} {v} + {k};"
        high = f"for (int {k} = {middle}; {k} < {size}; {k}++) {a}[{k}] {operation} {y} * 3 + {k}; {z} += {y};"
        after = f" for (int {k} = 0; {k} < {size}; {k}++) {into} += {a}[{k}] * ({k} + {z}) % 17; {into} += {v} + {y};"
        both = [f"{{ {one} {low} }}" for one in first], [f"{{ {y} = 1; {other} {high} }}" for other in second]
        return (f"{{ {begin} do_two {both[0][0]} {share} {both[1][0]}{after} }}", f"{{ {begin} {both[0][1]} {both[1][1]}{after} }}")

    def elements(self, into, known, level, tag):
        """A loop with a step over a local array, of which each iteration has a block, and reads one of another array."""
        a, b, i, k, v = (self.name(letter) for letter in "abikv")
        low, step, size = self.number(0, 3), self.number(1, 4), self.number(1, 9)
        worker, plain = self.statements(v, [*known, i], level, tag)
        form, operation = self.one((f"inout {a}[{i} .. ]", "+="), (f"out {a}[{i} .. ]", "="), (f"copy {a}[{i} .. ]; out {a}[{i} .. ]", "^="))
        reads = self.one(f"copy {b}[{i} .. {i} + 1]", f"copy {b}[0 .. {size}]", f"copy {b}[0 .. {size}] lazily", f"copy {b}[{i} .. ]")
        clauses = self.one("", "", " poll(2)", f" split at ({i} + 2)", " guard(0.3)")
        share = f"share ({self.inputs(known)}{form}; {reads}; copy *w){clauses}"
        body = f"for (long {k} = {i}; {k} < {i} + {step} && {k} < {size}; {k}++) {a}[{k}] {operation} {v} + {k};"
        begin = f"long {a}[{size}], {b}[{size}]; for (int {k} = 0; {k} < {size}; {k}++) {a}[{k}] = {k}, {b}[{k}] = {k} * m;"
        after = f" for (int {k} = 0; {k} < {size}; {k}++) {into} += {a}[{k}] * ({k} + 1) % 13;"
        spelled = self.one(f", {step}", f", {step} + 0 * {b}[0]") if step > 1 else self.one("", ", 1")
        start = f"{{ long {v} = {b}[{i}];"
        return (f"{{ {begin} do_many (long {i} : {low}, {size}{spelled}) {share} {start} {worker} {body} }}{after} }}",
                f"{{ {begin} for (long {i} = {low}; {i} < {size}; {i} += {step}) {start} {plain} {body} }}{after} }}")

    def wind(self, into, known, level, tag):
        redo, undo = self.change(known)
        worker, plain = self.statements(into, known, level, tag)
        return f"wind {{ {redo} }} {{ {worker} }} {{ {undo} }}", f"{redo} {{ {plain} }} {undo}"

    def reversible_wind(self, into, known, level, tag):
        redo, plain_redo, undo = self.reversible(known)
        worker, plain = self.statements(into, known, level, tag)
        return f"reversible wind {{ {redo} }} {{ {worker} }}", f"{plain_redo} {{ {plain} }} {undo}"

    def catch(self, into, known, level, _tag):
        lost, z, tag = self.name("lost"), self.name("z"), self.number(1, 999)
        worker, plain = self.statements(z, known, level, tag)
        after = f" {into} += {lost} ? 7 : {z};"
        return (f"int {lost} = 1; long {z} = 0; catch ({tag}) {{ {worker} {lost} = 0; }}{after}",
                f"long {z} = 0; int {lost} = is_thrown; is_thrown = 0; {{ {plain} }} "
                f"{{ int was = {lost}; {lost} = is_thrown; is_thrown = was; }}{after}")

    def text(self):
        worker, plain = self.statements("sum", ["n", "m"], self.number(2, 4), None)
        base = self.value(["m"])
        both = f"(space *w, long n, long m) {{\n  if (n <= 0) return {base};\n  long sum = 0;\n  "
        end = "\n  return sum % 100003;\n}\n"
        return f"worker long worker_{self.seed}{both}{worker}{end}static long plain_{self.seed}{both}{plain}{end}"


def batch(first):
    parts = [HEAD, *(Program(seed).text() for seed in range(first, first + BATCH))]
    parts.append("worker int main(void) {\n  int failed = 0;\n  long wanted, found;\n  space s;\n")
    for seed in range(first, first + BATCH):
        parts.append(f"""  s = start;
  wanted = plain_{seed}(&s, 3, {seed % 17});
  found = worker_{seed}(&s, 3, {seed % 17});
  if (found != wanted || memcmp(&s, &start, sizeof s)) {{
    printf("seed {seed}: %ld, plain C %ld%s\\n", found, wanted, memcmp(&s, &start, sizeof s) ? ", and the workspace is changed" : "");
    failed = 1;
  }}
""")
    return "".join([*parts, "  return failed;\n}\n"])


def compile_batch(weft, first, scratch, cc_options="-O0"):
    """The programs from this seed on as one: its path, and what is wrong with it, or ""."""
    path, program = os.path.join(scratch, f"from{first}.tc"), os.path.join(scratch, f"from{first}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(batch(first))
    made = subprocess.run([weft, "tascell", path, "-o", program, *WARNINGS, *shlex.split(cc_options)], capture_output=True, text=True, check=False)
    return program, f"exit status {made.returncode}\n{made.stderr[:3000]}" if made.returncode or made.stderr else ""


def check(arguments, first, scratch):
    """What is wrong with the programs from this seed on: lines."""
    program, problem = compile_batch(arguments.weft, first, scratch, arguments.cc_options)
    if problem:
        return [f"seeds from {first} on: {problem}"]
    problems = []
    for environment in RUNS:
        try:
            done = subprocess.run([program], env={**os.environ, "WEFT_TASCELL_SEED": str(first), **environment}, capture_output=True,
                                  text=True, timeout=250, check=False)
        except subprocess.TimeoutExpired:
            problems.append(f"seeds from {first} on with {environment}: it hangs")
            continue
        if done.returncode or done.stdout or done.stderr:
            problems.append(f"seeds from {first} on with {environment}: exit status {done.returncode}\n{done.stdout}{done.stderr[:3000]}")
    os.remove(program)
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weft")
    parser.add_argument("--seed", type=int, default=1, help="of the first program")
    parser.add_argument("--batches", type=int, default=1, help=f"of {BATCH} programs")
    parser.add_argument("--cc-options", default="-O0")
    parser.add_argument("--keep", help="a folder for the programs")
    arguments = parser.parse_args()
    arguments.weft = os.path.abspath(arguments.weft)
    firsts = range(arguments.seed, arguments.seed + BATCH * arguments.batches, BATCH)
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda first: check(arguments, first, arguments.keep or scratch), firsts))
    for problem in (problem for each in found for problem in each):
        print(problem)
    print(f"figure: random tascell programs = {BATCH * len(firsts)}")
    return 1 if any(found) else 0


if __name__ == "__main__":
    sys.exit(main())
