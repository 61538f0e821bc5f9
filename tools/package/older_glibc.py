"""Builds for machines with glibc 2.28 or later, by the compiler of zig, which has the symbols of each glibc since 2.17; and looks into
what was built for what such a machine lacks. docs/decisions/0130-one-build-for-glibc-2-28.md says why."""

import os
import re
import shlex
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
GLIBC = "2.28"
MACHINES = ("x86_64", "aarch64")
HEADERS_ALONE = {"CLI11": ("CLI", "CLI11::CLI11"), "fmt": ("fmt", "fmt::fmt-header-only"), "nlohmann_json": ("nlohmann", "nlohmann_json::nlohmann_json")}
OF_GLIBC = re.compile(r"(libc|libm|libpthread|libdl|librt)\.so\.\d+|ld-linux-(x86-64|aarch64)\.so\.\d")
HOW_TO_GET_ZIG = ("  python3 -m venv FOLDER && FOLDER/bin/pip install ziglang zopfli\n"
                  "  ./dev {word} PYTHON=FOLDER/bin/python")


def path_of_zig(word, given):
    """Of the program itself: what was given, or what is found."""
    found = [[path] for path in map(shutil.which, [given] if given else ["zig", "python-zig"]) if path]
    if given and not found:
        sys.exit(f"make {word}: ZIG={given}: there is no such program")
    for words in [*found, *([] if given else [[sys.executable, "-m", "ziglang"]])]:
        done = subprocess.run([*words, "env"], capture_output=True, text=True, check=False)
        itself = re.search(r'\bzig_exe\W+"([^"]+)"', done.stdout)  # it starts sooner than the Python around it
        if done.returncode == 0 and itself:
            return itself.group(1)
    if given:
        sys.exit(f"make {word}: ZIG={given}: it is not the compiler zig")
    sys.exit(f"make {word}: a build for glibc {GLIBC} needs the compiler zig, which is not here. An environment of Python can have it:\n"
             f"{HOW_TO_GET_ZIG.format(word=word)}")


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == text:  # its time stays, which is what a compiler cache asks for
                return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def tools(folder, zig, machine):
    """Puts programs with the usual names into a folder. They write no debug information."""
    target = f"-target {machine}-linux-gnu.{GLIBC}"
    headers = f"-I {shlex.quote(os.path.join(HERE, 'older_glibc'))}"  # behind -isystem zig's own would come first
    for name, before, after in (("cc", target, "-g0"), ("c++", f"{target} {headers}", "-g0"), ("ar", "", ""), ("ranlib", "", "")):
        write(os.path.join(folder, name), f'#!/bin/sh\nexec {shlex.quote(zig)} {name} {before} "$@" {after}\n', 0o755)


def headers_alone(folder):
    """A prefix with the libraries of which the weft command takes headers: the compiler does not look into /usr/include, where there is
    another glibc's."""
    for package, (name, target) in HEADERS_ALONE.items():
        place = next((path for path in ("/usr/include", "/usr/local/include") if os.path.isdir(os.path.join(path, name))), None)
        if place is None:
            sys.exit(f"the headers of {package} are not in /usr/include: ./dev build says what is needed")
        include = os.path.join(folder, "include")
        os.makedirs(include, exist_ok=True)
        if not os.path.islink(os.path.join(include, name)):
            os.symlink(os.path.join(place, name), os.path.join(include, name))
        macro = "target_compile_definitions(fmt::fmt-header-only INTERFACE FMT_HEADER_ONLY=1)\n" if package == "fmt" else ""
        write(os.path.join(folder, "lib", "cmake", package, f"{package}-config.cmake"),
              f'add_library({target} INTERFACE IMPORTED)\ntarget_include_directories({target} INTERFACE "{include}")\n{macro}')


def settings(build, zig, machine):
    """What CMake is told so that it builds for such machines."""
    compilers, prefix = os.path.join(build, "compilers"), os.path.join(build, "headers")
    tools(compilers, zig, machine)
    headers_alone(prefix)
    words = [f"-DCMAKE_{language}_COMPILER={os.path.join(compilers, name)}" for language, name in (("C", "cc"), ("CXX", "c++"), ("ASM", "cc"))]
    words += [f"-D{package}_DIR={os.path.join(prefix, 'lib', 'cmake', package)}" for package in HEADERS_ALONE]
    return [*words, "-DCMAKE_SYSTEM_NAME=Linux", f"-DCMAKE_SYSTEM_PROCESSOR={machine}", f"-DCMAKE_AR={os.path.join(compilers, 'ar')}",
            f"-DCMAKE_RANLIB={os.path.join(compilers, 'ranlib')}", "-DCMAKE_SHARED_LINKER_FLAGS=-Wl,-s", "-DCMAKE_EXE_LINKER_FLAGS=-Wl,-s",
            "-DCMAKE_MODULE_LINKER_FLAGS=-Wl,-s"]


def strip_for(machine):
    """The program that takes from archives what no linker asks for; empty if there is none for that machine."""
    names = ["strip"] if machine == os.uname().machine else [f"{machine}-linux-gnu-strip", "llvm-strip", "llvm-strip-19"]
    return next((name for name in names if shutil.which(name)), "")


def number(version):
    return tuple(int(part) for part in version.split("."))


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def asked_for(path):
    """Of a program or a shared library: the libraries that it needs, and the versions of symbols, both as sets of names."""
    said = subprocess.run(["readelf", "-W", "-d", "-V", path], capture_output=True, text=True, check=True, env=dict(os.environ, LC_ALL="C")).stdout
    needs = said.partition("Version needs section")[2]
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", said)), set(re.findall(r"Name: (\S+) +Flags", needs))


def what_is_missing(tree, glibc=GLIBC):
    """What a machine that has this glibc and nothing else lacks for the programs and libraries of a tree, in sentences."""
    files = [os.path.join(folder, name) for folder, _, names in os.walk(tree) for name in sorted(names)]
    dynamic = [path for path in files if not os.path.islink(path) and is_elf(path) and not path.endswith((".o", ".a"))]
    here = {os.path.basename(path) for path in files}
    found = []
    for path in dynamic:
        name = os.path.relpath(path, tree)
        libraries, versions = asked_for(path)
        found += [f"{name} needs the library {library}" for library in sorted(libraries) if not OF_GLIBC.fullmatch(library) and library not in here]
        for version in sorted(versions):
            base, _, digits = version.partition("_")
            if base == "GLIBC" and (not re.fullmatch(r"[\d.]+", digits) or number(digits) > number(glibc)):
                found.append(f"{name} needs symbols of {version}")
            elif base not in ("GLIBC", "WEFT"):
                found.append(f"{name} needs symbols of {version}, which are not glibc's")
    return found


def copy_notices(folder, is_for_here=False, docs="/usr/share/doc"):
    """The licenses of the libraries whose headers are compiled into the weft command, as Debian's packages have them. One that is not here is
    an error, unless what is packed is for machines like this one: then it is said."""
    texts = {package: os.path.join(docs, package, "copyright") for package in ("libcli11-dev", "libfmt-dev", "nlohmann-json3-dev")}
    missing = [text for text in texts.values() if not os.path.exists(text)]
    if missing:
        words = f"the weft command has headers of libraries in it whose licenses are to be packed with it, and not here: {', '.join(missing)}"
        if not is_for_here:
            sys.exit(f"{words}.\nDebian's packages of these libraries have them; where there are none, put each license there.")
        print(f"{words}. Add them before you pass the package on.", file=sys.stderr)
    os.makedirs(folder, exist_ok=True)
    for package, text in texts.items():
        if text not in missing:
            shutil.copyfile(text, os.path.join(folder, f"license-of-{package}"))
