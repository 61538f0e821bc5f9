// What a fork or a move has taken when the rest is refused is given back: afterwards there is as
// much as before.
//
//   scarce stacks, under `iso-address` | scarce records, with WEFT_DIST_CHECK=all on one rank
#include <cstdio>
#include <cstring>

#include <weft/dist.h>
#include <weft/hot.h>

#include "dist/rank/engine.hpp"
#include "os/fault.hpp"

namespace {

using namespace weft::dist;
namespace fault = weft::os::fault;

void triple(void* work) {
  long value = 0;
  std::memcpy(&value, work, sizeof value);
  value *= 3;
  std::memcpy(work, &value, sizeof value);
}

// ---- the system gives no guard for a stack ----

// Whether a fork was made; its result is right in any case.
bool forks(bool* is_right) {
  long value = 14;
  weft_forked* const forked = weft_fork(triple, &value, sizeof value);
  weft_fork_join(forked, triple, &value, sizeof value);
  *is_right &= value == 42;
  return forked != nullptr;
}

void fork_without_guards(void* work) {
  constexpr int more_than_stacks = 5000;
  static fault::plan plan = {};
  plan.which = weft::os::call::mprotect;
  plan.nth = 1;
  plan.how = fault::repeat::for_ever;
  bool is_right = true;
  fault::installed.store(&plan, weft::base::relaxed);
  for (int i = 0; i < more_than_stacks; ++i) is_right &= !forks(&is_right);
  fault::installed.store(nullptr, weft::base::relaxed);
  is_right &= forks(&is_right) && all.mine->count.full == more_than_stacks;
  const long result = is_right;
  std::memcpy(work, &result, sizeof result);
}

// ---- there is a record for a forker that is to move, and no memory for its frames ----

std::uint64_t moved() { return all.mine->count.evacuations; }

template <std::size_t Bytes>
[[gnu::noinline]] bool fork_below() {
  volatile char frame[Bytes];
  frame[0] = 1;
  bool is_right = true;
  return forks(&is_right) && is_right && frame[0] == 1;
}

void fork_without_memory(void* work) {
  constexpr std::size_t more_than_the_pool = 5 * 1024 * 1024;
  constexpr unsigned more_than_records = record_pool::most + 100;
  bool is_right = true;
  const std::uint64_t before = moved();
  for (unsigned i = 0; i < more_than_records; ++i) is_right &= fork_below<more_than_the_pool>();
  is_right &= moved() == before;
  is_right &= fork_below<1>() && moved() == before + 1;
  const long result = is_right;
  std::memcpy(work, &result, sizeof result);
}

const struct {
  const char* name;
  void (*run)(void*);
  const char* otherwise;
} cases[] = {{"stacks", fork_without_guards, "a stack without a guard was used, or was lost"},
             {"records", fork_without_memory, "a forker moved without memory, or a record was lost"}};

}  // namespace

int main(int count, char** line) {
  for (const auto& each : cases) {
    if (count != 2 || std::strcmp(line[1], each.name) != 0) continue;
    long is_right = 0;
    if (weft_dist_root(each.run, &is_right, sizeof is_right) == WEFT_OK && is_right != 0) return 0;
    std::printf("%s\n", each.otherwise);
    return 1;
  }
  return 2;
}
