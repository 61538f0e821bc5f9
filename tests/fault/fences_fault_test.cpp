// Joins that need no heavy fence do not run one: the fault seam counts the calls. What idle workers
// do on their own runs some fences, too, so the bound is a share of the joins and not zero.
#include <doctest/doctest.h>
#include <weft/weft.h>

#include <cstdint>
#include <cstdlib>
#include <thread>

#include "os/fault.hpp"
#include "with_workers.hpp"

using weft::fault_test::families::with_workers;
using weft::os::call;

namespace {

constexpr std::uint32_t joins = 2000;

bool create_and_join(const weft_thread_attr& wanted) {
  for (std::uint32_t count = 0; count < joins; ++count) {
    weft_thread* made = nullptr;
    if (weft_thread_create([](void*) {}, nullptr, &wanted, &made) != WEFT_OK) return false;
    if (weft_thread_join(made) != WEFT_OK) return false;
  }
  return true;
}

// How many heavy fences ran while `body` did; UINT32_MAX: it failed.
template <class Body>
std::uint32_t fences_of(Body body) {
  weft::os::fault::plan count_only;
  weft::os::fault::installed.store(&count_only, weft::base::relaxed);
  const bool is_good = with_workers(2, body);
  weft::os::fault::installed.store(nullptr, weft::base::relaxed);
  const auto kind = static_cast<unsigned>(call::membarrier);
  return is_good ? count_only.seen[kind].load(weft::base::relaxed) : UINT32_MAX;
}

std::uint32_t fences_in_pool(weft_pool_kind kind) {
  return fences_of([kind] {
    weft_pool* pool = nullptr;
    if (weft_pool_create(kind, WEFT_POOL_SHARED, &pool) != WEFT_OK) return false;
    bool good = weft_pool_attach(pool, 0) == WEFT_OK;
    weft_thread_attr wanted = WEFT_THREAD_ATTR_INIT;
    wanted.pool = pool;
    good = create_and_join(wanted) && good;
    return weft_pool_detach(pool, 0) == WEFT_OK && weft_pool_destroy(pool) == WEFT_OK && good;
  });
}

}  // namespace

TEST_CASE("threads in pools are joined without a fence each") {
  for (const weft_pool_kind kind : {WEFT_POOL_FIFO, WEFT_POOL_LIFO, WEFT_POOL_PRIORITY, WEFT_POOL_DEQUE}) {
    CAPTURE(static_cast<int>(kind));
    CHECK(fences_in_pool(kind) < joins / 4);
  }
}

TEST_CASE("threads on their maker's stack memory are joined without a fence each") {
  constexpr std::size_t bytes = 65536;
  void* const memory = std::aligned_alloc(4096, bytes);
  REQUIRE(memory != nullptr);
  weft_thread_attr wanted = WEFT_THREAD_ATTR_INIT;
  wanted.stack = memory;
  wanted.stack_bytes = bytes;
  CHECK(fences_of([&] { return create_and_join(wanted); }) < joins / 4);
  std::free(memory);
}

TEST_CASE("an OS thread outside joins without a fence for each join") {
  // Some of the threads that it makes wake a worker, which takes a fence.
  const std::uint32_t fences = fences_of([] {
    bool good = false;
    const weft_thread_attr wanted = WEFT_THREAD_ATTR_INIT;
    std::thread outside([&] { good = create_and_join(wanted); });
    outside.join();
    return good;
  });
  CHECK(fences < joins);
}
