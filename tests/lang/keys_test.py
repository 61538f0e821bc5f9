#!/usr/bin/env python3
"""The key that a server of Tascell's nodes makes unasked: nodes of its user find it, other users' nodes get no task, and places that others can
change are refused.

usage: keys_test.py WEFT EXAMPLES [WITHOUT-LIBCRYPTO]
The last word is a library to preload, whose dlopen finds no libcrypto."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import unittest

from nodes import RUNTIME_FOLDER, Node, Server

SECONDS = 60
OTHER_USER = 64321
FIB = (0, "fib(20) = 6765\n", "")


def key_of(port, folder=RUNTIME_FOLDER):
    return os.path.join(folder, f"weft-tascell-{port}.key")


def write(path, text, mode):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    os.chmod(path, mode)


class Keys(unittest.TestCase):
    weft = examples = without_libcrypto = ""

    def setUp(self):
        self.folder = tempfile.mkdtemp(dir="/tmp")  # where every user can enter
        self.addCleanup(shutil.rmtree, self.folder)
        self.servers = []
        self.addCleanup(lambda: [self.end(server) for server in list(self.servers)])

    def server(self, *words, parent=None, port=0):
        made = Server(self.weft, parent, *words, port=port)
        self.servers.append(made)
        return made

    def end(self, server):
        self.servers.remove(server)
        return server.end()

    def node(self, server, *words, environment=None):
        return Node(os.path.join(self.examples, "fib"), server.address(), 1, ("20",), environment, words).wait(SECONDS)

    def refused_server(self, words, **environment):
        done = subprocess.run([self.weft, "tascell-server", "--port", "0", *words], env={**os.environ, **environment}, capture_output=True, text=True,
                              timeout=SECONDS, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1), done.stderr)
        return done.stderr

    def expect_line(self, end, *wanted):
        status, out, err = end
        self.assertEqual((status, out, err.count("\n")), (70, "", 1), err)
        for each in wanted:
            self.assertIn(each, err)

    def test_nodes_of_this_user_find_it(self):
        server = self.server()
        self.assertIn("this machine alone, for nodes of this user", server.first_line)
        self.assertEqual(stat.S_IMODE(os.stat(key_of(server.port)).st_mode), 0o600)
        self.assertEqual(os.listdir(RUNTIME_FOLDER), [os.path.basename(key_of(server.port))])
        self.assertEqual(self.node(server), FIB)
        child = self.server(parent=server)
        self.assertEqual(self.node(child), FIB)
        for each in (child, server):
            self.assertEqual(self.end(each), (0, ""))
        self.assertEqual(os.listdir(RUNTIME_FOLDER), [])

    def as_other_user(self, server, *words):
        """The end of a node that another user starts, with all it needs where that user can enter."""
        os.chmod(self.folder, 0o755)
        fib = os.path.join(self.examples, "fib")
        libraries = subprocess.run(["ldd", fib], capture_output=True, text=True, check=True).stdout.split()
        for file in (fib, *(word for word in libraries if "libweft" in word and word.startswith("/"))):
            shutil.copy(file, self.folder)
        environment = {"PATH": os.environ["PATH"], "HOME": self.folder, "LD_LIBRARY_PATH": self.folder}
        done = subprocess.run([os.path.join(self.folder, "fib"), "--server", server.address(), "--workers", "1", *words, "20"], env=environment,
                              capture_output=True, text=True, timeout=SECONDS, check=False, cwd="/", user=OTHER_USER, group=OTHER_USER,
                              extra_groups=[])
        return done.returncode, done.stdout, done.stderr

    @unittest.skipIf(os.geteuid() != 0, "root alone becomes another user")
    def test_another_user_gets_no_task(self):
        server = self.server()
        main = Node(os.path.join(self.examples, "fib"), server.address(), 1, ("20",), None, ("--nodes", "2"))
        server.wait_for_line("runs main")
        for words in ((), ("--no-key",)):
            self.expect_line(self.as_other_user(server, *words), "requires a key", "--key-file")
        key = os.path.join(self.folder, "key")
        shutil.copy(key_of(server.port), key)
        self.expect_line(self.as_other_user(server, "--key-file", key), key, "cannot be read", "Permission denied")
        write(key, "0" * 64 + "\n", 0o600)
        os.chown(key, OTHER_USER, OTHER_USER)
        self.expect_line(self.as_other_user(server, "--key-file", key), "another key")
        self.assertEqual(self.node(server), (0, "", ""))  # the second node: main has waited for it
        self.assertEqual(main.wait(SECONDS), FIB)
        status, err = self.end(server)
        self.assertEqual((status, err.count("requires a key")), (0, 2), err)

    def test_no_key_is_said_on_both_sides(self):
        server = self.server("--no-key")
        self.assertIn("without a key: every user of this machine can join", server.first_line)
        self.assertEqual(os.listdir(RUNTIME_FOLDER), [])
        self.expect_line(self.node(server), "the server has no key", "another user's", "--no-key")
        self.assertEqual(self.node(server, "--no-key"), FIB)
        self.expect_line(self.node(server, "--no-key", "--key-file", "key"), "exclude each other")
        fib = os.path.join(self.examples, "fib")
        done = subprocess.run([fib, "--no-key", "20"], capture_output=True, text=True, timeout=SECONDS, check=False)
        self.expect_line((done.returncode, done.stdout, done.stderr), "--no-key is for a server")

    def test_a_key_file_is_preferred(self):
        key = os.path.join(self.folder, "key")
        server = self.server("--key-file", key)
        self.expect_line(self.node(server), "requires a key", "--key-file")
        write(key_of(server.port), "0" * 64 + "\n", 0o600)
        self.addCleanup(os.unlink, key_of(server.port))
        self.expect_line(self.node(server), "another key")
        self.assertEqual(self.node(server, "--key-file", key), FIB)

    def test_a_dead_servers_key_is_replaced(self):
        dead = self.server()
        port = dead.port
        opened = open(key_of(port), encoding="ascii")  # as long as it is open, no other file has its number
        self.addCleanup(opened.close)
        old = os.fstat(opened.fileno()).st_ino
        self.servers.remove(dead)
        dead.process.send_signal(signal.SIGKILL)
        dead.process.communicate()
        self.assertTrue(os.path.exists(key_of(port)))
        target = os.path.join(self.folder, "target")
        write(target, "mine\n", 0o644)
        for prepare in (lambda: None, lambda: os.symlink(target, key_of(port))):
            prepare()
            server = self.server(port=port)
            self.assertEqual(self.node(server), FIB)
            found = os.lstat(key_of(port))
            self.assertTrue(stat.S_ISREG(found.st_mode) and stat.S_IMODE(found.st_mode) == 0o600 and found.st_ino != old)
            self.end(server)
            self.assertFalse(os.path.lexists(key_of(port)))
        with open(target, encoding="ascii") as file:
            self.assertEqual(file.read(), "mine\n")

    def test_the_home_where_there_is_no_runtime_folder(self):
        home = {"XDG_RUNTIME_DIR": os.path.join(self.folder, "none"), "HOME": self.folder}
        before = {name: os.environ[name] for name in home if name in os.environ}
        os.environ.update(home)
        try:
            server = self.server()
            own = os.path.join(self.folder, ".weft")
            self.assertEqual(stat.S_IMODE(os.stat(own).st_mode), 0o700)
            self.assertEqual(os.listdir(own), [f"weft-tascell-{server.port}.key"])
            self.assertEqual(self.node(server), FIB)
            self.assertEqual(self.node(server, environment={"XDG_RUNTIME_DIR": RUNTIME_FOLDER}), FIB)
        finally:
            os.environ.update(before)
        self.assertIn("set one", self.refused_server((), XDG_RUNTIME_DIR="", HOME=""))

    def test_folders_that_the_system_refuses(self):
        cure = "let XDG_RUNTIME_DIR and HOME name folders of your own, or name a key with --key-file"
        home = os.path.join(self.folder, "home")
        self.assertIn(f"the folder {home}/.weft of the key cannot be made: No such file or directory; {cure}",
                      self.refused_server((), XDG_RUNTIME_DIR="", HOME=home))
        os.mkdir(home)
        with open(os.path.join(home, ".weft"), "w", encoding="utf-8"):
            pass
        self.assertIn(f"the folder {home}/.weft of the key cannot be opened: Not a directory; {cure}",
                      self.refused_server((), XDG_RUNTIME_DIR="", HOME=home))

    def test_places_that_others_can_change(self):
        server = self.server()
        try:
            for mode in (0o770, 0o702):
                os.chmod(RUNTIME_FOLDER, mode)
                self.expect_line(self.node(server), RUNTIME_FOLDER, "can be written by other users", "chmod 700")
                self.assertIn(f"the folder {RUNTIME_FOLDER} of the key can be written by other users; chmod 700 it", self.refused_server(()))
        finally:
            os.chmod(RUNTIME_FOLDER, 0o700)
        if os.geteuid() == 0:
            theirs = os.path.join(self.folder, "theirs")
            os.mkdir(theirs, 0o700)
            os.chown(theirs, OTHER_USER, OTHER_USER)
            self.assertIn("belongs to another user", self.refused_server((), XDG_RUNTIME_DIR=theirs))
            self.expect_line(self.node(server, environment={"XDG_RUNTIME_DIR": theirs}), theirs, "belongs to another user", "XDG_RUNTIME_DIR")
        key = key_of(server.port)
        os.chmod(key, 0o640)
        self.expect_line(self.node(server), key, "others may read", "chmod 600")
        os.rename(key, key + ".real")
        os.symlink(key + ".real", key)
        os.chmod(key + ".real", 0o600)
        self.expect_line(self.node(server), key, "no file of this user", "remove it")
        os.rename(key + ".real", key)
        self.assertEqual(self.node(server), FIB)

    def test_without_libcrypto(self):
        if not self.without_libcrypto:
            self.skipTest("nothing is preloaded under sanitizers")
        without = {"LD_PRELOAD": self.without_libcrypto}
        line = self.refused_server((), **without)
        self.assertIn("libcrypto", line)
        self.assertIn("--no-key", line)
        self.assertEqual(os.listdir(RUNTIME_FOLDER), [])
        server = self.server()
        self.expect_line(self.node(server, environment=without), "libcrypto", "--no-key")
        keyless = self.server("--no-key")
        self.assertEqual(self.node(keyless, "--no-key", environment=without), FIB)


if __name__ == "__main__":
    Keys.weft, Keys.examples, Keys.without_libcrypto = [*map(os.path.abspath, sys.argv[1:4]), ""][:3]
    unittest.main(argv=sys.argv[:1])
