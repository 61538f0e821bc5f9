// A system with pages of 64 KiB, as servers with Arm processors have them: this program's own
// sysconf says so, and its mmap and mincore act so. Stacks and guards consist of such pages.
#include <doctest/doctest.h>

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <weft/weft.h>

#include "../support/child.hpp"

using weft::test::child_end;
using weft::test::run_in_child;

namespace {

constexpr std::size_t page = 65536, small_page = 4096;
bool has_large_pages = false;

bool is_whole(std::uintptr_t address, std::size_t bytes) { return address % page == 0 && bytes % page == 0; }
std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

}  // namespace

extern "C" {

long sysconf(int name) noexcept {
  static const auto before = reinterpret_cast<long (*)(int)>(dlsym(RTLD_NEXT, "sysconf"));
  return has_large_pages && name == _SC_PAGESIZE ? static_cast<long>(page) : before(name);
}

void* mmap(void* address, std::size_t bytes, int rights, int flags, int file, off_t offset) noexcept {
  const bool is_aligned = has_large_pages && address == nullptr && file < 0;
  const std::size_t more = is_aligned ? page : 0;
  const long got = syscall(SYS_mmap, address, bytes + more, rights, flags, file, offset);
  if (got < 0 && got > -4096) return MAP_FAILED;
  auto low = static_cast<std::uintptr_t>(got);
  if (!is_aligned) return reinterpret_cast<void*>(low);
  const std::uintptr_t base = (low + page - 1) / page * page;
  if (base != low) syscall(SYS_munmap, low, base - low);
  const std::uintptr_t end = (base + bytes + page - 1) / page * page;
  if (end < low + bytes + more) syscall(SYS_munmap, end, low + bytes + more - end);
  return reinterpret_cast<void*>(base);
}

int mincore(void* address, std::size_t bytes, unsigned char* answers) noexcept {
  if (!has_large_pages) return static_cast<int>(syscall(SYS_mincore, address, bytes, answers));
  if (number(address) % page != 0) std::abort();
  for (std::size_t at = 0; at < bytes; at += page) {
    unsigned char parts[page / small_page];
    if (syscall(SYS_mincore, number(address) + at, page, parts) != 0) return -1;
    answers[at / page] = 0;
    for (const unsigned char part : parts) answers[at / page] |= part & 1;
  }
  return 0;
}

int madvise(void* address, std::size_t bytes, int advice) noexcept {
  if (has_large_pages && !is_whole(number(address), bytes)) std::abort();  // the kernel would refuse it
  return static_cast<int>(syscall(SYS_madvise, address, bytes, advice));
}

int mprotect(void* address, std::size_t bytes, int rights) noexcept {
  if (has_large_pages && !is_whole(number(address), bytes)) std::abort();
  return static_cast<int>(syscall(SYS_mprotect, address, bytes, rights));
}
}

namespace {

void begin() {
  has_large_pages = true;
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 1;
  NEED(weft_init(&config) == WEFT_OK);
}

[[gnu::noinline]] int go_down(int depth) {
  volatile char frame[512];
  frame[0] = static_cast<char>(depth);
  const int beneath = depth == 0 ? 0 : go_down(depth - 1);
  asm volatile("" : : "r"(&frame[0]) : "memory");  // a compiler makes no loop of it
  return beneath + frame[0];
}

void go_deep(void* depth) { static_cast<void>(go_down(*static_cast<int*>(depth))); }

void write_all(void* go) {
  volatile char all[160 * 1024];
  for (volatile char& each : all) each = 0x5a;
  NEED(weft_event_wait(static_cast<weft_event*>(go)) == WEFT_OK);
  for (const volatile char& each : all) NEED(each == 0x5a);
}

int use_them() {
  begin();
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1} << 20, std::size_t{200'000}}) {
    weft_event go = WEFT_EVENT_INIT;
    std::vector<weft_thread*> threads(100);
    weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
    attr.stack_bytes = bytes;
    for (weft_thread*& each : threads) NEED(weft_thread_create(write_all, &go, &attr, &each) == WEFT_OK);
    for (weft_thread* const each : threads) {
      while (weft_thread_get_state(each) != WEFT_THREAD_BLOCKED) weft_yield();
    }
    NEED(weft_event_set(&go) == WEFT_OK);
    for (weft_thread* const each : threads) NEED(weft_thread_join(each) == WEFT_OK);
  }
  NEED(weft_finalize() == WEFT_OK);
  return 0;
}

int overflow(std::size_t stack_bytes) {
  begin();
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.stack_bytes = stack_bytes;
  int depth = 10'000;  // 5 MB and more
  weft_thread* made = nullptr;
  NEED(weft_thread_create(go_deep, &depth, &attr, &made) == WEFT_OK && weft_thread_join(made) == WEFT_OK);
  return 0;
}

}  // namespace

TEST_CASE("stacks of each size are used from end to end, and recycled") {
  for (const char* const cache : {"512M", "0"}) {
    for (const char* const guard : {"auto", "mprotect", "canary"}) {
      const child_end end = run_in_child([&] {
        setenv("WEFT_STACK_CACHE", cache, 1);
        setenv("WEFT_GUARD", guard, 1);
        return use_them();
      });
      INFO(std::string(cache), " ", std::string(guard), "\n", end.errors);
      CHECK(end.exit_code == 0);
      CHECK(end.signal == 0);
    }
  }
}

TEST_CASE("an overflow is told, of a default stack and of a small one") {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{65536}, std::size_t{100'000}}) {
    const child_end end = run_in_child([bytes] { return overflow(bytes); });
    INFO(bytes, "\n", end.errors);
    CHECK(end.signal == SIGSEGV);
    CHECK(end.says("weft: fatal: stack overflow in thread 2 (go_deep)"));
  }
}

TEST_CASE("the report about stacks counts bytes, not pages") {
  const child_end end = run_in_child([] {
    setenv("WEFT_STACK_REPORT", "1", 1);
    begin();
    int depth = 40;
    weft_thread* made = nullptr;
    NEED(weft_thread_create(go_deep, &depth, nullptr, &made) == WEFT_OK && weft_thread_join(made) == WEFT_OK);
    NEED(weft_finalize() == WEFT_OK);
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.says("go_deep: 2"));
}
