#!/usr/bin/env python3
"""bench/published with stand-ins for the programs that measure: what is compared takes turns, counts and answers are checked, what a
rival does wrong is a result, and nothing that the user gets wrong ends in a traceback."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PUBLISHED = os.path.join(TOP, "bench", "published", "published.py")
PROGRAMS = sys.argv.pop(1) if len(sys.argv) > 1 else None  # a build folder
sys.path[1:1] = [os.path.join(TOP, "bench", folder) for folder in ("published", "matrix", "guard")]

import call_overhead  # noqa: E402
import creation_cycles  # noqa: E402
import experiment  # noqa: E402
import pictures  # noqa: E402
import tascell  # noqa: E402
import thread_ops  # noqa: E402
import uni_address  # noqa: E402

KERNELS = ("fib-cutoff", "thread-ops", "thread-ops-yields")
OWN = (("sequential", "call"), ("ult", "thread"), ("tasklet", "tasklet"), ("fork", "task"))
CALLS = {30: 57_313, 35: 635_621, 40: 7_049_155, 45: 78_176_337}
# Answers like a kernel's program; $size, $runtime and $units are the shell's.
ANSWER = """record() {
  echo '{"format": "weft-bench-1", "size": '$size', "workers": 1, "answer": 1, "expected": 1, "correct": true, "units": '$units',' \\
       '"seconds": {"median": 0.5}, "cpu_seconds": {"median": 0.5}, "peak_resident_bytes": 1048576, "runtime_version": "1",' \\
       '"settings": "fast pools", "note": "", "machine": {"compiler": "cc"}}'
}
"""


def figures(ticks=10, correct="true"):
    """What a program of its own prints."""
    return ('{"format": "weft-figures-1", "correct": %s, "figures": {"ticks": %s, "core_cycles": %s, "ns": 4}, '
            '"facts": {"counter": "TSC", "ticks_per_ns": 2.5, "core_cycles_per_tick": 1.5}}' % (correct, ticks, ticks * 1.5))


def listing(*runtimes, kernels=KERNELS):
    programs = [{"program": name, "title": name, "unit": "call", "size_word": "n", "default_size": 30, "quick_size": 10, "max_size": 60}
                for name in kernels]
    return json.dumps({"format": "weft-bench-list-1", "programs": programs, "runtimes": [
        {"runtime": name, "title": name, "children": children, "version": "1", "runs": list(kernels), "cannot": {}}
        for name, children in runtimes]})


class PublishedCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = folder.name
        self.environment = None
        self.kernels("tools/weft/weft", listing(*OWN), "record")

    def program(self, path, script):
        path = os.path.join(self.build, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        os.chmod(path, 0o755)

    def kernels(self, path, listed, script):
        """A program that lists itself, and otherwise does this: $size and $runtime are its options, $units is right."""
        counts = "\n".join(f"    {size}) units={calls} ;;" for size, calls in CALLS.items())
        self.program(path, f"""{ANSWER}case "$*" in *--list*) echo '{listed}'; exit ;; esac
echo "$@" >> {self.build}/calls
while [ $# -gt 0 ]; do case $1 in --size) size=$2 ;; --runtime) runtime=$2 ;; esac; shift; done
case $size in
{counts}
    *) units=1000 ;;
esac
{script}""")

    def rival(self, name, script):
        self.kernels(f"bench/runtimes/weft-bench-{name}", listing((name, "thread")), script)

    def published(self, *words, status=0):
        done = subprocess.run([sys.executable, PUBLISHED, self.build, *map(str, words)], env=self.environment, capture_output=True,
                              text=True, timeout=250, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done

    def call(self, variant, script):
        self.program(f"bench/published/calls/call-{variant}", script)

    def tools(self, **scripts):
        """Stand-ins for tools, before those of the system."""
        for name, script in scripts.items():
            self.program(os.path.join("tools-there", name), script)
        self.environment = dict(os.environ, PATH=os.path.join(self.build, "tools-there") + os.pathsep + os.environ["PATH"])

    def path(self, name):
        return os.path.join(self.build, f"published-{name}.json")

    def state(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def calls(self):
        with open(os.path.join(self.build, "calls"), encoding="utf-8") as file:
            return file.read().splitlines()


class FibTest(PublishedCase):
    def fib(self, *words, status=0):
        return self.published("fib-threshold", "--repetitions", 1, *words, status=status).stdout

    def test_published_figures_stand_beside_ours(self):
        self.rival("argobots", "record")
        self.rival("boost-fiber", "kill -SEGV $$")
        shown = self.fib("--full")
        self.assertIn("fib(45), 78,176,337 calls (published: 78,176 K)", shown)
        line = next(line for line in shown.splitlines() if "13.1 s" in line and "argobots" in line and "ns" in line)
        self.assertIn("500 ms", line)
        self.assertIn("\nargobots: 1, fast pools\n", shown)
        self.assertRegex(shown, r"boost-fiber: crashed: SIGSEGV, held [0-9.]+ [MG]iB; published: crashed")

    def future(self, way, script):
        self.program(f"bench/published/futures/fib-futures-{way}", f"""case $1 in 30) units=57313 ;; 35) units=635621 ;; *) units=1 ;; esac
{script}
echo '{{"format": "weft-figures-1", "correct": true, "figures": {{"seconds": 0.25, "peak_bytes": 3145728}},' \\
     '"facts": {{"size": '$1', "units": '$units', "version": "1", "settings": "async"}}}}'""")

    def test_two_futures_a_call_crashes_and_memory_told(self):
        self.future("weft-fibers", "case $1 in 40) units=7049155 ;; esac")
        self.future("std-async", "echo '  what():  out of OS threads' >&2; kill -ABRT $$")
        self.future("boost-fiber", "")
        shown = self.fib()
        tables = shown.split("fib(30), two futures a call, 57,313 calls")[1]
        line = next(line for line in tables.splitlines() if line.split()[:1] == ["weft-fibers"])
        self.assertIn("250 ms", line)
        self.assertIn("3 MiB", line)
        self.assertRegex(tables, r"std-async: crashed: SIGABRT: what\(\):  out of OS threads, held [0-9.]+ [MG]iB")
        self.assertIn("boost-fiber: wrong answer: 1 calls, but 7049155 is right", shown)
        self.assertIn("Not installed: ", shown)
        self.assertIn("weft-async (no program for it was built)", shown)
        self.future("weft-fibers", "kill -SEGV $$")
        self.fib(status=1)

    def test_usual_sizes_are_smaller_and_turns_are_taken(self):
        self.fib("--repetitions", 2)
        self.assertNotIn("--size 45", "\n".join(self.calls()))
        turns = [call.split("--runtime ")[1].split()[0] for call in self.calls() if "--size 30" in call]
        self.assertEqual(turns, ["ult", "fork", "sequential", "fork", "sequential", "ult"])

    def test_other_counts_of_calls_are_wrong(self):
        self.rival("argobots", "units=57312; record")
        self.assertIn("argobots: wrong answer: 57312 calls, but 57313 is right", self.fib())
        self.kernels("tools/weft/weft", listing(*OWN), "units=1; record")
        self.fib(status=1)

    def test_what_is_not_installed_is_said(self):
        self.assertIn("Not installed: argobots, argobots-tasklet (Argobots, found by pkg-config); "
                      "boost-fiber (Boost.Fiber: libboost-fiber-dev)", self.fib())

    def test_few_repetitions_are_told(self):
        self.assertIn("Only 1 repetitions of each", self.fib())

    def test_an_interrupt_ends_what_runs_and_says_how_to_go_on(self):
        pid = os.path.join(self.build, "pid")
        self.kernels("tools/weft/weft", listing(*OWN), f"sleep 987 & echo $! > {pid}.new; mv {pid}.new {pid}; wait")
        running = subprocess.Popen([sys.executable, PUBLISHED, self.build, "fib-threshold"], stderr=subprocess.PIPE, text=True,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
        while not os.path.exists(pid):
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        said = running.communicate(timeout=200)[1]
        self.assertEqual(running.returncode, 130, said)
        self.assertIn(f"--json {self.path('fib-threshold')} --resume", said)
        with open(pid, encoding="ascii") as file:
            process = file.read().strip()
        while self.is_alive(process):  # it was killed, and ends when it gets a CPU; else the test ends by its limit
            time.sleep(0.01)
        self.assertEqual(len(self.state("fib-threshold")["experiments"]["fib-threshold"]), 33)

    def is_alive(self, pid):
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
        except OSError:
            return False

    def test_an_interrupted_run_goes_on(self):
        self.fib("--repetitions", 2)
        state = self.state("fib-threshold")
        del state["experiments"]["fib-threshold"][0]["samples"][1:]
        self.write(json.dumps(state))
        before = len(self.calls())
        self.published("fib-threshold", "--resume")
        self.assertEqual(len(self.calls()) - before, 1)
        self.kernels("tools/weft/weft", listing(*OWN), "true")
        self.assertIn("published sizes", self.published("fib-threshold", "--resume", "--full", status=2).stderr)
        self.assertIn("it takes no --repetitions, --time-limit", self.published(
            "fib-threshold", "--resume", "--repetitions", 9, "--time-limit", 1, status=2).stderr)
        self.assertIn("built anew", self.published("fib-threshold", "--resume", status=2).stderr)

    def write(self, text):
        with open(self.path("fib-threshold"), "w", encoding="utf-8") as file:
            file.write(text)

    def test_a_report_measures_nothing(self):
        self.fib()
        before = len(self.calls())
        self.assertIn("500 ms", self.published("fib-threshold", "--report").stdout)
        self.assertEqual(len(self.calls()), before)

    def test_damaged_files_are_refused_in_words(self):
        self.assertIn("cannot be read", self.published("fib-threshold", "--report", status=2).stderr)
        self.fib()
        whole = json.dumps(self.state("fib-threshold"))
        for text, message in ((whole[:50], "is not JSON"), ("{}", "is not the JSON of repeated experiments"),
                              (whole.replace('"samples"', '"sample"'), "'samples' is missing"), (whole.replace('"plan"', '"p"'), "'plan'"),
                              (whole.replace('"seconds": 0.5', '"seconds": "x"'), "'seconds'"),
                              (whole.replace('"fib-threshold"', '"fib-treshold"'), "experiments: fib-threshold")):
            self.write(text)
            for word in ("--resume", "--report"):
                self.assertIn(message, self.published("fib-threshold", word, status=2).stderr)

    def test_what_makes_no_sense_gets_the_choices(self):
        self.assertIn("fib-threshold", self.published("fibb", status=2).stderr)
        self.assertIn("all", self.published("fibb", status=2).stderr)
        self.assertIn("at least 1", self.published("fib-threshold", "--repetitions", 0, status=2).stderr)
        self.build = "/no/such/folder"
        self.assertIn("build it", self.published("fib-threshold", status=2).stderr)


class ThreadOpsTest(PublishedCase):
    def test_the_figures_are_of_one_operation(self):
        self.kernels("tools/weft/weft", listing(*OWN), "units=1000000; record")
        self.rival("os-threads", "units=10000; record")
        shown = self.published("thread-ops", "--repetitions", 1).stdout
        self.assertIn("thread-ops, workers: 1; a thread created and joined", shown)
        self.assertIn("thread-ops-yields, workers: 1; a yield", shown)
        line = next(line for line in shown.splitlines() if line.split()[:1] == ["ult"])
        self.assertIn("500.0 ns", line)
        self.assertIn("100 [100, 100]", line)

    def test_workers_are_powers_of_two_and_all(self):
        self.assertEqual([thread_ops.worker_counts(cpus) for cpus in (1, 2, 3, 4, 6)], [[1], [1, 2], [1, 2, 3], [1, 2, 4], [1, 2, 4, 6]])


class ProgramsTest(unittest.TestCase):
    """The programs themselves: what they print is what is read here."""

    def run_program(self, *words, status=0):
        done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=250, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def check_record(self, text):
        record = experiment.read_figures(text)
        self.assertIsNotNone(record, text)
        self.assertTrue(record["correct"])
        for module in (call_overhead, creation_cycles):
            self.assertTrue(all(record["sample"][name] > 0 for name in module.FIGURES), text)
            self.assertLessEqual(set(module.FACTS), set(record["facts"]))

    @unittest.skipUnless(PROGRAMS, "needs a build folder")
    def test_every_call_is_done_as_often_as_asked_in_every_variant(self):
        for variant in call_overhead.VARIANTS:
            program = os.path.join(PROGRAMS, "bench", "published", "calls", f"call-{variant}")
            self.assertEqual(self.run_program(program).stdout.split(), list(call_overhead.OPERATIONS))
            for operation in call_overhead.OPERATIONS:
                self.check_record(self.run_program(program, operation, 5000).stdout)
            for words in (("add", "7"), ("add", "0"), ("ad", "50"), ("add",)):
                self.assertIn("usage", self.run_program(program, *words, status=2).stderr)

    @unittest.skipUnless(PROGRAMS, "needs a build folder")
    def test_two_futures_a_call_are_counted_and_right(self):
        for way in ("weft-fibers", "weft-async", "std-async"):
            program = os.path.join(PROGRAMS, "bench", "published", "futures", f"fib-futures-{way}")
            record = experiment.read_figures(self.run_program(program, 16).stdout)
            self.assertTrue(record["correct"])
            self.assertEqual(record["facts"]["units"], 67)
            self.assertGreater(record["sample"]["peak_bytes"], 0)
            for words in ((), ("0",), ("61",), ("x",)):
                self.assertIn("usage", self.run_program(program, *words, status=2).stderr)

    @unittest.skipUnless(PROGRAMS, "needs a build folder")
    def test_operations_on_threads_come_in_cycles_too(self):
        program = os.path.join(PROGRAMS, "bench", "micro", "micro-weft")
        for operation in ("create", "create-join-one-by-ult"):
            self.check_record(self.run_program(program, operation, 1, "--figures").stdout)
        self.assertGreater(float(self.run_program(program, "create", 1).stdout), 0)
        refusal = self.run_program(program, "creat", status=2).stderr
        for _, _, library, operation in creation_cycles.LINES:
            if library == "weft":
                self.assertIn(f" {operation}", refusal)


    @unittest.skipUnless(PROGRAMS, "needs a build folder")
    def test_forks_on_ranks_are_right_and_counted(self):
        folder = os.path.join(PROGRAMS, "bench", "published", "uni")
        if not os.path.isdir(folder):
            self.skipTest("no libweft-dist in this build")
        for program in ("uni-cycles", "uni-cycles-threads"):
            for what in ("empty", "fib"):
                self.check_record(self.run_program(os.path.join(folder, program), what).stdout)
            self.assertIn("usage", self.run_program(os.path.join(folder, program), "fob", status=2).stderr)
        kernels, on_threads = (os.path.join(folder, program) for program in ("uni-kernels", "uni-kernels-threads"))
        for kernel, size in (("fib", 16), ("btc", 8), ("queens", 6), ("queens-array", 6), ("uts-t1", 4), ("uts-t3", 20),
                             ("pentomino", 3), ("comp", 50)):
            for how in ("forks", "sequential", *(() if kernel in uni_address.OF_VALUES_ANYWAY else ("values",))):
                for words in ([kernels, kernel, size, how], [on_threads, kernel, size, how, 2]):
                    self.assertTrue(experiment.read_figures(self.run_program(*words).stdout)["correct"], words)
        for words in ((), ("fib", 3), ("fob", 3, "forks"), ("fib", 0, "forks"), ("fib", 7, "sideways"), ("fib", 7, "values"),
                      ("fib", 7, "forks", 0)):
            self.assertIn("usage", self.run_program(kernels, *words, status=2).stderr)
        self.assertIn("usage: weft launch", self.run_program(os.path.join(folder, "uni-steal"), status=2).stderr)
        space = experiment.read_figures(self.run_program(os.path.join(folder, "uni-space")).stdout)
        self.assertTrue(space["correct"])
        self.assertGreater(space["sample"]["mapped_bytes"], space["sample"]["region_bytes"])

    @unittest.skipUnless(PROGRAMS, "needs a build folder")
    def test_tascell_programs_are_right_with_and_without_constructs(self):
        folder = os.path.join(PROGRAMS, "bench", "published", "tascell")
        if not os.path.exists(os.path.join(folder, "tascell-fib")):
            self.skipTest("no libweft-tascell in this build")
        sizes = {"fib": 20, "nq": 8, "comp": 200, **{f"nq-copy-{level}": 7 for level in range(3)}}
        for program, size in sizes.items():
            plain = experiment.read_figures(self.run_program(os.path.join(folder, f"plain-{program}"), size).stdout)
            self.assertTrue(plain["correct"], program)
            for workers in (1, 2):
                for form in ("tascell", *(["library"] if program in tascell.IN_LIBRARY else [])):
                    found = experiment.read_figures(self.run_program(os.path.join(folder, f"{form}-{program}"), size, workers).stdout)
                    self.assertTrue(found["correct"], (form, program, workers))
                    self.assertEqual(set(found["sample"]), {"seconds", "given", "backtracks"})
            for words in ((), (0,), (size, 0), ("x", 1)):
                self.assertIn("usage", self.run_program(os.path.join(folder, f"tascell-{program}"), *words, status=2).stderr)
        for program in ("pen", *(f"pen-copy-{level}" for level in range(3))):  # its one size takes a second and more
            self.assertIn("usage", self.run_program(os.path.join(folder, f"tascell-{program}"), 11, 1, status=2).stderr)
        self.assertTrue(experiment.read_figures(self.run_program(os.path.join(folder, "tascell-pen"), 12, 2).stdout)["correct"])
        wake = experiment.read_figures(self.run_program(os.path.join(folder, "tascell-wake")).stdout)["sample"]
        self.assertLess(0, wake["us"])
        self.assertLessEqual(wake["us"], wake["us_90"])

    @unittest.skipUnless(PROGRAMS, "needs a build folder")
    def test_each_rank_tells_its_steals(self):
        program = os.path.join(PROGRAMS, "bench", "published", "uni", "uni-steal")
        if not os.path.exists(program):
            self.skipTest("no libweft-dist in this build")
        os.environ.update(WEFT_LAUNCH_RANKS="2", WEFT_LAUNCH_TABLE="off")
        try:
            ranks = [json.loads(line) for line in self.run_program(program).stdout.splitlines()]
        finally:
            del os.environ["WEFT_LAUNCH_RANKS"], os.environ["WEFT_LAUNCH_TABLE"]
        self.assertEqual(len(ranks), 2)
        starts, resumes = (sum(len(rank[name]) for rank in ranks) for name in ("starts_ns", "resumes_ns"))
        self.assertEqual(starts, resumes)
        self.assertLessEqual(starts, sum(rank["steals"] for rank in ranks))


VARIANTS = ("static", "shared", "shared-no-plt", "shared-symbolic", "inlined")


class CallOverheadTest(PublishedCase):
    def setUp(self):
        super().setUp()
        for variant in VARIANTS:
            self.call(variant, f"echo '{figures(12 if variant.startswith('shared') else 10)}'")
        self.tools(valgrind='case $3 in *-shared) cost=13 ;; *) cost=10 ;; esac; echo "==1== Collected : $((5000 + cost * $5))"',
                   objdump='printf "0000000000001000 <loop_add>:\\n    1000:\\tcall tally_add@plt\\n\\n"'
                           'printf "0000000000001010 <other>:\\n    1010:\\tret\\n"')

    def show(self, *words, status=0):
        return self.published("call-overhead", "--repetitions", 1, *words, status=status).stdout

    def test_cycles_instructions_and_code_stand_beside_what_was_published(self):
        shown = self.show()
        line = next(line for line in shown.splitlines() if line.split()[:1] == ["shared"])
        for figure in ("12.00", "18.00", "1.20 [1.20, 1.20]", "13.0 (+30%)", "1.2 to 1.3 of static"):
            self.assertIn(figure, line)
        self.assertIn("static library: loop_add\n    1000:\tcall tally_add@plt\n", shown)
        self.assertNotIn("1010", shown)
        self.assertIn("The TSC counts 2.500 a nanosecond; the core had 1.50 to 1.50 cycles", shown)

    def test_a_wrong_result_is_ours(self):
        self.call("shared", f"echo '{figures(correct='false')}'")
        self.assertIn("shared: wrong answer", self.show(status=1))

    def test_what_is_missing_is_said(self):
        os.remove(os.path.join(self.build, "bench/published/calls/call-inlined"))
        self.tools(valgrind="echo broken >&2; exit 3", objdump="true")
        shown = self.show()
        self.assertIn("Instructions were not counted", shown)
        self.assertIn("broken", shown)
        self.assertIn("No disassembly", shown)
        self.assertIn("Not installed: inlined", shown)

    def test_another_output_is_a_failure(self):
        for output in ("{", '{"format": "weft-figures-2"}', '{"format": "weft-figures-1", "correct": true, "figures": 3, "facts": {}}'):
            self.call("static", f"echo '{output}'")
            self.assertIn("static: failed: it printed no record", self.show(status=1))


class CreationTest(PublishedCase):
    def test_published_cycles_stand_beside_ours(self):
        self.program("bench/micro/micro-weft", f"echo '{figures(20)}'")
        self.program("bench/micro/micro-massivethreads", f"echo '{figures(120)}'")
        shown = self.published("creation-cycles", "--repetitions", 1).stdout
        line = next(line for line in shown.splitlines() if "massivethreads, child first " in line)
        for figure in ("120.0", "180.0", "6.00 [6.00, 6.00]", "110 cycles"):
            self.assertIn(figure, line)
        self.assertIn("uni-address, child first: cannot: its threads live in processes that MPI connects; published: 100 cycles", shown)
        self.assertIn("Not installed: argobots tasklet, argobots thread, ", shown)


LAUNCH = """if [ "$1" = launch ]; then shift 5; exec "$@"; fi
"""


class UniAddressTest(PublishedCase):
    def setUp(self):
        super().setUp()
        weft = os.path.join(self.build, "tools/weft/weft")
        with open(weft, encoding="utf-8") as file:
            first, rest = file.read().split("\n", 1)
        self.program("tools/weft/weft", LAUNCH + rest)
        self.assertTrue(first.startswith("#!"))
        for program in ("uni-cycles", "uni-cycles-threads"):
            self.program(f"bench/published/uni/{program}", f"echo '{figures(30)}'")
        for program in ("uni-kernels", "uni-kernels-threads"):
            self.program(f"bench/published/uni/{program}", """seconds=0.5; [ "$3" = sequential ] && seconds=1
                [ "$3 $4" = "values 2" ] && seconds=0.25
                echo '{"format": "weft-figures-1", "correct": true, "figures": {"seconds": '$seconds', "kept": 7}, "facts": {}}'""")
        self.program("bench/published/uni/uni-space", """
            echo '{"format": "weft-figures-1", "correct": true, "figures": {"region_bytes": 4097, "mapped_bytes": 123456}, "facts": {}}'""")
        self.steal([100, 300], [200])

    def steal(self, starts, resumes):
        phases = {"claim_ns": 60, "copy_ns": 120, "take_up_ns": 30, "tree_steals": 2, "tree_faults": 3}
        ranks = [{"forks": 5, "steals": len(starts), "stolen_bytes": 90, "starts_ns": starts, "resumes_ns": [], **phases},
                 {"forks": 5, "steals": 1, "stolen_bytes": 60, "starts_ns": [], "resumes_ns": resumes, **phases}]
        self.program("bench/published/uni/uni-steal", "\n".join(f"echo '{json.dumps(rank)}'" for rank in ranks))

    def test_cycles_steals_and_scaling_stand_beside_what_was_published(self):
        shown = self.published("uni-address", "--repetitions", 1).stdout
        line = next(line for line in shown.splitlines() if "forks on ranks, empty" in line)
        for figure in ("30.0", "45.0", "100 cycles"):
            self.assertIn(figure, line)
        if len(os.sched_getaffinity(0)) > 1:
            self.assertIn("from the fork to its continuation: median 200 ns, least 100", shown)
            self.assertIn("from the child's end to its forker: median 200 ns", shown)
            self.assertIn("stolen: 3 of 5 continuations, 50 bytes each", shown)
            self.assertRegex(shown, r"copy of frames and places +#{40}  80 ns")
            self.assertRegex(shown, r"look and claim +#{20} +40 ns")
            self.assertRegex(shown, r"all +140 ns")
        self.check_policies(shown)
        line = next(line for line in shown.splitlines() if "  ranks: 8" in line)
        for figure in ("500.00 ms", "2.00 [2.00, 2.00]", "oversubscribed", "7"):
            self.assertIn(figure, line)
        if len(os.sched_getaffinity(0)) > 1:
            lines = [line for line in shown.splitlines() if "values on threads, workers: 2" in line]
            self.assertEqual(len(lines), len(uni_address.KERNELS) - len(uni_address.OF_VALUES_ANYWAY))
            self.assertIn("250.00 ms", lines[0])
        self.check_picture(shown)

    def check_policies(self, shown):
        for policy in uni_address.POLICIES:
            self.assertRegex(shown, rf"{policy}, fib +30.0 +45.0 +[0-9.]+ +1.00 ")
            self.assertRegex(shown, rf"{policy}, ranks: 64 +4,097 +< 2\^13 +123,456")
            if len(os.sched_getaffinity(0)) > 1:
                self.assertRegex(shown, rf"{policy} +0.20 us +0.10 us +0.20 us +0.20 us +0% +50 +1.50 ")
        self.assertIn("2^14 x 2^13 x 2^22", shown)

    def check_picture(self, shown):
        if pictures.find_python() is None:
            return self.assertIn("No picture: matplotlib is not installed", shown)
        picture = next(line for line in shown.splitlines() if line.startswith("Picture: ")).split(": ")[1]
        with open(picture, encoding="utf-8") as file:
            drawn = file.read()
        for word in ("speed-up", "efficiency", "uts-t1, 10", "ranks or workers"):
            self.assertIn(word, drawn)
        script = os.path.join(TOP, "bench", "published", "uni_picture.py")
        done = subprocess.run([pictures.find_python(), script, "/dev/null", picture], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        return self.assertIn("/dev/null cannot be drawn", done.stderr)

    @unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "a steal needs two CPUs")
    def test_no_steal_at_all_is_a_failure(self):
        self.steal([], [])
        self.assertIn("it printed no record", self.published("uni-address", "--repetitions", 1, status=1).stdout)


class TascellTest(PublishedCase):
    """Stand-ins: plain C takes 1 s, one worker 1.25 s, and two 0.625 s; copies for each child take three times as long."""

    PRINTS = """echo '{"format": "weft-figures-1", "correct": '$correct', "figures": {"seconds": '$seconds', "given": 9, "backtracks": 8,' \\
         '"us": 30, "us_90": 50}, "facts": {}}'"""

    def setUp(self):
        super().setUp()
        self.cpus = len(os.sched_getaffinity(0))
        for program in (*tascell.PROGRAMS, *(f"{each}-{level}" for each in tascell.COPIES for level in range(3))):
            scale = 3 if program.endswith("-0") else 1
            self.program(f"bench/published/tascell/plain-{program}", f"correct=true seconds={scale}.0; {self.PRINTS}")
            self.form("tascell", program, scale)
        for program in tascell.IN_LIBRARY:
            self.form("library", program, 1)
        self.program("bench/published/tascell/tascell-wake", f"correct=true seconds=1; {self.PRINTS}")

    def form(self, form, program, scale, correct="true"):
        self.program(f"bench/published/tascell/{form}-{program}",
                     f'correct={correct}; case $2 in 1) seconds={1.25 * scale} ;; 2) seconds={0.625 * scale} ;; *) seconds=0.3 ;; esac; {self.PRINTS}')

    def lines(self, shown, group):
        """The lines of a group's table, by variant."""
        table = shown.split(f"\n{group}\n")[1].split("\n\n")[0].splitlines()
        return {line.split("  ")[1].strip(): line for line in table}

    def peer(self, answer="39088169"):
        """Programs of sc-tascell; the one for queens answers what it is told."""
        os.makedirs(os.path.join(self.build, "peer"))
        for program, answer_there in (("fib-gcc", "102334155"), ("nq-gcc", answer), ("pen6x17-gcc", "2339"), ("cmp-gcc", "19999")):
            self.program(f"peer/{program}", f"printf '%s\\n' \"$*\" >> {self.build}/asked; echo 'time: 2.5' >&2; echo 'rslt 0 p:0'; echo {answer_there}")
        self.environment = dict(os.environ, SC_TASCELL=os.path.join(self.build, "peer"))

    def test_efficiency_stands_beside_what_was_published(self):
        shown = self.published("tascell", "--repetitions", 1).stdout
        fib = self.lines(shown, "Fib, 40")
        for figure in ("1,250.00 ms", "1.25 [1.25, 1.25]", "80%", "9"):
            self.assertIn(figure, fib["compiled, workers: 1"])
        if self.cpus > 1:
            for figure in ("625.00 ms", "2.00 [2.00, 2.00]", "80%"):
                self.assertIn(figure, fib["library, workers: 2"])
            self.assertIn("1.86 x Cilk on 4 cores", self.lines(shown, "Nq, 13")["compiled, workers: 2"])
            wake = self.lines(shown, tascell.WAKE)["compiled"]
            self.assertRegex(wake, "30.0 us +50.0 us")
        self.assertIn("1.25 [1.25, 1.25]", self.lines(shown, "Comp, 4000: a short run")["compiled, workers: 1"])
        copies = self.lines(shown, "Nq, 12: reuse of workspaces")
        self.assertIn("3.00 [3.00, 3.00]", copies["plain C, copied for each child"])
        self.assertIn("3.00 [3.00, 3.00]", copies["copied for each child, workers: 1"])
        self.assertIn("1.00 [1.00, 1.00]", copies["shared by siblings, workers: 1"])
        self.assertIn("Not installed: sc-tascell (sc-tascell: SC_TASCELL names", shown)
        self.check_picture(shown)

    def check_picture(self, shown):
        if pictures.find_python() is None:
            return self.assertIn("No picture: matplotlib is not installed", shown)
        picture = next(line for line in shown.splitlines() if line.startswith("Picture: ")).split(": ")[1]
        with open(picture, encoding="utf-8") as file:
            drawn = file.read()
        for word in ("efficiency against plain C", "Fib, 40", "Pen, 12: reuse of workspaces", "shared by siblings", "workers"):
            self.assertIn(word, drawn)
        script = os.path.join(TOP, "bench", "published", "tascell_picture.py")
        done = subprocess.run([pictures.find_python(), script, "/dev/null", picture], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        return self.assertIn("/dev/null cannot be drawn", done.stderr)

    def test_the_peer_runs_where_it_is_installed_and_wrong_answers_are_told(self):
        self.peer("73713")
        self.form("tascell", "nq", 1, "false")  # which alone makes it fail
        shown = self.published("tascell", "--repetitions", 1, status=1).stdout
        self.assertIn("compiled, workers: 1: wrong answer", shown)
        self.assertIn("2,500.00 ms", self.lines(shown, "Fib, 40")["sc-tascell, workers: 1"])
        self.assertIn("40%", self.lines(shown, "Fib, 40")["sc-tascell, workers: 1"])
        self.assertIn("sc-tascell, workers: 1: wrong answer: another one, but 73712 is right", shown)
        with open(os.path.join(self.build, "asked"), encoding="utf-8") as file:
            self.assertIn("-n 1 -i 1 40 -x", file.read().splitlines())

    def test_workers_are_powers_of_two_and_all(self):
        self.assertEqual([tascell.worker_counts(cpus) for cpus in (1, 2, 3, 6, 8)], [[1], [1, 2], [1, 2, 3], [1, 2, 4, 6], [1, 2, 4, 8]])


class AllTest(PublishedCase):
    def test_all_are_run_and_kept_in_one_file(self):
        self.tools(valgrind="exit 1", objdump="true")
        for variant in VARIANTS:
            self.call(variant, f"echo '{figures()}'")
        shown = self.published("all", "--repetitions", 1).stdout
        self.assertIn("Not installed: weft fork, weft tasklet, weft thread, ", shown)
        for name in ("fib-threshold", "thread-ops", "lwt", "call-overhead", "creation-cycles"):
            self.assertIn(f"== {name}: ", shown)
            self.assertIn(name, self.state("all")["experiments"])


if __name__ == "__main__":
    unittest.main(verbosity=2)  # names what is skipped, and why
