#include "os/peek.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

using namespace weft;

namespace {

constexpr std::size_t capacity = 16;

// The text, or "refused".
std::string peeked(const char* from) {
  char to[capacity];
  return os::peek_text(from, to, sizeof to) ? to : "refused";
}

}  // namespace

TEST_CASE("a text of printable characters, from the first of them to the last") {
  CHECK(peeked("mutex") == "mutex");
  CHECK(peeked(" ~") == " ~");
  CHECK(peeked("0123456789abcdef") == "0123456789abcde");  // cut
  CHECK(peeked("0123456789abcde") == "0123456789abcde");
}

TEST_CASE("what is no text is refused") {
  CHECK(peeked("") == "refused");
  CHECK(peeked("two\nlines") == "refused");
  CHECK(peeked("\x1f") == "refused");
  CHECK(peeked("\x7f") == "refused");
  CHECK(peeked("\xc3\xa4") == "refused");
}

TEST_CASE("memory that ends before the text does") {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const memory = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  char* const end = static_cast<char*>(memory) + page;
  REQUIRE(mprotect(end, page, PROT_NONE) == 0);
  std::memcpy(end - 4, "abc", 4);
  CHECK(peeked(end - 4) == "abc");
  std::memcpy(end - 4, "abcd", 4);
  CHECK(peeked(end - 4) == "refused");
  CHECK(peeked(end) == "refused");
  CHECK(peeked(nullptr) == "refused");
  munmap(memory, 2 * page);
}
