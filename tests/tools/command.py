"""What the tests of the weft command share: the command's path comes as the first argument of a test program."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

WEFT = sys.argv[1]


def run(*arguments, **environment):
    """Runs the command; .returncode, .stdout and .stderr say what came of it."""
    return subprocess.run([WEFT, *map(str, arguments)], capture_output=True, text=True, timeout=250, check=False,
                          env={**os.environ, **environment})


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def for_another_user(self, *files):
        """Copies in a folder that every user may enter and write to: the build may lie in a home of mode 700."""
        os.chmod(self.folder, 0o777)
        return [shutil.copy(file, self.folder) for file in files]

    def write(self, name, content):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(content)

    def run_right(self, *arguments, **environment):
        result = run(*arguments, **environment)
        self.assertEqual(result.returncode, 0, f"{arguments}: {result.stdout}{result.stderr}")
        return result

    def refuse(self, *arguments):
        """The command line makes no sense: exit status 2, nothing on standard output, the reason on standard error."""
        result = run(*arguments)
        self.assertEqual(result.returncode, 2, f"{arguments}: {result.stdout}{result.stderr}")
        self.assertEqual(result.stdout, "")
        return result.stderr


def main():
    unittest.main(argv=sys.argv[:1], verbosity=2)  # names what is skipped, and why
