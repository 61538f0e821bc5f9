#!/usr/bin/env python3
"""weft info: for people and for programs."""

import os
import re

import command

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class InfoTest(command.CommandTest):
    def facts(self, **environment):
        lines = self.run_right("info", "--parsable", **environment).stdout.splitlines()
        self.assertTrue(all(re.fullmatch(r"[A-Za-z0-9_.]+=.*", line) for line in lines), lines)
        facts = dict(line.split("=", 1) for line in lines)
        self.assertEqual(len(facts), len(lines), "a key stands twice")
        return facts

    def test_parsable(self):
        facts = self.facts()
        for key in ("version", "build.compiler", "build.checked", "build.sanitizer", "topology.cpus", "limit.mappings",
                    "limit.cpu_quota", "setting.WEFT_WORKERS", "selftest.guard", "selftest.membarrier", "selftest.io_uring"):
            self.assertTrue(facts.get(key), key)
        for mpi in "mpich", "openmpi", "abi":
            self.assertTrue(facts[f"mpi.{mpi}"] == "none" or os.path.basename(facts[f"mpi.{mpi}"]).startswith(f"libweft-mpi-{mpi}.so"), facts)
        self.assertIn(facts["selftest.guard"], ("marker", "mprotect", "canary"))
        self.assertEqual(int(facts["limit.cpus_allowed"]), len(os.sched_getaffinity(0)))

    def test_every_setting_is_explained(self):
        facts = self.facts()
        names = {key.split(".")[1] for key in facts if key.startswith("setting.")}
        self.assertIn("WEFT_STACK_SIZE", names)
        for name in names:
            self.assertTrue(facts[f"variable.{name}.text"], name)
            self.assertTrue(facts[f"variable.{name}.range"], name)
            self.assertIn(f"variable.{name}.default", facts)

    def test_tascell_settings_and_facts(self):
        facts = self.facts(WEFT_TASCELL_STORM="7", WEFT_TASCELL_GUARD="refuse", WEFT_SCHEDULE="seed:1")
        self.assertEqual((facts["setting.WEFT_TASCELL_STORM"], facts["setting.WEFT_TASCELL_GUARD"]), ("7", "refuse"))
        self.assertEqual((facts["setting.WEFT_TASCELL_STACK_SIZE"], facts["setting.WEFT_TASCELL_YIELD"]), ("8M", "on"))
        self.assertLessEqual(int(facts["tascell.worker_bytes"]), 1024)
        self.assertEqual(int(facts["tascell.choice_record_bytes"]), 24)
        self.assertIn("WEFT_TASCELL_STORM=many: want off", self.run_right("info", WEFT_TASCELL_STORM="many").stderr)
        self.assertIn("\nTascell\n", self.run_right("info").stdout)
        with open(os.path.join(TOP, "lang", "README.md"), encoding="utf-8") as file:
            documented = {name: default.strip("` ") for name, default in re.findall(r"^\| `(WEFT_TASCELL_\w+)` \|[^|]*\| `(\w+)`", file.read(), re.M)}
        defaults = {key.split(".")[1]: value for key, value in self.facts().items()
                    if key.startswith("variable.WEFT_TASCELL_") and key.endswith(".default")}
        self.assertEqual(defaults, documented)

    def test_settings_follow_the_environment(self):
        facts = self.facts(WEFT_WORKERS="7", WEFT_STACK_SIZE="256K", WEFT_TOPOLOGY="numa:2 core:4 pu:2")
        self.assertEqual(facts["setting.WEFT_WORKERS"], "7")
        self.assertEqual(facts["setting.WEFT_STACK_SIZE"], "256K")
        self.assertEqual((facts["topology.source"], facts["topology.cpus"], facts["topology.numa_nodes"]), ("synthetic", "16", "2"))

    def test_bad_setting_is_named(self):
        result = self.run_right("info", WEFT_WORKERS="many")
        self.assertIn("WEFT_WORKERS=many", result.stderr)

    def test_for_people(self):
        shown = self.run_right("info").stdout
        for word in ("Build", "Topology", "Limits", "Self-tests", "Tascell", "Settings", "WEFT_WAIT_POLICY", "guard"):
            self.assertIn(word, shown)


if __name__ == "__main__":
    command.main()
