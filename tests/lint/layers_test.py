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

    def test_a_face_that_looks_into_the_core_is_found(self):
        self.plant("faces/threads/src/list.c", '#include <weft/ext.h>\n#include "queue/ring.hpp"\n')
        self.assert_found(layers.check(self.top), "faces/threads/src/list.c:2")

    def test_an_mpi_outside_of_net_is_found(self):
        self.plant_beside("net", "`base`")
        self.plant("net/rma/mpi.cpp", "int MPI_Put;\n")
        self.assertEqual(layers.check(self.top), [])
        self.plant_beside("dist", "`net`")
        self.plant("dist/steal.cpp", '// an MPI\n#include "net/mpi/start.hpp"\n')
        self.assert_found(layers.check(self.top), "dist/steal.cpp:2: only net/ knows 'mpi'")
        self.plant("dist/steal.cpp", "// an MPI\n")
        self.plant("lang/runtime/send.c", "int x = MPI_Send;\n")
        self.assert_found(layers.check(self.top), "lang/runtime/send.c:1: only net/ knows 'MPI'")

    def plant_beside(self, folder, allowed):
        self.plant(f"{folder}/README.md", f"| folder | may include |\n|---|---|\n| `{folder}` | {allowed} |\n")

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


if __name__ == "__main__":
    unittest.main()
