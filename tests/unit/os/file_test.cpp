// Lines of files of any length.
#include "os/file.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

using namespace weft;

namespace {

class file_with {
 public:
  explicit file_with(const std::string& text) {
    const int descriptor = mkstemp(path_);
    REQUIRE(descriptor >= 0);
    CHECK(os::write_all(descriptor, text.data(), text.size()));
    close(descriptor);
  }
  ~file_with() { unlink(path_); }
  file_with(const file_with&) = delete;
  file_with& operator=(const file_with&) = delete;

  const char* path() const { return path_; }

 private:
  char path_[32] = "/tmp/weft-file-test-XXXXXX";
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  const file_with file(text);
  CHECK(os::walk_lines([](void* to, const char* line) { static_cast<std::vector<std::string>*>(to)->emplace_back(line); }, &lines,
                       "%s", file.path()));
  return lines;
}

}  // namespace

TEST_CASE("lines, also empty ones and a last one without an end") {
  CHECK(lines_of("").empty());
  CHECK(lines_of("one\n\nthree") == std::vector<std::string>{"one", "", "three"});
  CHECK(lines_of("one\n") == std::vector<std::string>{"one"});
}

TEST_CASE("what stands behind a very long line is found; of that itself the start") {
  const std::vector<std::string> lines = lines_of("State:\tS\nGroups:\t" + std::string(100'000, '7') + "\nlast:\t1\n");
  REQUIRE(lines.size() == 3);
  CHECK(lines[1].starts_with("Groups:\t777"));
  CHECK(lines[1].size() < 1000);
  CHECK(lines[2] == "last:\t1");
}

TEST_CASE("a file that is not there") {
  CHECK_FALSE(os::walk_lines([](void*, const char*) {}, nullptr, "/no/such/file"));
}
