#!/usr/bin/env python3
"""A debugger stops at lines of a .tc file, and names worker functions on the way to main: in the function itself, and in
a task that is given.

usage: gdb_test.py WEFT [--cc-options OPTIONS]. Exit code 77: there is no gdb, or it may not trace here."""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
PROGRAM = """#include <stdio.h>
worker int leaf(int n) {
  int twice = 2 * n;
  return twice;
}
worker int sum(int low, int high) {
  if (low == high) return leaf(low);
  int middle = (low + high) / 2, a, b;
  do_two a = sum(low, middle);
  b = sum(middle + 1, high);
  return a + b;
}
worker int main(void) {
  printf("%d\\n", sum(1, 4));
  return 0;
}
"""


def stop(program, storm, condition):
    commands = ["set confirm off", "set debuginfod enabled off", "set width 0", f"break sum.tc:4 if {condition}", "run", "echo ==stop\\n", "bt",
                "info locals", "kill"]
    words = [word for each in commands for word in ("-ex", each)]
    environment = {**os.environ, "WEFT_WORKERS": "1", "WEFT_TASCELL_STORM": storm}
    done = subprocess.run(["gdb", "-q", "-nx", "-batch", *words, program], env=environment, capture_output=True, text=True, timeout=250,
                          check=False)
    output = done.stdout + done.stderr
    if re.search(r"ptrace|Cannot trace|Could not trace|not permitted", output) and "#0" not in output:
        print("gdb may not trace here")
        sys.exit(SKIPPED)
    return output.partition("==stop\n")[2], output


def check(program, storm, condition, wanted):
    """wanted: names and lines of the first frames."""
    said, output = stop(program, storm, condition)
    found = re.findall(r"^#\d+ +(?:0x\w+ in )?(\w+) \(.*\) at \S*?(\w+\.tc:\d+)$", said, re.MULTILINE)
    if found[: len(wanted)] != wanted:
        sys.exit(f"with STORM={storm} the frames are\n{found}\nand not\n{wanted}\n---- output:\n{output}")
    if "twice = " not in said:
        sys.exit(f"gdb does not know the local variable\n---- output:\n{output}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weft")
    parser.add_argument("--cc-options", default="")
    arguments = parser.parse_args()
    if shutil.which("gdb") is None:
        print("there is no gdb")
        return SKIPPED
    with tempfile.TemporaryDirectory() as scratch:
        path, program = os.path.join(scratch, "sum.tc"), os.path.join(scratch, "sum")
        with open(path, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        subprocess.run([os.path.abspath(arguments.weft), "tascell", "sum.tc", "-g", "-O0", "-o", program, *shlex.split(arguments.cc_options)],
                       cwd=scratch, check=True)
        calls = [("sum", "sum.tc:9"), ("sum", "sum.tc:9"), ("weft_worker_main", "sum.tc:14")]
        check(program, "off", "n == 1", [("leaf", "sum.tc:4"), ("sum", "sum.tc:7"), *calls])
        said, output = stop(program, "1", "n == 4")
        if not re.search(r"^#0 +leaf .*\n#1 .* sum .*sum\.tc:7\n#2 .* weft_task_\d+_run .*sum\.tc:10$", said, re.MULTILINE):
            sys.exit(f"in a task that was given, the frames are not leaf, sum and the task's\n---- output:\n{output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
