// Names of code addresses; what is no code has an address.
#include "os/symbol.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <stdexcept>
#include <string>

using namespace weft;

namespace {

struct of_this_file {};

const char constant[] = "no code";
char variable[] = "nor this";

// By itself, or by the distance to a name before it that is exported.
void expect_address(const void* data, os::code_place place) {
  char name[64] = "stale";
  os::find_exceptions();
  os::name_code(data, place, name, sizeof name);
  CHECK(std::strstr(name, "0x") != nullptr);
}

}  // namespace

TEST_CASE("a function that libraries export") {
  char name[64];
  os::name_code(reinterpret_cast<const void*>(&std::abort), os::code_place::exact, name, sizeof name);
  CHECK(std::strstr(name, "abort") != nullptr);
}

TEST_CASE("data that a damaged stack holds in place of a return address") {
  for (const os::code_place place : {os::code_place::exact, os::code_place::after_call}) {
    expect_address(constant + 1, place);
    expect_address(variable + 1, place);
    expect_address(reinterpret_cast<const void*>(std::uintptr_t{0x10}), place);
  }
}

TEST_CASE("the exception that is under way") {
  char name[64] = "stale";
  os::find_exceptions();
  CHECK_FALSE(os::name_current_exception(name, sizeof name));
  const auto name_of = [&](auto thrown) {
    try {
      throw thrown;
    } catch (...) {
      CHECK(os::name_current_exception(name, sizeof name));
    }
    return std::string(name);
  };
  CHECK(name_of(std::runtime_error("nothing")) == "std::runtime_error");
  CHECK(name_of(1) == "i");
  CHECK(name_of(of_this_file()) == "of_this_file");
  CHECK_FALSE(os::name_current_exception(name, sizeof name));
}
