#include "mem/slab.hpp"

#include <doctest/doctest.h>

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace {

using weft::mem::slab_cache;
using weft::mem::slab_depot;

struct fixture {
  slab_depot depot;
  slab_cache cache;
  fixture() {
    depot.start(128);
    cache.start(&depot);
  }
  ~fixture() {
    cache.stop();
    depot.stop();
  }
};

TEST_CASE("blocks that stay are as they were after their depot has stopped, and go one by one") {
  static std::set<void*> kept;
  static std::vector<weft::mem::left_chunk*> chunks;
  slab_depot depot;
  depot.start(128);
  constexpr unsigned many = 5000;  // several chunks
  std::vector<void*> blocks(many);
  REQUIRE(depot.take(blocks.data(), many) == many);
  for (std::size_t each = 0; each < many; each += 100) {
    std::memset(blocks[each], 7, 128);
    kept.insert(blocks[each]);
  }
  const auto keeps = [](void* block, weft::mem::left_chunk* of) {
    if (kept.count(block) == 0) return false;
    chunks.push_back(of);
    return true;
  };
  CHECK(depot.stop_without(keeps) == kept.size());
  depot.start(128);
  std::vector<void*> later(many);
  REQUIRE(depot.take(later.data(), many) == many);
  for (void* each : later) CHECK(kept.count(each) == 0);
  for (void* each : kept) CHECK(static_cast<unsigned char*>(each)[127] == 7);
  for (weft::mem::left_chunk* each : chunks) slab_depot::let_go(each);
  depot.stop();
}

TEST_CASE_FIXTURE(fixture, "blocks are distinct, aligned and zero when fresh; the last one given is the next one taken") {
  std::set<void*> seen;
  std::vector<unsigned char*> blocks;
  for (int i = 0; i < 20000; ++i) {  // several chunks
    auto* one = static_cast<unsigned char*>(cache.take());
    REQUIRE(one != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(one) % 64 == 0);
    CHECK(seen.insert(one).second);
    for (std::size_t byte = sizeof(void*); byte < 128; ++byte) REQUIRE(one[byte] == 0);
    std::memset(one, i, 128);
    blocks.push_back(one);
  }
  cache.give(blocks[7]);
  cache.give(blocks[9]);
  CHECK(cache.take() == blocks[9]);
  CHECK(cache.take() == blocks[7]);
  for (int i = 0; i < 20000; ++i) REQUIRE(blocks[static_cast<std::size_t>(i)][100] == static_cast<unsigned char>(i));
  for (unsigned char* each : blocks) cache.give(each);  // more than a cache holds
  int fresh = 0;
  for (int i = 0; i < 20000; ++i) fresh += seen.count(cache.take()) == 0;
  CHECK(fresh < 64);  // a batch that lay in the cache
}

TEST_CASE_FIXTURE(fixture, "what one cache gives, another one takes: memory does not grow") {
  slab_cache consumer;
  consumer.start(&depot);
  std::set<void*> seen;
  for (int round = 0; round < 200; ++round) {
    void* blocks[1000];
    for (void*& each : blocks) {
      each = cache.take();
      seen.insert(each);
    }
    for (void* each : blocks) consumer.give(each);
  }
  CHECK(seen.size() < 12000);  // a thousand in flight and what two caches and the depot hold, not 200,000
  consumer.stop();
}

void count(void* state, void* one) { static_cast<std::set<void*>*>(state)->insert(one); }

TEST_CASE_FIXTURE(fixture, "a walk sees every block that was ever handed out, in use or not") {
  std::set<void*> taken, walked;
  for (int i = 0; i < 5000; ++i) taken.insert(cache.take());
  for (void* each : taken) {
    if (reinterpret_cast<std::uintptr_t>(each) % 256 == 0) cache.give(each);
  }
  depot.walk(count, &walked);
  for (void* each : taken) CHECK(walked.count(each) == 1);
  std::vector<void*> listed(walked.size() + 10);
  std::size_t got = 0;
  for (std::size_t some; (some = depot.list(got, &listed[got], 100)) != 0;) got += some;
  CHECK(got == walked.size());
  CHECK(std::set<void*>(listed.begin(), listed.begin() + static_cast<std::ptrdiff_t>(got)) == walked);
}

TEST_CASE_FIXTURE(fixture, "caches of several OS threads share a depot") {
  std::vector<std::thread> threads;
  std::atomic<bool> wrong{false};
  for (int who = 0; who < 4; ++who) {
    threads.emplace_back([&, who] {
      slab_cache own;
      own.start(&depot);
      std::vector<int*> held;
      for (int i = 0; i < 20000; ++i) {
        if (held.size() < 6000) {
          auto* one = static_cast<int*>(own.take());
          *(one + 8) = who;
          held.push_back(one);
        } else {
          for (int* each : held) {
            if (*(each + 8) != who) wrong = true;
            own.give(each);
          }
          held.clear();
        }
      }
      for (int* each : held) own.give(each);
      own.stop();
    });
  }
  for (std::thread& each : threads) each.join();
  CHECK_FALSE(wrong.load());
}

std::size_t resident_pages(const std::vector<void*>& blocks) {
  std::size_t count = 0;
  unsigned char is_there = 0;
  for (void* each : blocks) {
    void* const page = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(each) & ~std::uintptr_t{4095});
    if (mincore(page, 1, &is_there) == 0 && (is_there & 1) != 0) ++count;
  }
  return count;
}

TEST_CASE("blocks that were not needed for a window lose their memory, read as zero, and serve again") {
  constexpr unsigned many = 200'000;
  slab_depot depot;
  depot.start(128);
  std::vector<void*> blocks(many);
  REQUIRE(depot.take(blocks.data(), many) == many);
  for (void* each : blocks) std::memset(each, 0, 128);
  void* const kept = blocks[many / 2];
  std::memset(kept, 7, 128);
  for (void* each : blocks) {
    if (each != kept) depot.give(&each, 1);
  }
  REQUIRE(depot.decay_due_ns() == 0);
  const std::size_t before = resident_pages(blocks);
  std::uint64_t now_ns = 1;
  int steps = 0;
  for (; depot.decay_due_ns() != UINT64_MAX && steps < 1000; ++steps) {
    now_ns = std::max(now_ns, depot.decay_due_ns());
    depot.decay(now_ns);
  }
  CHECK(steps < 100);
  CHECK(resident_pages(blocks) < before / 3);
  CHECK(static_cast<unsigned char*>(kept)[127] == 7);  // of a chunk that is in use
  std::vector<void*> again(many - 1);
  REQUIRE(depot.take(again.data(), many - 1) == many - 1);
  std::set<void*> seen(again.begin(), again.end());
  CHECK(seen.size() == many - 1);
  CHECK(seen.count(kept) == 0);
  for (void* each : again) std::memset(each, 1, 128);
  CHECK(static_cast<unsigned char*>(kept)[127] == 7);
  depot.give(again.data(), many - 1);
  CHECK(depot.decay_due_ns() == 0);  // looked at anew
  depot.stop();
}

}  // namespace
