#!/usr/bin/env python3
"""weft profile: traces made by hand, whose work and span are known, and real programs.

usage: profile_test.py WEFT NAMELESS (nameless.cpp)"""

import json
import os
import re
import sys

import command

MAIN = 1
NAMELESS = sys.argv[2]


class Trace:
    """Times in us."""

    def __init__(self):
        self.events = []
        self.clocks = []

    def turn(self, thread, worker, begin, end, why="create", by=MAIN, since=None, left="end", **more):
        said = {"thread": thread, "why": why, "left": left, **more}
        if since is not None:
            said.update({"by": by, "since": since})
        self.events.append({"ph": "X", "pid": 1, "tid": worker, "ts": begin, "dur": end - begin, "cat": "turn", "name": "x", "args": said})

    def fork(self, thread, since, begin, end, name="child"):
        self.events.append({"ph": "X", "pid": 3, "tid": thread, "ts": begin, "dur": end - begin, "cat": "fork", "name": name,
                            "args": {"thread": thread, "since": since}})

    def join(self, at, thread, by=MAIN):
        self.events.append({"ph": "i", "pid": 1, "tid": 0, "ts": at, "cat": "join", "name": "join", "args": {"thread": thread, "by": by}})

    def note(self, at, name, value):
        self.events.append({"ph": "i", "pid": 1, "tid": 0, "ts": at, "cat": "note", "name": name, "args": {"thread": MAIN, "value": value}})

    def steal(self, phase, worker, begin, end):
        self.events.append({"ph": "X", "pid": 1, "tid": worker, "ts": begin, "dur": end - begin, "cat": "steal", "name": phase,
                            "args": {"thread": 2, "victim": 0, "bytes": 64}})

    def name(self, thread, function, label=""):
        self.events.append({"ph": "M", "pid": 2, "tid": thread, "name": "thread_name",
                            "args": {"name": f"{function} {thread}", "function": function, "label": label}})

    def text(self, lost=0, without_memory=0):
        about = {"ended": "weft_finalize", "records_lost": lost, "lost_without_memory": without_memory}
        if self.clocks:
            about["clocks"] = self.clocks
        return json.dumps({"otherData": about, "traceEvents": self.events}).encode()


class ProfileTest(command.CommandTest):
    def profile(self, trace, *options):
        self.write("trace.json", trace if isinstance(trace, bytes) else trace.text())
        return self.run_right("profile", *options, self.path("trace.json")).stdout

    def sums(self, trace):
        shown = self.profile(trace)
        return re.search(r"work +(.*)\nspan +(.*)\nparallelism +(.*)\n", shown).groups()

    def refused(self, content):
        self.write("bad.json", content)
        result = command.run("profile", self.path("bad.json"))
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn("bad.json is no trace that can be read: ", result.stderr)
        return result.stderr

    # ---- known work and span ----

    def test_one_thread_has_no_parallelism(self):
        trace = Trace()
        trace.turn(MAIN, 0, 0, 100, "start", left="running")
        self.assertEqual(self.sums(trace), ("100 us", "100 us", "1.00"))

    def test_a_child_beside_its_parent(self):
        # main makes a child at 10, which takes 60 on another worker; main works until 50, joins, works until 80.
        trace = Trace()
        trace.turn(MAIN, 0, 0, 50, "start", left="park")
        trace.turn(2, 1, 12, 72, since=10)
        trace.turn(MAIN, 0, 74, 104, "wake", by=2, since=71.9)
        trace.join(75, 2)
        # 10 + 60 + 30 less the moment in which the child went on after it had woken main, and main's before it joined
        self.assertEqual(self.sums(trace)[0], "140 us")
        self.assertEqual(self.sums(trace)[1], "99.9 us")

    def test_one_worker_hides_no_parallelism(self):
        # The same program, all on one worker: the child runs when main has parked.
        trace = Trace()
        trace.turn(MAIN, 0, 0, 50, "start", left="park")
        trace.turn(2, 0, 51, 111, since=10)
        trace.turn(MAIN, 0, 112, 142, "wake", by=2, since=111)
        self.assertEqual(self.sums(trace), ("140 us", "100 us", "1.40"))

    def test_a_join_of_one_that_has_ended_is_an_edge(self):
        # The child, made at 10, takes 60; main yields meanwhile and finds it ended.
        trace = Trace()
        trace.turn(MAIN, 0, 0, 20, "start", left="yield")
        trace.turn(2, 0, 21, 81, since=10)
        trace.turn(MAIN, 0, 82, 92, "yield", by=MAIN, since=20.5)
        trace.join(84, 2)
        # 10 + 60, joined 2 after main's return, and 8 more
        self.assertEqual(self.sums(trace), ("90.0 us", "78.0 us", "1.15"))

    def test_a_binary_tree_of_forks(self):
        # Forks at 10 and, in the child, at 40; all run in their joins on one worker: 10 + max(20, child) + 10, the child 10 + max(20, 30) + 10.
        trace = Trace()
        trace.turn(MAIN, 0, 0, 110, "start", left="running")
        trace.fork(MAIN, 10, 30, 100, "outer")   # 70 of work
        trace.fork(MAIN, 40, 60, 90, "inner")    # 30 of it
        self.assertEqual(self.sums(trace), ("110 us", "70.0 us", "1.57"))
        shown = self.profile(trace)
        self.assertRegex(shown, r"outer +1 +40\.0 us +36\.4 % +40\.0 us +70\.0 us")
        self.assertRegex(shown, r"inner +1 +30\.0 us +27\.3 % +30\.0 us +30\.0 us")
        self.assertIn("forks        2, of which 0 became threads", shown)

    def test_a_fork_that_was_taken(self):
        trace = Trace()
        trace.turn(MAIN, 0, 0, 30, "start", left="park")
        trace.turn(2, 1, 15, 65, "fork", since=10, stolen=True)
        trace.turn(MAIN, 0, 70, 80, "wake", by=2, since=65)
        self.assertEqual(self.sums(trace), ("90.0 us", "70.0 us", "1.29"))
        shown = self.profile(trace)
        self.assertIn("forks        1, of which 1 became threads", shown)
        self.assertIn("thefts       1", shown)
        self.assertRegex(shown, r"\n1 +50\.0 us +62\.5 % +1 +1\n")

    def test_eight_children_in_a_row(self):
        trace = Trace()
        trace.turn(MAIN, 0, 0, 8, "start", left="park")
        for child in range(8):
            trace.name(2 + child, "work", "crew" if child < 4 else "")
            trace.turn(2 + child, 0, 10 + 100 * child, 110 + 100 * child, since=child + 1)
        self.assertEqual(self.sums(trace), ("808 us", "108 us", "7.48"))
        shown = self.profile(trace)
        self.assertRegex(shown, r"crew +4 +400 us +49\.5 % +100 us +100 us")
        self.assertRegex(shown, r"work +4 +400 us")

    def test_notes_are_counted_and_added_up_in_their_units(self):
        trace = Trace()
        trace.turn(MAIN, 0, 0, 100, "start", left="running")
        self.assertNotIn("told by libraries", self.profile(trace))
        for at, name, value in ((1, "lib: took (ns)", 1000), (2, "lib: took (ns)", 3000), (3, "lib: sent (bytes)", 2048), (4, "lib: met", 7)):
            trace.note(at, name, value)
        shown = self.profile(trace)
        self.assertRegex(shown, r"told by libraries +count +sum +each +most\n")
        self.assertRegex(shown, r"lib: took \(ns\) +2 +4\.00 us +2\.00 us +3\.00 us\n")
        self.assertRegex(shown, r"lib: sent \(bytes\) +1 +2\.0+ KiB +2\.0+ KiB +2\.0+ KiB\n")
        self.assertRegex(shown, r"lib: met +1 +7 +7 +7\n")

    def ranks(self):
        # Rank 1 steals from 10 to 16, works until 56; rank 0 works until 50, waits until 58, and works until 100.
        trace = Trace()
        trace.turn(MAIN, 0, 0, 50, "start", left="park")
        trace.turn(2, 1, 16, 56, "fork", since=12, stolen=True)
        trace.turn(MAIN, 0, 58, 100, "wake", by=2, since=56)
        for phase, begin, end in (("claim", 10, 12), ("copy", 12, 15), ("take up", 15, 16)):
            trace.steal(phase, 1, begin, end)
        return trace

    def test_ranks_work_steal_and_are_idle(self):
        shown = self.profile(self.ranks())
        self.assertRegex(shown, r"\nrank +node +busy +of the time +stealing +idle +turns +stolen\n")
        self.assertRegex(shown, r"\n0 +92\.0 us +92\.0 % +0\.00 ns +8\.00 us +2 +0\n")
        self.assertRegex(shown, r"\n1 +40\.0 us +40\.0 % +6\.00 us +54\.0 us +1 +1\n")
        self.assertRegex(shown, r"\nphases of steals +count +sum +each +longest\n-+\nclaim +1 +2\.00 us +2\.00 us +2\.00 us\n"
                                r"copy +1 +3\.00 us .*\ntake up +1 +1\.00 us ")
        self.assertNotIn("clocks", shown)

    def test_nodes_and_their_clocks(self):
        trace = self.ranks()
        trace.clocks = [{"worker": 0, "node": "here", "error_us": 0}, {"worker": 1, "node": "there", "error_us": 7.5}]
        shown = self.profile(trace)
        self.assertIn("\nclocks       aligned, each to 7.50 us or better\n", shown)
        self.assertRegex(shown, r"\n0 +here +92\.0 us .*\n1 +there +40\.0 us ")

    def test_the_picture_of_ranks(self):
        trace = self.ranks()
        self.profile(trace, "-o", self.path("picture.svg"))
        with open(self.path("picture.svg"), encoding="utf-8") as file:
            drawn = file.read()
        self.assertIn("Ranks: when they worked, stole, and were idle", drawn)
        for how in ("busy", "claim", "copy", "take-up"):
            self.assertRegex(drawn, rf'<path class="{how}" d="M')

    # ---- pictures, bad input ----

    def test_pictures_need_nothing_beside_them(self):
        trace = Trace()
        trace.turn(MAIN, 0, 0, 100, "start", left="running")
        trace.fork(MAIN, 10, 30, 90, "less<int> & more")
        for name, start in (("picture.svg", "<svg"), ("picture.html", "<!DOCTYPE html>")):
            self.profile(trace, "-o", self.path(name))
            with open(self.path(name), encoding="utf-8") as file:
                drawn = file.read()
            self.assertTrue(drawn.startswith(start))
            self.assertIn("less&lt;int&gt; &amp; more", drawn)
            self.assertIn("parallelism 1.25", drawn)
            self.assertNotRegex(drawn.replace("http://www.w3.org/2000/svg", ""), r"https?:|nan|inf\b")

    def test_an_incomplete_trace_says_so(self):
        trace = Trace()
        trace.turn(MAIN, 0, 0, 100, "start", left="running")
        self.assertIn("The trace is incomplete: its first 1,234 records", self.profile(trace.text(lost=1234)))
        text = self.profile(trace.text(lost=1234, without_memory=1234))
        self.assertNotIn("pushed out", text)
        self.assertIn("1,234 records of workers that could not have WEFT_TRACE_SIZE", text)

    def test_what_is_no_trace(self):
        trace = Trace()
        trace.turn(MAIN, 0, 0, 100, "start")
        self.assertIn("it is no JSON", self.refused(b"weft"))
        self.assertIn("was cut off", self.refused(trace.text()[:-20]))
        self.assertIn("no traceEvents", self.refused(b"{}"))
        self.assertIn("no traceEvents", self.refused(b"[1, 2]"))
        self.assertIn("no thread runs in it", self.refused(b'{"traceEvents":[]}'))
        self.assertIn("none of Weft's", self.refused(b'{"traceEvents":[{"ph":"X","cat":"turn"}]}'))
        self.assertIn("none of Weft's", self.refused(b'{"traceEvents":[{"ph":"X","cat":"turn","args":7}]}'))
        trace.turn(MAIN, 0, 0, -5, "start")
        self.assertIn("back in time", self.refused(trace.text()))
        trace = Trace()
        trace.turn(MAIN, 4000000000, 0, 5, "start")
        self.assertIn("too many workers", self.refused(trace.text()))
        for phase, worker, end, why in (("hide", 0, 9, "unknown phase of steals, hide"), ("copy", 4000000000, 9, "too many workers"),
                                        ("copy", 0, 3, "back in time")):
            trace = self.ranks()
            trace.steal(phase, worker, 5, end)
            self.assertIn(why, self.refused(trace.text()))

    def test_bad_words(self):
        self.assertIn("wants a trace", self.refuse("profile"))
        self.assertIn("weft profile -- one two", self.refuse("profile", "one", "two"))
        self.assertIn("a picture is .svg or .html", self.refuse("profile", "-o", "x.png", "one"))
        missing = command.run("profile", self.path("missing.json"))
        self.assertEqual(missing.returncode, 1)
        self.assertIn("missing.json: cannot be read (No such file", missing.stderr)
        for program, why in (("/bin/true", "wrote no trace"), ("/nonexistent", "cannot be run")):
            result = command.run("profile", "--", program)
            self.assertEqual(result.returncode, 1)
            self.assertIn(why, result.stderr)

    # ---- a real program ----

    def test_a_program_that_it_runs_itself(self):
        shown = self.run_right("profile", "-o", self.path("fib.html"), "--", command.WEFT, "bench", "fib", "--runtime", "fork", "--size", "15",
                               "--repetitions", "1", "--warm-ups", "0", "--workers", "1").stdout
        self.assertIn("610 (right)", shown)
        self.assertIn("forks        986, of which 0 became threads", shown)
        self.assertTrue(os.path.exists(self.path("fib.html")))
        parallelism = float(re.search(r"parallelism +(.*)\n", shown).group(1))
        self.assertGreaterEqual(parallelism, 1)

    def test_a_tascell_program_tells_requests_backtracks_and_tasks(self):
        # Storm: the worker asks itself at every third poll, and runs the task that it gets.
        shown = self.run_right("profile", "--", command.WEFT, "bench", "queens-board", "--runtime", "tascell", "--size", "6", "--repetitions",
                               "1", "--warm-ups", "0", "--workers", "1", WEFT_TASCELL_STORM="3").stdout
        rows = {name: shown.split(name)[1].splitlines()[0].split() for name in (
            "tascell: backtracks (records)", "tascell: tasks given (bytes)", "tascell: tasks run (ns)")}
        given, ran, walks = (int(rows[name][0]) for name in (
            "tascell: tasks given (bytes)", "tascell: tasks run (ns)", "tascell: backtracks (records)"))
        self.assertGreater(given, 0)
        self.assertEqual(ran, given + 1)  # and the root
        self.assertGreaterEqual(walks, given)
        self.assertIn("tascell worker ", shown)

    def test_threads_without_names_are_known_by_place_or_callable(self):
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nameless.cpp")
        with open(source, encoding="utf-8") as file:
            line = next(number for number, text in enumerate(file, 1) if "looks for this line" in text)
        shown = self.run_right("profile", "--", NAMELESS).stdout
        for name in (rf"nameless\.cpp:{line}", r"main::\{lambda#\d\}", r"kitchen::cook::\{lambda#\d\}"):
            self.assertRegex(shown, rf"\n{name} +1 ")
        self.assertNotIn("detail::", shown)

    def test_an_interrupt_is_for_the_program(self):
        fib = f"{command.WEFT} bench fib --runtime fork --size 10 --repetitions 1 --warm-ups 0 --workers 1"
        shown = self.run_right("profile", "--", "sh", "-c", f"kill -INT $PPID; exec {fib}", TMPDIR=self.folder).stdout
        self.assertIn("55 (right)", shown)
        self.assertIn("parallelism", shown)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_program_that_fails(self):
        result = command.run("profile", "--", command.WEFT, "bench", "fib", "--runtime", "fork", "--size", "10", "--expect", "1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("ended with status 1", result.stderr)
        self.assertIn("parallelism", result.stdout)


if __name__ == "__main__":
    command.main()
