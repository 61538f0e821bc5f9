#!/usr/bin/env python3
"""Compiles the module weft and programs that use it, by gfortran, and by flang where it is, and runs them: each procedure, as it is meant and
as it is refused; a hundred thousand threads; errors without stat=; what arrays on stacks need under -frecursive, -fopenmp and -Ofast.

usage: fortran_test.py folder-of-libweft.so [FortranTest.test_...]"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
MODULE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(HERE))), "faces", "fortran", "weft.f90")
GFORTRAN = os.environ.get("FC") or shutil.which("gfortran")
FLANG = next(filter(None, map(shutil.which, ("flang", "flang-new", "flang-20", "flang-new-20", "flang-new-19"))), None)
OPTIONS = ("-frecursive", "-fstack-clash-protection")  # those of weft-fortran.pc


class FortranTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.work = folder.name
        cls.compiled("module", GFORTRAN, "-std=f2018", "-Wall", "-Wextra", "-Werror", "-O2", *OPTIONS, "-c", MODULE)

    @classmethod
    def compiled(cls, folder, compiler, *arguments):
        path = os.path.join(cls.work, folder)
        os.makedirs(path, exist_ok=True)
        done = subprocess.run([compiler, *arguments], cwd=path, capture_output=True, text=True, check=False)
        if done.returncode != 0 or "TEXTREL" in done.stderr:
            raise AssertionError(f"{' '.join(arguments)}\n{done.stderr}")
        return path

    def program(self, name, *options, compiler=GFORTRAN, sources=()):
        """The program of a source, compiled in a folder of its own, with the compiler's module."""
        folder = "module" if compiler == GFORTRAN else "module-of-flang"
        paths = [os.path.join(HERE, f"{each}.f90") for each in (*sources, name)]
        own = tempfile.mkdtemp(dir=self.work)
        self.compiled(own, compiler, *options, f"-I{self.work}/{folder}", *paths, f"{self.work}/{folder}/weft.o", "-o", name, f"-L{LIBRARIES}",
                      "-lweft", f"-Wl,-rpath,{LIBRARIES}")
        return os.path.join(own, name)

    def run_program(self, path, *arguments, **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("WEFT_")}
        return subprocess.run([path, *arguments], env={**environment, **variables}, capture_output=True, text=True, timeout=300, check=False)

    def check_calls(self, path):
        for variables in ({}, {"WEFT_WAIT_POLICY": "passive"}):
            done = self.run_program(path, **variables)
            self.assertEqual((done.returncode, done.stdout), (0, "every call\n"), done.stderr)

    def test_each_call(self):
        warnings = ("-std=f2018", "-Wall", "-Wno-compare-reals", "-Wno-function-elimination", "-Werror")
        self.check_calls(self.program("calls", "-O2", *warnings, *OPTIONS, sources=("captures",)))

    @unittest.skipUnless(FLANG, "no flang here")
    def test_each_call_by_flang(self):
        self.compiled("module-of-flang", FLANG, "-w", "-O2", "-c", MODULE)
        self.check_calls(self.program("calls", "-O2", "-w", compiler=FLANG, sources=("captures",)))
        path = self.program("stacks", "-O2", "-w", compiler=FLANG)
        done = self.run_program(path, str(2 << 20))
        self.assertEqual((done.returncode, done.stdout), (0, "5000050000. 5000150001. apart\n"), done.stderr)
        done = self.run_program(path, "0")
        self.assertRegex(done.stderr, 'stack overflow in thread \\d+ "user of arrays"')

    def test_a_hundred_thousand_threads(self):
        done = self.run_program(self.program("many", *OPTIONS, sources=("captures",)))
        self.assertEqual((done.returncode, done.stdout), (0, "100000 threads\n"), done.stderr)

    def test_an_error_without_stat_ends_the_program_and_names_call_and_cure(self):
        path = self.program("errors", *OPTIONS)
        for which, call, status, cure in (
            ("start", "weft_thread_create: the runtime is not running", "WEFT_NOT_INITIALIZED", "call weft_init before"),
            ("thread", "weft_mutex_unlock: argument mutex", "WEFT_NOT_OWNER", "call it in the thread that has locked"),
            ("main", "weft_mutex_unlock: argument mutex", "WEFT_NOT_OWNER", "call it in the thread that has locked"),
            ("semaphore", "weft_semaphore_init: argument count: it is -1", "WEFT_INVALID", "pass 0 or more"),
            ("latch", "weft_latch_init: argument count: it is -2147483648", "WEFT_INVALID", "pass 0 or more"),
            ("barrier", "weft_barrier_init: argument parties: at least 1 is needed", "WEFT_INVALID", "pass an argument that the call takes"),
        ):
            with self.subTest(which):
                done = self.run_program(path, which)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                line = done.stderr.splitlines()[0]
                self.assertRegex(line, rf"^ERROR STOP weft: {call}.* \({status}; cure: {cure}")

    def test_the_module_has_no_static_variables(self):
        said = subprocess.run(["nm", f"{self.work}/module/weft.o"], capture_output=True, text=True, check=True).stdout
        self.assertIn(" T __weft_MOD_weft_last_error", said)
        self.assertEqual(re.findall(r"(?m) [bd] (.*)$", said), [])

    def test_the_module_refuses_to_have_variables_that_threads_share(self):
        with self.assertRaisesRegex(AssertionError, "SAVE attribute .* PURE procedure"):
            self.compiled("shared", GFORTRAN, "-frecursive", "-fno-automatic", "-c", MODULE)
        self.compiled("shared", GFORTRAN, "-fno-automatic", "-frecursive", "-fautomatic", "-fsyntax-only", "-c", MODULE)

    def test_arrays_on_the_stacks_of_threads(self):
        """Automatic arrays lie there under -Ofast, and a thread needs room for them; local ones under -frecursive, and otherwise threads share one."""
        right = "5000050000. 5000150001. apart\n"
        for options, default_stack, local in (
            (("-O2",), "enough", "mixed"),
            (("-O2", "-frecursive"), "enough", "apart"),
            (("-O2", "-fopenmp"), "enough", "apart"),
            (("-O2", "-frecursive", "-fno-automatic"), "enough", "mixed"),
            (("-Ofast", "-frecursive"), "overflows", "apart"),
        ):
            with self.subTest(options):
                path = self.program("stacks", *options, "-fstack-clash-protection")
                done = self.run_program(path, str(2 << 20))
                self.assertEqual((done.returncode, done.stdout), (0, right.replace("apart", local)), done.stderr)
                done = self.run_program(path, "0")
                if default_stack == "enough":
                    self.assertEqual((done.returncode, done.stdout), (0, right.replace("apart", local)), done.stderr)
                else:
                    self.assertNotEqual(done.returncode, 0)
                    self.assertRegex(done.stderr, 'stack overflow in thread \\d+ "user of arrays"')
                    self.assertIn("cure: raise stack_bytes", done.stderr)


if __name__ == "__main__":
    LIBRARIES = os.path.abspath(sys.argv.pop(1))
    if not GFORTRAN:
        print("skipped: no gfortran here")
        sys.exit(77)
    unittest.main()
