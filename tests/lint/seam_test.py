import os
import subprocess
import unittest

import planted
import seam

SEAM = """// The fault seam.
//
// Not asked:
// - close, getpid: cannot fail
// - read in os/last.cpp: the program
//   dies
//
// Promises: none.
enum class call : unsigned char {
  getrandom,
  open,  // open, opendir
  take,  // read, SYS_read
};
inline bool fails(call) { return false; }
"""
GOOD = """#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <dirent.h>
#include <unistd.h>
#include "fault.hpp"

int look(const char* path, char* out) {
  if (fails(call::open)) return -1;
  const int file = open(path, O_RDONLY);
  const long got = fails(call::take) ? -1 : read(file, out, strlen(path));
  close(file);
  return static_cast<int>(got) + getpid();
}

bool dice(char* out) { return !fails(call::getrandom) && getrandom(out, 1, 0) == 1; }

long bare(char* out) { return fails(call::take) ? -1 : syscall(SYS_read, 0, out, 1); }

DIR* folder() {
  if (fails(call::open)) return nullptr;
  return opendir(".");
}
"""


class SeamTest(planted.PlantedTest):
    def problems(self, old="", new="", seam_text=SEAM, name="os/file.cpp"):
        self.assertIn(old, GOOD)
        self.plant("src/os/fault.hpp", seam_text)
        self.plant(f"src/{name}", GOOD.replace(old, new) if old else GOOD)
        run = lambda *command: subprocess.run(command, cwd=self.top, check=True)
        run("c++", "-c", f"src/{name}", "-I", "src/os", "-o", f"{os.path.basename(name)}.o")
        run("ar", "rc", "libweft.a", f"{os.path.basename(name)}.o")
        return seam.check(self.top, os.path.join(self.top, "libweft.a"))[0]

    def test_what_asks_or_is_listed_passes(self):
        self.assertEqual(self.problems(), [])

    def test_a_call_that_does_not_ask_is_found(self):
        self.assert_found(self.problems("!fails(call::getrandom) && "), "src/os/file.cpp:17: getrandom does not ask")
        self.assert_found(self.problems("  if (fails(call::open)) return -1;\n"), "open does not ask")
        self.assert_found(self.problems("if (fails(call::open)) return nullptr;"), "opendir does not ask")

    def test_one_that_asks_for_another_is_found(self):
        self.assert_found(self.problems("fails(call::take) ? -1 : read", "fails(call::getrandom) ? -1 : read"), "read does not ask")

    def test_a_system_call_by_its_number_is_found(self):
        self.assert_found(self.problems("fails(call::take) ? -1 : syscall", "syscall"), "SYS_read does not ask")
        self.assert_found(self.problems("+ getpid()", "+ syscall(SYS_gettid) + getpid()"), "SYS_gettid is needed")

    def test_a_function_that_nobody_knows_is_found(self):
        self.assert_found(self.problems("getpid()", "getpid() + getppid()"), "getppid is needed, and neither asked nor in the list")

    def test_an_exemption_is_for_its_file_alone(self):
        self.assertEqual(self.problems("fails(call::take) ? -1 : read", "read", name="os/last.cpp"), [])

    def test_a_stale_entry_is_found(self):
        self.assert_found(self.problems(seam_text=SEAM.replace("close, getpid", "close, getpid, getuid")), "nobody needs getuid")

    def test_functions_of_our_own_are_no_calls_of_the_system(self):
        self.assertEqual(self.problems("bool dice", "bool read(char c);\n\nbool dice"), [])


if __name__ == "__main__":
    unittest.main()
