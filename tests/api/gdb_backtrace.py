"""A debugger and the C++ unwinder find their way from a thread that has switched to the bottom of its stack; and `weft threads` calls C++
threads that have no name by their place or callable.

usage: gdb_backtrace.py PROGRAM (gdb_target.cpp) LOADER (the script that gdb finds with the library). Exit code 77: there is no gdb, or it may not trace here.
"""
import os
import re
import shutil
import subprocess
import sys

SKIPPED = 77


def fail(message, output):
    sys.exit(f"{message}\n---- output:\n{output}")


def backtraces(program):
    commands = ["set confirm off", "set debuginfod enabled off", "set breakpoint pending on", "break gdb_stops_here",
                "run", "echo ==first\\n", "bt", "continue", "echo ==second\\n", "bt", "echo ==end\\n", "continue"]
    line = ["gdb", "-q", "-nx", "-batch"]
    for command in commands:
        line += ["-ex", command]
    done = subprocess.run([*line, program], capture_output=True, text=True, timeout=250, check=False)
    output = done.stdout + done.stderr
    if re.search(r"ptrace|Cannot trace|Could not trace|not permitted", output) and "==first" in output and "#0" not in output:
        print("gdb may not trace here")
        sys.exit(SKIPPED)
    parts = re.split(r"==(?:first|second|end)\n", output)
    if len(parts) != 4:
        fail("gdb did not stop twice", output)
    return parts[1], parts[2], output


def frames(backtrace):
    return re.findall(r"^#\d+ .*?\b(\w+) \(", backtrace, re.MULTILINE)


def check_backtrace(backtrace, output):
    for words in ("corrupt stack", "Backtrace stopped", "previous frame"):
        if words in backtrace:
            fail(f"gdb loses its way: {words}", output)
    found = frames(backtrace)
    wanted = ["gdb_stops_here", "middle_of_thread", "entry_of_thread"]
    if found[: len(wanted)] != wanted:
        fail(f"the first frames are {found}", output)
    if found[-1] != "weft_context_entry":
        fail(f"the last frame is {found[-1]}, not the bottom of the stack", output)


def check_names(program, loader):
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gdb_target.cpp")
    with open(source, encoding="utf-8") as file:
        line = next(number for number, text in enumerate(file, 1) if "looks for this line" in text)
    commands = ["set confirm off", "set debuginfod enabled off", "set width 0", "set breakpoint pending on", "break gdb_stops_here",
                "run names", f"source {loader}", "echo ==threads\\n", "weft threads"]
    done = subprocess.run(["gdb", "-q", "-nx", "-batch", *(word for one in commands for word in ("-ex", one)), program],
                          capture_output=True, text=True, timeout=250, check=False)
    said = done.stdout.partition("==threads")[2]
    maker = r"make_nameless_threads"
    for wanted in (rf"\(gdb_target\.cpp:{line}\): .*; made in {maker} \(gdb_target\.cpp:{line}\)$", rf"\({maker}::\{{lambda#\d\}}\): ",
                   r"\((?:\w+::)?cook\): "):
        if not re.search(wanted, said.replace("(anonymous namespace)::", ""), re.MULTILINE):
            fail(f"no thread is shown as {wanted}", done.stdout + done.stderr)
    if "detail::" in said:
        fail("a thread is shown with a name of Weft's headers", said)


def check_exceptions(program):
    for kind in ("throw", "throw-own"):
        code = subprocess.run([program, kind], timeout=250, check=False).returncode
        if code != 42:
            sys.exit(f"{kind}: exit code {code}; the unwinder should have come to the end of the stack and called terminate: 42")


def main():
    program = sys.argv[1]
    check_exceptions(program)
    if shutil.which("gdb") is None:
        print("no gdb here")
        sys.exit(SKIPPED)
    first, second, output = backtraces(program)
    check_backtrace(first, output)
    check_backtrace(second, output)
    check_names(program, sys.argv[2])


if __name__ == "__main__":
    main()
