#!/usr/bin/env python3
"""Clauses of share (…) at random, over variables of every kind. The compiler refuses a function with a
message, or makes C that compiles without a warning: C errors in what it makes are mistakes of the compiler.

usage: short_forms_test.py WEFT [--seed FIRST] [--count COUNT] [--cc-options OPTIONS]"""

import argparse
import concurrent.futures
import os
import random
import shlex
import subprocess
import sys
import tempfile

# What the random texts themselves are warned of by gcc or by clang is left out.
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wno-unknown-warning-option", "-Wno-unused", "-Wno-unused-parameter", "-Wno-type-limits",
            "-Wno-int-in-bool-context", "-Wno-bool-compare", "-Wno-bool-operation")

HEAD = """#include <poll.h>
#include <stdio.h>

typedef struct pair { long a; int b[3]; } pair;
typedef long row[4];
void see(const void *what);
void change(void *what);
"""
# name, declaration in the function (empty: a parameter), parameter
VARIABLES = (
    ("n", "", "long n"), ("p", "", "long *p"), ("q", "", "const double *q"), ("s", "", "pair *s"), ("t", "", "row *t"), ("u", "", "int u[][5]"),
    ("w", "", "long w[]"), ("x", "long x = 1;", ""), ("y", "double y = 2;", ""), ("z", "pair z = {1, {2, 3, 4}};", ""),
    ("a", "long a[8] = {0};", ""), ("b", "pair b[4] = {{0}};", ""), ("c", "int c[4][5] = {{0}};", ""), ("d", "static long d[8];", ""),
    ("e", "row e = {0};", ""), ("f", "unsigned char f = 3;", ""), ("g", "const long g[3] = {1, 2, 3};", ""), ("x_low", "long x_low = 7;", ""),
    ("own", "long *own = p;", ""), ("h", "_Bool h = 1;", ""), ("r", "row *r = t;", ""),
)
NAMES = tuple(each[0] for each in VARIABLES)
ELEMENTS = ("p", "q", "s", "t", "u", "w", "a", "b", "c", "d", "e", "g", "own", "r")
NUMBERS = ("n", "x", "y", "f", "h", "x_low")
VALUE = {"s": "s->a", "t": "t[1][2]", "u": "u[1][2]", "z": "z.a", "b": "b[1].a", "c": "c[1][2]", "r": "(*r)[1]"}
OPERATIONS = ("+", "*", "&", "|", "^", "&&", "||", "min", "max")


class Function:
    def __init__(self, seed):
        self.random, self.seed = random.Random(seed), seed

    def one(self, *choices):
        return self.random.choice(choices)

    def value(self, name):
        return VALUE.get(name, f"{name}[{self.one('0', '1', 'n')}]" if name in ELEMENTS else name)

    def bound(self, is_loop):
        return self.one("0", "1", "n", "n / 2", "x", "2 * n + 1", "f", *(("i", "i", "i * 2", "i + 1", "i - 1") if is_loop else ()))

    def part(self, is_loop):
        high = self.one(self.bound(is_loop), self.bound(is_loop), "")
        return f"{self.one(*ELEMENTS)}[{self.bound(is_loop)} .. {high}]"

    def item(self, is_loop):
        kind = self.one("in", "out", "inout", "inout", "copy", "shared", "reduce")
        if kind == "reduce":
            return f"reduce({self.one(*OPERATIONS)}: {self.one(*NUMBERS, *NUMBERS, *NAMES)})"
        if kind in ("out", "inout", "copy") and self.random.random() < 0.7:
            lazily = " lazily" if kind == "copy" and self.random.random() < 0.3 else ""
            return f"{kind} {self.part(is_loop)}{lazily}"
        if kind == "copy" and self.random.random() < 0.4:
            return f"copy *{self.one(*ELEMENTS)}"
        return f"{kind} {self.one(*NAMES)}"

    def statement(self, names, level):
        other = self.one(*names, "n", "x")
        names = [each for each in names if each not in ("q", "g")] or ["x"]  # const
        target = self.one(*names)
        assigned = self.one("=", "=", "+=", "-=", "*=")
        kinds = [f"{self.value(target)} {assigned} {self.value(other)};", f"{self.value(target)}++;", f"see(&{self.value(target)});",
                 f"see({target if target in ELEMENTS else '&' + target});", f"change({target if target in ELEMENTS else '&' + target});",
                 f"if ({self.value(other)} > 1) {self.value(target)} = 1;", f"poll(0, 0, (int){self.value(other)});"]
        if level > 0:
            kinds += [self.construct(names, level - 1), f"wind {{ x++; }} {{ {self.statement(names, level - 1)} }} {{ x--; }}",
                      f"catch (3) {{ {self.statement(names, level - 1)} }}"]
        return self.one(*kinds)

    def construct(self, names, level):
        is_loop = self.random.random() < 0.5
        items = "; ".join(self.item(is_loop) for _ in range(self.random.randint(0, 3)))
        names = [each for each in NAMES if f" {each}" in f" {items}"] or list(names)
        clauses = f"share ({items})" if items and self.random.random() < 0.9 else ""
        clauses += self.one("", "", " guard(0.5)", " poll(2)", " poll(n + 1)")
        if not is_loop:
            return f"do_two {{ {self.statement(names, level)} }} {clauses} {{ {self.statement(names, level)} }}"
        step = self.one("", "", ", 2", ", n", ", x + 1", ", 0")
        kind = self.one("int", "long", "unsigned char")
        split = self.one("", "", " split at (i + 2)")
        return f"do_many ({kind} i : {self.one('0', '-1', 'n')}, {self.one('n', '7', 'x')}{step}) {clauses}{split} {{ {self.statement(names, level)} }}"

    def text(self):
        parameters = ", ".join(each[2] for each in VARIABLES if each[2])
        declared = " ".join(each[1] for each in VARIABLES if each[1])
        return f"worker void f{self.seed}({parameters}) {{\n  {declared}\n  {self.construct(NAMES, 1)}\n}}\n"


def run(words):
    return subprocess.run(words, capture_output=True, text=True, timeout=100, check=False)


def accepted(weft, scratch, seed):
    """A function, if the compiler accepts it, and what is wrong with the compiler."""
    path, text = os.path.join(scratch, f"f{seed}.tc"), Function(seed).text()
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD + text)
    made = run([weft, "tascell", "--emit-c", path, "-o", path + ".c"])
    if made.returncode not in (0, 1) or (made.returncode == 1 and "error:" not in made.stderr):
        return "", f"seed {seed}: exit status {made.returncode}\n{made.stderr}\n{text}"
    return (text if made.returncode == 0 else ""), ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weft", type=os.path.abspath)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--cc-options", default="")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
        seeds = range(arguments.seed, arguments.seed + arguments.count)
        found = list(pool.map(lambda seed: accepted(arguments.weft, scratch, seed), seeds))
        problems, good = [each[1] for each in found if each[1]], [each[0] for each in found if each[0]]
        path = os.path.join(scratch, "accepted.tc")
        with open(path, "w", encoding="utf-8") as file:
            file.write(HEAD + "".join(good))
        made = run([arguments.weft, "tascell", path, "-c", "-o", path + ".o", "-O1", *WARNINGS, *shlex.split(arguments.cc_options)])
        # What the program's own text is warned of stays; an error names a line of it.
        if made.returncode or "error" in made.stderr:
            problems.append(f"{made.stderr[:6000]}\n{''.join(good) if len(good) < 20 else ''}")
    for problem in problems:
        print(problem)
    print(f"figure: random share clauses = {arguments.count}\nfigure: of these accepted = {len(good)}")
    return 1 if problems or not good else 0


if __name__ == "__main__":
    sys.exit(main())
