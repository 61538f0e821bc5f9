#include "trace/names.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "os/peek.hpp"

using weft::trace::names;

TEST_CASE("each key has its own text, whatever was looked up before") {
  // Every place of the table comes first for some of these, the one of a null address among them.
  std::uintptr_t address = 0;
  for (int table = 0; table < 20; ++table) {
    names all;
    all.start(false);
    CHECK(std::string(all.of_function(nullptr)) == "0");
    for (int turn = 0; turn < 3000; ++turn) {
      ++address;
      const std::string name = all.of_function(reinterpret_cast<const void*>(address));
      if (name == "0") FAIL_CHECK("address " << address << " has the name of a null one");
    }
    all.stop();
  }
}

TEST_CASE("a full table looks up each time") {
  names all;
  all.start(false);
  for (std::uintptr_t address = 1; address <= 5000; ++address) all.of_function(reinterpret_cast<const void*>(address));
  CHECK(std::string(all.of_function(reinterpret_cast<const void*>(0x10))) == "0x10");
  CHECK(std::string(all.of_function(reinterpret_cast<const void*>(0x1388))) == "0x1388");
  all.stop();
}

TEST_CASE("words are copied, and memory that is gone is something") {
  names all;
  all.start(false);
  static const char mutex[] = "mutex";
  char seen[sizeof mutex];
  const std::string words = weft::os::peek_text(mutex, seen, sizeof seen) ? mutex : "something";  // emulators may not look
  CHECK(all.of_words(mutex) == words);
  CHECK(std::string(all.of_words(reinterpret_cast<const void*>(8))) == "something");
  CHECK(all.of_words(mutex) == words);
  all.stop();
}
