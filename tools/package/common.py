"""What the programs share that make files for other machines: the wheel, the tarballs, a release."""

import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
SETTINGS = ("-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DWEFT_TESTS=OFF", "-DWEFT_SELF_CONTAINED=ON", "-DWEFT_MPICC=", "-DCMAKE_INSTALL_LIBDIR=lib")


def version():
    with open(os.path.join(TOP, "include", "weft", "version.h"), encoding="utf-8") as header:
        return re.search(r'WEFT_VERSION "(.*)"', header.read()).group(1)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{done.stdout[-4000:]}{done.stderr[-4000:]}{' '.join(command)}: failed")
    return done.stdout


def compiled(build, targets, *settings):
    """Configures a build folder, and builds these targets there."""
    run("cmake", "-S", TOP, "-B", build, *SETTINGS, *settings)
    run("cmake", "--build", build, "-j", str(os.cpu_count()), "--target", *targets)
