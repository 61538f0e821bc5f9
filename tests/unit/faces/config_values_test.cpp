#include "faces/common/config_values.hpp"

#include <doctest/doctest.h>

using weft::face::config_result;
using weft::face::config_value;
using weft::face::config_values;
using weft::face::value_type;

namespace {

constexpr int integer = static_cast<int>(value_type::integer);
constexpr int real = static_cast<int>(value_type::real);
constexpr int pointer = static_cast<int>(value_type::pointer);

int integer_of(const config_values& all, int key) {
  int value = -1;
  return all.get(key, nullptr, &value) ? value : -1;
}

}  // namespace

TEST_CASE("a value comes back with its type") {
  config_values all;
  int one = 7;
  double half = 0.5;
  void* place = &one;
  CHECK(all.put_from(1, integer, &one) == config_result::done);
  CHECK(all.put_from(-2, real, &half) == config_result::done);
  CHECK(all.put_from(3, pointer, &place) == config_result::done);

  int type = -1, found_integer = 0;
  double found_real = 0;
  void* found_pointer = nullptr;
  CHECK((all.get(1, &type, &found_integer) && type == integer && found_integer == 7));
  CHECK((all.get(-2, &type, &found_real) && type == real && found_real == 0.5));
  CHECK((all.get(3, &type, &found_pointer) && type == pointer && found_pointer == &one));
  CHECK(all.get(3, nullptr, nullptr));
}

TEST_CASE("nothing is written behind a variable") {
  config_values all;
  int one = 7, place[] = {0, 8};
  CHECK(all.put_from(1, integer, &one) == config_result::done);
  CHECK(all.get(1, nullptr, place));
  CHECK(place[0] == 7);
  CHECK(place[1] == 8);
}

TEST_CASE("what is not there leaves the variables as they are") {
  const config_values all;
  int type = 5, value = 6;
  CHECK(!all.get(1, &type, &value));
  CHECK(type == 5);
  CHECK(value == 6);
}

TEST_CASE("a later value takes the place of the earlier one, and a null value removes it") {
  config_values all;
  int value = 1;
  double other = 2;
  CHECK(all.put_from(4, integer, &value) == config_result::done);
  CHECK(all.put_from(4, real, &other) == config_result::done);
  int type = -1;
  CHECK((all.get(4, &type, nullptr) && type == real));
  CHECK(all.put_from(4, integer, nullptr) == config_result::done);
  CHECK(!all.get(4, nullptr, nullptr));
  CHECK(all.put_from(4, integer, nullptr) == config_result::done);
}

TEST_CASE("an unknown type is refused, and changes nothing") {
  config_values all;
  int value = 1;
  CHECK(all.put_from(1, integer, &value) == config_result::done);
  for (const int unknown : {-1, 3, 100}) CHECK(all.put_from(1, unknown, &value) == config_result::invalid);
  CHECK(integer_of(all, 1) == 1);
}

TEST_CASE("as many as a program likes, whatever leaves in between") {
  constexpr int count = 100;
  config_values all;
  for (int key = 0; key < count; ++key) {
    config_value one{key, value_type::integer, {}};
    one.value.integer = key * key;
    REQUIRE(all.put(one) == config_result::done);
  }
  for (int key = 0; key < count; key += 3) REQUIRE(all.put_from(key, integer, nullptr) == config_result::done);
  for (int key = 0; key < count; ++key) CHECK(integer_of(all, key) == (key % 3 == 0 ? -1 : key * key));
}
