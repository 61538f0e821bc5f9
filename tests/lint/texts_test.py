#!/usr/bin/env python3
"""The lint texts: each way to miss the form of a C++ text is found, and what its reader of headers takes for a function."""

import unittest

import planted
import texts

GOOD = """// Doors.
namespace weft {
namespace detail {
void hidden();
class mutex_base {
 public:
  // Locks it. Throws weft::error. May switch. Callable from any.
  void lock() { take(); }
};
}  // namespace detail

// A door.
class door {
 public:
  door() = default;
  // Makes a door of wood. Throws std::bad_alloc. Never switches. Callable from any.
  explicit door(int wood) : wood_{wood}, key_(0) {
    if (wood < 0) { fail(); }
  }
  ~door();
  // Tells whether it is open (or never was shut. May switch).
  bool is_open() const noexcept { return wood_ != 0; }
  // Waits for a key, and opens the door. Returns true if it is open. Throws weft::error: invalid (no
  // door). May switch. Callable from a ULT or outside. Undefined: a door of another house.
  template <class Key>
    requires(sizeof(Key) > 1 && std::invocable<Key, int>)
  [[nodiscard]] bool open(Key&& key = {}) { return key(1); }
  // Doors are ordered by their wood.
  friend auto operator<=>(const door&, const door&) noexcept = default;
  void lend() = delete;

 private:
  void swing();
  int wood_ = 0, key_ = f();
};

// Returns an awaitable: co_await waits for a guest. co_await throws weft::stopped. Never switches. Callable from any.
[[nodiscard]] inline auto async_guest(door& at) { return detail::guest_awaiter(at); }

// Shuts it. Throws weft::error. Never switches. Callable from any.
template <class F>
void shut(F f);

template <class F>
void shut(F f) {
  f();
}
inline door::~door() { swing(); }
}  // namespace weft
"""


class TextsTest(planted.PlantedTest):
    def problems(self, text, name="doors"):
        self.plant(f"include/weft/{name}.hpp", text)
        return texts.check(self.top)[0]

    def test_the_form_passes(self):
        self.assertEqual(self.problems(GOOD), [])

    def test_the_functions_that_users_see_are_read(self):
        names = [function.name for function in texts.Reader(GOOD).functions()]
        self.assertEqual(names, ["lock", "door", "door", "~door", "is_open", "open", "operator<=>", "lend", "async_guest", "shut", "~door"])

    def test_every_way_to_miss_the_form_is_found(self):
        for old, new, words in (
            ("  // Tells whether it is open (or never was shut. May switch).\n", "", "is_open has no text"),
            ("  // Locks it. Throws weft::error. May switch. Callable from any.\n", "", "lock has no text"),
            ("// Shuts it. Throws weft::error. Never switches. Callable from any.\n", "", "shut has no text"),
            ("Throws std::bad_alloc. Never", "Never", "door does not say Throws"),
            ("May switch. Callable from a ULT", "Callable from a ULT", "open does not say May switch"),
            ("Never switches. Callable from any.\ntemplate", "Never switches.\ntemplate", "shut does not say Callable from"),
            ("Throws weft::error. May switch.", "May switch. Throws weft::error.", "lock says Throws too late"),
            ("Throws weft::error. Never switches. Callable from any.\ntemplate", "Callable from any. Throws weft::error. Never switches.\ntemplate", "shut says Throws too late"),
            ("Returns an awaitable: co_await waits", "Waits", "async_guest returns an awaitable, and its text does not begin"),
        ):
            self.assertIn(old, GOOD)
            self.assertIn(words, "\n".join(self.problems(GOOD.replace(old, new))))

    def test_an_awaitable_is_known_by_its_body_and_by_its_type(self):
        self.assert_found(self.problems("namespace weft {\n// Waits. Throws x. Never switches. Callable from any.\ninline auto guest() { return detail::a_awaiter(); }\n}\n"),
                          "guest returns an awaitable")
        self.assert_found(self.problems("namespace weft {\n// Waits. Throws x. Never switches. Callable from any.\ntask<int> guest();\n}\n"), "guest returns an awaitable")

    def test_an_open_header_keeps_the_order(self):
        name = texts.OPEN[0]
        self.assertEqual(self.problems("namespace weft {\n// Shuts it.\nvoid shut();\n}\n", name), [])
        self.assert_found(self.problems("namespace weft {\n// Shuts it. May switch. Throws x.\nvoid shut();\n}\n", name), "shut says Throws too late")

    def test_an_open_header_is_there_and_is_open_still(self):
        for name in texts.OPEN:
            functions = texts.Reader(texts.sources.read(texts.sources.TOP, f"include/weft/{name}.hpp")).functions()
            self.assertTrue(any(texts.form_of(function, True) for function in functions), f"{name} is whole: take it out of OPEN")


if __name__ == "__main__":
    unittest.main()
