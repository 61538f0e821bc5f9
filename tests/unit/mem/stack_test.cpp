#include "mem/stack.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "../../support/child.hpp"
#include "base/config.hpp"

extern "C" {
void __asan_poison_memory_region(void const volatile* base, std::size_t size) __attribute__((weak));
void* __asan_region_is_poisoned(void* base, std::size_t size) __attribute__((weak));
}

namespace {

using weft::mem::spread;
using weft::mem::stack;
using weft::mem::stack_cache;
using weft::mem::stack_depot;
using weft::mem::stack_origin;
namespace os = weft::os;

constexpr std::size_t slot_bytes = 64 * 1024;

struct fixture {
  stack_depot depot;
  stack_cache cache;
  fixture() {
    depot.start({slot_bytes, os::best_guard_kind(), 16 * slot_bytes, {}});
    cache.start(&depot);
  }
  ~fixture() {
    cache.stop();
    depot.stop();
  }
  stack* take() {
    REQUIRE(cache.ensure_one());
    return cache.take();
  }
};

void check_shape(stack* one) {
  CHECK(reinterpret_cast<std::uintptr_t>(one->top()) % 64 == 0);
  CHECK(one->low >= one->base);
  CHECK(one->top() > one->low);
  CHECK(one->top() < one->base + one->total_bytes);
}

TEST_CASE("slots that are lent when their depot stops stay as they are, and go one by one") {
  stack_depot depot;
  depot.start({slot_bytes, os::best_guard_kind(), 16 * slot_bytes, {}});
  constexpr unsigned many = 100;  // a full chunk, and another one
  std::vector<stack*> all(many);
  REQUIRE(depot.take(all.data(), many) == many);
  std::vector<stack*> lent;
  for (unsigned each = 0; each < many; ++each) {
    if (each % 3 == 0) {
      std::memset(all[each]->low, 7, all[each]->usable_bytes());
      lent.push_back(all[each]);
    } else {
      depot.give(&all[each], 1);
    }
  }
  depot.stop();
  depot.start({slot_bytes, os::best_guard_kind(), 16 * slot_bytes, {}});
  REQUIRE(depot.take(all.data(), many) == many);
  for (stack* each : all) std::memset(each->low, 8, each->usable_bytes());
  for (stack* each : lent) {
    CHECK(*each->low == 7);
    CHECK(each->top()[-1] == 7);
    stack_depot::destroy_left(each, {});
  }
  depot.give(all.data(), many);
  depot.stop();
}

TEST_CASE_FIXTURE(fixture, "slots are apart from each other, usable from end to end, and recycled hot") {
  std::map<char*, stack*> slots;
  int wide = 0;
  for (int i = 0; i < 300; ++i) {  // several chunks
    stack* one = take();
    check_shape(one);
    CHECK(one->origin == stack_origin::slot);
    CHECK(one->total_bytes == slot_bytes + one->guard_bytes());
    CHECK(one->guard_bytes() == weft::mem::guard_bytes(slot_bytes, os::best_guard_kind(), one->how, 0));
    CHECK(one->guard_bytes() >= (one->how == spread::wide ? 1024 : 136) * std::size_t{1024});
    wide += one->how == spread::wide;
    std::memset(one->low, 0xab, one->usable_bytes());
    CHECK(slots.emplace(one->base, one).second);
  }
  CHECK(wide >= 256);
  CHECK(wide < 300);
  char* before = nullptr;
  for (const auto& [base, one] : slots) {
    CHECK((before == nullptr || base >= before + slot_bytes));
    before = base;
  }
  stack* last = slots.begin()->second;
  cache.give(last);
  CHECK(take() == last);
  for (const auto& [base, one] : slots) cache.give(one);  // more than a cache, and more than stays touched
  int fresh = 0;
  for (int i = 0; i < 300; ++i) {
    stack* one = take();
    fresh += slots.count(one->base) == 0;
    check_shape(one);
    std::memset(one->low, 0xcd, one->usable_bytes());
  }
  CHECK(fresh < 32);  // a batch that lay in the cache
}

// The memory of a stack from `depth` bytes beneath its top down to its low end.
bool is_touched_below(const stack* one, std::size_t depth) {
  const auto low = reinterpret_cast<std::uintptr_t>(one->low);
  const auto header = reinterpret_cast<std::uintptr_t>(one);
  const std::uintptr_t high = (header - depth) & ~(os::page_bytes() - 1);
  return os::is_touched(one->low, high - low);
}

TEST_CASE("a stack of another class loses what lies deep: when told, and on its way to the depot") {
  constexpr std::size_t large = std::size_t{1} << 20, usual = 64 * 1024;
  stack_depot depot;
  depot.start({large, os::best_guard_kind(), SIZE_MAX, {}, 5});
  weft::mem::few_stacks_cache cache;
  cache.start(&depot);
  std::vector<stack*> held(20);
  for (stack*& each : held) {
    REQUIRE(cache.ensure_one());
    each = cache.take();
    CHECK(each->size_class == 5);
    CHECK(each->is_special);
    std::memset(each->low, 1, each->usable_bytes());
    CHECK(is_touched_below(each, usual));
  }
  cache.give(held[0]);
  CHECK(is_touched_below(held[0], usual));
  cache.trim();
  CHECK_FALSE(is_touched_below(held[0], usual));
  CHECK(*(held[0]->top() - usual + os::page_bytes()) == 1);
  std::memset(held[0]->low, 1, held[0]->usable_bytes());
  for (std::size_t i = 1; i < held.size(); ++i) cache.give(held[i]);
  CHECK_FALSE(is_touched_below(held[0], usual));  // it had to leave the cache
  cache.stop();
  for (const stack* each : held) CHECK_FALSE(is_touched_below(each, usual));
  depot.stop();
}

TEST_CASE("a depot gives no more slots than it was told") {
  stack_depot depot;
  depot.start({slot_bytes, os::best_guard_kind(), SIZE_MAX, {}, weft::mem::fork_class, 3});
  stack* slots[5];
  CHECK(depot.take(slots, 5) == 3);
  CHECK(depot.take(slots + 3, 1) == 0);
  depot.give(slots, 1);
  CHECK(depot.take(slots + 3, 2) == 1);
  depot.give(slots + 1, 3);
  depot.stop();
}

TEST_CASE_FIXTURE(fixture, "a depot knows how many slots are lent") {
  CHECK(depot.lent() == 0);
  stack* those[3] = {};
  REQUIRE(depot.take(those, 3) == 3);
  CHECK(depot.lent() == 3);
  depot.give(those, 2);
  CHECK(depot.lent() == 1);
  depot.give(those + 2, 1);
  CHECK(depot.lent() == 0);
}

TEST_CASE_FIXTURE(fixture, "neighbours have different colours") {
  constexpr int of_first_batches = 4 + 8 + 16;
  std::set<std::uintptr_t> offsets;
  for (int i = 0; i < of_first_batches; ++i) offsets.insert(reinterpret_cast<std::uintptr_t>(take()->top()) % os::page_bytes());
  CHECK(offsets.size() == 16);
}

TEST_CASE_FIXTURE(fixture, "mappings have the size asked for; one that cannot be is refused") {
  for (const std::size_t wanted : {std::size_t{16384}, std::size_t{16385}, std::size_t{1} << 20}) {
    stack* one = depot.make_mapping(wanted);
    REQUIRE(one != nullptr);
    check_shape(one);
    CHECK(one->origin == stack_origin::mapping);
    CHECK(one->usable_bytes() >= wanted);
    std::memset(one->low, 1, one->usable_bytes());
    depot.destroy(one);
  }
  CHECK(depot.make_mapping(SIZE_MAX) == nullptr);
  CHECK(depot.make_mapping(SIZE_MAX - os::page_bytes()) == nullptr);
}

TEST_CASE("a guard is of whole pages, and at least as large as was asked for, in slots and in mappings") {
  for (const std::size_t asked : {std::size_t{5000}, std::size_t{1} << 20, (std::size_t{1} << 20) + 1}) {
    CAPTURE(asked);
    weft::mem::stack_settings settings{slot_bytes, os::best_guard_kind(), 16 * slot_bytes, {}};
    settings.guard_bytes = asked;
    stack_depot depot;
    depot.start(settings);
    stack* both[2] = {};
    REQUIRE(depot.take(both, 1) == 1);
    both[1] = depot.make_mapping(slot_bytes);
    REQUIRE(both[1] != nullptr);
    for (const stack* const each : both) {
      CHECK(each->guard_bytes() >= asked);
      CHECK(each->guard_bytes() % os::page_bytes() == 0);
    }
    depot.destroy(both[1]);
    depot.give(both, 1);
    depot.stop();
  }
}

TEST_CASE("the user's memory is used as it is") {
  std::vector<char> memory(40000, 0x55);
  for (std::size_t shift = 0; shift < 64; ++shift) {
    stack* one = stack_depot::adopt(memory.data() + shift, 20000);
    check_shape(one);
    CHECK(one->low == memory.data() + shift);
    CHECK(reinterpret_cast<char*>(one + 1) <= memory.data() + shift + 20000);
    CHECK(one->usable_bytes() >= 20000 - 2 * 64 - sizeof(stack));
    CHECK(memory[shift + 20000] == 0x55);
  }
}

// A guard that does not fault is none.
int touch_below(os::guard_kind kind) {
  stack_depot depot;
  depot.start({slot_bytes, kind, slot_bytes, {}});
  stack* slots[3];
  if (depot.take(slots, 3) != 3) return 2;
  *static_cast<volatile char*>(slots[1]->low) = 1;
  *static_cast<volatile char*>(slots[1]->low - 1) = 1;
  return 0;
}

TEST_CASE("a guard faults: a fresh one, in slots and in mappings") {
  for (const os::guard_kind kind : {os::best_guard_kind(), os::guard_kind::mprotect_page}) {
    const auto end = weft::test::run_in_child([kind] { return touch_below(kind); });
    CHECK(end.exit_code == -1);
    CHECK((end.signal == SIGSEGV || end.signal == SIGBUS));
  }
  const auto end = weft::test::run_in_child([] {
    stack_depot depot;
    depot.start({slot_bytes, os::best_guard_kind(), slot_bytes, {}});
    stack* one = depot.make_mapping(100000);
    *static_cast<volatile char*>(one->low - 1) = 1;
    return 0;
  });
  CHECK((end.signal == SIGSEGV || end.signal == SIGBUS));
}

TEST_CASE("a guard still faults after the slot's memory was given back and taken again") {
  const auto end = weft::test::run_in_child([] {
    stack_depot depot;
    depot.start({slot_bytes, os::best_guard_kind(), 0, {}});  // keeps nothing
    std::vector<stack*> slots(100);
    if (depot.take(slots.data(), 100) != 100) return 2;
    for (stack* each : slots) std::memset(each->low, 1, each->usable_bytes());
    depot.give(slots.data(), 100);
    if (depot.take(slots.data(), 100) != 100) return 3;
    for (stack* each : slots) {
      if (*each->low != 0) return 4;  // given back
    }
    *static_cast<volatile char*>(slots[50]->low - 1) = 1;
    return 0;
  });
  CHECK(end.exit_code == -1);
  CHECK((end.signal == SIGSEGV || end.signal == SIGBUS));
}

TEST_CASE("guards that are mappings end where they may, and canaries go on; a guard that goes makes room for another") {
  constexpr std::size_t most = 70;  // in the second chunk
  stack_depot depot;
  weft::mem::mapped_guards guards;
  guards.start(most);
  depot.start({slot_bytes, os::guard_kind::mprotect_page, slot_bytes, {}, weft::mem::default_class, SIZE_MAX, &guards});
  stack* first = depot.make_mapping(20000);
  REQUIRE(first != nullptr);
  CHECK(first->guard == os::guard_kind::mprotect_page);
  std::vector<stack*> slots(100);
  REQUIRE(depot.take(slots.data(), 100) == 100);
  std::size_t guarded = 1;
  for (const stack* each : slots) {
    CHECK(each->guard_bytes() == weft::mem::guard_bytes(slot_bytes, each->guard, each->how, 0));
    guarded += each->guard == os::guard_kind::mprotect_page;
    if (each->guard != os::guard_kind::mprotect_page) CHECK(each->guard == os::guard_kind::canary);
  }
  CHECK(guarded == most);
  CHECK(os::guard_intact(slots[99]->base, slots[99]->guard_bytes(), slots[99]->guard));
  stack* other = depot.make_mapping(20000);
  REQUIRE(other != nullptr);
  CHECK(other->guard == os::guard_kind::canary);
  depot.destroy(first);
  stack* third = depot.make_mapping(20000);
  REQUIRE(third != nullptr);
  CHECK(third->guard == os::guard_kind::mprotect_page);
  depot.destroy(other);
  depot.destroy(third);
  depot.give(slots.data(), 100);
  depot.stop();
}

TEST_CASE("a depot asks once how many it may keep, when it holds those that it keeps for certain") {
  static int asked;
  asked = 0;
  for (const unsigned more : {0U, 10U, 40U}) {
    static std::size_t more_pages;
    more_pages = more;
    stack_depot depot;
    weft::mem::stack_settings settings{slot_bytes, os::best_guard_kind(), 10 * os::page_bytes(), {}};
    settings.more_keep_bytes = [] {
      ++asked;
      return more_pages * os::page_bytes();
    };
    depot.start(settings);
    stack* all[60];
    REQUIRE(depot.take(all, 60) == 60);
    depot.give(all, 10);
    CHECK(asked == 0);
    depot.give(all + 10, 50);
    CHECK(std::exchange(asked, 0) == 1);
    CHECK(depot.count().cooled == 60 - std::max(10U, more));
    depot.stop();
  }
}

// Whose guard is a mapping has its memory given back like one with a canary: the next that takes it
// finds the guard that it has.
TEST_CASE("slots whose memory was given back keep the guards that they had") {
  constexpr std::size_t most = 20;
  stack_depot depot;
  weft::mem::mapped_guards guards;
  guards.start(most);
  depot.start({slot_bytes, os::guard_kind::mprotect_page, 0, {}, weft::mem::default_class, SIZE_MAX, &guards});
  std::vector<stack*> slots(50);
  std::map<char*, os::guard_kind> kinds;
  REQUIRE(depot.take(slots.data(), 50) == 50);
  for (const stack* each : slots) kinds[each->base] = each->guard;
  depot.give(slots.data(), 50);
  CHECK(depot.count().cooled == 50);
  REQUIRE(depot.take(slots.data(), 50) == 50);
  for (stack* each : slots) {
    CHECK(each->guard == kinds.at(each->base));
    CHECK(each->is_special == (each->guard == os::guard_kind::canary));
    CHECK(each->guard_bytes() == weft::mem::guard_bytes(slot_bytes, each->guard, each->how, 0));
    CHECK(os::guard_intact(each->base, each->guard_bytes(), each->guard));
    std::memset(each->low, 1, each->usable_bytes());
    CHECK(os::guard_intact(each->base, each->guard_bytes(), each->guard));
  }
  depot.give(slots.data(), 50);
  depot.stop();
}

// A provider of memory is asked, and gets everything back.
struct provided {
  std::map<void*, std::size_t> alive;
  static void* map(void* state, std::size_t bytes) {
    void* base = os::reserve(bytes, os::page_bytes());
    static_cast<provided*>(state)->alive[base] = bytes;
    return base;
  }
  static void unmap(void* state, void* base, std::size_t bytes) {
    auto& alive = static_cast<provided*>(state)->alive;
    CHECK(alive.at(base) == bytes);
    alive.erase(base);
    os::release(base, bytes);
  }
};

TEST_CASE("a provider's memory is used and given back") {
  provided from;
  stack_depot depot;
  depot.start({slot_bytes, os::best_guard_kind(), 0, {provided::map, provided::unmap, &from}});
  stack* slots[70];
  REQUIRE(depot.take(slots, 70) == 70);
  CHECK(from.alive.size() == 2);
  stack* mapping = depot.make_mapping(20000);
  CHECK(from.alive.size() == 3);
  depot.destroy(mapping);
  depot.give(slots, 70);
  depot.stop();
  CHECK(from.alive.empty());
}

// A provider of memory that looks, when it gets memory back, whether ASan still has bytes of it
// poisoned, as it has those of a frame.
struct checked_for_frames {
  bool has_frames = false;
  static void* map(void*, std::size_t bytes) { return os::reserve(bytes, os::page_bytes()); }
  static void unmap(void* state, void* base, std::size_t bytes) {
    if (__asan_region_is_poisoned(base, bytes) != nullptr) static_cast<checked_for_frames*>(state)->has_frames = true;
    os::release(base, bytes);
  }
};

TEST_CASE("memory that is given back holds no frames for ASan" * doctest::skip(!weft::config::address_sanitizer)) {
  checked_for_frames from;
  stack_depot depot;
  depot.start({slot_bytes, os::best_guard_kind(), 0, {checked_for_frames::map, checked_for_frames::unmap, &from}});
  stack* slot = nullptr;
  REQUIRE(depot.take(&slot, 1) == 1);
  __asan_poison_memory_region(slot->low, 32);
  depot.give(&slot, 1);
  stack* mapping = depot.make_mapping(20000);
  __asan_poison_memory_region(mapping->low, 32);
  depot.destroy(mapping);
  CHECK_FALSE(from.has_frames);
  depot.stop();
  CHECK_FALSE(from.has_frames);
}

// As a frame's that was left by a jump. The header of the stack that is made there next lies among
// them.
TEST_CASE("a stack whose memory was given back may be laid out over frames" * doctest::skip(!weft::config::address_sanitizer)) {
  stack_depot depot;
  depot.start({slot_bytes, os::guard_kind::canary, 0, {}});
  std::vector<stack*> slots(32);
  REQUIRE(depot.take(slots.data(), 32) == 32);
  for (stack* each : slots) __asan_poison_memory_region(each->low, each->usable_bytes());
  depot.give(slots.data(), 32);
  REQUIRE(depot.take(slots.data(), 32) == 32);
  for (stack* each : slots) CHECK(__asan_region_is_poisoned(each->low, each->usable_bytes()) == nullptr);
  depot.give(slots.data(), 32);
  depot.stop();
}

// Steps until nothing is due, at times that go on as the depot asks; how many there were.
template <class Depot>
int let_decay(Depot* depot, std::uint64_t now_ns) {
  int steps = 0;
  for (; depot->decay_due_ns() != UINT64_MAX && steps < 1000; ++steps) {
    now_ns = std::max(now_ns, depot->decay_due_ns());
    depot->decay(now_ns);
  }
  return steps;
}

TEST_CASE("stacks that were not needed for a window lose their memory, and serve again" *
          doctest::skip(weft::config::thread_sanitizer)) {
  constexpr unsigned many = 3000;
  constexpr std::uint64_t begin_ns = 1'000'000'000;
  stack_depot depot;
  depot.start({slot_bytes, os::best_guard_kind(), many * slot_bytes, {}});
  std::vector<stack*> all(many);
  REQUIRE(depot.take(all.data(), many) == many);
  for (stack* each : all) std::memset(each->top() - 512, 7, 512);
  CHECK(depot.decay_due_ns() == UINT64_MAX);
  depot.give(all.data(), many);
  REQUIRE(depot.decay_due_ns() == 0);
  CHECK_FALSE(depot.decay(begin_ns));  // a window begins
  const std::uint64_t end_ns = depot.decay_due_ns();
  CHECK(end_ns > begin_ns);
  CHECK_FALSE(depot.decay(end_ns - 1));
  SUBCASE("not needed") {
    CHECK(let_decay(&depot, end_ns) < 100);
    CHECK(depot.count().cooled >= many - 1024);
    CHECK(depot.count().cooled < many);
    CHECK(depot.decay_due_ns() == UINT64_MAX);
  }
  SUBCASE("needed in that window") {
    REQUIRE(depot.take(all.data(), many) == many);
    depot.give(all.data(), many);
    CHECK_FALSE(depot.decay(end_ns));
    CHECK(depot.count().cooled == 0);
  }
  REQUIRE(depot.take(all.data(), many) == many);
  CHECK(std::set<stack*>(all.begin(), all.end()).size() == many);
  for (stack* each : all) {
    check_shape(each);
    std::memset(each->top() - 512, 8, 512);
  }
  for (const unsigned each : {1U, many / 2}) {
    const auto end = weft::test::run_in_child([&] {
      *static_cast<volatile char*>(all[each]->low - 1) = 1;
      return 0;
    });
    CHECK((end.signal == SIGSEGV || end.signal == SIGBUS));
  }
  depot.give(all.data(), many);
  depot.stop();
}

}  // namespace
