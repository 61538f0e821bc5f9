"""One run of one cell as a process of its own: bound to its CPUs, ended when it takes too long or too much memory. Whatever becomes of it
is a result."""

import json
import os
import signal
import subprocess
import tempfile
import time

FIRST_LOOK_S, LOOK_EVERY_S = 0.0005, 0.02
RECORD = "weft-bench-1"


def resident_bytes(pid):
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def look(child, flags=os.WNOHANG):
    """Whether it has ended; if so, child has its exit code and the most memory that it held."""
    if child.returncode is not None:
        return True
    ended, status, usage = os.wait4(child.pid, flags)
    if ended == 0:
        return False
    child.returncode, child.peak_bytes = os.waitstatus_to_exitcode(status), usage.ru_maxrss << 10
    return True


def end(child):
    """With everything that it started: it leads a process group."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    look(child, 0)


def watch(child, limit_s, limit_bytes):
    """Waits for its end; "" or what it had too much of."""
    deadline = time.monotonic() + limit_s
    pause = FIRST_LOOK_S
    while not look(child):
        if time.monotonic() > deadline:
            end(child)
            return "over time"
        if resident_bytes(child.pid) > limit_bytes:
            end(child)
            return "over memory"
        time.sleep(pause)
        pause = min(2 * pause, LOOK_EVERY_S)
    return ""


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""


def describe_end(code, errors):
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return "crashed", ": ".join(filter(None, (name, last_line(errors))))
    return "failed", last_line(errors) or f"exit status {code}"


def read_record(text):
    """The record of a run, or None when that is none."""
    try:
        record = json.loads(text)
        if record["format"] != RECORD:
            return None
        return {
            "seconds": float(record["seconds"]["median"]),
            "cpu_seconds": float(record["cpu_seconds"]["median"]),
            "peak_bytes": int(record["peak_resident_bytes"]),
            "metrics": {name: float(value) for name, value in record.get("metrics", {}).items()},
            "answer": record["answer"],
            "expected": record["expected"],
            "correct": record["correct"] is True,
            "units": int(record["units"]),
            "workers": int(record["workers"]),
            "version": record["runtime_version"],
            "settings": record["settings"],
            "note": record["note"],
            "compiler": " ".join(filter(None, (record["machine"]["compiler"], record["machine"].get("flags")))),
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def run(command, cpus, limit_s, limit_bytes):
    """(status, why, record): "measured" with a record, else what happened."""
    return run_weighed(command, cpus, limit_s, limit_bytes, read_record)[:3]


def start(command, cpus, mask, output, errors):
    def prepare():
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.sched_setaffinity(0, cpus)

    return subprocess.Popen(command, stdout=output, stderr=errors, stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=prepare)


def run_weighed(command, cpus, limit_s, limit_bytes, read):
    """The same, and the most memory that the process held, whatever became of it. read: makes a record of what was printed, or None."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+", errors="replace") as errors:
        # An interrupt waits until the process is known that it has to end.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            child = start(command, cpus, mask, output, errors)
        except OSError as error:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            return "failed", str(error), None, 0
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            excess = watch(child, limit_s, limit_bytes)
        except BaseException:  # also when the user interrupts: nothing stays behind
            end(child)
            raise
        output.seek(0)
        errors.seek(0)
        record, told = read(output.read()), errors.read()
    return *judge(child, excess, record, told, limit_s, limit_bytes), child.peak_bytes


def judge(child, excess, record, told, limit_s, limit_bytes):
    """(status, why, record) of a process that has ended."""
    if excess:
        limit = f"{limit_s:g} s" if excess == "over time" else f"{limit_bytes >> 20} MiB"
        return excess, f"ended at {limit}", None
    if record is not None and not record["correct"]:
        return "wrong answer", f"{record['answer']}, but {record['expected']} is right", None
    if child.returncode != 0:
        return *describe_end(child.returncode, told), None
    return ("measured", "", record) if record is not None else ("failed", "it printed no record", None)
