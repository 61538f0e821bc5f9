#!/usr/bin/env python3
"""weft bench compare: what changed beyond noise is marked, nothing else is; what differs is said first; bad files are refused in words."""

import copy
import json

import command
import planted_matrix

RECORD = {
    "format": "weft-bench-1", "version": "0.1.0", "program": "fib", "runtime": "fork", "workers": 2, "size": 27, "runtime_version": "Weft 0.1.0",
    "settings": "", "correct": True, "seconds": {"samples": [1.0, 1.01, 0.99, 1.02, 0.98, 1.0, 1.0]},
    "machine": {"processor": "A processor", "system": "Linux 6", "processors_usable": 2, "compiler": "gcc 12", "flags": "-O3"},
}


def changed(record, **fields):
    made = copy.deepcopy(record)
    for name, value in fields.items():
        place = made if name in made else made["machine"]
        place[name] = value
    return made


def times(*seconds):
    return {"samples": list(seconds)}


class CompareTest(command.CommandTest):
    def file(self, name, content):
        text = content if isinstance(content, str) else json.dumps(content)
        self.write(name, text.encode())
        return self.path(name)

    def compare(self, a, b):
        return self.run_right("bench", "compare", self.file("a.json", a), self.file("b.json", b)).stdout

    def complain(self, a, b):
        return self.refuse("bench", "compare", self.file("a.json", a), self.file("b.json", b))

    def row(self, a, b):
        return next(line for line in self.compare(a, b).splitlines() if line.startswith("fib "))

    def test_real_records(self):
        for name in ("a.json", "b.json"):
            self.run_right("bench", "fib", "--size", 12, "--repetitions", 7, "--json", self.path(name))
        shown = self.run_right("bench", "compare", self.path("a.json"), self.path("b.json")).stdout
        self.assertRegex(shown, r"fib +12 +ult .* \[\d")
        self.assertNotIn("DIFFERENT", shown)

    def test_a_change_beyond_noise_is_marked_in_its_direction(self):
        half = changed(RECORD, seconds=times(*(each / 2 for each in RECORD["seconds"]["samples"])))
        self.assertRegex(self.row(RECORD, half), r"1.00 s +500 ms +0.500 \[0.4\d\d, 0.5\d\d\] +FASTER$")
        self.assertRegex(self.row(half, RECORD), r"2.000 \[1.9\d\d, 2.0\d\d\] +SLOWER$")
        self.assertIn("1 faster, 0 slower, 0 within", self.compare(RECORD, half))

    def test_noise_is_not_marked(self):
        noisy = changed(RECORD, seconds=times(0.8, 1.3, 0.9, 1.1, 0.7, 1.2, 1.05))
        self.assertRegex(self.row(RECORD, noisy), r"1.050 \[0.\d+, 1.\d+\]$")
        self.assertIn("0 faster, 0 slower, 1 within the noise", self.compare(RECORD, noisy))

    def test_few_repetitions_conclude_nothing(self):
        shown = self.compare(RECORD, changed(RECORD, seconds=times(9.0, 9.0, 9.0, 9.0)))
        self.assertRegex(shown, r"9.000 +too few")
        self.assertIn("1 with fewer than 5 repetitions", shown)

    def test_what_else_differs_is_said_first(self):
        other = changed(RECORD, processor="Another", compiler="gcc 13", runtime_version="Weft 0.2.0", processors_usable=4)
        shown = self.compare(RECORD, other)
        told = shown[:shown.index("fib   ")]
        for words in ("processor: A processor in A, Another in B", "compiler: gcc 12, -O3 in A, gcc 13, -O3 in B", "usable CPUs: 2 in A, 4 in B",
                      "fork: Weft 0.1.0 in A, Weft 0.2.0 in B"):
            self.assertIn(f"DIFFERENT {words}", told)

    def matrix(self, factor=1.0, speed=1.0):
        state = planted_matrix.make()
        for cell in state["cells"]:
            if cell["runtime"] == "fork" and cell["kernel"] == "fib":
                cell["samples"] = [{**sample, "seconds": sample["seconds"] * factor} for sample in cell["samples"]]
        state["calibration"] = [{"cpus": [0], "seconds": speed}] * 20
        return state

    def test_matrices(self):
        shown = self.compare(self.matrix(), self.matrix(factor=3))
        slower = [line.split()[:4] for line in shown.splitlines() if line.endswith("SLOWER")]
        self.assertEqual(slower, [["fib", size, "fork", workers] for size in ("10", "20") for workers in "124"])
        self.assertNotIn("FASTER", shown)
        self.assertNotIn("DIFFERENT", shown)
        self.assertNotIn("rayon", shown)
        self.assertIn("0 faster, 6 slower", shown)

    def test_another_speed_of_the_machine_is_said(self):
        self.assertIn("took 1.20 times as long in B", self.compare(self.matrix(), self.matrix(speed=1.2)))

    def test_a_matrix_and_a_record_meet_where_they_are_alike(self):
        record = changed(RECORD, size=20, seconds=times(*[planted_matrix.FACTORS["fork"] * 21_891e-9] * 5))
        shown = self.compare(self.matrix(), record)
        self.assertRegex(shown, r"fib +20 +fork +2 .*\n\n")
        self.assertRegex(shown, r"Only in A: \d+\n")
        self.assertNotIn("Only in B", shown)

    def test_what_stopped_or_began_to_run_is_said(self):
        crashed = self.matrix()
        for cell in crashed["cells"]:
            if (cell["kernel"], cell["size"], cell["runtime"], cell["workers"]) == ("fib", 10, "tbb", 1):
                cell["status"], cell["samples"] = "crashed", []
        self.assertIn("fib 10 on tbb, workers: 1: measured in A, crashed in B", self.compare(self.matrix(), crashed))
        self.assertIn("fib 10 on tbb, workers: 1: crashed in A, measured in B", self.compare(crashed, self.matrix()))
        self.assertIn("measured in A, wrong answer in B", self.compare(RECORD, changed(RECORD, correct=False)))

    def test_bad_files_are_named_with_the_cure(self):
        whole = json.dumps(RECORD)
        for text, message in (
            ("", "is not JSON"), (whole[:50], "is not JSON: broken at byte 51"), ("[]", "'format' is missing"), ("{}", "'format' is missing"),
            (whole.replace("weft-bench-1", "weft-bench-9"), "'format' is \"weft-bench-9\""), (whole.replace('"program"', '"programs"'), "'program'"),
            (whole.replace("0.99", "-1"), "damaged: a time is -1"), (whole.replace("0.99", '"x"'), "damaged"),
            (whole.replace('"machine"', '"machines"'), "'machine'"),
            (json.dumps(changed(RECORD, seconds=times())), "damaged: there are no times"),
            (json.dumps(self.matrix()).replace('"cells"', '"cell"'), "'cells'"),
            (json.dumps({**self.matrix(), "cells": self.matrix()["cells"][:1] * 2}), "is in it twice"),
        ):
            for a, b, bad in ((text, RECORD, "a.json"), (RECORD, text, "b.json")):
                told = self.complain(a, b)
                self.assertIn(message, told)
                self.assertIn(self.path(bad), told)

    def test_missing_files(self):
        there = self.file("a.json", RECORD)
        told = self.refuse("bench", "compare", there, self.path("none.json"))
        self.assertIn(f"{self.path('none.json')} cannot be read: No such file", told)
        self.assertIn("--json FILE", told)
        self.assertIn("is a folder", self.refuse("bench", "compare", self.folder, there))
        self.assertIn("B.json is required", self.refuse("bench", "compare", there))

    def test_nothing_in_common(self):
        told = self.complain(RECORD, changed(RECORD, size=28))
        self.assertIn("nothing in common", told)
        self.assertIn("fib 27 on fork, workers: 2", told)
        self.assertIn("fib 28 on fork, workers: 2", told)

    def test_unknown_options(self):
        told = self.refuse("bench", "compare", "--jsn")
        self.assertIn("there is no option '--jsn'", told)


if __name__ == "__main__":
    command.main()
