"""Servers and nodes of Tascell programs, for tests. Nothing outlives a `Group`."""

import atexit
import os
import re
import shutil
import subprocess
import tempfile

LISTENS = re.compile(r"listens on port (\d+)")
# Where servers put their keys, and nodes find them.
RUNTIME_FOLDER = os.environ["XDG_RUNTIME_DIR"] = tempfile.mkdtemp(prefix="weft-keys-")
atexit.register(shutil.rmtree, RUNTIME_FOLDER, ignore_errors=True)
# Words of both, unless a key file is named: ["--no-key"] where a test speaks for a node or a server.
OF_KEYS = []


def of_keys(words):
    return [] if {"--key-file", "--no-key"} & set(words) else OF_KEYS


class Server:
    """weft tascell-server on a free port of this machine; its parent is a Server or None."""

    def __init__(self, weft, parent=None, *words, port=0):
        above = ["--parent", f"localhost:{parent.port}"] if parent else []
        self.process = subprocess.Popen([weft, "tascell-server", "--port", str(port), *above, *of_keys(words), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)
        self.first_line = self.process.stdout.readline()
        found = LISTENS.search(self.first_line)
        if not found:
            raise RuntimeError(f"the server does not start: {self.first_line}{self.process.stderr.read()}")
        self.port = int(found.group(1))

    def wait_for_line(self, text):
        """The next line with the text, or "": the server has ended."""
        for line in self.process.stdout:
            if text in line:
                return line
        return ""

    def address(self):
        return f"localhost:{self.port}"

    def end(self):
        """Exit status and stderr."""
        self.process.terminate()
        _, err = self.process.communicate(timeout=200)  # reads what is left
        return self.process.returncode, err


class Node:
    """A program that runs; its output goes to files, so that no pipe fills."""

    def __init__(self, program, address, workers, arguments=(), environment=None, words=()):
        self.out, self.err = tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")
        command = [program, "--server", address, "--workers", str(workers), *of_keys(words), *words, *arguments]
        self.process = subprocess.Popen(command, stdout=self.out, stderr=self.err, env={**os.environ, **(environment or {})})

    @staticmethod
    def seconds_of(path):
        """Seconds of a processor, by a stat file; infinite for what has ended."""
        try:
            with open(path, encoding="ascii") as file:
                fields = file.read().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return float("inf")
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def processor_seconds(self):
        """That it has used; infinite for a process that has ended."""
        return self.seconds_of(f"/proc/{self.process.pid}/stat")

    def busy_threads(self, seconds):
        """How many of its OS threads have each used so many seconds of a processor."""
        tasks = f"/proc/{self.process.pid}/task"
        return sum(self.seconds_of(os.path.join(tasks, each, "stat")) >= seconds for each in os.listdir(tasks))

    def wait(self, seconds=100):
        """Exit status, stdout and stderr; a node that hangs is killed, and its status is None."""
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            status = None
        texts = []
        for file in (self.out, self.err):
            file.seek(0)
            texts.append(file.read())
            file.close()
        return status, *texts
