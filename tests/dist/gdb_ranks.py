"""`weft ranks` in gdb, attached to a rank: it lists the thread that waits with its frames off the stack, and what each rank runs.

usage: gdb_ranks.py PROGRAM (waiting.cpp) LOADER (the script that gdb finds with the library). Exit code 77: there is no gdb, or it may not trace here.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import time

SKIPPED = 77
TRIES = 60


def ranks_of(launcher):
    with open(f"/proc/{launcher}/task/{launcher}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def ask(process, loader, command="weft ranks"):
    done = subprocess.run(["gdb", "-q", "-nx", "-batch", "-ex", "set debuginfod enabled off", "-p", str(process), "-ex", f"source {loader}",
                           "-ex", command], capture_output=True, text=True, timeout=250, check=False)
    said = done.stdout + done.stderr
    if re.search(r"ptrace|Cannot trace|Could not trace|not permitted", said):
        print("gdb may not trace here")
        sys.exit(SKIPPED)
    return said


def ask_until_it_waits(launcher, loader):
    said = ""
    for _ in range(TRIES):
        ranks = ranks_of(launcher)
        if len(ranks) == 2:
            said = ask(ranks[1], loader)
            if "1 evacuated thread\n" in said:
                return said
        time.sleep(0.2)
    sys.exit(f"no evacuated thread is found\n---- output:\n{said}")


def main():
    program, loader = sys.argv[1:]
    if shutil.which("gdb") is None:
        print("there is no gdb")
        sys.exit(SKIPPED)
    with subprocess.Popen([program], env={**os.environ, "WEFT_LAUNCH_RANKS": "2", "WEFT_LAUNCH_TABLE": "off"},
                          stderr=subprocess.DEVNULL) as job:
        try:
            said = ask_until_it_waits(job.pid, loader)
            refused = ask(job.pid, loader)
        finally:
            job.send_signal(signal.SIGTERM)
    for wanted in (r"^rank 1 of 2$", r"^  rank 0: depth \d+", r"^  rank 1 \(here\): depth \d+",
                   r"^  rank [01]: the root, waits for its fork of spin_until_killed, [1-9]\d* bytes of frames of 0x[0-9a-f]+ at 0x"):
        if not re.search(wanted, said, re.MULTILINE):
            sys.exit(f"it does not say {wanted}\n---- output:\n{said}")
    if "attach to one of its children" not in refused:
        sys.exit(f"the launcher is not told from a rank\n---- output:\n{refused}")


main()
