#!/usr/bin/env python3
"""The recipe for Spack, read with stand-ins for Spack's words: it names faces, folders and options that the sources have, the version is
the library's, and each variant that adds an interface builds it. With Spack itself it is tried by spack_packages.py.

usage: spack_test.py"""

import contextlib
import os
import re
import sys
import types
import unittest

from outside import TOP, VERSION

RECIPE = os.path.join(TOP, "packaging", "spack", "packages", "weft", "package.py")
CHOSEN = {"argobots_face": "argobots", "event": "event", "mpi": "mpi", "qthreads": "qthreads"}


class Path(str):
    """A prefix of Spack's: its folders are its attributes."""

    def __getattr__(self, name):
        return Path(os.path.join(self, name))


class Spec(dict):
    """A spec with some variants; each package that it depends on lies below /spack."""

    def __init__(self, *variants):
        super().__init__()
        self.variants = variants

    def satisfies(self, constraint):
        return constraint[1:] in self.variants

    def __missing__(self, name):
        return types.SimpleNamespace(prefix=Path(f"/spack/{name}"))


class CMakePackage:
    def __init__(self, *variants):
        self.spec = Spec(*variants)

    def define(self, name, value):
        return (name, value)

    def define_from_variant(self, name, variant):
        return (name, self.spec.satisfies(f"+{variant}"))


class Directives:
    """Words of a recipe's class; says how they were used."""

    def __init__(self):
        self.used = {name: [] for name in ("version", "variant", "provides", "depends_on", "conflicts", "license", "generator")}

    def words(self):
        def noting(name):
            return lambda *arguments, **options: self.used[name].append((arguments, options))

        return {**{name: noting(name) for name in self.used}, "when": contextlib.nullcontext, "run_after": lambda _: lambda function: function,
                "CMakePackage": CMakePackage, "join_path": os.path.join}


class SpackTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directives = Directives()
        module = types.ModuleType("spack.package")
        vars(module).update(directives.words())
        sys.modules["spack"], sys.modules["spack.package"] = types.ModuleType("spack"), module
        recipe = {"__file__": RECIPE, "__name__": "recipe"}
        with open(RECIPE, encoding="utf-8") as file:
            exec(compile(file.read(), RECIPE, "exec"), recipe)  # pylint: disable=exec-used
        cls.package, cls.used, cls.clone = recipe["Weft"], directives.used, recipe["CLONE"]

    def test_the_sources_are_those_of_the_clone(self):
        self.assertEqual(os.path.realpath(self.clone), TOP)
        self.assertEqual(self.package.git, f"file://{TOP}")

    def test_the_release_is_the_library_s_version(self):
        released = [(arguments[0], options["tag"]) for arguments, options in self.used["version"] if "tag" in options]
        self.assertEqual(released[0], (VERSION, f"v{VERSION}"))

    def test_each_face_is_there_and_is_built_when_it_is_asked_for(self):
        self.assertEqual(set(CHOSEN) - {arguments[0] for arguments, _ in self.used["variant"]}, set())
        for variant, face in CHOSEN.items():
            self.assertNotIn(face, self.package().faces())
            self.assertIn(face, self.package(variant).faces())
        for face in self.package(*CHOSEN).faces():
            self.assertTrue(os.path.exists(os.path.join(TOP, "faces", face, "CMakeLists.txt")), face)
        left_out = {name for name in os.listdir(os.path.join(TOP, "faces")) if os.path.exists(os.path.join(TOP, "faces", name, "CMakeLists.txt"))}
        self.assertEqual(left_out - set(self.package(*CHOSEN).faces()), set(), "a face that no variant builds")

    def test_options_are_those_of_the_sources(self):
        text = ""
        for path in ("CMakeLists.txt", "cmake/mpi.cmake"):
            with open(os.path.join(TOP, path), encoding="utf-8") as file:
                text += file.read()
        for name, _ in self.package("mpi", "tools").cmake_args():
            if name.startswith("WEFT_"):
                self.assertRegex(text, rf"(option|set)\({name} ")
        self.assertIn(("WEFT_MPICC", "/spack/mpi/bin/mpicc"), self.package("mpi").cmake_args())
        self.assertIn(("WEFT_MPICC", ""), self.package().cmake_args())

    def test_targets_are_folders_of_the_sources(self):
        targets = self.package("tools", "checked").build_targets
        self.assertIn("weft_checked", targets)
        for target in targets:
            folder, all_of_it, _ = target.partition("/all")
            if all_of_it:
                self.assertTrue(os.path.exists(os.path.join(TOP, folder, "CMakeLists.txt")), target)

    def test_argobots_is_provided_only_when_it_is_asked_for(self):
        self.assertEqual(self.used["provides"], [(("argobots-api",), {"when": "+argobots_face"})])
        self.assertEqual([options["default"] for arguments, options in self.used["variant"] if arguments[0] == "argobots_face"], [False])

    def test_cmake_is_not_older_than_the_sources_need(self):
        with open(os.path.join(TOP, "CMakeLists.txt"), encoding="utf-8") as file:
            least = re.match(r"cmake_minimum_required\(VERSION (\S+)\)", file.read()).group(1)
        self.assertIn((f"cmake@{least}:",), [arguments for arguments, _ in self.used["depends_on"]])

    def test_compilers_that_the_sources_refuse_conflict(self):
        with open(os.path.join(TOP, "cmake", "platform.cmake"), encoding="utf-8") as file:
            refused = re.findall(r'"(GNU|Clang);[^;]+;(\d+)"', file.read())
        self.assertEqual(len(refused), 2)
        names = {"GNU": "gcc", "Clang": "clang"}
        expected = {f"%{names[kind]}@:{int(least) - 1}" for kind, least in refused}
        self.assertEqual(expected - {arguments[0] for arguments, _ in self.used["conflicts"]}, set())


if __name__ == "__main__":
    unittest.main(verbosity=2)
