#!/usr/bin/env python3
"""The machine of many CPUs itself: things cost what the file of costs says, each run is the same, a planted hot line is found by name, and
bad input is refused with a message that names the cure."""

import os
import sys
import tempfile
import unittest

import machine
import places
import tables

BUILD = sys.argv[1]
PROGRAM = os.path.join(BUILD, "tests", "many", "many-machine")


def run(words, **settings):
    return machine.run(PROGRAM, words.split(), machine.Settings(**settings))


def told(words, **settings):
    return run(words, **settings)["told"]


class MachineTest(unittest.TestCase):
    def near(self, value, expected, more=0.1):
        """What was set; code around it costs a little more, and the first of many may be free."""
        self.assertGreaterEqual(value, 0.99 * expected)
        self.assertLessEqual(value, expected * (1 + more) + 1)

    def refused(self, part, words="fence", status=2, **settings):
        found, said, _ = machine.run_raw(PROGRAM, words.split(), machine.Settings(**settings))
        self.assertEqual(found, status, said)
        self.assertIn(part, said)


class Costs(MachineTest):
    def test_a_line_goes_from_core_to_core(self):
        for transfer in (40, 70, 200):
            self.near(told("ping-pong", changes={"transfer": transfer})["one_way_ns"], 2 * transfer, 0.2)

    def test_a_line_goes_from_socket_to_socket(self):
        self.near(told("ping-pong", sockets="2", changes={"transfer_far": 300})["one_way_ns"], 600, 0.05)
        self.near(told("ping-pong", sockets="3,1", changes={"transfer_far": 300})["one_way_ns"], 600, 0.05)

    def test_siblings_share_their_cache(self):
        self.assertLess(told("ping-pong", cpus=2, threads_a_core=2)["one_way_ns"], 40)

    def test_a_contended_counter_is_handed_on_once_an_add(self):
        for cpus in (2, 16, 64):
            counted = told("counter", cpus=cpus, changes={"wake_call": 0, "wake_latency": 0})
            self.assertEqual(counted["sum"], 1000 * cpus)
            self.near(counted["add_ns"], 70 + 6, 0.1)

    def test_a_full_fence(self):
        for cost in (8, 33):
            self.assertEqual(told("fence", changes={"fence": cost})["fence_ns"], cost)

    def test_a_membarrier_costs_more_with_more_busy_cpus_and_stops_them(self):
        for cpus, expected in ((1, 110), (2, 2100), (16, 2100 + 14 * 535), (64, 2100 + 62 * 535)):
            measured = told("membarrier", cpus=cpus)
            self.near(measured["membarrier_ns"], expected, 0.01)
            if cpus > 1:
                self.near(measured["most_late_ns"], 2000 + 100, 0.1)

    def test_a_futex_wake_and_a_sleep_that_ends_by_time(self):
        measured = told("futex")
        self.assertEqual((measured["woken"], measured["timed_out"]), (1, 1))
        self.near(measured["wake_call_ns"], 400 + 4000, 0.05)
        self.near(measured["wake_ns"], 400 + 4000 + 10000, 0.05)
        self.near(measured["sleep_ns"], 1_000_000 + 50_000 + 10_000, 0.01)

    def test_mm_calls_and_page_faults(self):
        report = run("memory-map")
        self.assertEqual((report["mm_calls"], report["page_faults"]), (2, 16))
        self.near(report["told"]["map_ns"], 2 * 4000 + 16 * 2000, 0.02)

    def test_what_a_cache_does_not_hold_comes_from_the_next(self):
        measured = told("cache", changes={"own_lines": 4096})
        self.assertLess(measured["few_lines_ns"], 1)
        self.assertGreater(measured["many_lines_ns"], 40)
        self.assertLess(told("cache", changes={"own_lines": 1 << 20})["many_lines_ns"], 10)


class Cpus(MachineTest):
    def test_more_os_threads_than_cpus_take_turns(self):
        for cpus, threads in ((1, 2), (2, 6), (3, 9)):
            self.near(told(f"computing {threads}", cpus=cpus)["us"], 20_000 * threads / cpus, 0.2)

    def test_a_busy_sibling_makes_work_longer(self):
        self.near(told("computing 2", cpus=2, threads_a_core=2)["us"], 20_000 * 1.6, 0.01)
        self.near(told("computing 2", cpus=4, threads_a_core=2)["us"], 20_000, 0.01)

    def test_a_neighbour_takes_its_share(self):
        self.near(told("computing 1", cpus=1, neighbours=1)["us"], 40_000, 0.15)
        self.near(told("computing 1", cpus=2, neighbours=1)["us"], 20_000, 0.15)

    def test_a_spinning_os_thread_is_preempted(self):
        self.near(run("spins-until-other", cpus=1)["us"], 3000 / 4, 0.1)

    def test_odd_numbers_of_cpus(self):
        for cpus in (1, 3, 255, 256):
            self.near(told(f"computing {cpus}", cpus=cpus)["us"], 20_000, 0.4)


class Repeats(MachineTest):
    def test_each_run_is_the_same(self):
        first, second = (run("counter", cpus=16) for _ in range(2))
        first["real_ms"] = second["real_ms"] = 0
        self.assertEqual(first, second)

    def test_layouts_differ(self):
        times = {run("counter", cpus=16, layout=layout)["us"] for layout in range(4)}
        self.assertGreater(len(times), 1)


class Report(MachineTest):
    def test_a_planted_hot_line_is_found_by_name_and_by_place(self):
        report = run("hot-line", cpus=8)
        self.assertEqual(report["lines"][0]["name"], "the planted hot line")
        place = places.places_of(PROGRAM, [report["transfers_by_place"][0][0]])
        text = str(*place.values())
        self.assertIn("programs/machine.cpp", text)
        self.assertIn("add_to_own", text)

    def test_shares_of_time_add_up(self):
        report = run("counter", cpus=8)
        for cpu in range(8):
            self.assertAlmostEqual(sum(tables.shares_of(report, [cpu]).values()), 1, delta=0.02)

    def test_a_tag_is_the_one_that_is_explained_there(self):
        path = os.path.join(places.TOP, "src", "run", "idle.cpp")
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        explained = [number for number, line in enumerate(lines, 1) if "// [I" in line and "pairs with" in " ".join(lines[number - 1 : number + 3])]
        self.assertTrue(explained)
        for number in explained:
            self.assertEqual(places.tag_at(path, number), lines[number - 1].split("[")[1].split("]")[0])


class BadInput(MachineTest):
    def test_numbers_of_cpus(self):
        for cpus in (0, 257, -3):
            self.refused("MANY_CPUS is", cpus=cpus)

    def test_sockets_that_do_not_add_up(self):
        self.refused("5 CPUs in all, and MANY_CPUS is 4", sockets="3,2")
        self.refused("such as 40,24", sockets="3,x")
        self.refused("whole number from 1 to 4", sockets="9")

    def test_costs(self):
        self.refused("no cost can be negative", changes={"transfer": -1})
        self.refused("must be a number", changes={"transfer": "fast"})
        self.refused("there is no cost 'transfers'", changes={"transfers": 1})
        self.refused("power of two", changes={"own_lines": 1000})
        self.refused("time would stand still", changes={"pause": 0})
        self.refused("must be at least 1", changes={"sibling": 0.5})
        self.refused("cannot be read", costs="/nowhere/at.all")

    def test_a_cost_that_is_missing(self):
        with open(machine.XEON, encoding="utf-8") as file:
            lines = [line for line in file if not line.startswith("page_fault")]
        with tempfile.NamedTemporaryFile("w", suffix=".costs") as short:
            short.writelines(lines)
            short.flush()
            self.refused("'page_fault' is missing: add a line 'page_fault NANOSECONDS'", costs=short.name)
            short.writelines(["page_fault 2000\n", "page_fault 2000\n"])
            short.flush()
            self.refused("'page_fault' is given twice", costs=short.name)

    def test_a_program_that_never_ends(self):
        for words in ("never-ends", "spins"):
            for cpus in (1, 4):
                self.refused("within the limit of virtual time (MANY_LIMIT_MS)", words=words, status=4, limit_ms=5, cpus=cpus)

    def test_a_program_that_sleeps_for_ever(self):
        self.refused("all its OS threads sleep", words="all-sleep", status=4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
