"""Goes through the cells: those of one kernel, size and number of workers are neighbours in time, repetition by repetition, so that a slow
minute of the machine meets all of them alike. Each repetition is a process, which runs the kernel once to warm up and once to be measured."""

import os
import sys
import time

import machine
import process
import state as states


def groups(cells):
    """Cells that are compared with each other, in their order."""
    found = {}
    for cell in cells:
        found.setdefault((cell["kernel"], cell["size"], cell["workers"]), []).append(cell)
    return list(found.values())


def in_turn(cells, repetition):
    """Another one begins each time: none always follows the same one."""
    shift = repetition % len(cells)
    return cells[shift:] + cells[:shift]


class Progress:
    """One line on a terminal; elsewhere a line a group. Remaining time: what was learnt about a cell counts for its next runs."""

    def __init__(self, cells, repetitions, out=sys.stderr):
        self.cells, self.repetitions, self.out = cells, repetitions, out
        self.took_s = {}
        self.shown = 0

    def missing(self, cell):
        return self.repetitions - len(cell["samples"]) if states.is_open(cell, self.repetitions) else 0

    def remaining_s(self):
        usual = sum(self.took_s.values()) / len(self.took_s) if self.took_s else None
        if usual is None:
            return None
        return sum(self.missing(cell) * self.took_s.get(id(cell), usual) for cell in self.cells)

    def learn(self, cell, seconds):
        self.took_s[id(cell)] = seconds

    def bar(self):
        missing = sum(map(self.missing, self.cells))
        total = max(1, sum(self.repetitions for cell in self.cells if cell["status"] in ("to run", "measured")))
        part = 1 - missing / total
        left = self.remaining_s()
        filled = int(20 * part)
        return f"[{'#' * filled}{'.' * (20 - filled)}] {part:4.0%}" + (f", {show_time(left)} left" if left is not None else "")

    def show(self, text):
        if not self.out.isatty():
            return
        line = f"{self.bar()}  {text}"
        self.out.write("\r" + line[:150].ljust(self.shown))
        self.out.flush()
        self.shown = len(line)

    def end_of_group(self, text):
        if self.out.isatty():
            self.out.write("\r" + " " * self.shown + "\r")
        self.out.write(f"{self.bar()}  {text}\n")
        self.out.flush()


def show_time(seconds):
    minutes = int(seconds) // 60
    return f"{minutes} min {int(seconds) % 60:02} s" if minutes else f"{int(seconds)} s"


def command_for(runtime, cell, expected):
    workers = 1 if runtime.children == "call" else cell["workers"]  # plain calls are measured beside every number of workers
    command = [*runtime.command, cell["kernel"], "--runtime", cell["runtime"], "--workers", str(workers), "--size",
               str(cell["size"]), "--warm-ups", "1", "--json", "-"]
    return command + (["--expect", str(expected)] if expected is not None else [])


class Sweep:
    def __init__(self, state, runtimes, path, limit_bytes):
        self.state, self.runtimes, self.path, self.limit_bytes = state, runtimes, path, limit_bytes
        self.plan = state["plan"]
        self.expected = {}  # by kernel and size: the first run of each finds it
        self.progress = Progress(state["cells"], self.plan["repetitions"])

    def run(self):
        for cells in groups(self.state["cells"]):
            repetitions = self.plan["repetitions"]
            for repetition in range(repetitions):
                for cell in in_turn(cells, repetition):
                    if states.is_open(cell, repetition + 1):
                        self.run_cell(cell, repetition)
            self.progress.end_of_group(f"{cells[0]['kernel']}, size {cells[0]['size']}, workers: {cells[0]['workers']}")

    def run_cell(self, cell, repetition):
        self.progress.show(f"{cell['kernel']} on {cell['runtime']}, workers: {cell['workers']}, repetition {repetition + 1}")
        cpus = machine.choose_cpus(cell["workers"], self.state["machine"]["usable_cpus"])
        calibration = machine.calibrate(cpus)
        start = time.monotonic()
        command = command_for(self.runtimes[cell["runtime"]], cell, self.expected.get((cell["kernel"], cell["size"])))
        status, why, record = process.run(command, set(cpus), self.plan["time_limit_s"], self.limit_bytes)
        self.progress.learn(cell, time.monotonic() - start)
        self.keep(cell, status, why, record)
        self.state["calibration"].append({"cpus": cpus, "seconds": calibration, "load": os.getloadavg()[0]})
        states.save(self.path, self.state)

    def keep(self, cell, status, why, record):
        cell["status"], cell["why"] = status, why
        if record is None:
            return
        self.expected[cell["kernel"], cell["size"]] = record["expected"]
        cell["samples"].append({name: record[name] for name in ("seconds", "cpu_seconds", "peak_bytes", "metrics")})
        for name in ("units", "version", "settings", "note", "compiler"):
            cell[name] = record[name]
        cell["workers_there"] = record["workers"]
