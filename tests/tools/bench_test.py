#!/usr/bin/env python3
"""weft list and weft bench: every program on every runtime, its record and its answer."""

import hashlib
import json
import os

import command

ANSWERS = {  # of sizes at which the answer is known from elsewhere
    ("fib", 20): 6765,
    ("fib-cutoff", 27): 196418,
    ("queens", 10): 724,
    ("queens-array", 9): 352,
    ("queens-board", 9): 352,
    ("tree", 1000): 500500,
    ("chapel-tree", 9): 130816,
    ("random-access", 16): 262144,
    ("btc", 11): 2048,
    ("pentomino", 4): 368,
    ("comp", 300): 299,
    ("create-flat", 1000): 500500,
    ("create-nested", 1000): 1000,
    ("blocked", 3000): 4501500,
    ("thread-ops", 30): 480,
    ("thread-ops-yields", 2): 128032,
}
RUNTIMES = ("sequential", "ult", "tasklet", "fork", "tascell", "tascell-library")
ON_TASCELL = ("fib", "queens-board", "pentomino", "comp")


class BenchTest(command.CommandTest):
    def programs(self):
        """(program, runtime) as weft list shows them."""
        listed = self.run_right("list").stdout.split("\n\n")[0].splitlines()[2:]
        for line in listed:
            if line.startswith(" "):
                continue  # what the program above does
            words = line.split()
            yield from ((words[0], word) for word in words[1:] if word in RUNTIMES)

    def record(self, *arguments, **environment):
        return json.loads(self.run_right("bench", *arguments, "--json", "-", **environment).stdout)

    def test_list_shows_what_there_is(self):
        listed = set(self.programs())
        self.assertLessEqual({(name, runtime) for name in ("fib", "fib-cutoff", "uts-t1", "uts-t1l", "queens", "tree")
                              for runtime in RUNTIMES[:4]}, listed)
        self.assertEqual({name for name, runtime in listed if runtime == "tascell"}, set(ON_TASCELL))
        self.assertEqual({name for name, runtime in listed if runtime == "tascell-library"}, set(ON_TASCELL))
        self.assertNotIn(("uts-t3", "tasklet"), listed)
        self.assertLessEqual({(name, "ult") for name, _ in ANSWERS} | {("hash", "ult"), ("uts-t1l", "sequential")}, listed)

    def test_the_list_fits_100_columns_and_says_what_each_program_does(self):
        shown = self.run_right("list").stdout
        self.assertEqual([line for line in shown.splitlines() if len(line) > 100], [])
        lines = shown.split("\n\n")[0].splitlines()[2:]
        programs = [line for line in lines if not line.startswith(" ")]
        self.assertEqual(lines[::2], programs)
        self.assertIn("\n    fib(n), every call a thread or fork\n", shown)

    def test_known_answers(self):
        for name, runtime in self.programs():
            for (known, size), answer in ANSWERS.items():
                if name != known:
                    continue
                record = self.record(name, "--runtime", runtime, "--size", size)
                self.assertEqual((record["answer"], record["correct"]), (answer, True), record)

    def test_answers_do_not_depend_on_the_runtime(self):
        sizes = {"uts-t1": 5, "uts-t3": 30, "uts-t1l": 4, "quicksort": 100000, "quicksort-every": 3000, "queens": 7,
                 "queens-array": 7, "queens-board": 7, "mergesort": 50000, "matmul": 100, "strassen": 130, "tree": 777, "btc": 7, "pentomino": 3,
                 "comp": 130, "create-flat": 600, "create-nested": 200, "stream": 10007, "stream-ep": 10007,
                 "random-access": 16, "chapel-quicksort-1": 5000, "chapel-quicksort-log": 5001, "chapel-quicksort-10": 5002,
                 "chapel-quicksort-all": 5003, "chapel-tree": 10,
                 "lwt-for": 20, "lwt-for-nested": 3, "lwt-tasks-single": 5, "lwt-tasks-all": 5, "lwt-tasks-nested": 5}
        of_sizes = [(name, runtime) for name, runtime in self.programs() if name in sizes]
        self.assertLessEqual({(name, "fork") for name in sizes}, set(of_sizes))
        for name, size in sizes.items():
            runtimes = [runtime for listed, runtime in of_sizes if listed == name]
            records = [self.record(name, "--size", size, "--runtime", runtime) for runtime in runtimes]
            records += [self.record(name, "--size", size, "--runtime", runtime, "--workers", 4) for runtime in runtimes[1:]]
            self.assertEqual(len({(record["answer"], record["units"]) for record in records}), 1, records)

    def test_threads_that_wait_for_each_other_answer_rightly_on_any_number_of_workers(self):
        for name, size, answer in (("yield", 1001, 1001), ("yield-to", 501, 1002), ("mutex-handover", 1001, 1001),
                                   ("condition-ping-pong", 501, 1002), ("channel-ping-pong", 501, 1002),
                                   ("lwt-create", 501, 501), ("lwt-join", 501, 501)):
            for workers in (1, 3):
                record = self.record(name, "--size", size, "--workers", workers, "--repetitions", 3)
                self.assertEqual((record["answer"], record["correct"], record["units"]), (answer, True, answer), record)

    def test_threads_on_one_worker_take_turns(self):
        self.assertGreater(self.record("mutex-handover", "--size", 2000, "--workers", 1)["metrics"]["handovers_ratio"], 0.9)
        self.assertGreater(self.record("yield", "--size", 2000, "--workers", 1)["metrics"]["others_done_ratio"], 0.9)

    def test_listing_says_which_runtime_runs_what_and_why_not(self):
        listing = json.loads(self.run_right("bench", "--list").stdout)
        self.assertEqual(listing["format"], "weft-bench-list-1")
        runtimes = {runtime["runtime"]: runtime for runtime in listing["runtimes"]}
        self.assertEqual(list(runtimes), list(RUNTIMES))
        self.assertIn("blocked", runtimes["ult"]["runs"])
        self.assertIn("loop", runtimes["sequential"]["cannot"]["blocked"])
        self.assertIn("chapel-tree", runtimes["tasklet"]["not_written"])
        sizes = {program["program"]: program["default_size"] for program in listing["programs"]}
        self.assertEqual(sizes["fib"], 30)

    def test_warm_ups_are_not_measured(self):
        record = self.record("fib", "--size", 15, "--repetitions", 2, "--warm-ups", 3)
        self.assertEqual((record["warm_ups"], len(record["seconds"]["samples"])), (3, 2))

    def test_record(self):
        record = self.record("fib", "--size", 15, "--repetitions", 4, "--workers", 3)
        self.assertEqual(record["format"], "weft-bench-1")
        self.assertEqual((record["program"], record["runtime"], record["workers"], record["size"]), ("fib", "ult", 3, 15))
        self.assertEqual((record["unit"], record["units"]), ("call", 1973))
        seconds = record["seconds"]
        self.assertEqual(len(seconds["samples"]), 4)
        self.assertTrue(0 < seconds["min"] <= seconds["median"] <= seconds["max"])
        self.assertGreater(record["peak_resident_bytes"], 0)
        self.assertIn("processors_usable", record["machine"])

    def test_workers_from_the_environment(self):
        self.assertEqual(self.record("fib", "--size", 10, WEFT_WORKERS="3")["workers"], 3)
        self.assertEqual(self.record("fib", "--size", 10, "--workers", 2, WEFT_WORKERS="3")["workers"], 2)

    def test_record_in_a_file(self):
        file = self.path("record.json")
        shown = self.run_right("bench", "queens", "--size", 6, "--json", file).stdout
        self.assertIn("4 (right)", shown)
        with open(file, encoding="utf-8") as record:
            self.assertEqual(json.load(record)["answer"], 4)

    def test_wrong_answer_is_an_error(self):
        result = command.run("bench", "fib", "--size", 10, "--expect", 54)
        self.assertEqual(result.returncode, 1)
        self.assertIn("WRONG: 54 is right", result.stdout)

    def test_blocked_threads_are_counted_and_cost_memory(self):
        record = self.record("blocked", "--size", 20000, "--workers", 2)
        self.assertEqual(record["units"], 20000)
        self.assertGreater(record["metrics"]["bytes_per_thread"], 1000)
        self.assertGreater(record["metrics"]["create_seconds"], 0)


class HashTest(command.CommandTest):
    def make_files(self):
        block = 256 * 1024
        sizes = (0, 1, 63, 64, 4096, block - 1, block, block + 1, 4 * block, 5 * block + 7, 13 * block)
        for index, size in enumerate(sizes):
            self.write(f"tree/level{index % 3}/file {index}", bytes([index + 1]) * size)
        self.write("tree/odd\nname", b"odd")
        os.makedirs(self.path("tree", "empty"))
        os.symlink(self.path("tree", "level0"), self.path("tree", "link to directory"))
        os.symlink("/nowhere", self.path("tree", "broken link"))
        os.mkfifo(self.path("tree", "pipe"))

    def expected(self):
        lines = []
        for folder, _, names in os.walk(self.path("tree")):
            for name in names:
                path = os.path.join(folder, name)
                if os.path.isfile(path) and not os.path.islink(path):
                    with open(path, "rb") as file:
                        lines.append((os.fsencode(path), hashlib.sha256(file.read()).hexdigest().encode()))
        all_lines = b"".join(digest + b"  " + path + b"\0" for path, digest in sorted(lines))
        return int.from_bytes(hashlib.sha256(all_lines).digest()[:8], "big"), len(lines)

    def test_every_file_is_hashed(self):
        self.make_files()
        answer, files = self.expected()
        for arguments in (("--runtime", "sequential"), ("--workers", 1), ("--workers", 4), ("--runtime", "tasklet", "--workers", 2)):
            result = self.run_right("bench", "hash", "--dir", self.path("tree"), "--json", "-", *arguments)
            record = json.loads(result.stdout)
            self.assertEqual((record["answer"], record["expected"], record["units"]), (answer, answer, files))

    def test_empty_directory(self):
        for runtime in ("sequential", "ult"):
            shown = self.run_right("bench", "hash", "--dir", self.folder, "--runtime", runtime).stdout
            self.assertIn("right", shown)


if __name__ == "__main__":
    command.main()
