# SPDX-License-Identifier: BSD-3-Clause
"""Weft's recipe for Spack 0.23 and 1.x. The sources are those of the clone that this file lies in."""

import os

from spack.package import *

CLONE = os.path.realpath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4))


class Weft(CMakePackage):
    """Lightweight threads for C and C++: a fork costs about as much as a function call and may block
    all the same. Locks, events, channels and full/empty words let threads wait while the core that
    ran them goes on with other work."""

    homepage = f"file://{CLONE}/README.md"
    git = f"file://{CLONE}"

    license("BSD-3-Clause", checked_by="The Weft authors")
    test_requires_compiler = True

    generator("ninja")  # targets of folders are not known to make

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    variant("shared", default=True, description="Programs of other recipes link the shared library (both are installed)")
    variant("checked", default=False, description="Install the library that names misuse, too")
    variant("hwloc", default=False, description="WEFT_TOPOLOGY=hwloc finds Spack's hwloc (the default reads sysfs)")
    variant("tools", default=True, description="The command weft")
    variant("mpi", default=False, description="MPI calls that let other threads run, and ranks that mpirun starts")
    variant("qthreads", default=False, description="Qthreads' interface, in lib/weft/qthreads")
    variant("argobots_face", default=False, description="Argobots' interface, in lib/weft/argobots")
    variant("event", default=False, description="libevent's locks as Weft's")

    provides("argobots-api", when="+argobots_face")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("python@3.8:", type="build")
    depends_on("hwloc@2:", when="+hwloc")
    depends_on("mpi", when="+mpi")
    depends_on("libevent", when="+event")
    with when("+tools"):
        depends_on("cli11", type="build")
        depends_on("nlohmann-json", type="build")
        depends_on("fmt")
        depends_on("openssl")

    conflicts("%gcc@:11", msg="Weft is built by gcc 12 or later, in C++20")
    conflicts("%clang@:15", msg="Weft is built by clang 16 or later, in C++20")
    for system in ("darwin", "windows", "freebsd"):
        conflicts(f"platform={system}", msg="Weft runs on Linux alone")
    for processor in ("ppc64le:", "riscv64:", "x86:", "arm:"):
        conflicts(f"target={processor}", msg="Weft runs on x86-64 and aarch64")

    def faces(self):
        chosen = ["alpi", "chapel", "fortran", "openmpi", "threads"]
        for variant_name, face in (("argobots_face", "argobots"), ("event", "event"), ("mpi", "mpi"), ("qthreads", "qthreads")):
            if self.spec.satisfies(f"+{variant_name}"):
                chosen.append(face)
        return sorted(chosen)

    def cmake_args(self):
        mpi = os.path.join(self.spec["mpi"].prefix.bin, "mpicc") if self.spec.satisfies("+mpi") else ""
        return [
            self.define("CMAKE_BUILD_TYPE", "Release"),
            self.define("WEFT_TESTS", False),
            self.define_from_variant("WEFT_PROGRAMS", "tools"),
            self.define("WEFT_FACES", self.faces()),
            self.define("WEFT_MPICC", mpi),
        ]

    @property
    def build_targets(self):
        """What is installed, and neither examples nor benchmarks."""
        targets = ["weft", "weft_static", "net/all", "dist/all", "faces/all", "lang/all"]
        if self.spec.satisfies("+tools"):
            targets.append("tools/weft/all")
        if self.spec.satisfies("+checked"):
            targets += ["weft_checked", "weft_checked_static"]
        return targets

    def install(self, spec, prefix):
        install_built = which("cmake")
        with working_dir(self.build_directory):
            install_built("--install", ".")
            if spec.satisfies("+checked"):
                install_built("--install", ".", "--component", "checked")

    @property
    def libs(self):
        for folder in (self.prefix.lib, self.prefix.lib64):
            found = find_libraries("libweft", root=folder, shared=self.spec.satisfies("+shared"), recursive=False)
            if found:
                return found
        return None

    @run_after("install")
    def keep_what_the_tests_build(self):
        cache_extra_test_sources(self, [join_path("tests", "package", "project"), join_path("examples", "tascell")])

    def test_find_package(self):
        """C and C++ programs find the package, and run"""
        self.require_cmake()
        for language in ("c", "cpp"):
            source = join_path(install_test_root(self), "tests", "package", "project", language)
            with working_dir(f"project-{language}", create=True):
                which("cmake", required=True)(source, f"-DCMAKE_PREFIX_PATH={self.prefix}")
                which("cmake", required=True)("--build", ".")
                for program in ("with_weft", "with_weft_static"):
                    assert "42" in Executable(join_path(".", program))(output=str.split, error=str.split)

    def test_command(self):
        """the weft command's demonstration, with checked answers"""
        if not self.spec.satisfies("+tools"):
            raise SkipTest("the command is not installed: ~tools")
        Executable(self.prefix.bin.weft)("demo", "--quick")

    def require_cmake(self):
        if which("cmake") is None:
            raise SkipTest("no cmake here")
