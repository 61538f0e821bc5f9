import unittest

import planted
import layers

TABLE = """
| layer | may include | what |
|---|---|---|
| `base` | – | words |
| `os` | `base` | system |
| `queue` | `base` `os` | queues |
| `mem` | `base` `os` | memory |
"""


class LayersTest(planted.PlantedTest):
    def setUp(self):
        super().setUp()
        self.plant("src/README.md", TABLE)
        self.plant("src/mem/slab.hpp", '#include "base/list.hpp"\n#include <vector>\n#include <weft/weft.h>\n#include "os/vm.hpp"\n')

    def test_what_the_table_allows_passes(self):
        self.assertEqual(layers.check(self.top), [])

    def test_an_include_of_a_sibling_is_found(self):
        self.plant("src/mem/stack.cpp", '// why\n#include "queue/ring.hpp"\n')
        self.assert_found(layers.check(self.top), "src/mem/stack.cpp:2: mem may not include queue/ring.hpp")

    def test_an_include_of_a_layer_above_is_found(self):
        self.plant("src/base/list.hpp", "#include <os/vm.hpp>\n")
        self.assert_found(layers.check(self.top), "base may not include os/vm.hpp")

    def test_a_commented_include_is_none(self):
        self.plant("src/base/list.hpp", '// #include "os/vm.hpp"\n')
        self.assertEqual(layers.check(self.top), [])

    def test_an_include_with_spaces_is_one(self):
        for text in ("#  include <os/vm.hpp>\n", "  #include <os/vm.hpp>\n"):
            self.plant("src/base/list.hpp", f"#if 1\n{text}#endif\n")
            self.assert_found(layers.check(self.top), "src/base/list.hpp:2: base may not include os/vm.hpp")

    def test_a_way_round_by_dots_is_found(self):
        self.plant("src/base/list.hpp", '#include "../os/vm.hpp"\n')
        self.assert_found(layers.check(self.top), "write it as layer/file.hpp")

    def test_a_layer_without_a_row_is_found(self):
        self.plant("src/extra/a.hpp", "\n")
        self.assert_found(layers.check(self.top), "extra is not in the table")

    def test_a_table_that_looks_upwards_is_found(self):
        self.plant("src/README.md", TABLE.replace("| `os` | `base` |", "| `os` | `base` `mem` |"))
        self.assert_found(layers.check(self.top), "os may include mem, which is not beneath it")

    def plant_circle(self, names):
        """Sources that include the next one's header; a header alone closes no circle of rooms."""
        for name, other in zip(names, names[1:] + names[:1]):
            self.plant(f"src/mem/{name}.hpp", "\n")
            self.plant(f"src/mem/{name}.cpp", f'#include "mem/{name}.hpp"\n#include "mem/{other}.hpp"\n')

    def test_a_knot_of_five_rooms_is_found_and_printed(self):
        self.plant_circle(["a", "b", "c", "d", "e"])
        problems = layers.check(self.top)
        self.assert_found(problems, "src/mem/a: a knot of 5 rooms")
        self.assert_found(problems, "mem/d includes mem/e; mem/e includes mem/a")

    def test_a_knot_of_four_rooms_passes(self):
        self.plant_circle(["a", "b", "c", "d"])
        self.assertEqual(layers.check(self.top), [])

    def test_a_chain_of_rooms_is_no_knot(self):
        for name, other in ("ab", "bc", "cd", "de", "ef"):
            self.plant(f"src/mem/{name}.cpp", f'#include "mem/{other}.hpp"\n')
            self.plant(f"src/mem/{other}.hpp", "\n")
        self.assertEqual(layers.check(self.top), [])

    def test_a_long_source_without_a_head_is_found(self):
        self.plant("src/mem/long.cpp", "int x;\n" * 61)
        self.assert_found(layers.check(self.top), "src/mem/long.cpp:1: more than 60 lines")
        self.plant("src/mem/long.cpp", "// What it is.\n" + "int x;\n" * 61)
        self.plant("src/mem/short.cpp", "int x;\n" * 60)
        self.assertEqual(layers.check(self.top), [])

    def test_a_tool_that_looks_into_the_core_is_found(self):
        self.plant("tools/weft/main.cpp", '#include "os/vm.hpp"\n')
        self.assert_found(layers.check(self.top), "tools/weft/main.cpp:1")

    def test_a_file_above_with_a_row_sees_what_it_names(self):
        self.plant("src/README.md", TABLE + "\n| file | may include |\n|---|---|\n| `tools/weft/one.*` | `os` |\n")
        self.plant("tools/weft/one.cpp", '#include "os/vm.hpp"\n')
        self.assertEqual(layers.check(self.top), [])
        self.plant("tools/weft/one.hpp", '#include "mem/stack.hpp"\n')
        self.assert_found(layers.check(self.top), "tools/weft/one.hpp:1")
        self.plant("tools/weft/one.hpp", "\n")
        self.plant("tools/weft/other.cpp", '#include "os/vm.hpp"\n')
        self.assert_found(layers.check(self.top), "tools/weft/other.cpp:1")

    def test_a_face_that_looks_into_the_core_is_found(self):
        self.plant_rows("faces", **{"faces/threads": "–"})
        self.plant("faces/threads/src/list.c", '#include <weft/ext.h>\n#include "queue/ring.hpp"\n')
        self.assert_found(layers.check(self.top), "faces/threads/src/list.c:2")

    def test_an_mpi_outside_of_net_is_found(self):
        self.plant_rows("net", net="`base`", **{"net/rma": "`base` `net`"})
        self.plant("net/rma/mpi.cpp", "int MPI_Put;\n")
        self.assertEqual(layers.check(self.top), [])
        self.plant_beside("dist", "`net`")
        self.plant("dist/steal.cpp", '// an MPI\n#include "net/mpi/ranks.hpp"\n')
        self.assert_found(layers.check(self.top), "dist/steal.cpp:2: only net/ and faces/mpi know 'mpi'")
        self.plant("dist/steal.cpp", "// an MPI\n")
        self.plant_rows("lang", **{"lang/runtime": "–"})
        for path in ("lang/runtime/send.c", "src/mem/send.cpp", "include/weft/send.h"):
            self.plant(path, "int x = MPI_Send;\n")
            self.assert_found(layers.check(self.top), f"{path}:1: only net/ and faces/mpi know 'MPI'")
            self.plant(path, "\n")

    def plant_beside(self, folder, allowed):
        self.plant_rows(folder, **{folder: allowed})

    def plant_rows(self, wing, **rows):
        lines = "".join(f"| `{row}` | {allowed} |\n" for row, allowed in rows.items())
        self.plant(f"{wing}/README.md", f"| folder | what |\n|---|---|\n| `x` | `y` |\n\n| folder | may include |\n|---|---|\n{lines}\nMore.\n")

    def test_a_library_beside_the_core_may_use_what_its_row_says(self):
        self.plant_beside("net", "`base` `os`")
        self.plant_beside("dist", "`base` `os` `net`")
        self.plant("net/job.cpp", '#include "net/job.hpp"\n#include "os/vm.hpp"\n#include <sys/mman.h>\n#include <weft/weft.h>\n')
        self.plant("dist/a.cpp", '#include "os/vm.hpp"\n#include "net/job.hpp"\n')
        self.assertEqual(layers.check(self.top), [])

    def test_a_library_beside_the_core_that_looks_further_is_found(self):
        self.plant_beside("dist", "`base` `os`")
        self.plant("dist/a.cpp", '#include "os/vm.hpp"\n#include "mem/slab.hpp"\n')
        self.assert_found(layers.check(self.top), "dist/a.cpp:2: dist may not include mem/slab.hpp")

    def test_net_that_knows_dist_is_found(self):
        self.plant_beside("net", "`base`")
        self.plant("net/a.cpp", '#include "dist/engine.hpp"\n')
        self.assert_found(layers.check(self.top), "net/a.cpp:1: net may not include dist/engine.hpp")

    def test_a_library_beside_the_core_without_a_row_is_found(self):
        self.plant("net/a.cpp", "\n")
        self.assert_found(layers.check(self.top), "net/README.md: no row for net")

    def test_a_row_that_looks_upwards_is_found(self):
        self.plant_beside("net", "`base` `dist`")
        self.plant("net/a.cpp", "\n")
        self.assert_found(layers.check(self.top), "net may include dist, which is not beneath it")

    def test_a_core_that_knows_what_is_beside_it_is_found(self):
        self.plant("src/mem/stack.cpp", '#include "net/job.hpp"\n')
        self.assert_found(layers.check(self.top), "src/mem/stack.cpp:1: mem may not include net/job.hpp")

    def test_a_tool_that_looks_beside_the_core_is_found(self):
        self.plant("tools/weft/main.cpp", '#include "net/job.hpp"\n')
        self.assert_found(layers.check(self.top), "tools/weft/main.cpp:1")

    def test_a_name_of_another_runtime_in_the_core_is_found(self):
        self.plant("src/mem/stack.cpp", "// as " + "Argo" + "bots does\n")
        self.assert_found(layers.check(self.top), "src/mem/stack.cpp:1: the core must not know")


WINGS = ("net", "dist", "lang", "faces")


class WingsTest(planted.PlantedTest):
    """Each wing has the folders upper and lower, and lower is beneath upper."""

    def setUp(self):
        super().setUp()
        self.plant("src/README.md", TABLE)
        for wing in WINGS:
            self.plant(f"{wing}/README.md", f"# {wing}\n\n| folder | may include |\n|---|---|\n| `{wing}/lower` | – |\n| `{wing}/upper` | `{wing}/lower` |\n")
            self.plant(f"{wing}/lower/a.hpp", "#include <vector>\n#include <weft/weft.h>\n")
            self.plant(f"{wing}/upper/b.hpp", '#include "../lower/a.hpp"\n' if wing in ("lang", "faces") else f'#include "{wing}/lower/a.hpp"\n')

    def plant_circle(self, folder, names, quoted='"{}"'):
        for name, other in zip(names, names[1:] + names[:1]):
            self.plant(f"{folder}/{name}.hpp", "\n")
            self.plant(f"{folder}/{name}.cpp", f'#include "{name}.hpp"\n#include {quoted.format(other + ".hpp")}\n')

    def check(self):
        return layers.check(self.top)

    def test_what_the_rows_allow_passes(self):
        self.assertEqual(self.check(), [])

    def test_an_upward_include_is_found(self):
        for wing in WINGS:
            self.plant(f"{wing}/lower/up.cpp", f'// why\n#include "{wing}/upper/b.hpp"\n')
            self.assert_found(self.check(), f"{wing}/lower/up.cpp:2: {wing}/lower may not include {wing}/upper/b.hpp")
            self.plant(f"{wing}/lower/up.cpp", '#include "../upper/b.hpp"\n')
            self.assert_found(self.check(), f"{wing}/lower/up.cpp:1: {wing}/lower may not include ../upper/b.hpp")
            self.plant(f"{wing}/lower/up.cpp", "\n")

    def test_a_way_round_by_dots_is_found_where_names_are_whole(self):
        for wing in ("net", "dist"):
            self.plant(f"{wing}/upper/dots.cpp", '#include "../lower/a.hpp"\n')
            self.assert_found(self.check(), f"{wing}/upper/dots.cpp:1: {wing}/upper may not include ../lower/a.hpp")
            self.plant(f"{wing}/upper/dots.cpp", "\n")

    def test_an_include_by_an_include_path_is_found(self):
        self.plant("faces/upper/include/own/calls.h", "\n")
        for name in ("<own/calls.h>", '"own/calls.h"'):
            self.plant("faces/lower/up.c", f"#include {name}\n")
            self.assert_found(self.check(), "faces/lower/up.c:1: faces/lower may not include own/calls.h")

    def test_a_header_of_the_system_is_none_of_ours(self):
        self.plant("faces/upper/src/threads.h", "\n")
        self.plant("net/lower/down.cpp", "#include <net/if.h>\n#include <threads.h>\n")
        self.plant("faces/lower/down.c", "#include <threads.h>\n")
        self.assertEqual(self.check(), [])

    def test_a_public_header_is_for_all(self):
        self.plant("include/weft/ext.h", "\n")
        self.plant("faces/upper/src/weft/ext.h", "\n")
        self.plant("faces/lower/down.c", "#include <weft/ext.h>\n")
        self.assertEqual(self.check(), [])

    def test_a_wing_above_is_found(self):
        self.plant("net/lower/up.cpp", '#include "lang/lower/a.hpp"\n')
        self.assert_found(self.check(), "net/lower/up.cpp:1: net/lower may not include lang/lower/a.hpp")

    def test_a_folder_without_a_row_is_found(self):
        for wing in WINGS:
            self.plant(f"{wing}/fresh/deep/a.hpp", "\n")
            self.assert_found(self.check(), f"{wing}/README.md: no row for {wing}/fresh in a table")
            readme = f"# {wing}\n\n| folder | may include |\n|---|---|\n" + "".join(f"| `{wing}/{row}` | {allowed} |\n" for row, allowed in (
                ("lower", "–"), ("upper", f"`{wing}/lower`"), ("fresh", "–")))
            self.plant(f"{wing}/README.md", readme)
            self.assertEqual(self.check(), [])

    def test_a_row_of_a_file_comes_before_that_of_its_folder(self):
        self.plant("net/README.md", "| folder | may include |\n|---|---|\n| `net/upper/words.*` | – |\n| `net/lower` | `net/upper/words.*` |\n"
                                    "| `net/upper` | `net/lower` |\n")
        self.plant("net/upper/words.hpp", "\n")
        self.plant("net/lower/down.cpp", '#include "net/upper/words.hpp"\n')
        self.assertEqual(self.check(), [])
        self.plant("net/upper/words.cpp", '#include "net/lower/a.hpp"\n')
        self.assert_found(self.check(), "net/upper/words.cpp:1: net/upper/words.* may not include net/lower/a.hpp")

    def test_a_knot_of_five_rooms_is_found(self):
        for wing in WINGS:
            self.plant_circle(f"{wing}/lower", ["c", "d", "e", "f"])
            self.assertEqual(self.check(), [])
            self.plant_circle(f"{wing}/lower", ["c", "d", "e", "f", "g"])
            problems = self.check()
            self.assert_found(problems, f"{wing}/lower/c: a knot of 5 rooms")
            self.assertIn(f"{wing}/lower/g includes {wing}/lower/c", problems[0])
            for name in "cdefg":
                self.plant(f"{wing}/lower/{name}.cpp", "\n")

    def test_a_knot_through_a_search_path_is_found(self):
        self.plant_circle("faces/lower/include/own", ["c", "d", "e", "f", "g"], "<own/{}>")
        self.assert_found(self.check(), "faces/lower/include/own/c: a knot of 5 rooms")


if __name__ == "__main__":
    unittest.main()
