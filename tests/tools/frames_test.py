#!/usr/bin/env python3
"""weft frames, on a program and a library whose frames are known, and on files that are damaged."""

import os
import random
import re
import struct
import subprocess
import sys

import command

PROGRAM, LIBRARY = sys.argv[2:4]
LIBRARY_PATH = {"LD_LIBRARY_PATH": os.path.dirname(LIBRARY)}
MACHINE_AT = 18  # e_machine, in the head of an ELF file
OTHER_MACHINE = {62: 183, 183: 62}  # x86-64, aarch64


class FramesTest(command.CommandTest):
    def rows(self, *words, **environment):
        """{function: (bytes, what it is larger than, file)} of the table."""
        self.shown = self.run_right("frames", *words, **{**LIBRARY_PATH, **environment}).stdout
        found = re.findall(r"^([\d,]+) B +((?:stack, guard|stack|guard)?) +(\S.*?) +(/\S+)$", self.shown, re.MULTILINE)
        return {function: (int(size.replace(",", "")), limits, file) for size, limits, function, file in found}

    def check(self, row, size, limits, file):
        self.assertTrue(size <= row[0] < size + 200, row)
        self.assertEqual((row[1], os.path.basename(row[2])), (limits, os.path.basename(file)))

    def test_a_program_and_its_libraries(self):
        rows = self.rows(PROGRAM, "--stack", "64K", "--guard", "1M")
        self.check(rows["wide_frame"], 100000, "stack", LIBRARY)
        self.check(rows["wider_frame"], 3000000, "stack, guard", LIBRARY)
        self.assertNotIn("own_frame", rows)
        self.assertIn("Larger than the stack: ", self.shown)
        self.assertIn("Larger than the guard: ", self.shown)
        self.assertIn("(stack 64.0 KiB, guard 1.00 MiB)", self.shown)
        sizes = [size for size, _, _ in rows.values()]
        self.assertEqual(sizes, sorted(sizes, reverse=True))

    def test_what_is_at_least_so_large(self):
        rows = self.rows(PROGRAM, "--at-least", 19800, "--stack", "16M", "--guard", "16M")
        self.assertTrue({"wide_frame", "wider_frame"} < set(rows), rows)
        own = next(row for name, row in rows.items() if name.startswith("own_frame"))
        self.check(own, 19800, "", PROGRAM)  # of 20,000 bytes a red zone may hold some
        self.assertNotIn("Larger than", self.shown)
        self.assertFalse(self.rows(LIBRARY, "--at-least", "1G"))
        self.assertRegex(self.shown, r"(?m)^0 of \d+ functions in 1 file .*\nThe largest has 3,000,\d+ bytes: wider_frame, in /")

    def test_a_frame_as_large_as_the_stack_is_not_larger(self):
        size = self.rows(LIBRARY, "--at-least", "64K")["wide_frame"][0]
        self.assertEqual(set(self.rows(LIBRARY, "--stack", size, "--guard", "1M")), {"wider_frame"})
        self.assertIn(f"a frame of {size + 1:,} bytes or more", self.shown)
        self.assertEqual(self.rows(LIBRARY, "--stack", size - 1, "--guard", "1M")["wide_frame"][1], "stack")

    def test_a_file_that_is_met_again_is_read_once(self):
        self.rows(PROGRAM, "--stack", "64K")
        shown = self.shown
        self.rows(PROGRAM, LIBRARY, PROGRAM, "--stack", "64K")
        self.assertEqual(self.shown, shown)

    def test_a_stripped_library_has_the_names_that_others_see(self):
        stripped = self.path("stripped.so")
        subprocess.run(["objcopy", "--strip-all", LIBRARY, stripped], check=True)
        self.check(self.rows(stripped, "--stack", "64K")["wide_frame"], 100000, "stack", stripped)
        self.assertNotIn("which has no name", self.shown)

    def test_the_settings_of_the_library(self):
        self.assertEqual(set(self.rows(LIBRARY, WEFT_STACK_SIZE="1M", WEFT_GUARD_SIZE="64M")), {"wider_frame"})
        self.assertEqual(set(self.rows(LIBRARY, WEFT_STACK_SIZE="64M", WEFT_GUARD_SIZE="80K")), {"wider_frame", "wide_frame"})
        self.rows(LIBRARY)
        self.assertIn("(stack 192 KiB, guard 136 KiB)", self.shown)

    def test_bad_sizes(self):
        for option, sizes in (("--stack", ("0", "1", "8K", "2G", 2**63, "large")), ("--guard", ("0", "1", "2G", 2**63))):
            for size in sizes:
                self.assertIn(option, self.refuse("frames", option, size, PROGRAM))
        for variable, size in (("WEFT_GUARD_SIZE", "1"), ("WEFT_STACK_SIZE", "huge")):
            result = command.run("frames", PROGRAM, **{variable: size})
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn(f"{variable}={size}: want bytes", result.stderr)

    def test_frames_that_are_not_known_are_counted(self):
        self.rows(LIBRARY)
        why = r"which the tables do not tell \(a frame pointer, alloca\)"
        self.assertRegex(self.shown, rf"Not known: the whole frame of \d+ functions?, {why}: \d+\s+in /")

    def test_a_file_without_tables_is_named(self):
        subprocess.run(["objcopy", "--remove-section=.eh_frame", "--remove-section=.eh_frame_hdr", LIBRARY, self.path("bare.so")], check=True)
        self.rows(self.path("bare.so"))
        words = " ".join(self.shown.split())
        self.assertIn(f"Not known: all frames of {self.path('bare.so')}; no unwind tables are there.", words)

    def test_another_processor(self):
        """Its libraries cannot be asked for here; the tables are the same but for the number of the stack pointer."""
        with open(PROGRAM, "rb") as file:
            content = bytearray(file.read())
        machine = struct.unpack_from("H", content, MACHINE_AT)[0]
        struct.pack_into("H", content, MACHINE_AT, OTHER_MACHINE[machine])
        self.write("other", bytes(content))
        shown = self.run_right("frames", self.path("other")).stdout
        self.assertRegex(shown, r"^0 of [\d,]+ functions in 1 file have")
        self.assertIn(f" in {self.path('other')}.", shown)

    def refused(self, *words, **environment):
        result = command.run("frames", *words, **environment)
        self.assertEqual((result.returncode, result.stdout), (1, ""), result)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        return result.stderr

    def test_bad_files(self):
        self.assertIn("no file or", self.refused(self.path("nothing")).replace("No such file or", "no file or"))
        self.assertIn(f"{self.folder} cannot be read: Is a directory", self.refused(self.folder))
        self.write("text", b"#!/bin/sh\n")
        self.assertIn("text is no program and no library (no ELF file)", self.refused(self.path("text")))
        self.write("empty/ignored", b"")
        said = self.refused(self.moved_program(), LD_LIBRARY_PATH=self.path("empty"))
        self.assertIn(f"the libraries of {self.path('moved')} are not found: ", said)
        self.assertIn(os.path.basename(LIBRARY), said)
        self.assertIn("LD_LIBRARY_PATH", said)

    def moved_program(self):
        """Without the path to its library that the build has put into it."""
        with open(PROGRAM, "rb") as file:
            content = file.read()
        folder = os.path.dirname(LIBRARY).encode()
        self.write("moved", content.replace(folder, b"/" + b"-" * (len(folder) - 1)))
        return self.path("moved")

    def test_damaged_files(self):
        """Each ends with an answer or with one line, not with a signal."""
        with open(LIBRARY, "rb") as file:
            content = file.read()
        choice = random.Random(20261128)
        for each in range(60):
            damaged = bytearray(content)
            if each % 3 == 0:
                del damaged[choice.randrange(len(damaged)):]
            for _ in range(0 if each % 3 == 0 else 1 if each % 3 == 1 else 200):
                damaged[choice.randrange(min(len(damaged), 1 << (7 + each % 9)))] = choice.randrange(256)
            self.write("damaged", bytes(damaged))
            result = command.run("frames", self.path("damaged"))
            with self.subTest(each=each, error=result.stderr):
                self.assertIn(result.returncode, (0, 1))
                self.assertEqual(len(result.stderr.splitlines()), result.returncode)

    def test_bad_words(self):
        self.assertIn("PROGRAM is required", self.refuse("frames"))
        self.assertIn("--guard", self.refuse("frames", "--guard", "much", LIBRARY))


if __name__ == "__main__":
    command.main()
