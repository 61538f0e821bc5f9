"""gdb shows suspended threads of a program that was compiled with optimisation and without debug information: names, states, waits and
backtraces, in a live process and in core files.

usage: debugger_test.py PROGRAM (debugger_target.c) LOADER (the script that gdb finds with the library) [LIBRARY (when it is shared) [cores]]
cores: core files of the kernel, and nothing else.
Exit code 77: there is no gdb, or it may not trace here; or no core file may be had."""

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
QUIET = ["set confirm off", "set debuginfod enabled off", "set pagination off", "set width 0", "set startup-with-shell off",
         "handle SIGALRM stop"]
LOOK = ["echo ==threads\\n", "weft threads", "echo ==bt\\n", "weft bt", "echo ==waits\\n", "weft waits", "echo ==one\\n", "weft bt Kant", "echo ==after\\n", "bt",
        "echo ==select\\n", "weft select heir", "bt", "weft select", "echo ==plain\\n", "bt", "echo ==end\\n"]

# By thread or fork: the state, and functions in the backtrace, innermost first.
WANTED = {
    '"forker" (forks_and_joins)': (r"waits for the end of fork \S+ \(child_of_forker\)", ["forks_and_joins"]),
    "(child_of_forker)": (r"waits for event at \S+ <nobody_sets_it>", ["waits_for_event", "child_of_forker"]),
    "(lends_its_stack)": (r"waits for the end of thread \S+ \(borrows_a_stack\), which runs on its stack", None),
    "(borrows_a_stack)": (r"waits for event at \S+ <nobody_sets_it>", ["waits_for_event", "borrows_a_stack", "lends_its_stack"]),
    '"patient" (waits_for_event)': (r"waits for event at \S+ <nobody_sets_it>", ["waits_for_event"]),
    '"heir" (waits_for_end)': (r'waits for the end of thread \S+ "patient" \(waits_for_event\)', ["waits_for_end"]),
    '"sleeper" (sleeps_long)': (r"waits for sleep", ["sleeps_long"]),
    '"reader" (reads_when_full)': (r"waits for full/empty bit, to be full at \S+ <empty_word>", ["reads_when_full"]),
    '"hermit" (suspends_itself)': (r"waits for weft_resume", ["suspends_itself"]),
    '"Kant" (left_then_right)': (r"waits for mutex at \S+ <right>", ["locks_both", "left_then_right"]),
    '"Plato" (right_then_left)': (r"waits for mutex at \S+ <left>", ["locks_both", "right_then_left"]),
    '"woken" (suspends_itself)': (r"ready", ["suspends_itself"]),
    '"busy" (computes)': (r"runs on worker 2", ["computes"]),
    '"late" (never_starts)': (r"ready, not started yet", None),
}


def run_gdb(commands, *arguments, **environment):
    # Without a shell in between, which a preloaded library would come into as well.
    line = ["gdb", "-q", "-nx", "-batch", "-iex", f"add-auto-load-safe-path {FOLDER}"]
    commands = QUIET + [f"set environment {name} {value}" for name, value in {**SHARED, **environment}.items()] + SCRIPT + commands
    for command in commands:
        line += ["-ex", command]
    done = subprocess.run([*line, *arguments], capture_output=True, text=True, timeout=250, check=False)
    return done.stdout + done.stderr


def parts_of(output):
    found = re.split(r"==(\w+)\n", output)
    return dict(zip(found[1::2], found[2::2]))


class SceneTest(unittest.TestCase):
    """What gdb shows of debugger_target.c when it has come to stops_here."""

    def check_scene(self, parts, has_clock):
        self.check_threads(parts["threads"])
        self.check_backtraces(parts["bt"])
        self.check_waits(parts["waits"])
        self.check_select(parts)
        for part in ("threads", "waits"):
            self.assertEqual(bool(re.search(r", for \d+\.\d s or more", parts[part])), not has_clock, parts[part])
        self.assertNotIn("Traceback", "".join(parts.values()))

    def line_of(self, who, text):
        found = [line for line in text.split("\n") if re.match(rf" *(thread|fork) 0x[0-9a-f]+ {re.escape(who)}", line)]
        self.assertEqual(len(found), 1, f"{who} in:\n{text}")
        return found[0].split(who, 1)[1]

    def check_threads(self, text):
        self.assertIn("15 threads; 3 workers", text)
        self.assertIn("  main: runs on worker 0", text)
        for who, (state, functions) in WANTED.items():
            line = self.line_of(who, text)
            self.assertRegex(line, ": " + state)
            if "waits" in state and "its stack" not in state:
                self.assertRegex(line, r", for \d+\.\d s")
            if functions and "computes" not in functions:
                self.assertRegex(line, r"; stack: \d+\.\d of \d+\.\d KiB")
        self.assertIn("made in lends_its_stack", text)

    def check_backtraces(self, text):
        blocks = {block.split("\n")[0]: block for block in text.split("\n\n")}
        for who, (_, functions) in WANTED.items():
            block = next(block for head, block in blocks.items() if re.match(rf"(thread|fork) \S+ {re.escape(who)}", head))
            self.check_frames(block, functions)
        self.assertRegex(next(block for head, block in blocks.items() if head.startswith("main")), r"(?s)stops_here.* in main \(\)")

    def check_frames(self, block, functions):
        found = re.findall(r"^#\d+ .*? in (\S+) \(", block, re.MULTILINE)
        if functions is None:
            self.assertEqual(found, [], block)
            return
        own = [name for name in found if name in {*functions, *(name for _, some in WANTED.values() for name in some or [])}]
        self.assertEqual(own, functions, block)
        self.assertEqual(found[-1], "weft_context_entry", block)

    def check_waits(self, text):
        self.assertRegex(text, r'mutex at \S+ <left>, held by thread \S+ "Kant" \(left_then_right\):\n  thread \S+ "Plato"')
        self.assertRegex(text, r'mutex at \S+ <right>, held by thread \S+ "Plato" \(right_then_left\):\n  thread \S+ "Kant"')
        self.assertRegex(text, r'the end of thread \S+ "patient" \(waits_for_event\):\n  thread \S+ "heir"')
        self.assertRegex(text, r"event at \S+ <nobody_sets_it>:\n(  .*\n){3}")
        self.check_circle(text)

    def check_circle(self, text):
        circles = re.findall(r"^circle: .*$", text, re.MULTILINE)
        self.assertEqual(len(circles), 1, text)
        self.assertRegex(circles[0], '"(Kant|Plato)".* waits for .*"(Kant|Plato)".*, who waits for .*"(Kant|Plato)"')

    def check_select(self, parts):
        self.check_frames(parts["one"], ["locks_both", "left_then_right"])
        self.assertRegex(parts["select"], r"(?s)#0 .*#\d+ .* waits_for_end \(.*weft_context_entry")
        for name in ("after", "plain"):
            self.assertRegex(parts[name], r"^#0 .*stops_here.*\n#1 .*main.*\n$")


class KernelCoreTest(SceneTest):
    def core_of(self, *arguments, dies_by, **environment):
        folder = tempfile.mkdtemp(dir=FOLDER)
        died = subprocess.run([PROGRAM, *arguments], cwd=folder, env={**os.environ, **SHARED, **environment}, capture_output=True, check=False,
                              timeout=250, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, CORE_LIMITS))
        self.assertEqual(died.returncode, -dies_by, died.stderr)
        found = os.listdir(folder)
        self.assertEqual(len(found), 1, found)
        return os.path.join(folder, found[0])

    def test_of_a_fault(self):
        core = self.core_of("dies", dies_by=signal.SIGSEGV)
        self.check_scene(parts_of(run_gdb(LOOK, PROGRAM, core)), has_clock=False)

    def test_of_a_deadlock(self):
        core = self.core_of("deadlock", dies_by=signal.SIGABRT, WEFT_DEADLOCK="abort")
        look = ["echo ==threads\\n", "weft threads", "echo ==Kant\\n", "weft bt Kant", "echo ==waits\\n", "weft waits", "echo ==end\\n"]
        parts = parts_of(run_gdb(look, PROGRAM, core))
        self.assertRegex(parts["threads"], r"(?m)^3 threads; 3 workers \(3 asleep\)$")
        self.assertRegex(parts["threads"], r'  main: waits for the end of thread \d+ "Kant" \(left_then_right\), for \d+\.\d s or more; stack: ')
        self.assertRegex(parts["threads"], r'thread \d+ "Plato" \(right_then_left\): waits for mutex at \S+ <left>, for \d+\.\d s or more; stack: ')
        self.check_frames(parts["Kant"], ["locks_both", "left_then_right"])
        self.check_circle(parts["waits"])


class DebuggerTest(SceneTest):
    @classmethod
    def setUpClass(cls):
        first = [*LOOK, f"weft core {FOLDER}/core", "finish", "echo ==in_main\\n", "weft bt Kant", "echo ==end\\n", "continue"]
        cls.output = run_gdb(["break stops_here", "run", *first], PROGRAM)
        mapped = ["weft threads", f"generate-core-file {FOLDER}/gdb-core", "kill"]
        cls.output_mapped = run_gdb(["break stops_here", "run", *mapped], PROGRAM, WEFT_GUARD="mprotect")
        for output in (cls.output, cls.output_mapped):
            if "hit Breakpoint" not in output:
                raise AssertionError(output)

    def sources(self):
        """(name, parts of the output) of the live process and of both core files."""
        yield "live", parts_of(self.output)
        for name in ("core", "gdb-core"):
            yield name, parts_of(run_gdb(LOOK, PROGRAM, f"{FOLDER}/{name}"))

    def test_everybody_is_shown(self):
        for name, parts in self.sources():
            with self.subTest(name):
                self.check_scene(parts, has_clock=name == "live")

    def test_while_the_os_thread_is_in_main(self):  # where gdb ends backtraces
        self.check_frames(parts_of(self.output)["in_main"], ["locks_both", "left_then_right"])

    def test_the_deepest_use_of_stacks(self):
        self.assertNotIn("at most", self.output)
        said = run_gdb(["break stops_here", "run measured", "weft threads", "kill"], PROGRAM, WEFT_STACK_REPORT="1")
        line = self.line_of('"heir" (waits_for_end)', said)
        used, deepest = re.search(r"stack: (\d+\.\d) \(at most (\d+\.\d)\) of", line).groups()
        self.assertGreaterEqual(float(deepest), float(used))
        self.assertLess(float(deepest), 16)

    def test_virtual_workers_that_wait_for_their_turn(self):
        look = ["shell sleep 2", "echo ==threads\\n", "weft threads", "echo ==main\\n", "weft bt main", "echo ==second\\n", "weft bt second",
                "echo ==select\\n", "weft select third", "bt", "weft select", "echo ==end\\n"]
        core = f"weft core {FOLDER}/turns"
        live = run_gdb(["break stops_here", "run turns", *look, core, "kill"], PROGRAM, WEFT_SCHEDULE="seed:1")
        for output in (live, run_gdb(look, PROGRAM, f"{FOLDER}/turns")):
            parts = parts_of(output)
            self.assertIn("  main: runs on worker 0", parts["threads"])
            self.assertRegex(self.line_of('"second" (takes_turns)', parts["threads"]), r"waits for its turn on worker 1; stack: \d")
            self.assertRegex(self.line_of('"third" (takes_turns)', parts["threads"]), "waits for its turn on worker 2")
            self.assertRegex(self.line_of('"sleeper" (sleeps_long)', parts["threads"]), r"waits for sleep, for 0\.\d s[;\n]?")
            self.assertRegex(parts["main"], r"(?s)stops_here.* in main \(\)")
            self.assertRegex(parts["second"], r"(?s)#0 .*#\d+ .* in takes_turns \(.*in weft_context_entry")
            self.assertRegex(parts["select"], r"(?s)#0 .*#\d+ .* in takes_turns \(.*in weft_context_entry")
            self.assertNotIn("stops_here", parts["second"] + parts["threads"])
            self.assertNotIn("Traceback", output)

    def test_an_adopted_os_thread(self):
        look = ["echo ==threads\\n", "weft threads", "echo ==bt\\n", "weft bt guest", "echo ==waits\\n", "weft waits", "echo ==end\\n"]
        live = run_gdb(["break stops_here", "run adopted", *look, f"weft core {FOLDER}/adopted", "kill"], PROGRAM)
        for output in (live, run_gdb(look, PROGRAM, f"{FOLDER}/adopted")):
            parts = parts_of(output)
            self.assertIn("3 threads; 4 workers", parts["threads"])
            guest = r'thread \d+ "guest" \(adopted OS thread\)'
            self.assertRegex(parts["threads"], guest + r": waits for event at \S+ <nobody_sets_it>, for .*; stack: \d+\.\d of \d+\.\d KiB; made in is_adopted")
            self.assertRegex(parts["bt"], r"(?s)#0 .* in waits_for_event \(.* in is_adopted \(.* in start_thread \(")
            self.assertRegex(parts["waits"], r"held by " + guest + r':\n  thread \S+ "host" \(waits_for_guest\)')
            self.assertNotIn("Traceback", output)

    def test_looking_disturbs_nothing(self):
        self.assertRegex(self.output, r"(?m)^went on$")

    def test_a_core_file_without_stacks_is_told(self):
        commands = ["break stops_here", "run", f"generate-core-file {FOLDER}/poor", "kill"]
        said = run_gdb(commands, PROGRAM)
        if "Memory read failed" not in said:
            self.skipTest("this gdb writes all stacks, or this kernel knows no guard markers")
        parts = parts_of(run_gdb(LOOK, PROGRAM, f"{FOLDER}/poor"))
        for where in ("threads", "bt"):
            self.assertRegex(self.line_of('"heir" (waits_for_end)', parts[where]), "blocked; what it waits for cannot be read")
        self.assertIn("make it with `weft core`", parts["bt"])
        self.assertRegex(parts["waits"], r'what cannot be read:\n(  .*\n)*  thread \S+ "heir"')
        self.assertNotIn("Traceback", "".join(parts.values()))

    def test_outside(self):
        said = run_gdb(["break stops_here", "run outside", "weft threads", "kill"], PROGRAM)
        self.assertIn("14 threads; 3 workers", said)
        self.assertRegex(said, r"OS thread \d+: outside Weft")

    def test_no_runtime(self):
        self.assertIn("the program is not running", run_gdb([f"source {LOADER}", "weft threads"], PROGRAM))
        self.assertIn("before weft_init", run_gdb(["break main", "run", "weft threads", "kill"], PROGRAM))
        self.assertIn("after weft_finalize", run_gdb(["break stops_here", "run finalize", "weft threads", "kill"], PROGRAM))
        other = run_gdb([f"source {LOADER}", "unset environment", "starti", "weft threads", "kill"], shutil.which("sleep"))
        self.assertIn("there is no Weft in this program", other)

    def test_an_unknown_thread(self):
        said = run_gdb(["break stops_here", "run", "weft bt Hegel", "weft bt 0x10", "weft select busy", "weft select late", "kill"], PROGRAM)
        self.assertIn("there is no thread Hegel", said)
        self.assertIn("there is no thread 0x10", said)
        self.assertEqual(said.count("is not suspended"), 2, said)

    def test_several_inferiors(self):
        second = ["add-inferior -exec " + PROGRAM, "inferior 2", *(f"set environment {n} {v}" for n, v in SHARED.items()), "run finalize"]
        commands = ["break stops_here", "run", *second, "weft threads", "echo ==first\\n", "inferior 1", "weft bt Kant", "echo ==end\\n",
                    "kill inferiors 1 2"]
        parts = parts_of(run_gdb(commands, PROGRAM))
        self.check_frames(parts["first"], ["locks_both", "left_then_right"])

    # ---- what is damaged ----

    def damaged(self, code):
        """What the commands say once `code` has changed the live process by put(address, word)."""
        start = "from weft_gdb import layout, runtime; put = lambda at, word: gdb.selected_inferior().write_memory(at, word.to_bytes(8, 'little'))"
        commands = ["break stops_here", "run", f"python {start}; all = runtime.Snapshot(); rt = all.runtime; {code}"]
        said = run_gdb([*commands, "echo ==after\\n", "weft threads", "weft bt", "weft waits", "kill"], PROGRAM)
        self.assertNotIn("Traceback", said)
        return parts_of(said)["after"]

    def test_a_damaged_runtime(self):
        self.assertIn("damaged", self.damaged("put(all.layout.runtime_root, 16)"))
        depot = "all.layout.copy('depot', rt.address_of('unit_depot'))"
        self.assertIn("cannot read", self.damaged(f"put(layout.read_word({depot}.address_of('chunks_')), 4096)"))
        self.assertIn("list of threads is damaged", self.damaged(f"put({depot}.address_of('block_bytes_'), 3)"))
        self.assertIn("worker 1: cannot read", self.damaged("put(rt.address_of('workers') + 8, 4096)"))

    def test_damaged_threads(self):
        change = "put(all.find('Kant').fields.address_of('context'), 4096); "
        change += "put(all.find('heir').fields.address_of('waiting'), all.find('Plato').fields['waiting']); "
        change += "put(all.find('reader').fields.address_of('waiting'), 64); "
        said = self.damaged(change + "put(all.find('hermit').fields.address_of('state') & ~7, 77 * (2**64 // 255))")
        self.assertIn("its stack is not there", said)
        for who in ('"heir" (waits_for_end)', '"reader" (reads_when_full)'):
            self.assertIn(f"{who}: blocked; what it waits for cannot be read", said)
        self.assertRegex(said, r"the thread at \S+ is damaged")
        self.assertIn('"sleeper" (sleeps_long): waits for sleep', said)

    def test_another_version(self):
        start = "python import gdb, re; at = int(re.search('0x[0-9a-f]+', gdb.execute('info address weft_debug_layout', to_string=True))[0], 16)"
        for place, word, wanted in ((8, b"\\x63", "this script knows version 1"), (0, b"x", "another build")):
            write = f"python gdb.selected_inferior().write_memory(at + {place}, {word!r})".replace("\\\\", "\\")
            said = run_gdb(["break stops_here", "run", start, write, "weft threads", "kill"], PROGRAM)
            self.assertIn(wanted, said)


def may_have_cores():
    """Where the kernel writes them into the folder in which the program runs."""
    with open("/proc/sys/kernel/core_pattern", encoding="utf-8") as file:
        pattern = file.read().strip()
    return pattern != "" and "/" not in pattern and not pattern.startswith("|") and CORE_LIMITS[1] != 0


def prepare(program, library):
    """Copies without debug information; the program's environment."""
    copy = shutil.copy(program, FOLDER)
    subprocess.run(["strip", "--strip-debug", copy], check=True)
    if library is None:
        return copy, {}
    there = os.path.join(FOLDER, os.path.basename(os.path.realpath(library)))
    subprocess.run(["strip", "--strip-debug", "-o", there, library], check=True)
    shutil.copy(LOADER, there + "-gdb.py")
    return copy, {"LD_PRELOAD": there}


if __name__ == "__main__":
    if shutil.which("gdb") is None:
        print("no gdb here")
        sys.exit(SKIPPED)
    program, LOADER, library = sys.argv[1], sys.argv[2], sys.argv[3] if sys.argv[3:] and sys.argv[3] else None
    wanted = "KernelCoreTest" if sys.argv[4:] == ["cores"] else "DebuggerTest"
    CORE_LIMITS = (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2
    if wanted == "KernelCoreTest" and not may_have_cores():
        print("the kernel writes no core files here, or writes them elsewhere")
        sys.exit(SKIPPED)
    del sys.argv[1:]
    with tempfile.TemporaryDirectory() as FOLDER:
        PROGRAM, SHARED = prepare(program, library)
        SCRIPT = [f"source {LOADER}"] if library is None else []  # with the shared library gdb loads it by itself
        tried = run_gdb(["break stops_here", "run", "kill"], PROGRAM)
        if re.search(r"ptrace|Cannot trace|Could not trace|not permitted", tried) and "hit Breakpoint" not in tried:
            print("gdb may not trace here")
            sys.exit(SKIPPED)
        unittest.main(defaultTest=wanted, verbosity=2)
