#!/usr/bin/env python3
"""Each operator and statement of C, in each construct of Tascell that reads it: a table says what the compiler must say of it, or what it computes.

The rows of a rule are functions of one program, each on its own lines, so that one run of the compiler tells of all. Programs that are right are
compiled twice: as C alone, in a function without constructs, and in a part of each construct. Both must compute the same, whatever is given away.

usage: operators_test.py WEFT [--cc-options OPTIONS] [--emulator WORDS]"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile

ASSIGN = ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=")
COMPARE = ("==", "!=", "<", ">", "<=", ">=")
TOLD = re.compile(r"^rows\.tc:(\d+):\d+: (?:error|warning): .*\[(\w+)\]$", re.MULTILINE)


def changes(place):
    """Each statement that writes a place."""
    for each in ASSIGN:
        yield f"{place} {each} 3;"
    yield from (f"{place}++;", f"++{place};", f"{place}--;", f"--{place};")


def reads(place):
    """Each expression that only reads it."""
    for each in COMPARE:
        yield f"if ({place} {each} 3) sink(1);"
    for each in ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "&&", "||"):
        yield f"sink({place} {each} 3);"
        yield f"sink(3 {each} {place});"
    for each in ("-", "+", "~", "!"):
        yield f"sink({each}{place});"
    yield f"sink({place} ? 1 : 2);"
    yield f"sink((int){place});"


# ---- what the compiler says: (statements of a function, the codes of its messages) ---------------


def lost_results():
    """E140: what a task assigns and does not return. E122: a loop's variable."""
    for place in ("x", "(x)", "((x))", "own[1]", "s.m"):
        for each in changes(place):
            yield f"do_two ; share (in n) {{ {each} }}", ("E140",)
            yield f"do_many (long i : 0, n) share (in n) {{ {each} }}", ("E140",)
            name = re.sub(r"\W|1|m$", "", place)
            yield f"do_two ; share (in n; out {name[:3]}) {{ {each} }}", ()
            yield f"wind {{ sink(0); }} {{ {each} }} {{ sink(1); }}", ()
        for each in reads(place):
            yield f"do_two ; share (in n) {{ {each} }}", ()
    for each in changes("i"):
        yield f"do_many (long i : 0, n) share (in n) {{ {each} }}", ("E122",)
    for each in ("sink(&i != 0);", "p = &i;"):
        yield f"do_many (long i : 0, n) share (in n; shared p) {{ {each} }}", ("E122", "E140") if "p" in each else ("E122",)
    for each in reads("i"):
        yield f"do_many (long i : 0, n) share (in n) {{ {each} }}", ()
    for each in changes("i"):
        yield f"do_two ; share (in n) {{ long i = 1; {each} }}", ()


def pointers():
    """What a pointer leads to is no variable of the task. The pointer itself is."""
    for place in ("*p", "(*p)", "p[1]", "*(p)", "(*(p))", "*p++", "(*p++)", "*(p + 1)", "w->m", "(*w).m", "(w)->m"):
        for each in changes(place):
            moves = "p++" in place or (place in ("*p", "*(p)") and each.endswith(("++;", "--;")))
            yield f"do_two ; share (in n; shared p, w) {{ {each} }}", ("E140",) if moves else ()
    for each in (*changes("p"), *changes("(p)")):
        if "=" not in each or each.split()[1] in ("+=", "-="):
            yield f"do_two ; share (in n; shared p) {{ {each} }}", ("E140",)
    for place in ("*own", "(*own)", "*(own)"):
        for each in changes(place):
            if "own++" not in each and "own--" not in each and "(own)++" not in each and "(own)--" not in each:
                yield f"do_two ; share (in n) {{ {each} }}", ("E140",)


def both_statements():
    """E141: both statements write it, or the first one writes what the second one reads."""
    for each in changes("x"):
        yield f"do_two {{ {each} }} share (out x) x = 1;", ("E141",)
        yield f"do_two {{ {each} }} share (out y) y = x;", ("E141",)
        yield f"do_two {{ {each} }} share (out y) y = 2;", ()
    for each in reads("x"):
        yield f"do_two {{ {each} }} share (out y) y = x;", ()


def globals_written():
    for place in ("global", "kept"):
        for each in changes(place):
            yield f"do_two ; share (in n) {{ {each} }}", ("W210",)
            yield f"do_many (long i : 0, n) share (in n) {{ {each} }}", ("W210",)
            yield f"do_two {{ {each} }} share (in n) ;", ()
        for each in reads(place):
            yield f"do_two ; share (in n) {{ {each} }}", ()
    for each in changes("counted"):  # _Atomic
        if "%" not in each and "<<" not in each:
            yield f"do_two ; share (in n) {{ {each} }}", ()


def elements():
    """E144: elements that are copied lazily. E145: elements that a task changes before it has written them."""
    for place in ("p[1]", "(*p)", "*p", "p[n]"):
        for each in changes(place):
            if each in ("*p++;", "*p--;"):
                continue  # it moves p
            yield f"do_two ; share (in n; copy p[0 .. n] lazily) {{ {each} }}", ("E144",)
        for each in reads(place):
            yield f"do_two ; share (in n; copy p[0 .. n] lazily) {{ {each} }}", ()
    for each in changes("p[1]"):
        yield f"do_two ; share (in n; out p[0 .. n]) {{ {each} }}", () if " = " in each else ("E145",)
        yield f"do_two ; share (in n; inout p[0 .. n]) {{ {each} }}", ()
        yield f"do_two ; share (in n; out p[0 .. n]) {{ p[1] = 0; {each} }}", ()
    for each in changes("p[i]"):
        yield f"do_many (long i : 0, n) share (in n; out p[i .. ]) {{ {each} }}", () if " = " in each else ("E145",)


def winds():
    for each in changes("x"):
        yield f"wind {{ {each} }} {{ sinks(); }} {{ }}", ("W201",)
        yield f"wind {{ {each} }} {{ sinks(); }} {{ y = 1; }}", ("W201",)
        yield f"wind {{ {each} }} {{ sinks(); }} {{ x = 1; }}", ()
    steps = {"x += 3;": 3, "x -= 3;": -3, "x++;": 1, "++x;": 1, "x--;": -1, "--x;": -1}
    for one, up in steps.items():
        for other, down in steps.items():
            yield f"wind {{ {one} }} {{ sinks(); }} {{ {other} }}", () if up + down == 0 else ("W202",)


def reversible():
    undone = ("+=", "-=", "^=", "++", "--")
    for each in changes("x"):
        yield f"reversible wind {{ {each} }} {{ sinks(); }}", () if any(word in each for word in undone) else ("E142",)
    for each in ("+=", "-=", "^="):
        yield f"reversible wind {{ x {each} x; }} {{ sinks(); }}", ("E142",)
        yield f"reversible wind {{ x {each} y + x; }} {{ sinks(); }}", ("E142",)
        yield f"reversible wind {{ x {each} y++; }} {{ sinks(); }}", ("E142",)
        yield f"reversible wind {{ x {each} y; y {each} x; }} {{ sinks(); }}", ()
    yield "reversible wind { swap(x, y); } { sinks(); }", ()
    yield "reversible wind { swap(own[x], x); } { sinks(); }", ("E142",)
    yield "reversible wind { swap(x, own[x]); } { sinks(); }", ("E142",)
    yield "reversible wind { if (n) { x++; } fi (n); } { sinks(); }", ()
    yield "reversible wind { if (n) { x++; } } { sinks(); }", ("E142",)
    yield "reversible wind { sinks(); } { sinks(); }", ("E142",)


COMBINED = {"+": ("+=", "-=", "++", "--"), "*": ("*=",), "&": ("&=",), "|": ("|=",), "^": ("^=",), "&&": ("&=",), "||": ("|=",), "min": (), "max": ()}


def reductions():
    """E143: an assignment that a reduction does not combine. E133: what it cannot reduce."""

    def loop(operation, body, name="x"):
        return f"do_many (long i : 0, n) share (in n; reduce({operation}: {name})) {{ {body} }}"

    for operation, combined in COMBINED.items():
        is_extreme = operation in ("min", "max")
        for each in changes("x"):
            word = re.search(r"[-+*/%&|^<>]*=|\+\+|--", each).group()
            is_good = word in combined or (word == "=" and is_extreme)
            yield loop(operation, each), () if is_good else ("E143",)
        for other in (*COMBINED, "-"):
            if other in ("min", "max"):
                continue
            is_good = is_extreme or other == operation or (operation == "+" and other == "-")
            yield loop(operation, f"x = x {other} i;"), () if is_good else ("E143",)
            is_good = is_extreme or other == operation
            yield loop(operation, f"x = i {other} x;"), () if is_good else ("E143",)
        yield loop(operation, "sink(x);"), ("E143",) if operation in ("+", "*", "^") else ()
        is_end = {"&&": "0", "||": "1"}.get(operation)
        for value in ("0", "1"):
            yield loop(operation, f"x = {value};"), () if is_extreme or is_end == value else ("E143",)
        of_integers = operation in ("&", "|", "^")
        good = {"+": "real += 1;", "*": "real *= 2;", "&&": "real = real && i;", "||": "real = real || i;"}
        yield loop(operation, good.get(operation, "" if of_integers else "real = 1;"), "real"), ("E133",) if of_integers else ()
        good = {"+": "both += 1;", "*": "both *= 2;"}
        yield loop(operation, good.get(operation, ""), "both"), ("E133",) if of_integers or is_extreme else ()
        for name in ("p", "own", "s"):
            yield loop(operation, "", name), ("E133",)
    for operation in ("-", "/", "%", "<<", "<", "==", "avg"):
        yield None, operation  # ends the compiler, so it has a program of its own


def jumps():
    """What leaves a part of a construct."""
    leaving = ("return 1;", "break;", "continue;", "goto out;")
    parts = (
        ("do_two {{ {} }} share (in n) ;", "E120", False),
        ("do_two ; share (in n) {{ {} }}", "E120", False),
        ("do_many (long i : 0, n) share (in n) {{ {} }}", "E120", True),
        ("wind {{ sinks(); }} {{ {} }} {{ sinks(); }}", "E121", False),
        ("wind {{ sinks(); {} }} {{ sinks(); }} {{ sinks(); }}", "E120", False),
        ("wind {{ sinks(); }} {{ sinks(); }} {{ sinks(); {} }}", "E120", False),
        ("catch (1) {{ {} }}", "E120", False),
    )
    for form, code, is_loop in parts:
        for each in leaving:
            label = " out: sinks();" if "goto" in each else ""
            is_good = is_loop and each == "continue;"
            yield f"while (n--) {{ {form.format(each)} }}{label}", () if is_good else (code,)
        for inside in ("while (n > 1) { sinks(); break; }", "for (; n > 2;) { sinks(); if (n > 3) continue; break; }", "do { continue; } while (0);",
                       "switch (n) { case 1: break; default: break; }"):
            yield form.format(inside), ()
        yield form.format("goto in; in: sinks();"), ()


RULES = (lost_results, pointers, both_statements, globals_written, elements, winds, reversible, reductions, jumps)
HEAD = """void sink(long); void sinks(void); long global; _Atomic long counted;
struct with { long m; };
"""
FUNCTION = "worker long f%d(long n, long *p) { static long kept; long x = 1, y = 2, own[4] = {0}; struct with s = {0}, *w = &s; double real = 1; _Complex double both = 1; (void)p; (void)w;"


class Checks:
    def __init__(self, weft, folder, options, emulator):
        self.weft, self.folder, self.options, self.emulator = weft, folder, options, emulator
        self.count, self.problems = 0, []

    def compiler(self, text, *words):
        with open(os.path.join(self.folder, "rows.tc"), "w", encoding="utf-8") as file:
            file.write(text)
        return subprocess.run([*self.weft, "tascell", *words, "rows.tc"], cwd=self.folder, capture_output=True, text=True, timeout=250, check=False)

    def messages(self, rows):
        """The codes of each row."""
        text, first = HEAD, HEAD.count("\n") + 1
        for number, (body, _) in enumerate(rows):
            text += f"{FUNCTION % number}\n{body}\nreturn x + y; }}\n"
        done = self.compiler(text, "--emit-c", "-o", "rows.c")
        found = [[] for _ in rows]
        for line, code in TOLD.findall(done.stderr):
            found[(int(line) - first) // 3].append(code)
        return found

    def expect(self, is_good, what):
        self.count += 1
        if not is_good:
            self.problems.append(what)

    def rule(self, rows):
        """A message that ends the compiler hides those behind it: rows that have one are compiled alone."""
        ending = ("E142", "E002", "E133")
        together = [row for row in rows if row[0] is not None and not set(row[1]) & set(ending)]
        for (body, wanted), found in zip(together, self.messages(together)):
            self.expect(found == list(wanted), f"{body}: {found}, and not {list(wanted)}")
        for body, wanted in rows:
            if body is None:
                body, wanted = f"do_many (long i : 0, n) share (in n; reduce({wanted}: x)) {{ }}", ("E133",)
            elif not set(wanted) & set(ending):
                continue
            found = self.messages([(body, wanted)])[0]
            self.expect(found == list(wanted), f"{body}: {found}, and not {list(wanted)}")

    def values(self):
        text = program_of_values()
        program = os.path.join(self.folder, "rows")
        done = self.compiler(text, "-o", program, "-O1", "-w", *self.options)
        if done.returncode != 0 or done.stderr:
            self.problems.append(f"the program of values does not compile: {done.stderr[:2000]}")
            return
        for environment in ({"WEFT_WORKERS": "1"}, {"WEFT_WORKERS": "2", "WEFT_TASCELL_STORM": "1", "WEFT_TASCELL_CHECK": "on"},
                            {"WEFT_WORKERS": "2", "WEFT_TASCELL_STORM": "2", "WEFT_TASCELL_SHIP": "on"}):
            done = subprocess.run([*self.emulator, program], env={**os.environ, **environment}, capture_output=True, text=True, timeout=250, check=False)
            count = re.match(r"(\d+) values\n$", done.stdout)
            self.expect(done.returncode == 0 and count and not done.stderr, f"{environment}: {done.returncode} {done.stdout[:2000]}{done.stderr[:500]}")
            self.count += int(count.group(1)) if count else 0


# ---- what is computed ---------------------------------------------------------------------------

UNARY = ("-a", "+a", "~a", "!a", "- -a", "!!a", "~-a", "-~a", "(long)(char)a", "sizeof a", "sizeof(int)", "(a)", "*&a", "a++ + a", "++a + b", "a-- - b", "--a * b")
BINARY = ("+", "-", "*", "&", "|", "^", "<", ">", "<=", ">=", "==", "!=", "&&", "||", ",")
MIXED = ("a ? b : a + 1", "a < b ? a : b > 3 ? b : 7", "(a, b, a - b)", "(b & 7) << 2 | a >> 1", "a & 1 ^ b", "a + b * 2 - -b", "(a + b) * 2", "a / (b | 1) % 7", "-a % ((b & 7) + 1)",
         "t[b & 3]", "(b & 3)[t]", "*(t + (a & 3))", "t[t[a & 1] & 3]", "s.m + q->m", "(*q).n - s.n", "&t[3] - t", "twice(a) + twice(b)", "(a ? twice : thrice)(b)",
         "((struct pair){a, b}).n", "(long[]){a, b, 3}[1]", "'a' + '\\n' + L'b'", "\"ab\" \"cd\"[a & 1]", "\"a;}//b\"[2]", "0x1f + 017 + 10L", "(long)(1e2 + .5 + 0x1p3)",
         "(long)(a * 1.5)", "_Generic(a, long: 5, default: 6)", "({ long v = a; v * 2; })", "__builtin_expect(a, 1)", "a ?: b", "a >= 0 && b / (b ? b : 1)", "_Alignof(long)")
STATEMENTS = (
    *(f"y = {'a & 15' if each == '<<=' else 'a'}; y {each} (b & 7) + 1;" for each in ASSIGN),
    "t[a & 3] += b; y = t[0] + t[1] + t[2] + t[3];", "s.m = a; q->n = b; y = s.m * 3 + s.n;", "long *r = &t[1]; *r++ = a; *r = b; y = t[1] - t[2];",
    "if (a < b) y = 1; else if (a == b) y = 2; else y = 3;", "for (long i = 0; i < 5; i++) { if (i == (a & 3)) continue; y += i; }", "while (y < 9) { y += 2; if (y == (b & 7)) break; }",
    "do y += 3; while (y < (a & 15));", "switch (a & 3) { case 0: y = 5; case 1: y += 7; break; case 2: { y = 9; break; } default: y = 11; }",
    "switch (b & 7) { case 1 ... 3: y = 1; break; default: switch (a & 1) { case 1: y = 2; } }", "goto in; y = 7; in: y += 1; if (y < 3) goto in;", "{ long y2 = a; { long a = b; y = a - y2; } }",
    "enum { one = 1, four = 4 }; y = one + four * a;", "struct pair z = {.n = a, .m = b}; struct pair w = z; y = w.m - w.n;", "long m[2][3] = {{1, a}, {b}}; y = m[0][1] * 5 + m[1][0] + m[1][2];",
    "union { long l; char c[8]; } u; u.l = 258; y = u.c[0] + u.c[1] + a;", "typedef long word; word z = a; y = (word)z * 2;", "for (long i = 0, k = 9; i < k; i++, k--) y += i * k;",
    "unsigned char c = 250; c += 10; y = c + a;", "y = a; y = y++ + 1;", "long (*f)(long) = twice; y = f(a) + (*f)(b);", "static const long table[3] = {4, 5, 6}; y = table[a & 1];", ";;; y = 1;")

# The place of a statement that computes y from a and b, with t, s and q beside them.
PLACES = {
    "second": "do_two ; share (in a, b; out y) {{ {} }}",
    "first": "do_two {{ {} }} share (in a, b; out x) x = a + b;",
    "loop": "long sum = 0; do_many (long w : 0, 3) share (in a, b; reduce(+: sum)) {{ long y = 0; {} sum += y; }} y = sum / 3;",
    "wind": "wind {{ x++; }} {{ do_two check_request; share (in a) ; {} }} {{ x--; }}",
    "catch": "catch (1) {{ {} }}",
    "unwound": "catch (1) {{ {} throw 1; }}",
}
DATA = "long t[4] = {5, 6, 7, 8}; struct pair s = {2, 3}, *q = &s; (void)t; (void)q;"


def statements():
    for each in (*UNARY, *MIXED, *(f"a {each} b" for each in BINARY)):
        yield f"y = {each};"
    yield from STATEMENTS


def program_of_values():
    text = """#include <stdio.h>
struct pair { long m, n; };
static long twice(long v) { return 2 * v; }
static long thrice(long v) { return 3 * v; }
static long failures, count;
static void compare(const char *name, long a, long b, long found, long wanted) {
  count++;
  if (found != wanted && failures++ < 20) printf("%s of %ld and %ld: %ld, and not %ld\\n", name, a, b, found, wanted);
}
"""
    calls = ""
    for number, each in enumerate(statements()):
        text += f"static long plain{number}(long a, long b) {{ long y = 0; {DATA} {{ {each} }} return y; }}\n"
        for place, form in PLACES.items():
            body = form.format(f"long a2 = a, b2 = b; {{ long a = a2, b = b2; {DATA} {each} }}")
            text += f"worker static long {place}{number}(long a, long b) {{ long x = 0, y = 0; (void)x; {body} return y; }}\n"
            calls += f'  compare("{place}{number}", a, b, {place}{number}(a, b), plain{number}(a, b));\n'
    groups = [calls.splitlines()[i:i + 60] for i in range(0, len(calls.splitlines()), 60)]
    for number, lines in enumerate(groups):
        text += f"worker static void group{number}(long a, long b) {{\n" + "\n".join(lines) + "\n}\n"
    text += "worker int main(void) {\n  static const long some[4][2] = {{0, 0}, {1, 2}, {-7, 3}, {12, -5}};\n  for (int i = 0; i < 4; i++) {\n"
    text += "".join(f"    group{number}(some[i][0], some[i][1]);\n" for number in range(len(groups)))
    return text + '  }\n  printf("%ld values\\n", count);\n  return failures != 0;\n}\n'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weft", type=os.path.abspath)
    parser.add_argument("--cc-options", default="")
    parser.add_argument("--emulator", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        checks = Checks([options.weft], folder, shlex.split(options.cc_options), shlex.split(options.emulator))
        for rule in RULES:
            checks.rule(list(rule()))
        checks.values()
    for problem in checks.problems:
        print(problem)
    print(f"figure: operators in constructs = {checks.count}")
    return 1 if checks.problems else 0


if __name__ == "__main__":
    sys.exit(main())
