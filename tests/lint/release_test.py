import unittest

import planted
import release

VERSION = (f"#ifndef WEFT_VERSION_H /* {release.SPDX} */\n#define WEFT_VERSION_MAJOR 0\n#define WEFT_VERSION_MINOR 3\n#define WEFT_VERSION_PATCH 1\n"
           '#define WEFT_VERSION "0.3.1"\n')
FILES = {
    "include/weft/version.h": VERSION,
    "CHANGELOG.md": "# Changelog\n\n## [0.3.1] - 2026-01-02\n\n## [0.3.0] - 2025-12-01\n",
    "docs/man/weft.1": '.TH WEFT 1 "2026-01-02" "Weft" "Weft"\n',
    "docs/man/weft.7": '.TH WEFT 7 "2026-01-02" "Weft" "Weft"\n',
    "CITATION.cff": "cff-version: 1.2.0\nversion: 0.3.1\n",
    "debian/changelog": "weft (0.3.1) unstable; urgency=medium\n",
    "debian/control": "Source: weft\n\nPackage: libweft0.3\n\nPackage: libweft-dev\n",
    "abi/libweft.abi": "<abi-corpus version='2.1' soname='libweft.so.0.3'>\n",
    "src/capi/weft.map": "WEFT_0.3 {\n",
    "faces/other/src/other.map": "WEFT_OTHER_0.3 {\n",
    "faces/other/include/other.h": f"#ifndef OTHER_H /* {release.SPDX} */\n",
    "packaging/spack/packages/weft/package.py": '    version("0.3.1", sha256="0")\n    version("0.3.0", sha256="0")\n',
    "REUSE.toml": f'[[annotations]]\npath = "**"\n{release.TAG} = "{release.LICENSE}"\n',
    "LICENSE": "a license\n",
    f"LICENSES/{release.LICENSE}.txt": "a license\n",
    "PROVENANCE.md": "| `faces/other` | |\n",
}


class ReleaseTest(planted.PlantedTest):
    def setUp(self):
        super().setUp()
        for path, text in FILES.items():
            self.plant(path, text)

    def test_a_tree_in_step_passes(self):
        self.assertEqual(release.check(self.top), [])

    def test_each_place_of_another_version_is_found(self):
        for path, one, other in (("include/weft/version.h", "PATCH 1", "PATCH 2"), ("CHANGELOG.md", "[0.3.1]", "[0.4.0]"), ("docs/man/weft.7", "01-02", "01-03"),
                                 ("CITATION.cff", "0.3.1", "0.3.0"), ("debian/changelog", "0.3.1", "0.3.0"), ("debian/control", "libweft0.3", "libweft0.2"),
                                 ("abi/libweft.abi", "so.0.3", "so.0.2"), ("src/capi/weft.map", "_0.3", "_0.2"), ("faces/other/src/other.map", "_0.3", "_0.2"),
                                 ("packaging/spack/packages/weft/package.py", '"0.3.1", sha', '"0.3.2", sha')):
            with self.subTest(path):
                self.plant(path, FILES[path].replace(one, other))
                self.assert_found(release.check(self.top), path)
                self.plant(path, FILES[path])

    def test_from_1_0_on_the_libraries_have_the_first_number(self):
        self.assertEqual((release.soversion("0.3.1"), release.soversion("1.3.1")), ("0.3", "1"))

    def test_a_recipe_needs_no_version_that_is_not_released(self):
        self.plant("CHANGELOG.md", FILES["CHANGELOG.md"].replace("2026-01-02", "2026-01-02, unreleased"))
        self.plant("packaging/spack/packages/weft/package.py", '    version("main", branch="main")\n')
        self.assertEqual(release.check(self.top), [])
        self.assertFalse(release.newest_heading(self.top)[2])

    def test_a_header_without_its_license_is_found(self):
        self.plant("faces/other/include/other.h", "#ifndef OTHER_H\n")
        self.assert_found(release.check(self.top), "faces/other/include/other.h: no line has")

    def test_what_other_trees_compile_has_its_license(self):
        for path in ("faces/other/inline/one/other.h", "faces/other/runtime/src/layer.h", "faces/other/weft/component.h", "faces/other/other.f90"):
            with self.subTest(path):
                self.plant(path, "none\n")
                self.assert_found(release.check(self.top), f"{path}: no line has")
                self.plant(path, f"{release.SPDX}\n")
                self.assertEqual(release.check(self.top), [])

    def test_a_changed_copy_of_the_license_is_found(self):
        self.plant("LICENSE", "another\n")
        self.assert_found(release.check(self.top), "is to be the same as LICENSE")

    def test_a_table_for_some_files_alone_is_found(self):
        self.plant("REUSE.toml", FILES["REUSE.toml"].replace("**", "docs/**"))
        self.assert_found(release.check(self.top), "REUSE.toml")

    def test_an_interface_without_a_row_is_found(self):
        self.plant("faces/newer/README.md", "# Newer\n")
        self.assert_found(release.check(self.top), "no row names faces/newer")


if __name__ == "__main__":
    unittest.main()
