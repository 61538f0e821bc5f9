#include "os/vm.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <csignal>
#include <cstring>
#include <string>

#include "../../support/child.hpp"
#include "../../support/temp_tree.hpp"

using namespace weft;

namespace {

const std::size_t page = os::page_bytes();

struct mapping {
  explicit mapping(std::size_t size) : base(static_cast<char*>(os::reserve(size, page))), bytes(size) {
    REQUIRE(base != nullptr);
  }
  ~mapping() { os::release(base, bytes); }
  char* base;
  std::size_t bytes;
};

// How many of the pages have memory behind them.
std::size_t resident(const mapping& of) {
  unsigned char pages[64] = {};
  REQUIRE(of.bytes / page <= sizeof pages);
  REQUIRE(mincore(of.base, of.bytes, pages) == 0);
  std::size_t count = 0;
  for (unsigned char each : pages) count += each & 1u;
  return count;
}

bool dies_when_touching(volatile char* address) {
  const auto end = test::run_in_child([=] {
    *address = 1;
    return 0;
  });
  return end.signal == SIGSEGV;
}

void guard_works(os::guard_kind kind) {
  mapping stack(8 * page);
  stack.base[page] = 5;
  REQUIRE(os::install_guard(stack.base, page, kind) == status::ok);
  CHECK(dies_when_touching(stack.base));
  CHECK(dies_when_touching(stack.base + page - 1));
  CHECK_FALSE(dies_when_touching(stack.base + page));
  CHECK(stack.base[page] == 5);
  CHECK(os::discard(stack.base, stack.bytes) == status::ok);
  CHECK(dies_when_touching(stack.base));  // a guard outlives a discard
  REQUIRE(os::remove_guard(stack.base, page, kind) == status::ok);
  CHECK_FALSE(dies_when_touching(stack.base));
  CHECK(os::guard_intact(stack.base, page, kind));
}

}  // namespace

TEST_CASE("reserved memory is aligned, readable, writable and zero") {
  for (std::size_t alignment : {page, 2 * page, std::size_t{1} << 21}) {
    auto* base = static_cast<char*>(os::reserve(3 * page, alignment));
    REQUIRE(base != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(base) % alignment == 0);
    CHECK(base[0] == 0);
    base[0] = base[3 * page - 1] = 1;
    os::release(base, 3 * page);
  }
}

TEST_CASE("what cannot be reserved is null, not a crash") {
  CHECK(os::reserve(SIZE_MAX, page) == nullptr);
  CHECK(os::reserve(SIZE_MAX - page, page) == nullptr);
  CHECK(os::reserve(SIZE_MAX - 64 * page, std::size_t{1} << 30) == nullptr);
}

TEST_CASE("memory is taken when touched and given back by discard") {
  mapping range(64 * page);
  os::no_huge_pages(range.base, range.bytes);
  std::memset(range.base, 1, 10 * page);
  CHECK(resident(range) >= 10);
  REQUIRE(os::discard(range.base, range.bytes) == status::ok);
  CHECK(resident(range) == 0);
  CHECK(range.base[0] == 0);
}

TEST_CASE("part of a reservation can be released") {
  auto* base = static_cast<char*>(os::reserve(4 * page, page));
  os::release(base, page);
  os::release(base + 2 * page, page);
  base[page] = base[3 * page] = 1;
  os::release(base + page, page);
  os::release(base + 3 * page, page);
}

TEST_CASE("the best guard of this kernel stops an overflow, and so does mprotect") {
  const os::guard_kind best = os::best_guard_kind();
  MESSAGE("guard: " << std::string(os::guard_name(best)));
  CHECK((best == os::guard_kind::marker || best == os::guard_kind::mprotect_page));
  guard_works(best);
  guard_works(os::guard_kind::mprotect_page);
}

// A kernel that lacks the call says false, and each span is served by itself: the guards that stand
// do no harm.
TEST_CASE("many ranges are guarded, and given memory, by one call each") {
  mapping range(32 * page);
  os::span guards[3], tops[3];
  for (std::size_t index = 0; index < 3; ++index) {
    guards[index] = {range.base + 8 * index * page, 2 * page};
    tops[index] = {range.base + (8 * index + 4) * page, page};
  }
  if (os::best_guard_kind() != os::guard_kind::marker || !os::install_markers(guards, 3)) {
    MESSAGE("this kernel guards one range at a time");
    return;
  }
  REQUIRE(os::populate(tops, 3));
  CHECK(resident(range) == 3);
  for (const os::span& each : guards) {
    auto* const base = static_cast<char*>(each.base);
    CHECK(dies_when_touching(base));
    CHECK(dies_when_touching(base + 2 * page - 1));
    CHECK_FALSE(dies_when_touching(base + 2 * page));
    CHECK(os::install_guard(base, 2 * page, os::guard_kind::marker) == status::ok);
  }
  os::release(range.base + 24 * page, 8 * page);
  guards[1] = {range.base + 24 * page, page};
  CHECK_FALSE(os::install_markers(guards, 3));
  CHECK_FALSE(os::populate(guards + 1, 1));
  range.bytes = 24 * page;
}

TEST_CASE("a canary notices what was written over it") {
  mapping stack(4 * page);
  REQUIRE(os::install_guard(stack.base, page, os::guard_kind::canary) == status::ok);
  CHECK(os::guard_intact(stack.base, page, os::guard_kind::canary));
  stack.base[page - 1] ^= 1;
  CHECK_FALSE(os::guard_intact(stack.base, page, os::guard_kind::canary));
  stack.base[page - 1] ^= 1;
  CHECK(os::guard_intact(stack.base, page, os::guard_kind::canary));
  CHECK(os::remove_guard(stack.base, page, os::guard_kind::canary) == status::ok);
}

TEST_CASE("no guard is always intact") {
  mapping stack(2 * page);
  CHECK(os::install_guard(stack.base, page, os::guard_kind::none) == status::ok);
  CHECK(os::guard_intact(stack.base, page, os::guard_kind::none));
  CHECK(os::remove_guard(stack.base, page, os::guard_kind::none) == status::ok);
}

TEST_CASE("a range that is not there cannot be guarded") {
  auto* base = static_cast<char*>(os::reserve(page, page));
  os::release(base, page);
  CHECK(os::install_guard(base, page, os::guard_kind::mprotect_page) == status::nomem);
}

TEST_CASE("usable memory: the machine's, or the least that its cgroups leave of it") {
  test::temp_tree tree;
  const auto usable = [&tree] { return os::usable_memory_bytes(tree.at("proc").c_str(), tree.at("cgroup").c_str()); };
  const std::size_t all = os::usable_memory_bytes("/nowhere", "/nowhere");
  CHECK(all == static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page);
  tree.write("proc/self/cgroup", "0::/user/job");
  CHECK(usable() == all);
  tree.write("cgroup/user/job/memory.max", "max");
  CHECK(usable() == all);
  tree.write("cgroup/user/memory.max", "67108864");
  CHECK(usable() == 64U << 20);
  tree.write("proc/self/cgroup", "7:memory:/a");
  tree.write("cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712");
  CHECK(usable() == all);
  tree.write("cgroup/memory/memory.limit_in_bytes", "33554432");
  CHECK(usable() == 32U << 20);
}
