"""Runs programs on the machine of many CPUs, and reads what it reports. README.md."""

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass, field

HERE = os.path.dirname(os.path.abspath(__file__))
XEON = os.path.join(HERE, "costs", "xeon.costs")
SECONDS = 300  # of real time that one run may take


class Problem(Exception):
    pass


@dataclass
class Settings:
    """What the machine is like; a program sees no more of the real one."""

    cpus: int = 4
    sockets: str = "1"  # how many, or the CPUs of each: "40,24"
    threads_a_core: int = 1
    neighbours: int = 0
    layout: int = 0
    costs: str = XEON
    changes: dict = field(default_factory=dict)  # of costs, by their names
    limit_ms: int = 0  # of virtual time; 0: the machine's own
    picture: bool = False
    environment: dict = field(default_factory=dict)  # WEFT_ variables of the program

    def variables(self):
        chosen = {
            "MANY_CPUS": str(self.cpus),
            "MANY_SOCKETS": self.sockets,
            "MANY_SMT": str(self.threads_a_core),
            "MANY_NEIGHBOURS": str(self.neighbours),
            "MANY_LAYOUT": str(self.layout),
            "MANY_COSTS": self.costs,
            "MANY_PICTURE": str(int(self.picture)),
        }
        if self.changes:
            chosen["MANY_COST"] = ",".join(f"{name}={value}" for name, value in self.changes.items())
        if self.limit_ms:
            chosen["MANY_LIMIT_MS"] = str(self.limit_ms)
        return {**chosen, **self.environment}


def run_raw(program, words, settings):
    """The exit status, what the program wrote, and the report: None if there is none."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        environment = {**settings.variables(), "MANY_REPORT": path}
        try:
            done = subprocess.run([program, *words], env=environment, capture_output=True, text=True, timeout=SECONDS, check=False)
        except FileNotFoundError:
            raise Problem(f"{program} is not there: cmake --build --preset many builds it") from None
        except subprocess.TimeoutExpired:
            raise Problem(f"{os.path.basename(program)} {' '.join(words)}: not done after {SECONDS} s of real time") from None
        report = None
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                report = json.load(file)
        return done.returncode, done.stdout + done.stderr, report


def run(program, words, settings):
    status, said, report = run_raw(program, words, settings)
    if status != 0 or report is None:
        raise Problem(f"{os.path.basename(program)} {' '.join(words)}: exit status {status}\n{said.strip()}")
    return report
