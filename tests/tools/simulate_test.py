#!/usr/bin/env python3
"""weft simulate: published runs, figures that have to be so, bad options."""

import command


class SimulateTest(command.CommandTest):
    def rows(self, *words):
        """{(operations, workers): (efficiency, steals, probes)}"""
        lines = self.run_right("simulate", "steal", *words).stdout.splitlines()[1:]
        cells = [line.split() for line in lines]
        return {(int(row[0]), int(row[1])): (float(row[4]), int(row[5]), int(row[6])) for row in cells}

    def test_published_runs(self):
        said = self.run_right("simulate", "steal", "--published", "--quick").stdout
        self.assertIn("PFor 131 k         576", said)
        self.assertTrue(said.endswith("outliers, of more than 15 % in time: 0\n"), said)

    def test_one_worker_loses_nothing_but_forks(self):
        efficiency, steals, probes = self.rows("--workers", "1", "--leaves-log", "10", "--operations", "3")[3, 1]
        self.assertEqual((steals, probes), (0, 0))
        self.assertGreater(efficiency, 0.99)

    def test_polling_is_worse(self):
        words = ("--workers", "64", "--leaves-log", "12", "--node", "16", "--near", "0")
        free, polled = self.rows(*words), self.rows(*words, "--poll", "200")
        for operations in (7, 3, 2):
            self.assertLess(polled[operations, 64][0], free[operations, 64][0])

    def test_a_run_repeats(self):
        words = ("--workers", "64", "--leaves-log", "10", "--operations", "3", "--program", "recpfor")
        self.assertEqual(self.rows(*words), self.rows(*words))
        self.assertNotEqual(self.rows(*words), self.rows(*words, "--seed", "2"))

    def test_a_picture(self):
        self.run_right("simulate", "steal", "--workers", "8,64", "--leaves-log", "10", "--plot", self.path("steals.svg"))
        with open(self.path("steals.svg"), encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(text.count("<polyline"), 3)
        self.assertIn("workers (simulated)", text)

    def test_bad_options(self):
        for words, why in ((("--operations", "4"), "7, 3 or 2 are simulated"), (("--workers", "0"), "1 to 131072 are wanted"),
                           (("--near", "2"), "a part from 0 to 1"), (("--program", "fib"), "pfor or recpfor is wanted"),
                           (("--network", "0"), "microseconds from above 0"), (("--leaves-log", "40"), "1 to 24 is wanted")):
            self.assertIn(why, self.refuse("simulate", "steal", *words))


class TascellTest(command.CommandTest):
    def rows(self, *words):
        """{workers: (seconds, speed-up, efficiency, tasks, tasks to nodes, asks)}, and the line of the published run."""
        *lines, published = self.run_right("simulate", "tascell", *words).stdout.splitlines()[1:]
        cells = [line.split() for line in lines]
        return {int(row[0]): tuple(map(float, row[1:])) for row in cells}, published

    def test_figures_that_have_to_be_so(self):
        words = ("--work", "20", "--leaf", "5000", "--rows", "14", "--node", "4")
        rows, published = self.rows("--workers", "1,4,32", *words)
        self.assertEqual(rows[1], (20, 1, 1, 0, 0, 0))
        seconds, speed_up, efficiency, tasks, away, asks = rows[4]
        self.assertTrue(3.5 < speed_up <= 4 and tasks > 0 and (away, asks) == (0, 0), rows)
        self.assertAlmostEqual(speed_up, 20 / seconds, delta=0.01)
        self.assertAlmostEqual(efficiency, speed_up / 4, delta=0.01)
        self.assertTrue(8 < rows[32][1] < 32 and rows[32][4] >= 7 and rows[32][5] >= rows[32][4], rows)
        self.assertIn("19-queens on 7168 workers of the K computer: speed-up 4615, efficiency 0.64 (measured there)", published)

    def test_slow_frames_cost(self):
        words = ("--workers", "64", "--work", "20", "--leaf", "5000", "--rows", "14")
        quick, slow = self.rows(*words)[0], self.rows(*words, "--frame", "20000")[0]
        self.assertLess(slow[64][1], quick[64][1])
        self.assertEqual(quick, self.rows(*words)[0])

    def test_bad_options(self):
        for words, why in ((("--workers", "0"), "1 to 131072 are wanted"), (("--rows", "3"), "4 to 32 are wanted"),
                           (("--frame", "0"), "microseconds from above 0"), (("--leaf", "1"), "at most 1e9 leaves are simulated"),
                           (("--node", "0"), "a number of workers from 1"), (("--work", "0"), "seconds from above 0")):
            self.assertIn(why, self.refuse("simulate", "tascell", *words))


if __name__ == "__main__":
    command.main()
