import os
import unittest

import planted
import comments
import sources

BASE = """/* Weft: status. */
/* What a call returns. */
typedef enum weft_status {
  WEFT_OK = 0,      /* all right */
  WEFT_INVALID = 1, /* an argument is out of range */
  WEFT_BUSY = 2     /* the object is held */
} weft_status;
"""

GOOD = """/* Opens a door.
 *
 * The caller owns the door (WEFT_LARGE ones, too) until weft_shut.
 * Errors: WEFT_INVALID (it is null: see weft_shut), WEFT_BUSY. Nothing is open then.
 * Switches: may; it waits for the key. Callers: any.
 * Undefined: a door of another house. */
WEFT_API weft_status weft_open(int *door);

/* Shuts a door.
 * Switches: never. Callers: any. */
WEFT_API void weft_shut(int *door);

/* Tells whether a door is open.
 * Returns: true if it is.
 * Switches: never. Callers: any. */
WEFT_HOT_INLINE bool weft_is_open(const int *door) {
  /* a comment in a body is no contract */
  return *door != 0;
}
"""


class CommentsTest(planted.PlantedTest):
    def problems(self, text):
        self.plant("include/weft/weft.h", "/* Weft: all. */\n#include <weft/base.h>\n#include <weft/doors.h>\n")
        self.plant("include/weft/base.h", BASE)
        self.plant("include/weft/doors.h", "/* Weft: doors. */\n" + text)
        return comments.check(self.top)[0]

    def test_the_form_passes(self):
        self.assertEqual(self.problems(GOOD), [])

    def test_headers_of_faces_are_held_to_it_too(self):
        self.plant("faces/threads/include/weft_threads/threads.h", "/* Threads: all. */\n" + BASE.replace("weft", "threads").replace("WEFT", "THREADS") +
                   "\nTHREADS_API void threads_shut(int *door);\n")
        self.assert_found(self.problems(GOOD), "threads_shut has no text")
        for folder in comments.FOLDERS:
            self.assertTrue(os.path.isdir(os.path.join(sources.TOP, folder)), folder)

    def test_every_way_to_miss_the_form_is_found(self):
        for old, new, words in (
            ("/* Shuts a door.\n * Switches: never. Callers: any. */\n", "", "weft_shut has no text"),
            ("/* Shuts a door.\n", "/*\n", "begins with no sentence"),
            (" * Switches: never. Callers: any. */\nWEFT_API void", " * Switches: never. */\nWEFT_API void", "does not say Callers"),
            (" * Switches: never. Callers: any. */\nWEFT_API void", " * Callers: any. Switches: never. */\nWEFT_API void", "in another order"),
            ("Shuts a door.\n * Switches: never.", "Shuts a door.\n * Switches: seldom.", "neither never nor may"),
            (" * Errors: WEFT_INVALID (it is null: see weft_shut), WEFT_BUSY. Nothing is open then.\n", "", "does not say Errors"),
            (" * Returns: true if it is.\n", "", "does not say Returns"),
            ("Shuts a door.\n", "Shuts a door.\n * Returns: a shut door.\n", "returns nothing"),
            ("WEFT_BUSY. Nothing", "WEFT_AJAR. Nothing", "names WEFT_AJAR as an error"),
            ("until weft_shut.", "until weft_slam.", "mentions weft_slam"),
            ("/* Shuts a door.\n", "/* Shuts a door.\n\n" + 20 * " very" + " */\n/* Shuts a door" + 20 * " again" + ".\n", "a comment of"),
        ):
            with self.subTest(words=words):
                self.assertIn(old, GOOD)
                self.assert_found(self.problems(GOOD.replace(old, new, 1)), words)


if __name__ == "__main__":
    unittest.main()
