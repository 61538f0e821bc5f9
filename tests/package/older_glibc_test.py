#!/usr/bin/env python3
"""tools/package/older_glibc.py and tarball.py without the compiler zig: planted libraries that an older machine cannot load are named, a
tree is packed into the same bytes twice, and a missing compiler is said with its cure.

usage: older_glibc_test.py"""

import contextlib
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

from outside import CC, TOP, refused, run

sys.path.insert(0, os.path.join(TOP, "tools", "package"))
import archive  # noqa: E402 (it is found in the line above)
import older_glibc  # noqa: E402
import tarball  # noqa: E402

ALONE = "int alone(int x) { return x + 1; }\n"
ASKS_THE_C_LIBRARY = "extern char **environ;\nextern int puts(const char *);\nint first(void) { return environ != 0 && puts(environ[0]) > 0; }\n"
ASKS_MATHS = "extern double cos(double);\ndouble half_of(double x) { return cos(x) / 2; }\n"


class OlderGlibcTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = folder.name
        self.tree = os.path.join(self.work, "tree")
        os.mkdir(self.tree)

    def plant(self, name, text, *options):
        source = os.path.join(self.work, f"{name}.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        path = os.path.join(self.tree, f"lib{name}.so")
        run(CC, "-shared", "-fPIC", "-nostartfiles", f"-Wl,-soname,lib{name}.so", source, "-o", path, *options)
        return path

    def test_what_needs_glibc_alone_passes(self):
        self.plant("alone", ALONE, "-nostdlib")
        self.plant("beside", ALONE.replace("alone", "beside"), "-nostdlib", "-Wl,--no-as-needed", os.path.join(self.tree, "libalone.so"))
        self.plant("asks", ASKS_THE_C_LIBRARY)
        os.symlink("libalone.so", os.path.join(self.tree, "libalone.so.1"))
        with open(os.path.join(self.tree, "libtext.so"), "w", encoding="utf-8") as script:
            script.write("INPUT(libalone.so.1)\n")
        self.assertEqual(older_glibc.what_is_missing(self.tree), [])

    def test_a_symbol_of_a_newer_glibc_is_named(self):
        self.plant("asks", ASKS_THE_C_LIBRARY)
        version = max(older_glibc.asked_for(os.path.join(self.tree, "libasks.so"))[1])
        self.assertTrue(version.startswith("GLIBC_2."), version)
        self.assertEqual(older_glibc.what_is_missing(self.tree, "2.1"), [f"libasks.so needs symbols of {version}"])
        self.assertEqual(older_glibc.what_is_missing(self.tree, version.removeprefix("GLIBC_")), [])

    def test_a_license_that_is_not_here_is_named(self):
        docs, folder = os.path.join(self.work, "doc"), os.path.join(self.work, "notices")
        for package in ("libcli11-dev", "libfmt-dev", "nlohmann-json3-dev"):
            with self.assertRaisesRegex(SystemExit, f"{docs}/{package}/copyright"):
                older_glibc.copy_notices(folder, docs=docs)
            self.assertFalse(os.path.exists(folder))
            os.makedirs(os.path.join(docs, package))
            with open(os.path.join(docs, package, "copyright"), "w", encoding="utf-8") as file:
                file.write(package)
        older_glibc.copy_notices(folder, docs=docs)
        self.assertEqual(sorted(os.listdir(folder)), ["license-of-libcli11-dev", "license-of-libfmt-dev", "license-of-nlohmann-json3-dev"])

    def test_a_license_that_is_not_here_is_said_of_packages_for_here(self):
        said, folder = io.StringIO(), os.path.join(self.work, "notices")
        with contextlib.redirect_stderr(said):
            older_glibc.copy_notices(folder, True, docs=os.path.join(self.work, "doc"))
        self.assertIn("nlohmann-json3-dev/copyright. Add them", said.getvalue())
        self.assertEqual(os.listdir(folder), [])

    def test_versions_are_numbers(self):
        self.assertLess(older_glibc.number("2.4"), older_glibc.number("2.28"))
        self.assertLess(older_glibc.number("2.2.5"), older_glibc.number("2.17"))

    def test_a_library_of_others_is_named(self):
        self.plant("other", ALONE, "-nostdlib", "-Wl,-soname,libother.so.7")
        self.plant("needs", ALONE.replace("alone", "needs"), "-nostdlib", "-Wl,--no-as-needed", os.path.join(self.tree, "libother.so"))
        os.remove(os.path.join(self.tree, "libother.so"))
        self.assertEqual(older_glibc.what_is_missing(self.tree), ["libneeds.so needs the library libother.so.7"])

    def test_versions_of_others_are_named(self):
        script = os.path.join(self.work, "versions")
        with open(script, "w", encoding="utf-8") as file:
            file.write("OTHER_1.0 { global: cos; };\n")
        self.plant("maths", ASKS_MATHS.replace("half_of", "other").replace("extern double cos(double);", "double cos(double x) { return x; }"),
                   "-nostdlib", f"-Wl,--version-script={script}", "-fno-builtin", "-w")
        self.plant("needs", ASKS_MATHS, "-nostdlib", "-fno-builtin", "-w", os.path.join(self.tree, "libmaths.so"))
        self.assertIn("libneeds.so needs symbols of OTHER_1.0, which are not glibc's", older_glibc.what_is_missing(self.tree))

    def test_a_planted_break_ends_the_command(self):
        self.plant("other", ALONE, "-nostdlib", "-Wl,-soname,libother.so.7")
        self.plant("needs", ALONE.replace("alone", "needs"), "-nostdlib", "-Wl,--no-as-needed", os.path.join(self.tree, "libother.so"))
        os.remove(os.path.join(self.tree, "libother.so"))
        with self.assertRaises(SystemExit) as ended:
            tarball.refuse_what_is_missing("tarball", self.tree)
        self.assertRegex(str(ended.exception), r"make tarball: libneeds.so needs the library libother.so.7\nA machine with glibc 2.28 lacks it")

    def test_a_tree_is_packed_alike_twice(self):
        program = os.path.join(self.tree, "program")
        with open(program, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n")
        os.chmod(program, 0o755)
        os.symlink("program", os.path.join(self.tree, "link"))
        packed = []
        for name, seconds in (("first", 1_000_000), ("second", 2_000_000)):
            os.utime(program, (seconds, seconds))
            packed.append(os.path.join(self.work, name))
            tarball.pack(self.tree, packed[-1])
        contents = []
        for path in packed:
            with open(path, "rb") as file:
                contents.append(file.read())
        self.assertEqual(contents[0], contents[1])
        with tarfile.open(packed[0]) as archive:
            entries = {entry.name: entry for entry in archive}
        self.assertEqual(sorted(entries), ["tree", "tree/link", "tree/program"])
        self.assertEqual((entries["tree/program"].mode, entries["tree/link"].linkname), (0o755, "program"))

    def test_a_zip_file_is_read_by_others(self):
        path, texts = os.path.join(self.work, "made.zip"), {"one/empty": b"", "one/ä": b"short", "long": os.urandom(100) * 1000}
        with archive.Zip(path) as made:
            for name, data in texts.items():
                made.add(name, data, 0o755 if name == "long" else 0o644)
        with zipfile.ZipFile(path) as found:
            self.assertIsNone(found.testzip())
            self.assertEqual({name: found.read(name) for name in found.namelist()}, texts)
            self.assertEqual({entry.external_attr >> 16 for entry in found.infolist()}, {0o100755, 0o100644})
            self.assertEqual({entry.date_time for entry in found.infolist()}, {(1980, 1, 1, 0, 0, 0)})

    def test_a_missing_compiler_is_said_with_its_cure(self):
        command = (sys.executable, os.path.join(TOP, "tools", "package", "tarball.py"), self.work)
        self.assertIn("ZIG=/no/such/zig: there is no such program", refused(*command, "--zig", "/no/such/zig"))
        self.assertIn("it is not the compiler zig", refused(*command, "--zig", "/bin/echo"))
        if subprocess.run([sys.executable, "-m", "ziglang", "version"], capture_output=True, check=False).returncode != 0:
            self.assertRegex(refused(*command, PATH="/usr/bin:/bin"), r"needs the compiler zig.*\n.*pip install ziglang zopfli\n +\./dev tarball PYTHON=")


if __name__ == "__main__":
    unittest.main(verbosity=2)
