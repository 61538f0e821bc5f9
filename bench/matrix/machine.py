"""The machine: what it is, which CPUs a run is bound to, and whether something else disturbs it."""

import os
import platform
import time

CALIBRATION_STEPS = 200_000
NOISY_FROM = 0.10  # what a tenth of the calibration loops may take longer than half of them do


def read_lines(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except OSError:
        return []


def processor():
    names = [line.split(":", 1)[1].strip() for line in read_lines("/proc/cpuinfo") if line.startswith(("model name", "Model"))]
    return names[0] if names else platform.machine()


def facts():
    memory = [int(line.split()[1]) * 1024 for line in read_lines("/proc/meminfo") if line.startswith("MemTotal:")]
    return {
        "processor": processor(),
        "architecture": platform.machine(),
        "system": f"{platform.system()} {platform.release()}",
        "usable_cpus": sorted(os.sched_getaffinity(0)),
        "memory_bytes": memory[0] if memory else 0,
        "governor": " ".join(read_lines("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")),
    }


def siblings(cpu):
    lines = read_lines(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
    return lines[0] if lines else str(cpu)


def choose_cpus(count, usable):
    """As many cores as possible before the second thread of one; the highest numbers, because systems do their own work on the first."""
    cores = {}
    for cpu in sorted(usable, reverse=True):
        cores.setdefault(siblings(cpu), []).append(cpu)
    in_turn = [cpu for place in range(max(map(len, cores.values()))) for core in cores.values() for cpu in core[place:place + 1]]
    return sorted(in_turn[:count])


def calibrate(cpus, steps=CALIBRATION_STEPS):
    """Seconds of the same loop on the slowest of these CPUs: what changes between two calls is not the measured programs."""
    before = os.sched_getaffinity(0)
    slowest = 0.0
    for cpu in cpus:
        os.sched_setaffinity(0, {cpu})
        start = time.perf_counter()
        total = 0
        for number in range(steps // len(cpus)):
            total += number
        slowest = max(slowest, time.perf_counter() - start)
    os.sched_setaffinity(0, before)
    return slowest
