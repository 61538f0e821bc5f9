"""Runs the cells of an experiment: those of one group in turn, repetition by repetition, so that a slow minute of the machine meets all of
them alike. Each repetition is a process of its own. A cell that fails once is not run again."""

import os
import time

import machine
import process
import report
import state as states
from experiment import groups
from sweep import Progress, in_turn


class Trials:
    def __init__(self, state, name, read, path):
        self.state, self.read, self.path = state, read, path
        self.plan, self.cells = state["plan"], state["experiments"][name]
        self.name, self.progress = name, Progress(self.cells, self.plan["repetitions"])

    def run(self):
        for cells in groups(self.cells):
            for repetition in range(self.plan["repetitions"]):
                for cell in in_turn(cells, repetition):
                    if states.is_open(cell, repetition + 1):
                        self.run_cell(cell)
            self.progress.end_of_group(f"{self.name}, {cells[0]['group']}")

    def run_cell(self, cell):
        self.progress.show(f"{self.name}, {cell['group']}: {cell['variant']}, repetition {len(cell['samples']) + 1}")
        cpus = machine.choose_cpus(cell["workers"], self.state["machine"]["usable_cpus"])
        calibration = machine.calibrate(cpus)
        start = time.monotonic()
        cell["status"], cell["why"], record, peak_bytes = process.run_weighed(
            cell["command"], set(cpus), self.plan["time_limit_s"], self.plan["memory_limit_bytes"], self.read)
        self.progress.learn(cell, time.monotonic() - start)
        if record is None and peak_bytes > 0:
            cell["why"] = ", ".join(filter(None, (cell["why"], f"held {report.show_bytes(peak_bytes)}")))
        if record is not None:
            cell["samples"].append(record["sample"])
            cell["facts"] = record["facts"]
        self.state["calibration"].append({"cpus": cpus, "seconds": calibration, "load": os.getloadavg()[0]})
        states.save(self.path, self.state)
