#!/usr/bin/env python3
"""Measures single operations on Weft and on a rival, in turn, and prints ratios.

    bench/micro/compare.py BUILD [--face [argobots|qthreads]] [--rivals FOLDER] [--library NAME=FOLDER ...] [--processes 7] [--only NAME ...]

BUILD is a build folder with bench/micro/micro-weft in it; the rivals are micro-argobots, and micro-lace for forks, there or in the folder
named. With --face it is the Argobots interface on Weft, micro-weft-abt, with the pools of ABT_init, against micro-argobots, which is the same
text, with the pools that suit it best; with --face qthreads it is the Qthreads interface, micro-weft-qthread, against micro-qthreads. Qthreads
has the scheduler for which it was built; --library NAME=FOLDER adds rows against the libqthread.so in FOLDER, which was built for another one
(nemesis, sherwood, distrib). Each process measures one operation, best of three rounds after a warm-up, pinned to one CPU (operations on two workers: unpinned). Processes of the two alternate.
A rival may be Weft itself on one worker, or be measured by another
operation than Weft is; then the table names it. The ratio is Weft's figure over the rival's: its median, and the interval that covers the median with 95 % by order statistics."""

import argparse
import os
import statistics
import subprocess
import sys

from medians import interval

ITSELF = "weft on one worker"
FACE_ITSELF = "one shepherd"
PLAIN = "weft create-join"  # threads with default attributes
# operation, workers, what the ratio should at most be, the rival
OPERATIONS = [
    ("create-join", 1, 0.35, "argobots"),
    ("tasklet", 1, 0.35, "argobots"),
    ("nested", 1, 0.4, "argobots"),
    ("yield", 1, 0.3, "argobots"),
    ("yield-sites", 1, 0.3, "argobots"),
    ("yield-depths", 1, 0.3, "argobots"),
    ("yield-to", 1, 0.5, "argobots"),
    ("mutex", 1, 0.75, "argobots"),
    ("cond", 1, 0.4, "argobots"),
    ("blocked-first", 1, 1.0, "argobots"),
    ("blocked-recycled", 1, 1.2, "argobots"),
    ("blocked-release", 1, 1.2, "argobots"),
    ("blocked-million", 1, 1.2, "argobots"),
    ("blocked-bytes", 1, None, "argobots"),
    ("create-join-one", 1, None, "argobots"),
    ("create-join-sized", 1, None, "argobots"),
    ("create-join-sized", 1, None, PLAIN),
    ("create-join-fifo", 1, None, PLAIN),
    ("create-join-priority", 1, None, PLAIN),
    ("create-join-fifo", 1, None, "argobots create-join"),
    ("create-join-copied", 1, 1.15, PLAIN),
    ("await-set", 1, 0.5, "weft park-unpark"),
    ("timer-awaiter", 1, 2.0, "weft timer-sleep"),
    ("create-join", 2, 1.0, ITSELF),
    ("tasklet", 2, 1.0, ITSELF),
    ("nested", 2, 0.4, "argobots"),
    ("mutex-64", 2, 1.0, "argobots"),
    ("cond-across", 2, 0.5, "argobots"),
    ("fork", 1, 1.0, "lace"),
    ("fork-flat", 1, 1.0, "lace"),
    ("fork", 2, 1.0, "lace"),
    ("fork-flat", 2, None, "lace"),
    ("fork-flat", 2, 1.0, ITSELF),
]
# The same program text, on the Argobots interface; at last what half of the ratios should be below.
FACE_OPERATIONS = [
    ("create-join-one", 1, 0.8, "argobots"),
    ("create-join", 1, 0.8, "argobots"),
    ("create-first-join-one", 1, 0.8, "argobots"),
    ("revive-join", 1, 0.8, "argobots"),
    ("tasklet-one", 1, 0.8, "argobots"),
    ("tasklet", 1, 0.8, "argobots"),
    ("yield", 1, 0.8, "argobots"),
    ("yield-alone", 1, 0.8, "argobots"),
    ("yield-to", 1, 0.8, "argobots"),
    ("mutex", 1, 0.8, "argobots"),
    ("eventual", 1, 0.8, "argobots"),
    ("key-get", 1, 0.8, "argobots"),
    ("pop-push", 1, 0.8, "argobots"),
    ("nested", 2, 0.5, "argobots"),
]
FACE_MEDIAN = 0.5
# "waiting" is no time, but the percent of a CPU that a process uses whose tasks all wait.
QTHREADS_OPERATIONS = [
    ("fork-read", 1, 0.1, "qthreads"),
    ("fork-sinc", 1, 0.1, "qthreads"),
    ("word", 1, 0.1, "qthreads"),
    ("syncvar", 1, 0.5, "qthreads"),
    ("fib", 1, None, "qthreads"),
    ("fib-preconditions", 1, 0.1, "qthreads"),
    ("yield", 1, 0.3, "qthreads"),
    ("lock", 1, None, "qthreads"),
    ("ring", 1, None, "qthreads"),
    ("loop-balance", 1, 0.3, "qthreads"),
    ("loop-work", 1, None, "qthreads"),
    ("fib", 2, None, "qthreads"),
    ("yield", 2, None, "qthreads"),
    ("ring", 2, 0.1, "qthreads"),
    ("loop-balance", 2, 0.3, "qthreads"),
    ("loop-work", 2, None, "qthreads"),
    ("fib", 2, 1.0, FACE_ITSELF),
    ("loop-work", 2, 1.0, FACE_ITSELF),
    ("waiting", 2, 0.01, "qthreads"),
]
# face: the program, its operations, and the pools that it uses.
FACES = {
    None: ("micro-weft", OPERATIONS, None),
    "argobots": ("micro-weft-abt", FACE_OPERATIONS, "plain"),
    "qthreads": ("micro-weft-qthread", QTHREADS_OPERATIONS, None),
}
TIME_LIMIT_S = 30


def measure(program, name, workers, pool=None, library=None):
    environment = dict(os.environ, **({"MICRO_POOL": pool} if pool else {}))
    if library:
        environment.update(LD_PRELOAD=os.path.join(library, "libqthread.so"))  # the program may have a path of its own
    command = ["taskset", "-c", "1"] if workers == 1 else []
    try:
        done = subprocess.run(command + [program, name, str(workers)], env=environment, stdout=subprocess.PIPE, timeout=TIME_LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        return None
    return float(done.stdout) if done.returncode == 0 else None


def other_side(rival, folders, name, workers, libraries):
    """What Weft is compared with: a program, its operation, how many workers, and which pools it is tried with."""
    if rival == ITSELF:
        return os.path.join(folders[0], "micro-weft"), name, 1, [None]
    if rival == FACE_ITSELF:
        return os.path.join(folders[0], "micro-weft-qthread"), name, 1, [None]
    program, *operation = rival.split()
    if rival in libraries:
        return os.path.join(folders[1], "micro-qthreads"), name, workers, [None]
    if program == "weft":
        return os.path.join(folders[0], "micro-weft"), operation[0], workers, [None]
    if program == "qthreads":
        return os.path.join(folders[1], "micro-qthreads"), name, workers, [None]
    pools = ["private", "randws"] if workers == 1 else ["randws"]
    return os.path.join(folders[1], f"micro-{program}"), operation[0] if operation else name, workers, pools


def with_libraries(operations, libraries):
    """The operations, and each against Qthreads a second time for each further library."""
    rows = []
    for row in operations:
        rows.append(row)
        if row[3] == "qthreads":
            rows += [(row[0], row[1], None, name) for name in libraries]
    return rows


def compare(weft, name, workers, other, processes, own_pool, library):
    program, operation, their_workers, pools = other
    pools = pools + [own_pool] if own_pool and workers == 1 else pools
    ours, theirs, ratios = [], [], []
    for _ in range(processes):
        mine = measure(weft, name, workers, own_pool if workers == 1 else None)
        figures = [measure(program, operation, their_workers, pool, library) for pool in pools]
        best = min((figure for figure in figures if figure is not None), default=None)  # the fastest of the pools counts
        if mine is None or best is None:
            return None
        ours.append(mine)
        theirs.append(best)
        ratios.append(mine / best)
    return statistics.median(ours), statistics.median(theirs), statistics.median(ratios), *interval(ratios)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--face", nargs="?", const="argobots", choices=["argobots", "qthreads"])
    parser.add_argument("--rivals")
    parser.add_argument("--library", action="append", default=[], metavar="NAME=FOLDER")
    parser.add_argument("--processes", type=int, default=7)
    parser.add_argument("--only", nargs="*", default=[])
    arguments = parser.parse_args()
    folder = os.path.join(arguments.build, "bench", "micro")
    program, operations, own_pool = FACES[arguments.face]
    libraries = dict(each.split("=", 1) for each in arguments.library if "=" in each)
    missing = [each for each in arguments.library if not os.path.exists(os.path.join(libraries.get(each.split("=")[0], ""), "libqthread.so"))]
    if missing or (libraries and arguments.face != "qthreads"):
        sys.exit(f"--library: NAME=FOLDER with libqthread.so in it, and --face qthreads; not {' '.join(missing or arguments.library)}")
    operations = with_libraries(operations, libraries)
    weft = os.path.join(folder, program)
    if not os.access(weft, os.X_OK):
        sys.exit(f"{weft} is not there: build it")
    names = sorted({operation[0] for operation in operations})
    unknown = set(arguments.only) - set(names)
    if unknown:
        sys.exit(f"no operation {', '.join(sorted(unknown))}; there are: {', '.join(names)}")
    print(f"{'operation':20} {'workers':>7} {'weft ns':>9} {'rival ns':>9} {'ratio':>6}  {'95 %':>13}  {'aim':>5}        {'rival'}")
    ratios = []
    for name, workers, aim, rival in operations:
        if arguments.only and name not in arguments.only:
            continue
        other = other_side(rival, (folder, arguments.rivals or folder), name, workers, libraries)
        if not os.access(other[0], os.X_OK):
            print(f"{name:20} {workers:7}  {rival} is not installed where pkg-config finds it")
            continue
        result = compare(weft, name, workers, other, arguments.processes, own_pool, libraries.get(rival))
        if result is None:
            print(f"{name:20} {workers:7}  one of the two failed, or took over {TIME_LIMIT_S} s")
            continue
        mine, theirs, ratio, low, high = result
        ratios.append(ratio)
        verdict = "" if aim is None else ("met" if high <= aim else "missed")
        print(f"{name:20} {workers:7} {mine:9.1f} {theirs:9.1f} {ratio:6.2f}  {low:5.2f} - {high:5.2f}  {aim or '':>5} {verdict:6} {rival}".rstrip(), flush=True)
    if arguments.face == "argobots" and ratios:
        median = statistics.median(ratios)
        print(f"median of the ratios: {median:.2f}, aim {FACE_MEDIAN}: {'met' if median <= FACE_MEDIAN else 'missed'}")


if __name__ == "__main__":
    main()
