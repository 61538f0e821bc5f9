// Numbers and pointers as tables hold them, and what is cut off or unreadable.
#include "unwind/cursor.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "safe_read.hpp"

namespace {

namespace encoding = weft::unwind::encoding;
using weft::unwind::cursor;
using weft::unwind::memory;

struct table {
  std::vector<unsigned char> bytes;
  memory from{weft::test::safe_read};

  std::uintptr_t begin() const { return reinterpret_cast<std::uintptr_t>(bytes.data()); }
  cursor read() { return {&from, begin(), begin() + bytes.size()}; }
};

TEST_CASE("LEB128: the standard's examples, and the ends of the range") {
  table all{{0x02, 0x7f, 0x80, 0x01, 0x81, 0x01, 0xb9, 0x64}};
  cursor unsigned_ones = all.read();
  for (const std::uint64_t wanted : {2u, 127u, 128u, 129u, 12857u}) CHECK(unsigned_ones.uleb() == wanted);
  CHECK(unsigned_ones.is_at_end());
  CHECK_FALSE(unsigned_ones.has_failed());

  table both{{0x02, 0x7e, 0xff, 0x00, 0x81, 0x7f, 0x80, 0x7f, 0xff, 0x7e}};
  cursor signed_ones = both.read();
  for (const std::int64_t wanted : {2, -2, 127, -127, -128, -129}) CHECK(signed_ones.sleb() == wanted);

  table widest{std::vector<unsigned char>(9, 0x80)};
  widest.bytes.push_back(0x01);
  CHECK(widest.read().uleb() == std::uint64_t{1} << 63);
  widest.bytes.back() = 0x7f;
  CHECK(widest.read().sleb() == INT64_MIN);
}

TEST_CASE("a number that never ends fails") {
  table endless{std::vector<unsigned char>(40, 0xff)};
  for (const bool is_signed : {false, true}) {
    cursor at = endless.read();
    CHECK((is_signed ? static_cast<std::uint64_t>(at.sleb()) : at.uleb()) == 0);
    CHECK(at.has_failed());
  }
}

TEST_CASE("pointers count from where they stand, from the data, or lead to another") {
  const std::uintptr_t target = 0x1234;
  table all{{0xfc, 0xff, 0xff, 0xff, 0x10, 0x00}};
  CHECK(all.read().pointer(encoding::to_itself | encoding::signed4, 0) == all.begin() - 4);
  CHECK(all.read().pointer(encoding::to_data | encoding::unsigned2, 0x10000) == 0x1fffc);
  CHECK(all.read().pointer(encoding::to_data | encoding::signed2, 0x10000) == 0xfffc);
  cursor at = all.read();
  CHECK(at.pointer(encoding::omitted, 0) == 0);
  CHECK(at.at() == all.begin());

  table far{std::vector<unsigned char>(sizeof target)};
  const auto where = reinterpret_cast<std::uintptr_t>(&target);
  for (std::size_t i = 0; i < sizeof where; ++i) far.bytes[i] = static_cast<unsigned char>(where >> 8 * i);
  CHECK(far.read().pointer(encoding::absolute | encoding::indirect, 0) == target);
}

TEST_CASE("pointers of every form") {
  table all{{0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}};
  const auto value = [&](unsigned form) { return all.read().pointer(form, 0); };
  CHECK(value(0x01) == 0xffffffffffff82);  // ULEB128
  CHECK(value(0x02) == 0xff82);
  CHECK(value(0x03) == 0xffffff82);
  for (const unsigned eight_bytes : {0x00u, 0x04u, 0x0cu}) CHECK(value(eight_bytes) == 0x7fffffffffffff82);
  CHECK(value(0x0a) == static_cast<std::uintptr_t>(-0x7e));
  CHECK(value(0x0b) == static_cast<std::uintptr_t>(-0x7e));
  CHECK(value(0x09) == static_cast<std::uintptr_t>(-0x7e));  // SLEB128
}

TEST_CASE("pointers of unknown kinds, and ones that lead nowhere, fail") {
  table all{std::vector<unsigned char>(16, 0x01)};
  for (const unsigned how : {0x05u, 0x0du, 0x20u, 0x50u, encoding::absolute | encoding::indirect}) {
    cursor at = all.read();
    CHECK(at.pointer(how, 0) == 0);
    CHECK(at.has_failed());
  }
}

TEST_CASE("once it has failed it reads zeros") {
  table all{{0x11, 0x22, 0x33}};
  cursor at = all.read();
  CHECK(at.fixed<std::uint16_t>() == 0x2211);
  CHECK(at.fixed<std::uint16_t>() == 0);
  CHECK(at.has_failed());
  CHECK(at.is_at_end());
  CHECK(at.byte() == 0);
  at = all.read();
  at.skip(4);
  CHECK(at.has_failed());
}

TEST_CASE("memory that is not there") {
  memory from(weft::test::safe_read);
  unsigned char byte;
  CHECK_FALSE(from.read(std::uintptr_t{0}, &byte));
  CHECK_FALSE(from.read(UINTPTR_MAX, &byte));
  CHECK_FALSE(from.read(UINTPTR_MAX - 300, &byte));
  cursor at(&from, 16, 32);
  CHECK(at.byte() == 0);
  CHECK(at.has_failed());
}

TEST_CASE("what lies across the pieces in which memory is read") {
  std::vector<unsigned char> bytes(4096);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 7 >> 3);
  memory from(weft::test::safe_read);
  unsigned char part[700];
  for (std::size_t at = 0; at + sizeof part < bytes.size(); at += 61) {
    REQUIRE(from.read(reinterpret_cast<std::uintptr_t>(bytes.data() + at), &part));
    CHECK(std::equal(part, part + sizeof part, bytes.begin() + static_cast<std::ptrdiff_t>(at)));
  }
}

}  // namespace
