#!/usr/bin/env python3
"""Makes weft(1), docs/man/weft.1, of what `weft --help` and the --help of each of its sub-commands say, and of the texts below. A sub-command
that has no text here, or a text without a sub-command, is an error.

usage: command_page.py COMMAND [--write]     COMMAND: the built weft. Without --write the page is only compared with what it should be."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field

import declarations
import roff

PAGE = os.path.join(declarations.TOP, "docs", "man", "weft.1")

INTRODUCTION = (
    "weft demonstrates, measures and explains the library: it runs programs with known answers, looks for schedules that make a program fail, "
    "and shows what a traced program's time went to. A sub-command says what is done.",
    "Each sub-command has --help. An option that a sub-command does not know is an error that names the nearest one that it knows.",
)

TEXTS = {
    "demo": "Every answer is checked. A table and a picture, which a browser shows, tell how long each program took sequentially, and as "
    "threads and as forks on one worker and on all. Each measurement is a process of its own.",
    "bench": "The record names the program, the size, the runtime, the machine and every repetition.",
    "bench compare": "A ratio is called a change only where its confidence interval does not hold 1. What else differs between the two files, "
    "such as the machine, is said first.",
    "costs": "The programs go from next to no work a child to some, on one worker. A child that runs as a plain call, as a fork and as a thread "
    "costs what the columns say.",
    "explore": "The first run has the usual schedule, the others have seeds. A run fails if it exits with another status than 0, is ended by a "
    "signal, or takes too long. The schedule of the first failing run is shortened as long as the program fails in the same way, and is "
    "written to a file that WEFT_SCHEDULE repeats.",
    "frames": "The sizes are those of unwind tables (.eh_frame); the program does not run, and its loader says which libraries belong to it. A "
    "frame that is larger than a thread's stack overflows it whenever the function is called there. One that is larger than the guard "
    "may reach over it into other memory, which nothing tells. Functions whose frames the tables do not tell are counted.",
    "mpi": "The launcher is mpirun or mpiexec of MPICH or Open MPI. Its ranks get libweft-mpi by LD_PRELOAD, the launcher itself does not. "
    "Where the MPI has a library of the standard ABI of MPI 5, too, the first word that is a program decides, by the library that it names. The "
    "library must be there for that MPI, and the program must use the shared libweft.",
    "launch": "Each rank is a process that runs main; together they run the forks of a root (weft::dist::root, weft_dist_root). The "
    "program must be linked with libweft-dist. Its output and error output are the ranks' own; its standard input is rank 0's. The exit status is "
    "the program's: 0 when all ranks exited with 0, else that of the first rank that did not, and 128 more than the signal when a rank was killed "
    "by one. A rank that dies ends the job with a line that names it. At the end a table tells what each rank has done. With --mpi the launcher of "
    "an MPI starts the ranks, on the machines that it is told of, and weft chooses the module for that MPI.",
    "stacks": "The threads of this run have large stacks, of which only what they touch takes memory, and WEFT_STACK_REPORT measures them. "
    "What the program prints stays its own. A size is told that has room for all threads that have the default one. The exit "
    "status is 1 if the program failed; its threads are told all the same.",
    "simulate": "The figures are simulated, and the same on every machine.",
    "simulate tascell": "A random tree of the shape of n-queens is searched by the protocol of docs/protocols/N.md. The defaults are 19-queens, and what was "
    "measured on a virtual machine with two processors; the time on one worker is estimated from that of 14-queens.",
    "simulate steal": "Workers run a loop child first, and steal the oldest continuation of another worker by operations on its memory. "
    "With --published it simulates eight published runs, and the exit status is 1 when one is more than 15 % off in time.",
    "list": "A second table lists the runtimes.",
    "info": "The same facts come from weft_info_walk(3). The keys of key=value lines stay as they are from version to version.",
    "tascell": "The C preprocessor, the compiler and the C compiler run one after the other. CC names the C compiler; without it, cc is taken. "
    "Words that are no options of weft go to the C compiler in their order: -O2, -g, -I, other sources, objects and libraries. Messages and the "
    "debugger name the lines of FILE.tc. The program is linked with libweft-tascell.",
    "tascell-server": "Each machine starts the same program with --server HOST:PORT before its own words, and with --key-file on other "
    "machines. Nodes of this user on this machine find the key that the server makes. The node that comes first runs main; nodes may come and go meanwhile. The server prints the port and which nodes come, and "
    "goes on until a signal ends it. It runs no tasks.",
    "profile": "Work is the time that threads spent on workers; span is the longest chain of it in which each piece had to wait for the one "
    "before. Their quotient, the parallelism, bounds what more workers can give. A program that stands behind -- is run with a trace of its "
    "own, which is removed afterwards.",
}

STATUSES = (
    ("0", "All right."),
    ("1", "The command ran, and something went wrong: an answer, a crash, a file; weft explore found a failing schedule."),
    ("2", "The command line makes no sense."),
)

EXAMPLES = (
    ("Run all programs in small sizes:", "weft demo --quick"),
    ("Measure fib of 36 as forks on four workers, five times:", "weft bench fib --size 36 --runtime fork --workers 4 --repetitions 5"),
    ("Look for a schedule under which a program fails, and repeat it:", "weft explore -- ./program input\nWEFT_SCHEDULE=replay:weft-explore.schedule ./program input"),
    ("Run a program on four processes of this machine:", "weft launch -n 4 ./program input"),
    ("List the functions of a program and its libraries whose frames are too large for a thread's stack:", "weft frames ./program"),
    ("Show how much stack the threads of a program need:", "weft stacks -- ./program input"),
    ("Run a Tascell program on two nodes of this machine:",
     "weft tascell-server &\n./queens --server localhost:9865 --nodes 2 15 &\n./queens --server localhost:9865 --nodes 2 15"),
    ("Compile a Tascell program, and run it on two workers:", "weft tascell -o queens queens.tc -O2\nWEFT_WORKERS=2 ./queens 13"),
    ("Show what bounds a program's speed-up:", "weft profile -o profile.html -- ./program input"),
)


@dataclass
class Command:
    words: tuple  # ("bench", "compare")
    names: str  # "demo, run", as the help of the command above has them
    does: str
    usage: str
    entries: list = field(default_factory=list)  # (what, text) of operands and options
    below: list = field(default_factory=list)


def help_of(program, words):
    return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout


def entries_of(text, title):
    """(what, text) of a section of a help."""
    section = re.search(rf"^{title}:\n((?:  .*\n)+)", text, re.MULTILINE)
    found = []
    for line in section.group(1).splitlines() if section else []:
        if line.startswith(" " * 20):
            found[-1][1] += " " + line.strip()
        else:
            what, _, told = line.strip().partition("  ")
            found.append([what, told.strip()])
    return [(what, told.strip()) for what, told in found]


def read_command(program, words=(), names="", does=""):
    text = help_of(program, words)
    usage = re.search(r"^Usage: (.*)$", text, re.MULTILINE).group(1)
    made = Command(words, names, does, usage, entries_of(text, "Positionals") + entries_of(text, "Options"))
    for below, told in entries_of(text, "Subcommands"):
        made.below.append(read_command(program, (*words, below.split(",")[0]), below, told))
    return made


def readable(what):
    """(option, what it may be) of an option as CLI11 shows it: --workers UINT:UINT in [0 - 1024]=0."""
    match = re.match(r"(\S+)(?: (\w[\w.]*)(?::([^=]*))?(?:=(.*?))?)?( REQUIRED)?( \.\.\.)?(?: REQUIRED)?$", what)
    names, value, limits, usual, _, _ = match.groups()
    bounds = re.search(r"\[(\S+) - (\S+)\]", limits or "")
    notes = [f"from {bounds.group(1)} to {bounds.group(2)}"] if bounds else ["more than 0"] if limits == "POSITIVE" else []
    notes += [f"default {usual}"] if usual else []
    shown = names.replace(",", ", ") + (f" {value}" if value and names.startswith("-") else "")
    text = "; ".join(notes)
    return shown, text[:1].upper() + text[1:]


def sentence(text):
    return text if text.endswith((".", "!")) else text + "."


def add_command(page, command):
    page.lines.append(f'.SS "{roff.escaped(command.usage)}"')
    page.text(sentence(command.does))
    page.text(TEXTS.pop(" ".join(command.words)))
    if ", " in command.names:
        page.text(f"Other names: {command.names.partition(', ')[2]}.")
    for what, told in command.entries:
        if not what.startswith("-h,"):
            shown, notes = readable(what)
            page.term(shown, sentence(told) + (f" {notes}." if notes else ""))
    for each in command.below:
        add_command(page, each)


def page_of(command):
    page = roff.Page("weft", 1, "Weft", "demonstrate, measure and explain lightweight threads", {"weft_info_walk"})
    page.lines.insert(0, '.\\" Made by tools/docs/command_page.py of the texts there and of what weft --help says.')
    page.synopsis("weft [--help] [--version]", ["weft SUBCOMMAND [OPTION ...]"])
    page.section("DESCRIPTION")
    for text in INTRODUCTION:
        page.paragraph(text)
    for what, told in command.entries:
        page.term(readable(what)[0], sentence(told))
    page.section("SUBCOMMANDS")
    for each in command.below:
        add_command(page, each)
    if TEXTS:
        sys.exit(f"tools/docs/command_page.py has texts for sub-commands that weft does not have: {', '.join(TEXTS)}")
    page.section("EXIT STATUS")
    for status, text in STATUSES:
        page.term(status, text)
    page.section("ENVIRONMENT").text("weft(7) lists the variables that the library reads.")
    page.section("EXAMPLES")
    for text, line in EXAMPLES:
        page.paragraph(text)
        page.code(line.split("\n"))
    page.references([("weft", 3), ("weft", 7)])
    return "\n".join(page.lines) + "\n"


def main(program, write):
    try:
        wanted = page_of(read_command(program))
    except KeyError as missing:
        sys.exit(f"tools/docs/command_page.py has no text for the sub-command {missing}")
    if write:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(wanted)
    with open(PAGE, encoding="utf-8") as file:
        if file.read() != wanted:
            sys.exit(f"docs/man/weft.1 is not what weft says of itself; if that is right: {sys.argv[0]} {program} --write")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or (len(sys.argv) == 3 and sys.argv[2] != "--write"):
        sys.exit(__doc__)
    main(sys.argv[1], len(sys.argv) == 3)
