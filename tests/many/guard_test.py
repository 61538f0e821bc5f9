#!/usr/bin/env python3
"""What Weft does on many CPUs, as counts that no calibration changes much: heavy fences of workers that go to sleep, calls of the memory
map of a loop that is warm, lines that a look at other workers and a taken fork move. Each has a bound; a change that lowers a count lowers
its bound, and one that raises it says why."""

import functools
import os
import sys
import unittest

import machine

BUILD = sys.argv[1]
PROGRAM = os.path.join(BUILD, "tests", "many", "many-guards")
LAYOUTS = (0, 1, 2)
CPUS = (2, 16, 64)


@functools.cache
def told(words, cpus, layout, policy):
    settings = machine.Settings(cpus=cpus, layout=layout, environment={"WEFT_WAIT_POLICY": policy})
    return machine.run(PROGRAM, words.split(), settings)["told"]


def mean(words, name, cpus, policy):
    return sum(told(words, cpus, layout, policy)[name] for layout in LAYOUTS) / len(LAYOUTS)


class Guards(unittest.TestCase):
    def bounded(self, words, name, bounds, policy="hybrid"):
        for cpus, bound in zip(CPUS, bounds):
            with self.subTest(cpus=cpus):
                found = mean(words, name, cpus, policy)
                print(f"{words}, {name}, {cpus} CPUs: {found:.2f} (at most {bound})")
                self.assertLessEqual(found, bound)

    def test_heavy_fences_of_workers_that_become_idle(self):
        self.bounded("idle-wave", "fences_a_wave", (1.5, 6, 20))

    def test_heavy_fences_of_a_warm_loop(self):
        self.bounded("warm-loop", "fences_a_loop", (0.5, 1.5, 7))

    def test_calls_of_the_memory_map_in_a_warm_loop(self):
        self.bounded("warm-loop", "mm_calls_a_loop", (0, 0.8, 3.5))

    def test_lines_of_a_look_at_other_workers(self):
        self.bounded("looks", "transfers_a_look", (1.5, 35, 125), policy="active")

    def test_lines_of_a_fork_that_is_taken(self):
        self.bounded("warm-loop", "transfers_a_taken_fork", (36, 135, 160))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
