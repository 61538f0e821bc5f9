// Places in sources: records that compilers lay down, told from code and from whatever else a
// damaged word may point to.
#include "os/place.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace weft;

namespace {

constinit const os::place_record here = {"/home/cook/kitchen/main.cpp", "int main()", 31, 5};

std::string function_of(const char* declaration) {
  char out[64];
  os::write_function({"main.cpp", declaration, 1, 1}, out, sizeof out);
  return out;
}

}  // namespace

TEST_CASE("a record is found") {
  const os::place_record* found = os::find_place(&here);
  REQUIRE(found != nullptr);
  CHECK(found->line == 31);
  char line[32];
  os::write_file_and_line(*found, line, sizeof line);
  CHECK(std::string(line) == "main.cpp:31");
  os::write_file_and_line(*found, line, 9);
  CHECK(std::string(line) == "n.cpp:31");
}

TEST_CASE("code, memory of no module, and records that point nowhere are no places") {
  static const os::place_record without_file = {reinterpret_cast<const char*>(std::uintptr_t{64}), "int main()", 31, 5};
  static const os::place_record without_function = {"main.cpp", nullptr, 31, 5};
  const os::place_record on_stack = here;
  CHECK(os::find_place(nullptr) == nullptr);
  CHECK(os::find_place(reinterpret_cast<const void*>(&std::abort)) == nullptr);
  CHECK(os::find_place(reinterpret_cast<const void*>(&os::find_place)) == nullptr);
  CHECK(os::find_place(reinterpret_cast<const char*>(&here) + 1) == nullptr);
  CHECK(os::find_place(&on_stack) == nullptr);
  CHECK(os::find_place(&without_file) == nullptr);
  CHECK(os::find_place(&without_function) == nullptr);
}

TEST_CASE("functions as g++ and clang declare them") {
  CHECK(function_of("int main()") == "main");
  CHECK(function_of("static void app::loop<X>::go(X) [with X = int]") == "app::loop::go");
  CHECK(function_of("main()::<lambda(int)>") == "main");
  CHECK(function_of("auto main()::(anonymous class)::operator()() const") == "main");
  CHECK(function_of("const char* {anonymous}::dine(void*)") == "dine");
  CHECK(function_of("void (anonymous namespace)::dine()") == "dine");
  CHECK(function_of("std::vector<app::job> app::jobs(int)") == "app::jobs");
  CHECK(function_of("decltype (f(0)) app::call(F) [with F = int (*)(int)]") == "app::call");
  CHECK(function_of("bool app::job::operator<(const app::job&) const") == "app::job::operator<");
  CHECK(function_of("app::job::job(int)") == "app::job::job");
}

TEST_CASE("places in the C++ library's headers") {
  CHECK(os::is_in_library({"/usr/include/c++/12/bits/stl_construct.h", "f()", 1, 1}));
  CHECK(os::is_in_library({"/usr/lib/llvm-19/bin/../include/c++/v1/__memory/construct_at.h", "f()", 1, 1}));
  CHECK_FALSE(os::is_in_library(here));
}
