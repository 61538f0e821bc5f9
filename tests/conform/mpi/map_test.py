#!/usr/bin/env python3
"""faces/mpi/MAP.md and the libraries agree about what there is, and the tests that a row names make a call of each function of the row.

usage: map_test.py [libweft-mpi-mpich.so] [libweft-mpi-openmpi.so]"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.join(TOP, "tools", "lint"))

import symbols  # noqa: E402

LIBRARIES = []


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def rows():
    """(names, has large counts, how, tests) of each row."""
    for line in read(TOP, "faces", "mpi", "MAP.md").split("\n"):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `MPI_"):
            names, large, how, tests = cells
            yield re.findall(r"`(\w+)`", names), large == "yes", how, re.findall(r"`([\w.]+)`", tests)


def exports(library, kind):
    return {name for name, found in symbols.nm(library, "-D", "--defined-only").items() if found == kind}


class MapTest(unittest.TestCase):
    def test_each_library_exports_what_the_map_has(self):
        self.assertNotEqual(LIBRARIES, [])
        for library in LIBRARIES:
            found = {name for name in exports(library, "T") if not name.startswith(("MPIX_", "PMPIX_"))}  # of an MPI that tells of dead ranks
            is_mpich = "openmpi" not in os.path.basename(library)  # or the standard ABI
            has_large_counts = "MPI_Send_c" in found
            has_flushes = "MPI_Buffer_flush" in found
            wanted = set()
            for names, large, how, _ in rows():
                if ("MPICH alone" in how and not is_mpich) or ("from MPI 4 on" in how and not has_large_counts) or ("from MPI 4.1 on" in how and not has_flushes):
                    continue
                wanted |= set(names) | ({name + "_c" for name in names} if large and has_large_counts else set())
            with self.subTest(library):
                self.assertEqual(found, wanted | {"P" + name for name in wanted})  # src/fortran.h

    def test_each_library_has_all_other_functions_too(self):
        for library in LIBRARIES:
            made = exports(library, "W")
            for name in "MPI_Comm_rank", "MPI_Isend", "MPI_Type_commit", "MPI_Get_accumulate", "MPI_T_init_thread", "MPI_Status_c2f":
                self.assertIn(name, made)
                self.assertIn("P" + name, made)
            self.assertFalse(made & {"MPI_Abort", "MPI_Initialized", "MPI_Wtime", "MPI_Recv"})

    def test_the_library_links_no_mpi(self):
        for library in LIBRARIES:
            undefined = symbols.nm(library, "-D", "--undefined-only")
            self.assertEqual([name for name in undefined if re.match("P?MPI_|ompi_", name)], [])

    def test_each_is_called_by_a_test_that_its_row_names(self):
        for names, _, _, tests in rows():
            text = "".join(read(HERE, test) for test in tests)
            for name in names:
                word = name.removeprefix("MPI_")
                in_file = word.removeprefix("File_")
                call = rf"\b{name}\(|\b(?:MPI_)?CALL\({word}\)\(|\bFILE_CALL\({in_file}\)\("
                self.assertIsNotNone(re.search(call, text), f"{name} is not in {tests}")

    def test_the_made_functions_depend_on_the_headers_of_the_mpi(self):
        for header in "mpi.h", "mpi-ext.h":
            with tempfile.TemporaryDirectory() as folder:
                made = os.path.join(folder, "made.c")
                with open(os.path.join(folder, "mpi.h"), "w", encoding="utf-8") as file:
                    file.write("int MPI_Recv(int one); int PMPI_Recv(int one);\n")  # and what MPICH 5 has: macros, and a pointer returned
                    file.write("void *MPIX_State(int one); void *PMPIX_State(int one);\n#define MPIX_State(one) 0\n")
                with open(os.path.join(folder, header), "a", encoding="utf-8") as file:
                    file.write("\n")
                words = [sys.executable, os.path.join(TOP, "faces", "mpi", "wrappers.py"), made, os.environ.get("CC", "cc"), f"-I{folder}"]
                subprocess.run(words, check=True, timeout=60)
                self.assertIn(f"{folder}/{header}", read(made + ".d"))
                self.assertIn("\n#undef MPIX_State\n", read(made))
                self.assertIn("void * const result_ = BEHIND(MPIX_State)(one);", read(made))

    def test_the_files_that_it_names_are_there(self):
        for name in re.findall(r"`(src/\w+\.c)`", read(TOP, "faces", "mpi", "MAP.md")):
            self.assertTrue(os.path.exists(os.path.join(TOP, "faces", "mpi", name)), name)


if __name__ == "__main__":
    LIBRARIES = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
