import unittest

import planted
import kept

ASSEMBLER = "    in_place weft_go_in_place, weft_go_called  /* not weft_other */\n"


class KeptTest(planted.PlantedTest):
    def problems_with(self, source):
        self.plant("src/arch/x86_64/go.S", ASSEMBLER)
        self.plant("src/capi/go.cpp", source)
        return kept.check(self.top)[0]

    def test_a_function_that_is_kept_passes(self):
        self.assertEqual(self.problems_with("[[gnu::visibility(\"hidden\"), gnu::used]] int weft_go_called(int times) {\n  return times;\n}\n"), [])

    def test_one_that_was_declared_so_passes(self):
        self.assertEqual(self.problems_with("[[gnu::used]] void weft_go_called();\nvoid weft_go_called() {}\n"), [])

    def test_a_function_that_is_not_kept_is_found(self):
        self.assert_found(self.problems_with("[[gnu::used]] int other;\nvoid weft_go_called() {}\n"), "src/capi/go.cpp: assembler refers to weft_go_called")

    def test_calls_and_what_a_comment_names_pass(self):
        self.assertEqual(self.problems_with("void weft_other() { weft_go_called(); }\n"), [])

    def test_a_variable_of_an_asm_statement_is_found(self):
        self.plant("include/weft/detail/word.h", 'asm("movq weft_word@gottpoff(%%rip), %0")')
        self.assert_found(self.problems_with("__thread int weft_word = 0;\nvoid set() {\n  weft_word = 1;\n}\n"), "assembler refers to weft_word")

    def test_an_assignment_passes(self):
        self.plant("include/weft/detail/word.h", 'asm("ldr x0, [x0, #:gottprel_lo12:weft_word]")')
        self.assertEqual(self.problems_with("void set() {\n  weft_word = 1;\n}\n"), [])


if __name__ == "__main__":
    unittest.main()
