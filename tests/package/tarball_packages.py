#!/usr/bin/env python3
"""Builds the tarballs and wheels for glibc 2.28 by the compiler zig, and uses them as on machines that know nothing of Weft: C and C++
programs by CMake and pkg-config, with this system's compilers and, where they are installed, gcc 11 and older; C programs of the standards
C99 and C11; those for aarch64 under qemu. As root, where debootstrap is, in a root of Debian 11 (glibc 2.31, gcc 9 and 10, CMake 3.18).

usage: tarball_packages.py [ZIG]     ZIG is the compiler, if it is not found by itself; auditwheel is asked where it lies beside it"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from outside import HERE, LIBC, LIBWEFT, TOP, VERSION, needed, run

sys.path.insert(0, os.path.join(TOP, "tools", "package"))
import older_glibc  # noqa: E402 (it is found in the line above)
import wheel  # noqa: E402

TARBALL = os.path.join(TOP, "tools", "package", "tarball.py")
OLD_SUITE = "bullseye"
OLDER_LIBC = LIBC | {"libpthread.so.0", "libdl.so.2", "librt.so.1"}
PREFIXES = {"x86_64": "", "aarch64": "aarch64-linux-gnu-"}
RUNNERS = {"x86_64": [], "aarch64": ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]}


def zig():
    try:
        return older_glibc.path_of_zig("tarball", GIVEN)
    except SystemExit as missing:
        raise unittest.SkipTest(str(missing)) from None


def has(machine):
    """Whether programs for that machine can be built and run here."""
    words = [f"{PREFIXES[machine]}gcc", *RUNNERS[machine][:1]]
    return (machine != "x86_64" or os.uname().machine == "x86_64") and all(map(shutil.which, words))


class Tarballs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        compiler = zig()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.work = os.path.join(folder.name, "with a space")
        files = os.path.join(cls.work, "files")
        run(sys.executable, TARBALL, files, "--zig", compiler)
        run("tar", "-C", cls.work, "-xf", os.path.join(files, f"weft-{VERSION}-linux-x86_64.tar.gz"))
        run("tar", "-C", cls.work, "-xf", os.path.join(files, f"weft-{VERSION}-linux-aarch64.tar.gz"))
        cls.files, cls.compiler = files, compiler

    def tree(self, machine):
        return os.path.join(self.work, f"weft-{VERSION}-linux-{machine}")

    def machines(self):
        found = [machine for machine in PREFIXES if has(machine)]
        self.assertNotEqual(found, [])
        return found

    def check(self, machine, program, libraries):
        self.assertIn("42", run(*RUNNERS[machine], program))
        self.assertEqual(needed(program) & {LIBWEFT}, libraries)

    def test_nothing_is_newer_than_its_glibc(self):
        for machine in PREFIXES:
            self.assertEqual(older_glibc.what_is_missing(self.tree(machine)), [])
            self.assertLessEqual(needed(os.path.join(self.tree(machine), "lib", LIBWEFT)), OLDER_LIBC)
            said = run("readelf", "-h", os.path.join(self.tree(machine), "lib", LIBWEFT))
            self.assertIn({"x86_64": "X86-64", "aarch64": "AArch64"}[machine], said)

    def test_find_package(self):
        for machine in self.machines():
            toolchain = [f"-DCMAKE_TOOLCHAIN_FILE={TOP}/cmake/aarch64.cmake"] if RUNNERS[machine] else []
            for language in ("c", "cpp"):
                with self.subTest(machine=machine, language=language):
                    build = os.path.join(self.work, f"build-{machine}-{language}")
                    run("cmake", "-G", "Ninja", "-S", os.path.join(HERE, "project", language), "-B", build, *toolchain,
                        f"-Dweft_DIR={self.tree(machine)}/lib/cmake/weft")
                    run("cmake", "--build", build)
                    self.check(machine, os.path.join(build, "with_weft"), {LIBWEFT})
                    self.check(machine, os.path.join(build, "with_weft_static"), set())

    def test_pkg_config(self):
        for machine in self.machines():
            for language, compiler in (("c", "gcc"), ("cpp", "g++")):
                with self.subTest(machine=machine, language=language):
                    self.by_pkg_config(machine, PREFIXES[machine] + compiler, language)

    def by_pkg_config(self, machine, compiler, language, *options):
        source = os.path.join(HERE, "project", language, f"hello.{language}")
        program = os.path.join(self.work, "-".join(("pc", machine, compiler, language, *options)))
        line = f'{compiler} {" ".join(options)} "$1" -o "$2" '
        run("sh", "-c", f"eval '{line}' $(pkg-config --cflags --libs weft)", "sh", source, program,
            PKG_CONFIG_PATH=os.path.join(self.tree(machine), "lib", "pkgconfig"))
        self.check(machine, program, {LIBWEFT})

    def test_older_compilers_and_standards_of_c(self):
        compilers = [name for name in ("gcc", *(f"gcc-{number}" for number in range(8, 12))) if shutil.which(name)]
        for compiler in compilers if has("x86_64") else ():
            for standard in ("-std=gnu99", "-std=c99", "-std=c11"):
                with self.subTest(compiler=compiler, standard=standard):
                    self.by_pkg_config("x86_64", compiler, "c", standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror")

    def test_the_command(self):
        for machine in self.machines():
            weft = os.path.join(self.tree(machine), "bin", "weft")
            self.assertIn(VERSION, run(*RUNNERS[machine], weft, "--version"))
            self.assertIn("workers", run(*RUNNERS[machine], weft, "info"))
        if has("x86_64"):
            run(os.path.join(self.tree("x86_64"), "bin", "weft"), "demo", "--quick", "--dir", os.path.join(TOP, "docs", "guide"))

    def test_wheels(self):
        auditwheel = shutil.which("auditwheel") or shutil.which("auditwheel", path=os.path.join(os.path.dirname(GIVEN), ""))
        for machine in PREFIXES:
            with self.subTest(machine):
                file = wheel.main(self.files, machine, self.compiler)
                self.assertLessEqual(os.path.getsize(file), wheel.LIMIT_BYTES)
                self.assertTrue(file.endswith(f"-py3-none-manylinux_2_28_{machine}.whl"), file)
                if auditwheel:
                    said = " ".join(run(auditwheel, "show", file).split())
                    tag = re.search(r'platform tag: "manylinux_(\d+)_(\d+)_(\w+)"', said)
                    self.assertIsNotNone(tag, said)
                    self.assertLessEqual((int(tag.group(1)), int(tag.group(2))), (2, 28))
                    self.assertEqual(tag.group(3), machine)
        if not has("x86_64"):
            return
        begun = time.monotonic()
        environment = os.path.join(self.work, "environment")
        run(sys.executable, "-m", "venv", environment)
        python = os.path.join(environment, "bin", "python")
        run(python, "-m", "pip", "install", "--no-index", *glob.glob(os.path.join(self.files, "*x86_64.whl")))
        program, folder = os.path.join(self.work, "by-wheel"), run(python, "-m", "weft_threads", "--pkg-config-dir").strip()
        run("sh", "-c", 'eval gcc \'"$1"\' -o \'"$2"\' $(pkg-config --cflags --libs weft)', "sh", os.path.join(HERE, "project", "c", "hello.c"), program,
            PKG_CONFIG_PATH=folder)
        self.check("x86_64", program, {LIBWEFT})
        print(f"an environment, pip install and an example built and run: {time.monotonic() - begun:.1f} s", flush=True)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("debootstrap") and os.uname().machine == "x86_64", "no root, or no debootstrap, here")
    def test_in_a_root_of_an_older_system(self):
        root = os.environ.get("WEFT_TEST_OLD_ROOT", "")  # made by an earlier run
        if not root:
            root = os.path.join(os.path.dirname(self.work), "root")
            packages = "cmake,g++,g++-9,gcc,gcc-9,libc6-dev,ninja-build,pkg-config,python3"
            run("debootstrap", "--variant=minbase", f"--include={packages}", OLD_SUITE, root)
        inside = os.path.join(root, "tmp", "weft")
        shutil.rmtree(inside, ignore_errors=True)
        os.makedirs(inside)
        run("tar", "-C", inside, "--strip-components=1", "-xf", os.path.join(self.files, f"weft-{VERSION}-linux-x86_64.tar.gz"))
        for language in ("c", "cpp"):
            project = os.path.join(inside, "project", language)
            shutil.copytree(os.path.join(HERE, "project", language), project)
            with open(os.path.join(project, "CMakeLists.txt"), encoding="utf-8") as file:
                text = file.read()
            with open(os.path.join(project, "CMakeLists.txt"), "w", encoding="utf-8") as file:
                file.write(text.replace("VERSION 3.25", "VERSION 3.13"))
        for compiler, cxx in (("gcc", "g++"), ("gcc-9", "g++-9")):
            self.inside(root, f"cmake -G Ninja -S project/c -B build-{compiler} -Dweft_ROOT=/tmp/weft -DCMAKE_C_COMPILER={compiler} && "
                              f"cmake --build build-{compiler} && build-{compiler}/with_weft && build-{compiler}/with_weft_static")
            self.inside(root, "PKG_CONFIG_PATH=lib/pkgconfig; export PKG_CONFIG_PATH; "
                              f"{compiler} -std=c99 project/c/hello.c -o by-{compiler} $(pkg-config --cflags --libs weft) && ./by-{compiler}")
        self.inside(root, "cmake -G Ninja -S project/cpp -B build-cpp -Dweft_ROOT=/tmp/weft && "
                          "cmake --build build-cpp --target with_weft with_weft_static && build-cpp/with_weft")  # the rest is for gcc 11 or later
        self.inside(root, "bin/weft demo --quick --dir include")

    def inside(self, root, line):
        command = ["unshare", "--mount", "--pid", "--fork", "sh", "-c",
                   'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" sh -ec "cd /tmp/weft; $1"', root, line]
        done = subprocess.run(command, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")


if __name__ == "__main__":
    GIVEN = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") and os.path.exists(sys.argv[1]) else ""
    unittest.main(verbosity=2)
