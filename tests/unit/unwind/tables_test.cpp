// Tables: every kind of instruction in one that is written by hand, all that the compiler made for
// this program and its libraries, and tables that are cut off or damaged.
#include "unwind/tables.hpp"

#include <doctest/doctest.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "os/module.hpp"
#include "safe_read.hpp"
#include "unwind/expression.hpp"
#include "unwind/rules.hpp"

namespace {

namespace arch = weft::arch;
namespace os = weft::os;
namespace unwind = weft::unwind;
using unwind::rule_kind;
using bytes = std::vector<unsigned char>;

void put(bytes* to, std::uint64_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to->push_back(static_cast<unsigned char>(value >> 8 * i));
}

void append(bytes* to, const bytes& more) { to->insert(to->end(), more.begin(), more.end()); }

// One function at `code`, of 256 bytes: units of code are 1, of data -8, the return register is 16.
struct hand_made {
  static constexpr std::uintptr_t code = 0x10000;
  bytes all;
  std::size_t entry = 0;

  hand_made(const char* letters, const bytes& extra, const bytes& shared, const bytes& own) {
    bytes first;
    put(&first, 0, 4);
    first.push_back(1);
    append(&first, bytes(letters, letters + std::strlen(letters) + 1));
    append(&first, {1, 0x78, 16});
    append(&first, extra);
    append(&first, shared);
    put(&all, first.size(), 4);
    append(&all, first);
    entry = all.size();
    bytes second;
    put(&second, entry + 4, 4);
    put(&second, code, 8);
    put(&second, 256, 8);
    if (letters[0] == 'z') second.push_back(0);
    append(&second, own);
    put(&all, second.size(), 4);
    append(&all, second);
  }

  bool read(unwind::memory* from, unwind::function_entry* out) const {
    return unwind::read_entry(from, reinterpret_cast<std::uintptr_t>(all.data() + entry), out);
  }
  bool row_at(std::uintptr_t offset, unwind::row* out) const {
    unwind::memory from(weft::test::safe_read);
    unwind::function_entry function;
    return read(&from, &function) && unwind::find_row(&from, function, code + offset, out);
  }
};

const bytes usual{0x0c, 7, 8, 0x90, 1};  // CFA = r7 + 8, r16 at CFA - 8

unwind::row row_of(const bytes& own, std::uintptr_t offset) {
  unwind::row found;
  CHECK(hand_made("zR", {1, 0x00}, usual, own).row_at(offset, &found));
  return found;
}

void check_rule(const unwind::row& row, unsigned which, rule_kind kind, std::int64_t value) {
  CHECK(row.rules[which].kind == kind);
  CHECK(row.rules[which].value == value);
}

TEST_CASE("an entry and what it shares") {
  const hand_made one("zPLRS", {8, 0x03, 1, 2, 3, 4, 0x1b, 0x00, 0}, usual, {});
  unwind::memory from(weft::test::safe_read);
  unwind::function_entry found;
  REQUIRE(one.read(&from, &found));
  CHECK(found.begin == hand_made::code);
  CHECK(found.end == hand_made::code + 256);
  CHECK(found.code_factor == 1);
  CHECK(found.data_factor == -8);
  CHECK(found.return_register == 16);
  CHECK(found.is_signal_frame);
  unwind::row row;
  REQUIRE(hand_made("", {}, usual, {}).row_at(0, &row));
  CHECK(row.cfa_register == 7);
  CHECK(row.cfa_offset == 8);
  check_rule(row, 16, rule_kind::saved, -8);
}

TEST_CASE("rows hold up to the instruction that they are made for") {
  const bytes own{0x41, 0x0e, 16, 0x02, 10, 0x0e, 24, 0x03, 100, 0, 0x0e, 32, 0x04, 100, 0, 0, 0, 0x0e, 40};
  CHECK(row_of(own, 0).cfa_offset == 8);
  CHECK(row_of(own, 1).cfa_offset == 16);
  CHECK(row_of(own, 10).cfa_offset == 16);
  CHECK(row_of(own, 11).cfa_offset == 24);
  CHECK(row_of(own, 110).cfa_offset == 24);
  CHECK(row_of(own, 111).cfa_offset == 32);
  CHECK(row_of(own, 211).cfa_offset == 40);
  const bytes located{0x01, 0x20, 0x00, 0x01, 0, 0, 0, 0, 0, 0x0e, 16};
  CHECK(row_of(located, 0x1f).cfa_offset == 8);
  CHECK(row_of(located, 0x20).cfa_offset == 16);
}

TEST_CASE("the CFA") {
  CHECK(row_of({0x0c, 6, 48}, 0).cfa_register == 6);
  CHECK(row_of({0x0d, 6}, 0).cfa_register == 6);
  CHECK(row_of({0x0d, 6}, 0).cfa_offset == 8);
  CHECK(row_of({0x12, 6, 0x7e}, 0).cfa_offset == 16);
  CHECK(row_of({0x13, 0x7d}, 0).cfa_offset == 24);
  CHECK(row_of({0x0f, 2, 0x76, 0}, 0).cfa_expression != 0);
  CHECK(row_of({0x0f, 2, 0x76, 0, 0x0c, 7, 8}, 0).cfa_expression == 0);
}

unwind::extent extent_of(const bytes& own) {
  const hand_made one("zR", {1, 0x00}, usual, own);
  unwind::memory from(weft::test::safe_read);
  unwind::function_entry function;
  unwind::extent found;
  REQUIRE(one.read(&from, &function));
  REQUIRE(unwind::find_extent(&from, function, 7, &found));
  return found;
}

TEST_CASE("how far a frame reaches") {
  CHECK(extent_of({}).bytes == 8);
  CHECK(extent_of({0x41, 0x0e, 16, 0x41, 0x0e, 0x88, 0x80, 8, 0x41, 0x0e, 8}).bytes == 131080);
  CHECK(extent_of({0x41, 0x0e, 16, 0x41, 0x0e, 40}).bytes == 40);                    // the last row
  CHECK(extent_of({0x41, 0x0e, 64, 0x0a, 0x41, 0x0e, 8, 0x41, 0x0b}).bytes == 64);   // remembered and restored
  CHECK(extent_of({0x41, 0x0e, 16, 0x41, 0x0e, 40, 0x04, 0, 1, 0, 0}).bytes == 40);  // up to the end and beyond
  CHECK(extent_of({0x0e, 80, 0x0e, 16}).bytes == 16);                                // of instructions, not of steps between
  CHECK(extent_of({0x41, 0x0e, 16}).is_whole);
  CHECK_FALSE(extent_of({0x41, 0x0d, 6, 0x41, 0x0c, 7, 8}).is_whole);                     // a frame pointer, in between
  CHECK(extent_of({0x41, 0x0e, 0x80, 1, 0x41, 0x0d, 6, 0x41, 0x0c, 7, 8}).bytes == 128);  // what is known of it
  CHECK_FALSE(extent_of({0x41, 0x0f, 2, 0x76, 0}).is_whole);
  CHECK(extent_of({0x0d, 6, 0x0d, 7}).is_whole);
  const hand_made damaged("zR", {1, 0x00}, usual, {0x41, 0x0e, 16, 0x41, 0x3f});
  unwind::memory from(weft::test::safe_read);
  unwind::function_entry function;
  unwind::extent found;
  REQUIRE(damaged.read(&from, &function));
  CHECK_FALSE(unwind::find_extent(&from, function, 7, &found));
}

TEST_CASE("registers") {
  check_rule(row_of({0x83, 2}, 0), 3, rule_kind::saved, -16);
  check_rule(row_of({0x05, 3, 2}, 0), 3, rule_kind::saved, -16);
  check_rule(row_of({0x11, 3, 0x7f}, 0), 3, rule_kind::saved, 8);
  check_rule(row_of({0x2f, 3, 2}, 0), 3, rule_kind::saved, 16);
  check_rule(row_of({0x14, 3, 2}, 0), 3, rule_kind::offset, -16);
  check_rule(row_of({0x15, 3, 0x7e}, 0), 3, rule_kind::offset, 16);
  check_rule(row_of({0x09, 3, 6}, 0), 3, rule_kind::moved, 6);
  check_rule(row_of({0x07, 16}, 0), 16, rule_kind::undefined, 0);
  check_rule(row_of({0x83, 2, 0x08, 3}, 0), 3, rule_kind::same, 0);
  check_rule(row_of({0x90, 5, 0xd0}, 0), 16, rule_kind::saved, -8);
  check_rule(row_of({0x83, 2, 0x06, 3}, 0), 3, rule_kind::same, 0);
  CHECK(row_of({0x10, 3, 2, 0x76, 0}, 0).rules[3].kind == rule_kind::saved_as_told);
  CHECK(row_of({0x16, 3, 2, 0x76, 0}, 0).rules[3].kind == rule_kind::as_told);
  check_rule(row_of({0x2e, 16, 0x2d, 0x00, 0x83, 2}, 0), 3, rule_kind::saved, -16);
  check_rule(row_of({0x05, 0xe0, 0x00, 2, 0x83, 2}, 0), 3, rule_kind::saved, -16);  // one that nothing asks for
}

TEST_CASE("states that are remembered") {
  const bytes own{0x83, 2, 0x0a, 0x0e, 64, 0xc3, 0x41, 0x0b};
  CHECK(row_of(own, 0).cfa_offset == 64);
  check_rule(row_of(own, 0), 3, rule_kind::same, 0);
  CHECK(row_of(own, 1).cfa_offset == 8);
  check_rule(row_of(own, 1), 3, rule_kind::saved, -16);
}

TEST_CASE("tables that no compiler makes are refused") {
  unwind::row row;
  CHECK_FALSE(hand_made("zR", {1, 0x00}, usual, {0x0b}).row_at(0, &row));              // nothing was remembered
  CHECK_FALSE(hand_made("zR", {1, 0x00}, usual, bytes(50, 0x0a)).row_at(0, &row));     // remembers for ever
  CHECK_FALSE(hand_made("zR", {1, 0x00}, usual, {0x3f}).row_at(0, &row));              // an unknown instruction
  CHECK_FALSE(hand_made("zR", {1, 0x00}, usual, {0x0c, 7}).row_at(0, &row));           // ends in the middle
  CHECK_FALSE(hand_made("zR", {1, 0x00}, usual, {0x0f, 0x7f, 0x76}).row_at(0, &row));  // so does an expression
  CHECK_FALSE(hand_made("eh", {}, usual, {}).row_at(0, &row));                         // of gcc 2
  CHECK_FALSE(hand_made("zRRRRRRRRRRRRRRR", {1, 0x00}, usual, {}).row_at(0, &row));    // too many letters
  CHECK_FALSE(hand_made("zR", {0x7f, 0x00}, {}, {}).row_at(0, &row));                  // more data than there is
}

// What the operations leave; -1: they are refused.
long value_of(const bytes& operations, const arch::registers& registers, const std::uintptr_t* first) {
  bytes all{static_cast<unsigned char>(operations.size())};
  append(&all, operations);
  unwind::memory from(weft::test::safe_read);
  std::uintptr_t out = 0;
  const bool is_done = unwind::evaluate(&from, reinterpret_cast<std::uintptr_t>(all.data()), registers, first, &out);
  return is_done ? static_cast<long>(out) : -1L;
}

TEST_CASE("expressions") {
  arch::registers registers;
  const std::uintptr_t word = 77;
  registers.set(6, reinterpret_cast<std::uintptr_t>(&word) - 8);
  registers.set(7, 1000);
  const auto value = [&](const bytes& operations, const std::uintptr_t* first = nullptr) {
    return value_of(operations, registers, first);
  };
  CHECK(value({0x76, 8, 0x06}) == 77);     // what lies at r6 + 8
  CHECK(value({0x92, 6, 8, 0x06}) == 77);  // the same, longer
  CHECK(value({0x77, 8, 0x3f, 0x1a}) == ((1000 + 8) & 15));
  CHECK(value({0x77, 8, 0x77, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22}) == 1008);  // a PLT's, below its push
  CHECK(value({0x23, 5}, &word) == 82);
  CHECK(value({0x08, 200, 0x09, 0xff, 0x22}) == 199);
  CHECK(value({0x0a, 1, 1, 0x0b, 0xff, 0xff, 0x22, 0x0c, 1, 0, 0, 0, 0x1c}) == 255);
  CHECK(value({0x10, 0x81, 0x01, 0x11, 0x7f, 0x22}) == 128);
  CHECK(value({0x35, 0x32, 0x16, 0x1c}) == -3);
  CHECK(value({0x35, 0x12, 0x13, 0x96}) == 5);
  constexpr auto highest_register = arch::dwarf::count - 1;
  registers.set(highest_register, 3000);
  CHECK(value({0x70 + highest_register, 1}) == 3001);
  CHECK(value({0x4f}) == 31);        // the highest literal
  CHECK(value({0x71, 0}) == -1);     // a register that is not known
  CHECK(value({0x22}) == -1);        // nothing to add
  CHECK(value({0x31, 0x06}) == -1);  // nothing lies at 1
  CHECK(value({0xf0}) == -1);
  CHECK(value({}) == -1);
  CHECK(value(bytes(100, 0x31)) == -1);  // more than fits
}

TEST_CASE("constants of every size, and every operation on two values") {
  const auto value = [](const bytes& operations) { return value_of(operations, {}, nullptr); };
  CHECK(value({0x09, 0xfe}) == -2);
  CHECK(value({0x0b, 0xfe, 0xff}) == -2);
  CHECK(value({0x0c, 0xfe, 0xff, 0xff, 0xff}) == 0xfffffffe);
  CHECK(value({0x0d, 0xfe, 0xff, 0xff, 0xff}) == -2);
  for (const unsigned char eight_bytes : bytes{0x0e, 0x0f})
    CHECK(value({eight_bytes, 1, 0, 0, 0, 0, 0, 0, 0x40}) == 0x4000000000000001);
  CHECK(value({0x35, 0x36, 0x1a}) == 4);
  CHECK(value({0x35, 0x3a, 0x21}) == 15);
  CHECK(value({0x4f, 0x32, 0x25}) == 7);
  for (const unsigned char shift : bytes{0x24, 0x25}) {
    CHECK(value({0x31, 0x08, 63, shift}) == (shift == 0x24 ? INT64_MIN : 0));
    CHECK(value({0x09, 0xff, 0x08, 64, shift}) == 0);
  }
  struct comparison {
    unsigned char operation;
    bool of_less, of_equal, of_more;
  };
  constexpr comparison comparisons[] = {{0x29, false, true, false}, {0x2e, true, false, true}, {0x2a, false, true, true},
                                        {0x2b, false, false, true}, {0x2c, true, true, false}, {0x2d, true, false, false}};
  for (const comparison& each : comparisons) {
    INFO(int{each.operation});
    CHECK(value({0x09, 0xff, 0x31, each.operation}) == each.of_less);  // -1 and 1
    CHECK(value({0x31, 0x31, each.operation}) == each.of_equal);
    CHECK(value({0x31, 0x09, 0xff, each.operation}) == each.of_more);
  }
  for (const unsigned char unused : bytes{0x1b, 0x1d, 0x1e, 0x27}) CHECK(value({0x35, 0x32, unused}) == -1);
}

// ---- those of this program ----------------------------------------------------------------------

struct table {
  std::uintptr_t list;
  std::uint32_t count;
  const std::int32_t* pairs;
};

std::vector<table> tables_of_all_modules() {
  std::vector<table> found;
  const auto note = [](dl_phdr_info* about, std::size_t, void* all) {
    for (unsigned i = 0; i < about->dlpi_phnum; ++i) {
      if (about->dlpi_phdr[i].p_type != PT_GNU_EH_FRAME) continue;
      const std::uintptr_t at = about->dlpi_addr + about->dlpi_phdr[i].p_vaddr;
      table one{at, 0, reinterpret_cast<const std::int32_t*>(at + 12)};
      std::memcpy(&one.count, reinterpret_cast<const void*>(at + 8), sizeof one.count);
      static_cast<std::vector<table>*>(all)->push_back(one);
    }
    return 0;
  };
  dl_iterate_phdr(note, &found);
  return found;
}

TEST_CASE("every function of this program and its libraries has rows") {
  const std::vector<table> all = tables_of_all_modules();
  CHECK(all.size() >= 2);
  unsigned long functions = 0;
  for (const table& one : all) {
    for (std::uint32_t i = 0; i < one.count; i += IS_SLOW != 0 ? 50 : 1) {
      const std::uintptr_t code = one.list + static_cast<std::uintptr_t>(std::intptr_t{one.pairs[2 * i]});
      unwind::memory from(weft::test::safe_read);
      unwind::function_entry function;
      REQUIRE(unwind::find_function(&from, one.list, code, &function));
      REQUIRE(function.begin == code);
      unwind::extent extent;
      REQUIRE(unwind::find_extent(&from, function, arch::dwarf::stack_pointer, &extent));
      for (const std::uintptr_t at : {code, code + (function.end - code) / 2, function.end - 1}) {
        unwind::row row;
        REQUIRE(unwind::find_row(&from, function, at, &row));
        REQUIRE((row.cfa_expression != 0 || row.cfa_register < arch::dwarf::count));
        const bool counts_from_it = row.cfa_expression == 0 && row.cfa_register == arch::dwarf::stack_pointer;
        REQUIRE((counts_from_it ? row.cfa_offset <= extent.bytes : !extent.is_whole));
      }
      ++functions;
    }
  }
  CHECK(functions > 100);
}

extern "C" void weft_context_entry();

TEST_CASE("the list of all functions") {
  unsigned long functions = 0;
  for (const table& one : tables_of_all_modules()) {
    unwind::memory from(weft::test::safe_read);
    unwind::function_list list;
    REQUIRE(unwind::read_list(&from, one.list, &list));
    CHECK(list.count == one.count);
    for (std::uint64_t i = 0; i < list.count; i += IS_SLOW != 0 ? 50 : 1) {
      unwind::function_entry function;
      REQUIRE(unwind::read_listed(&from, list, i, &function));
      REQUIRE(function.begin == one.list + static_cast<std::uintptr_t>(std::intptr_t{one.pairs[2 * i]}));
      ++functions;
    }
  }
  CHECK(functions > 100);
}

TEST_CASE("modules") {
  os::code_module found;
  REQUIRE(os::find_module(reinterpret_cast<std::uintptr_t>(&weft_context_entry), &found));
  CHECK(found.holds(reinterpret_cast<std::uintptr_t>(&weft_context_entry)));
  CHECK(found.eh_frame_hdr != 0);
  CHECK(std::string(found.name).find("unwind_tables") != std::string::npos);
  REQUIRE(os::find_module(reinterpret_cast<std::uintptr_t>(&dl_iterate_phdr), &found));
  int local = 0;
  CHECK_FALSE(os::find_module(reinterpret_cast<std::uintptr_t>(&local), &found));
  CHECK_FALSE(os::find_module(0, &found));
}

// ---- what is damaged ----------------------------------------------------------------------------

TEST_CASE("a table that is cut off anywhere") {
  const hand_made whole("zPLR", {7, 0x03, 1, 2, 3, 4, 0x1b, 0x00}, usual,
                        {0x41, 0x0e, 16, 0x0f, 3, 0x76, 0, 0x06, 0x83, 2, 0x0a, 0x0b});
  unwind::row row;
  REQUIRE(whole.row_at(200, &row));
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* pages = static_cast<unsigned char*>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(pages != MAP_FAILED);
  REQUIRE(munmap(pages + page, page) == 0);
  for (std::size_t missing = 1; missing <= whole.all.size(); ++missing) {
    unsigned char* begin = pages + page - (whole.all.size() - missing);
    std::memcpy(begin, whole.all.data(), whole.all.size() - missing);
    unwind::memory from(weft::test::safe_read);
    unwind::function_entry function;
    const bool is_read = unwind::read_entry(&from, reinterpret_cast<std::uintptr_t>(begin + whole.entry), &function);
    CHECK_FALSE((is_read && unwind::find_row(&from, function, hand_made::code + 200, &row)));
  }
  munmap(pages, page);
}

// A copy of this program's own tables, whose numbers count from where they stand: so it describes a
// copy of the code at the same distance, which is not there.
TEST_CASE("tables with wrong bytes") {
  const table own = tables_of_all_modules()[0];
  os::code_module here;
  REQUIRE(os::find_module(reinterpret_cast<std::uintptr_t>(&weft_context_entry), &here));
  std::size_t size = 12 + 8 * std::size_t{own.count};
  for (std::uint32_t i = 0; i < own.count; ++i) size = std::max(size, static_cast<std::size_t>(own.pairs[2 * i + 1]) + 64);
  bytes copy(size + 8);
  weft::base::rng random(3);
  unsigned refused = 0;
  for (int round = 0; round < (IS_SLOW != 0 ? 300 : 5000); ++round) {
    if (round % 100 == 0) std::memcpy(copy.data(), reinterpret_cast<const void*>(own.list), size);
    for (int i = 0; i < 20; ++i) copy[random.below(static_cast<std::uint32_t>(size))] = static_cast<unsigned char>(random.next());
    const std::uintptr_t moved = reinterpret_cast<std::uintptr_t>(copy.data()) - own.list;
    const std::uintptr_t code = here.low + random.below(static_cast<std::uint32_t>(here.high - here.low)) + moved;
    unwind::memory from(weft::test::safe_read);
    unwind::function_entry function;
    unwind::row row;
    if (!unwind::find_function(&from, own.list + moved, code, &function) || !unwind::find_row(&from, function, code, &row))
      ++refused;
  }
  CHECK(refused > 0);
}

}  // namespace
