// Lines of sources: of this program itself, which is compiled with debug information of more than
// one version; and of damaged information, which says something wrong or nothing, and does no harm.
#include "os/source_line.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "os/line_program.hpp"
#include "source_line_calls.hpp"

using namespace weft;

namespace {

std::string line_of(const void* code) {
  char line[64] = "stale";
  const bool is_known = os::write_source_line(code, os::code_place::after_call, line, sizeof line);
  CHECK(is_known == (line[0] != '\0'));
  return line;
}

}  // namespace

TEST_CASE("a call's line") {
  for (const os::called_from& each : {os::call_of_version_4(), os::call_of_version_5()}) {
    CHECK(line_of(each.return_address) == std::string("source_line_calls.cpp:") + std::to_string(each.line));
  }
}

// The linker knows such a program by a name that leads nowhere any more. An emulated program (which
// is slow) cannot start itself by its name.
TEST_CASE("a call's line, of a program that has left the folder of its relative name" * doctest::skip(IS_SLOW != 0)) {
  constexpr char mark[] = "WEFT_TEST_LEAVES";
  if (std::getenv(mark) != nullptr) {
    REQUIRE(chdir("/") == 0);
    const os::called_from call = os::call_of_version_5();
    CHECK(line_of(call.return_address) == std::string("source_line_calls.cpp:") + std::to_string(call.line));
    return;
  }
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string again = "./" + self.filename().string() + " '--test-case=*relative name'";
  CHECK(std::system(("cd '" + self.parent_path().string() + "' && " + mark + "=1 " + again).c_str()) == 0);
}

TEST_CASE("what has no line") {
  static const int data = 1;
  CHECK(line_of(nullptr) == "");
  CHECK(line_of(&data) == "");
  CHECK(line_of(reinterpret_cast<const void*>(std::uintptr_t{4096})) == "");
}

namespace {

// Version 5: one directory, one file "a.c" by its offset in .debug_line_str; address 0x1000 is line
// 7, 0x1004 is line 9, and 0x1010 the end.
const std::vector<unsigned char> program = {
    64, 0,  0,    0,    5,    0,  8, 0,              // length, version, sizes of addresses and selectors
    34, 0,  0,    0,                                 // bytes from here to the program
    1,  1,  1,    0xfb, 14,   13,                    // instruction, operations, is_stmt, line_base, line_range, opcode_base
    0,  1,  1,    1,    1,    0,  0, 0, 1, 0, 0, 1,  // operands
    1,  1,  0x1f, 1,    0,    0,  0, 0,              // directories: one, whose path is at 0
    2,  1,  0x1f, 2,    0x0b, 1,  2, 0, 0, 0, 0,     // files: path and directory; one
    0,  9,  2,    0x00, 0x10, 0,  0, 0, 0, 0, 0,     // set_address 0x1000
    3,  6,  4,    0,    1,                           // advance_line 6, set_file 0, copy
    2,  4,  3,    2,    1,                           // advance_pc 4, advance_line 2, copy
    2,  12, 0,    1,    1,                           // advance_pc 12, end_sequence
};
const char line_strings[] = "/\0a.c";

// Sets the two lengths, which depend on the rest.
std::vector<unsigned char> finished(std::vector<unsigned char> made) {
  constexpr std::size_t program_bytes = 11 + 5 + 5 + 5;
  made[0] = static_cast<unsigned char>(made.size() - 4);
  made[8] = static_cast<unsigned char>(made.size() - 12 - program_bytes);
  return made;
}

bool find(const std::vector<unsigned char>& lines, std::uint64_t address, os::source_line* out) {
  // Of its own size on the heap, so that ASan sees each byte that is read beyond the end.
  const os::line_sections all = {
      {lines.data(), lines.size()}, {reinterpret_cast<const unsigned char*>(line_strings), sizeof line_strings}, {}};
  return os::find_line(all, address, out);
}

}  // namespace

TEST_CASE("a program made by hand") {
  const std::vector<unsigned char> lines = finished(program);
  os::source_line found = {};
  REQUIRE(find(lines, 0x1000, &found));
  CHECK(std::string(found.file) == "a.c");
  CHECK(found.line == 7);
  REQUIRE(find(lines, 0x1005, &found));
  CHECK(found.line == 9);
  CHECK_FALSE(find(lines, 0xfff, &found));
  CHECK_FALSE(find(lines, 0x1010, &found));
  std::vector<unsigned char> behind_unknown = lines;
  behind_unknown[4] = 9;  // a version that is still to come
  CHECK_FALSE(find(behind_unknown, 0x1005, &found));
  behind_unknown.insert(behind_unknown.end(), lines.begin(), lines.end());
  CHECK(find(behind_unknown, 0x1005, &found));
}

// Version 4: files "a.c" and "b.c", each with the number of its directory, a time and a size;
// address 0x1000 is line 7 of "b.c", and 0x1004 the end.
TEST_CASE("a file behind another one, as versions before 5 list them") {
  const std::vector<unsigned char> lines = {
      61, 0,  0,  0,    4,    0,                           // length, version
      34, 0,  0,  0,                                       // bytes from here to the program
      1,  1,  1,  0xfb, 14,   13,                          // instruction, operations, is_stmt, line_base, line_range, opcode_base
      0,  1,  1,  1,    1,    0,  0, 0,  1,  0,  0, 1, 0,  // operands; no directories
      97, 46, 99, 0,    0,    7,  9, 98, 46, 99, 0, 0, 7, 9, 0,  // files
      0,  9,  2,  0x00, 0x10, 0,  0, 0,  0,  0,  0,              // set_address 0x1000
      3,  6,  4,  2,    1,                                       // advance_line 6, set_file 2, copy
      2,  4,  0,  1,    1,                                       // advance_pc 4, end_sequence
  };
  os::source_line found = {};
  REQUIRE(find(lines, 0x1000, &found));
  CHECK(std::string(found.file) == "b.c");
  CHECK(found.line == 7);
}

TEST_CASE("damaged programs") {
  const std::vector<unsigned char> lines = finished(program);
  os::source_line found = {};
  for (std::size_t bytes = 0; bytes < lines.size(); ++bytes) {
    CHECK_FALSE(find({lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(bytes)}, 0x1005, &found));
  }
  for (std::size_t at = 0; at < lines.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::vector<unsigned char> damaged = lines;
      damaged[at] = static_cast<unsigned char>(value);
      if (find(damaged, 0x1005, &found)) CHECK(std::strlen(found.file) < 64);
    }
  }
}
