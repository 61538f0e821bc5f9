#!/usr/bin/env python3
"""bench/matrix with stand-ins for the programs that measure, each of which does one thing wrong: what becomes of a run is a result, and
nothing that the user gets wrong ends in a traceback."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MATRIX = os.path.join(TOP, "bench", "matrix")
sys.path.insert(0, MATRIX)

import figures  # noqa: E402
import machine  # noqa: E402
import planted_matrix  # noqa: E402
import process  # noqa: E402
import report  # noqa: E402
import runners  # noqa: E402
import summary  # noqa: E402
from runners import OWN  # noqa: E402

PROGRAMS = [{"program": name, "title": name, "unit": "call", "size_word": "n", "default_size": 30, "quick_size": 10, "max_size": 60}
            for name in ("fib", "queens")]


def listing(*runtimes):
    return json.dumps({"format": "weft-bench-list-1", "programs": PROGRAMS, "runtimes": [
        {"runtime": name, "title": name, "children": children, "version": "1", "runs": runs, "cannot": cannot}
        for name, children, runs, cannot in runtimes]})


def record(seconds=0.5, answer=55, **metrics):
    return json.dumps({"format": "weft-bench-1", "workers": 1, "answer": answer, "expected": 55, "correct": answer == 55, "units": 177,
                       "seconds": {"median": seconds}, "cpu_seconds": {"median": seconds}, "peak_resident_bytes": 1 << 20,
                       "runtime_version": "1", "settings": "", "note": "", "machine": {"compiler": "cc"}, "metrics": metrics})


class MatrixTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = folder.name
        self.json = os.path.join(self.build, "matrix.json")
        self.hide_matplotlib()  # drawing has tests of its own: report_test.py, browser_test.py
        both = ["fib", "queens"]
        self.program("tools/weft/weft", f"echo '{record(0.25)}'", listing(
            ("sequential", "call", both, {}), ("ult", "thread", both, {}), ("tasklet", "tasklet", ["fib"], {}), ("fork", "task", ["fib"], {"queens": "it is for threads"})))

    def program(self, path, script, listed):
        path = os.path.join(self.build, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\necho \"$@\" >> {self.build}/calls\ncase \"$*\" in *--list*) echo '{listed}' ;; *) {script} ;; esac\n")
        os.chmod(path, 0o755)

    def hide_matplotlib(self):
        folder = os.path.join(self.build, "hidden")
        os.makedirs(folder)
        with open(os.path.join(folder, "matplotlib.py"), "w", encoding="utf-8") as file:
            file.write("raise ImportError\n")
        self.environment = {**os.environ, "PYTHONPATH": folder}

    def rival(self, name, script):
        self.program(f"bench/runtimes/weft-bench-{name}", script, listing((name, "task", ["fib", "queens"], {})))

    def matrix(self, *words, status=0):
        done = subprocess.run([sys.executable, os.path.join(MATRIX, "matrix.py"), self.build, *map(str, words)], capture_output=True,
                              text=True, timeout=200, check=False, env=self.environment)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done

    def measure(self, runtime, *words, status=0):
        """The cell of fib on this runtime."""
        self.matrix("--kernels", "fib", "--runtimes", runtime, "--workers", 1, "--repetitions", 3, *words, status=status)
        return self.state()["cells"][0]

    def state(self):
        with open(self.json, encoding="utf-8") as file:
            return json.load(file)

    def calls(self):
        with open(os.path.join(self.build, "calls"), encoding="utf-8") as file:
            return [line for line in file.read().splitlines() if "--list" not in line]

    def test_all_is_measured_as_often_as_asked_and_in_turn(self):
        self.rival("tbb", f"echo '{record(0.5)}'")
        shown = self.matrix("--kernels", "fib", "queens", "--runtimes", "sequential", "fork", "tbb", "--workers", 1, "--repetitions", 2).stdout
        self.assertEqual([len(cell["samples"]) for cell in self.state()["cells"]], [2, 2, 2, 2, 0, 2])
        turns = [call.split("--runtime ")[1].split()[0] for call in self.calls() if "fib" in call.split()]
        self.assertEqual(turns, ["sequential", "fork", "tbb", "fork", "tbb", "sequential"])
        self.assertIn("0.50 [0.50, 0.50] tbb", shown)
        self.assertIn("cannot: it is for threads", shown)

    def test_each_of_several_sizes_is_measured_and_has_a_table_and_an_answer_of_its_own(self):
        shown = self.matrix("--kernels", "fib", "--runtimes", "ult", "--workers", 1, "--repetitions", 2, "--size", "fib=20,10").stdout
        self.assertEqual([(cell["size"], len(cell["samples"])) for cell in self.state()["cells"]], [(10, 2), (20, 2)])
        self.assertEqual([("--size 20" in call, "--expect" in call) for call in self.calls()],
                         [(False, False), (False, True), (True, False), (True, True)])
        self.assertIn("fib, size 10, workers: 1", shown)
        self.assertIn("fib, size 20, workers: 1", shown)

    def test_without_names_the_usual_programs_get_a_sweep_of_sizes(self):
        self.matrix("--runtimes", "ult", "--workers", 1, "--repetitions", 1)
        sizes = {name: {cell["size"] for cell in self.state()["cells"] if cell["kernel"] == name} for name in ("fib", "queens")}
        self.assertEqual({name: len(each) > 1 for name, each in sizes.items()}, {"fib": True, "queens": False})

    def test_the_programs_own_metrics_are_kept(self):
        self.program("tools/weft/weft", f"echo '{record(bytes_per_thread=4361)}'", listing(
            *((name, "call", ["fib"], {}) for name in OWN)))
        self.assertEqual(self.measure("ult")["samples"][2]["metrics"], {"bytes_per_thread": 4361})

    def test_without_matplotlib_there_is_the_text_and_the_name_of_the_package(self):
        done = self.matrix("--kernels", "fib", "--runtimes", "ult", "--workers", 1, "--repetitions", 1)
        self.assertIn("250 ms", done.stdout)
        self.assertIn("python3-matplotlib", done.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.build, "report")))

    def test_the_threads_interface_is_measured_where_it_is_asked_for(self):
        for name in ("threads-weft", "tbb"):
            self.rival(name, f"echo '{record(0.5)}'")
        for words, wanted in (([], {"tbb"}), (["--runtimes", "threads-weft"], {"threads-weft"})):
            self.matrix("--kernels", "fib", "--workers", 1, "--repetitions", 1, *words)
            measured = {cell["runtime"] for cell in self.state()["cells"] if cell["status"] == "measured"}
            self.assertEqual(measured - set(OWN), wanted)

    def test_the_first_answer_saves_the_others_from_finding_it(self):
        self.measure("ult")
        self.assertEqual(["--expect 55" in call for call in self.calls()], [False, True, True])

    def test_a_hang_is_ended_with_all_that_it_started(self):
        self.rival("tbb", f"sleep 987 & echo $! > {self.build}/pid; wait")
        cell = self.measure("tbb", "--time-limit", 0.3)
        self.assertEqual((cell["status"], cell["why"], cell["samples"]), ("over time", "ended at 0.3 s", []))
        with open(os.path.join(self.build, "pid"), encoding="ascii") as file:
            self.assertFalse(self.is_alive(file.read().strip()))

    def is_alive(self, pid):
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
        except OSError:
            return False

    def test_what_a_run_can_end_with(self):
        for script, status, why in (("kill -SEGV $$", "crashed", "SIGSEGV"), ("echo no workers >&2; exit 3", "failed", "no workers"),
                                    (f"echo '{record(answer=54)}'; exit 1", "wrong answer", "54, but 55 is right"),
                                    ("echo '{'", "failed", "it printed no record"), ("echo '{}'", "failed", "it printed no record"),
                                    (f"echo '{record()}'; kill -ABRT $$", "crashed", "SIGABRT")):
            self.rival("tbb", script)
            cell = self.measure("tbb")
            self.assertEqual((cell["status"], cell["why"]), (status, why))

    def test_memory_has_a_limit(self):
        self.rival("tbb", f"exec {sys.executable} -c 'import time; kept = bytes(1) * (200 << 20); time.sleep(50)'")
        self.assertEqual(self.measure("tbb", "--memory-limit", 50)["status"], "over memory")

    def test_what_fails_once_is_not_run_again_and_the_others_are(self):
        self.rival("tbb", "exit 1")
        self.matrix("--kernels", "fib", "--runtimes", "tbb", "ult", "--workers", 1, "--repetitions", 3)
        self.assertEqual([len(cell["samples"]) for cell in self.state()["cells"]], [0, 3])
        self.assertEqual(len(self.calls()), 4)

    def test_what_nobody_wrote_is_said_and_is_no_failure(self):
        shown = self.matrix("--kernels", "queens", "--runtimes", "tasklet", "ult", "--workers", 1, "--repetitions", 1).stdout
        self.assertEqual(self.state()["cells"][0]["status"], "not written")
        self.assertRegex(shown, r"tasklet +not written\n")

    def test_weft_itself_must_be_right(self):
        self.program("tools/weft/weft", "kill -SEGV $$", listing(*((name, "call", ["fib"], {}) for name in OWN)))
        self.assertEqual(self.measure("ult", status=1)["status"], "crashed")

    def test_what_is_not_installed_is_said(self):
        self.assertEqual(self.measure("lace")["status"], "not installed")
        self.rival("tbb", "true")
        self.program("bench/runtimes/weft-bench-tbb", "true", "no listing")
        self.assertIn("gives no listing", self.measure("tbb")["why"])

    def test_unknown_names_get_the_choices(self):
        for words, choices in ((["--kernels", "fbi"], "kernels: fib, queens"), (["--runtimes", "tbbb"], "openmp, libomp, tbb"),
                               (["--sizes", "huge"], "sizes: usual, quick, default"), (["--size", "fbi=3"], "kernels: fib, queens"),
                               (["--size", "fib=61"], "from 1 to 60"), (["--size", "fib=x"], "from 1 to 60"),
                               (["--size", "fib=10,61"], "from 1 to 60"), (["--size", "fib=10,"], "written fib=10,20"),
                               (["--workers", "100000"], "CPUs"), (["--repetitions", "0"], "at least 1")):
            self.assertIn(choices, self.matrix(*words, status=2).stderr)
        self.build = "/no/such/folder"
        self.assertIn("build it", self.matrix(status=2).stderr)

    def interrupt(self):
        """A comparison of which one repetition is done."""
        self.measure("ult")
        state = self.state()
        del state["cells"][0]["samples"][1:]
        self.write(json.dumps(state))

    def write(self, text):
        with open(self.json, "w", encoding="utf-8") as file:
            file.write(text)

    def test_resume_measures_only_what_is_missing(self):
        self.interrupt()
        before = len(self.calls())
        self.matrix("--resume")
        self.assertEqual(len(self.calls()) - before, 2)
        self.assertEqual(len(self.state()["cells"][0]["samples"]), 3)

    def test_resume_refuses_what_does_not_fit(self):
        self.assertIn("cannot be read", self.matrix("--resume", status=2).stderr)
        self.interrupt()
        self.assertIn("takes no --kernels, --repetitions", self.matrix("--resume", "--kernels", "fib", "--repetitions", 9, status=2).stderr)
        self.program("tools/weft/weft", "true", listing(*((name, "call", ["fib"], {}) for name in OWN)))
        self.assertIn("built anew", self.matrix("--resume", status=2).stderr)

    def test_damaged_files_are_refused_in_words(self):
        self.measure("ult")
        whole = json.dumps(self.state())
        for text, message in ((whole[:len(whole) // 2], "is not JSON"), ("[]", "is not the JSON of a comparison"),
                              ("{}", "is not the JSON of a comparison"), (whole.replace('"samples"', '"sample"'), "'samples' is missing"),
                              (whole.replace('"plan"', '"plans"'), "'plan' is missing"),
                              (whole.replace('"time_limit_s"', '"limit"'), "'time_limit_s'"), (whole.replace('"cpus"', '"cpu"'), "'cpus'"),
                              (whole.replace('"seconds": 0.25', '"seconds": "x"'), "'seconds'"),
                              (whole.replace('"metrics": {}', '"metrics": {"bytes_per_thread": "x"}'), "'bytes_per_thread'")):
            self.write(text)
            for word in ("--resume", "--report"):
                self.assertIn(message, self.matrix(word, status=2).stderr)

    def test_a_report_of_what_was_measured_measures_nothing(self):
        self.measure("ult")
        before = len(self.calls())
        self.assertIn("250 ms", self.matrix("--report").stdout)
        self.assertEqual(len(self.calls()), before)


class SummaryTest(unittest.TestCase):
    def tell(self, state):
        return "\n".join(summary.tell(state))

    def test_where_weft_stands(self):
        told = self.tell(planted_matrix.make())
        self.assertIn("A processor, 4 CPUs usable, 8 GiB, Linux 6.", told)
        self.assertIn("4 programs on 1, 2, 4 workers, 5 processes each, answers checked; rivals: argobots, argobots-tasklet", told)
        self.assertIn("ult against the fastest rival that has threads: faster in 12 of 18 tables, slower in 0, within the noise in 6", told)
        self.assertIn("fork against the fastest rival: faster in 0 of 12 tables, slower in 0, within the noise in 12; median ratio 0.98", told)
        self.assertIn("os-threads (fib: crashed)", told)

    def test_what_is_slower_is_said(self):
        state = planted_matrix.make()
        for cell in state["cells"]:
            if cell["runtime"] == "fork" and cell["workers"] == 2:
                cell["samples"] = [{**sample, "seconds": sample["seconds"] * 3} for sample in cell["samples"]]
        self.assertRegex(self.tell(state), r"fork against the fastest rival: .* slower in 4, .* worst 2.95 \(.*, 2 workers, against lace\)")

    def test_too_few_repetitions_and_interruptions_are_said(self):
        state = planted_matrix.make()
        state["plan"]["repetitions"] = 3
        self.assertIn("TOO FEW repetitions", self.tell(state))
        state["plan"]["repetitions"] = 6
        self.assertIn("INTERRUPTED: 150 of its runs are missing", self.tell(state))


class StampTest(unittest.TestCase):
    def test_a_library_that_is_built_anew_changes_the_stamp(self):
        if not shutil.which("ldd") or not runners.libraries(sys.executable):
            self.skipTest("ldd tells no libraries here")
        library = runners.libraries(sys.executable)[0]
        before = runners.stamp([sys.executable])
        self.assertEqual(before, runners.stamp([sys.executable]))
        self.assertEqual(len(before), 1 + len(runners.libraries(sys.executable)))
        really = os.stat

        def with_a_new_library(path):
            status = really(path)
            grown = status.st_size + (path == library)
            return types.SimpleNamespace(st_mode=status.st_mode, st_size=grown, st_mtime_ns=status.st_mtime_ns)

        with unittest.mock.patch.object(runners.os, "stat", with_a_new_library):
            after = runners.stamp([sys.executable])
        self.assertEqual([old == new for old, new in zip(before, after)].count(False), 1)

    def test_what_is_no_program_has_a_stamp_of_its_own(self):
        self.assertEqual(len(runners.stamp([os.path.abspath(__file__)])), 1)


class FiguresTest(unittest.TestCase):
    def test_a_ratio_lies_in_its_interval(self):
        ratio, low, high = figures.ratio_of_medians([1.0, 1.1, 0.9, 1.05, 0.95], [2.0, 2.2, 1.9, 2.1, 1.8])
        self.assertEqual(ratio, 0.5)
        self.assertTrue(0.4 < low < ratio < high < 0.62, (low, high))

    def test_spread(self):
        self.assertEqual(figures.spread([1.0, 1.0, 1.0]), 0)
        self.assertEqual(figures.spread([0.5, 1.0, 2.0]), 1.5)

    def test_noise_is_flagged(self):
        quiet = [{"cpus": [1], "seconds": 1.0}] * 20
        self.assertIn("quiet", report.noise(quiet)[1])
        self.assertIn("NOISY", report.noise(quiet[:15] + [{"cpus": [1], "seconds": 2.0}] * 5)[1])

    def test_a_few_runs_do_not_show_that_it_was_quiet(self):
        worst, sentence = report.noise([{"cpus": [1], "seconds": 1.0}] * 4 + [{"cpus": [1, 2], "seconds": 1.0}] * 4)
        self.assertIsNone(worst)
        self.assertIn("not known", sentence)

    def test_cpus_are_those_that_may_be_used(self):
        usable = os.sched_getaffinity(0)
        self.assertLessEqual(set(machine.choose_cpus(1, usable)), usable)
        self.assertEqual(machine.choose_cpus(len(usable), usable), sorted(usable))


class InterruptTest(unittest.TestCase):
    def test_a_process_that_has_just_begun_is_ended(self):
        begun, popen = [], subprocess.Popen

        def interrupted(*words, **options):
            begun.append(popen(*words, **options))
            os.kill(os.getpid(), signal.SIGINT)
            return begun[0]

        before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
        try:
            with unittest.mock.patch.object(subprocess, "Popen", interrupted), self.assertRaises(KeyboardInterrupt):
                process.run(["sleep", "987"], os.sched_getaffinity(0), 500, 1 << 30)
        finally:
            signal.signal(signal.SIGINT, before)
        self.assertEqual(begun[0].returncode, -signal.SIGKILL)


if __name__ == "__main__":
    unittest.main(verbosity=2)  # names what is skipped, and why
