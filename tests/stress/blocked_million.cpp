// A million blocked threads, each on a guarded stack, within the kernel's default limit of
// mappings. Fewer where memory is short, or where guards cost mappings; it says how many.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "stress.hpp"

namespace {

using weft::stress::fail;
#define NEED(condition) (static_cast<void>((condition) || (fail(__FILE__, __LINE__, #condition), false)))

constexpr std::uint64_t most_threads = 1'000'000;
constexpr std::uint64_t bytes_a_thread = 5000;  // a touched page, its share of page tables, the descriptor
constexpr std::uint64_t default_limit_of_mappings = 65530;

weft_event opened = WEFT_EVENT_INIT;
weft_semaphore passed = {};

std::uint64_t number_in(const char* path, const char* key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) == 0) return std::strtoull(line.c_str() + std::strlen(key), nullptr, 10);
  }
  return 0;
}

std::uint64_t mappings_now() {
  std::ifstream file("/proc/self/maps");
  std::uint64_t count = 0;
  for (std::string line; std::getline(file, line);) ++count;
  return count;
}

std::uint64_t memory_limit() {
  std::uint64_t limit = number_in("/proc/meminfo", "MemAvailable:") * 1024;
  std::ifstream group("/sys/fs/cgroup/memory.max");
  std::uint64_t of_group = 0;
  if (group >> of_group && of_group < limit) limit = of_group;
  return limit;
}

std::string guard_kind() {
  std::string kind;
  weft_info_walk(
      [](void* state, const char* key, const char* value) {
        if (std::strcmp(key, "selftest.guard") == 0) *static_cast<std::string*>(state) = value;
      },
      &kind);
  return kind;
}

void wait_in_turn(void*) {
  NEED(weft_event_wait(&opened) == WEFT_OK);
  NEED(weft_semaphore_release(&passed, 1) == WEFT_OK);
}

}  // namespace

int main() {
  weft::stress::start("blocked_million");
  const bool has_markers = guard_kind().rfind("marker", 0) == 0;
  std::uint64_t count = memory_limit() / 2 / bytes_a_thread;
  if (count > most_threads) count = most_threads;
  if (!has_markers && count > default_limit_of_mappings / 4) count = default_limit_of_mappings / 4;
  NEED(weft_init(nullptr) == WEFT_OK);
  std::vector<weft_thread*> threads(count);
  for (weft_thread*& each : threads) NEED(weft_thread_create(wait_in_turn, nullptr, nullptr, &each) == WEFT_OK);
  std::uint64_t blocked = 0;
  while (blocked != count) {
    if (weft_thread_get_state(threads[blocked]) == WEFT_THREAD_BLOCKED) {
      ++blocked;
    } else {
      weft_yield();
    }
  }
  const std::uint64_t mappings = mappings_now();
  std::printf("%llu threads blocked at once, %llu mappings, guards: %s\n", static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(mappings), guard_kind().c_str());
  NEED(mappings < default_limit_of_mappings);
  NEED(weft_event_set(&opened) == WEFT_OK);
  for (weft_thread* each : threads) NEED(weft_thread_join(each) == WEFT_OK);
  for (std::uint64_t i = 0; i < count; ++i) NEED(weft_semaphore_try_acquire(&passed) == WEFT_OK);
  NEED(weft_finalize() == WEFT_OK);
}
