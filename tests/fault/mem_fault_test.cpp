// Stacks and slabs when memory, guards or advice fail: what was had stays usable, what was not is
// null, nothing leaks.
#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "fault_test.hpp"
#include "mem/slab.hpp"
#include "mem/stack.hpp"
#include "os/vm.hpp"

using namespace weft;
using fault_test::each_failure;
using fault_test::injecting;
using os::call;

namespace {

constexpr std::size_t slot_bytes = 64 * 1024;

void touch(mem::stack* one) { std::memset(one->top() - 256, 7, 256); }

// More than a chunk, so that a second one is asked for.
void use_stacks(os::guard_kind guard, std::size_t keep_bytes) {
  mem::stack_depot depot;
  depot.start({slot_bytes, guard, keep_bytes, {}});
  mem::stack_cache cache;
  cache.start(&depot);
  std::vector<mem::stack*> held;
  for (int i = 0; i < 70; ++i) {
    const bool there = cache.ensure_one();
    CHECK((there || injecting()));
    if (!there) continue;
    held.push_back(cache.take());
    touch(held.back());
  }
  if (mem::stack* large = depot.make_mapping(1 << 20)) {
    touch(large);
    depot.destroy(large);
  } else {
    CHECK(injecting());
  }
  for (mem::stack* one : held) cache.give(one);
  cache.stop();
  depot.stop();
}

}  // namespace

TEST_CASE("stacks with the best guard of this kernel, memory given back at once") {
  const os::guard_kind best = os::best_guard_kind();
  each_failure({call::mmap, call::madvise, call::mprotect}, [=] { use_stacks(best, 0); });
}

TEST_CASE("stacks guarded by mprotect, memory kept") {
  each_failure({call::mmap, call::mprotect}, [] { use_stacks(os::guard_kind::mprotect_page, 1 << 20); });
}

TEST_CASE("slabs") {
  each_failure({call::mmap}, [] {
    mem::slab_depot depot;
    depot.start(256);
    mem::slab_cache cache;
    cache.start(&depot);
    std::vector<void*> held;
    for (int i = 0; i < 3000; ++i) {
      void* one = cache.take();
      CHECK((one != nullptr || injecting()));
      if (one == nullptr) continue;
      std::memset(one, 9, 256);
      held.push_back(one);
    }
    for (void* one : held) cache.give(one);
    cache.stop();
    depot.stop();
  });
}
