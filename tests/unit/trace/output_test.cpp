#include "trace/output.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

using weft::trace::output;

namespace {

template <class Write>
std::string written(Write write) {
  char path[] = "/tmp/weft-output-XXXXXX";
  close(mkstemp(path));
  output out;
  REQUIRE(out.start(path));
  write(out);
  CHECK(out.flush());
  out.stop();
  std::ostringstream all;
  all << std::ifstream(path).rdbuf();
  unlink(path);
  return all.str();
}

std::string quoted(const char* text) {
  return written([=](output& out) { out.quoted(text); });
}

}  // namespace

TEST_CASE("text is quoted as JSON wants it") {
  CHECK(quoted("") == "\"\"");
  CHECK(quoted("a \"b\" \\ c") == "\"a \\\"b\\\" \\\\ c\"");
  CHECK(quoted("\n\t\x1f") == "\"\\u000a\\u0009\\u001f\"");
}

TEST_CASE("UTF-8 stays, other bytes become U+FFFD") {
  CHECK(quoted("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80") == "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
  CHECK(quoted("\xff") == "\"\\ufffd\"");
  CHECK(quoted("\xe2\x82") == "\"\\ufffd\\ufffd\"");             // cut off
  CHECK(quoted("\xc0\xaf") == "\"\\ufffd\\ufffd\"");             // overlong
  CHECK(quoted("\xed\xa0\x80") == "\"\\ufffd\\ufffd\\ufffd\"");  // half of a pair
  CHECK(quoted("\xf4\x90\x80\x80") == "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
}

TEST_CASE("numbers, and times in microseconds") {
  CHECK(written([](output& out) { out << std::uint64_t{0} << ' ' << UINT64_MAX; }) == "0 18446744073709551615");
  CHECK(written([](output& out) { out.microseconds(1234567) << ' '; }) == "1234.567 ");
  CHECK(written([](output& out) { out.microseconds(5); }) == "0.005");
}

TEST_CASE("what is longer than the buffer is written in pieces") {
  const std::string line(1000, 'x');
  const std::string all = written([&](output& out) {
    for (int index = 0; index < 300; ++index) out << line.c_str();
  });
  CHECK(all == std::string(300'000, 'x'));
}

TEST_CASE("a file that cannot be opened, and one that takes nothing") {
  output out;
  CHECK_FALSE(out.start("/nonexistent/file"));
  CHECK(errno == ENOENT);
  if (access("/dev/full", W_OK) != 0) return;
  REQUIRE(out.start("/dev/full"));
  out << "something";
  CHECK_FALSE(out.flush());
  CHECK(out.error() == ENOSPC);
  out.stop();
}
