"""A face's MAP.md, its headers, its library and its tests agree about what there is. Each face has a map_test.py that says where these are;
its class of tests takes those of FaceMap."""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
FILE = re.compile(r"`((?:\w+/)*\w+\.(?:[ch]pp|[ch]))`")
sys.path.insert(0, os.path.join(TOP, "tools", "lint"))

import sources  # noqa: E402
import symbols  # noqa: E402


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def full_names(cell, known):
    """The names in a cell of the table, in order. `_stop` after `threads_start` is `threads_stop`: it has as many of the words before it as
    make it a known name. `threads_mutex_*` is all that begin so."""
    found = []
    for word in re.findall(r"`(\w+\*?)`", cell):
        if word.endswith("*"):
            found += sorted(name for name in known if name.startswith(word[:-1])) or [word]
        elif word.startswith("_") and found:
            parts = found[-1].split("_")
            wholes = ["_".join(parts[:count]) + word for count in range(len(parts), 0, -1)]
            found.append(next((whole for whole in wholes if whole in known), word))
        else:
            found.append(word)
    return found


class FaceMap:
    """Tests, for a class that is a unittest.TestCase and has what is named here first."""

    FACE = ""  # the folder below faces/
    HEADERS = ()  # below the face's folder: those that declare what the map has
    DECLARATION = re.compile("")  # of a function or variable there; its group is the name
    COUNT = 0  # of what they declare
    COLUMNS = 0  # of the table; the first has the functions, the last the tests
    SHARED = ARCHIVE = ""

    def path(self, *names):
        return os.path.join(TOP, "faces", self.FACE, *names)

    def declared(self):
        text = "".join(sources.without_comments(read(self.path(header))) for header in self.HEADERS)
        return set(self.DECLARATION.findall(text))

    def rows(self):
        """(names, tests) of each row of the tables of that many columns."""
        known = self.declared()
        prefix = os.path.commonprefix(sorted(known))
        for line in read(self.path("MAP.md")).split("\n"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if line.startswith(f"| `{prefix}") and len(cells) == self.COLUMNS:
                yield full_names(cells[0], known), re.findall(r"`([\w/.]+)`", cells[-1])

    def test_the_headers_have_all_of_the_interface(self):
        self.assertEqual(len(self.declared()), self.COUNT)

    def test_the_map_has_each_once(self):
        mapped = [name for names, _ in self.rows() for name in names]
        self.assertEqual(sorted(mapped), sorted(self.declared()))

    def test_each_is_called_by_a_test_that_its_row_names(self):
        for names, tests in self.rows():
            text = "".join(read(TOP, test) if "/" in test else read(HERE, self.FACE, test) for test in tests)
            for name in names:
                with self.subTest(name):
                    self.assertIsNotNone(re.search(rf"\b{name}\b", text), f"{name} is not in {tests}")

    def test_the_files_that_it_names_are_there(self):
        folders = [TOP, self.path(), self.path("src"), *(self.path(os.path.dirname(header)) for header in self.HEADERS)]
        for name in set(FILE.findall("".join(self.cells_of_how()))):
            with self.subTest(name):
                self.assertTrue(any(os.path.exists(os.path.join(folder, name)) for folder in folders))

    def cells_of_how(self):
        """The tables' cells between functions and tests."""
        for line in read(self.path("MAP.md")).split("\n"):
            if line.startswith("|"):
                yield "|".join(line.strip("|").split("|")[1:-1])

    def exports(self):
        return {name for name, kind in symbols.nm(self.SHARED, "-D", "--defined-only").items() if kind != "A"}

    def test_the_library_exports_each(self):
        self.assertEqual(self.declared() - self.exports(), set())

    def test_nothing_of_cxx_is_needed(self):
        allowed = symbols.available()
        for path, option in ((self.SHARED, "-D"), (self.ARCHIVE, "-g")):
            own = set(symbols.nm(path, option, "--defined-only"))
            wanted = symbols.nm(path, option, "--undefined-only")
            needed = {name: kind for name, kind in wanted.items() if name not in own and not name.startswith("weft_")}
            self.assertEqual(symbols.check_needed(path, needed, allowed), [])
