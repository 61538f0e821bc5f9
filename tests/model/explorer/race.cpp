// See race.hpp.
#include "explorer/race.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "explorer/execution.hpp"
#include "explorer/frontier.hpp"

namespace explorer {
namespace {

constexpr std::size_t word_bytes = 8;
constexpr std::size_t table_size = 4096;  // words touched in one execution; a power of two

struct access {
  std::uint32_t time[word_bytes];  // by byte, 0: never
  const void* code;
};

struct accesses {
  std::uint32_t threads;  // those that have an entry in this execution, a bit each; other entries hold anything
  access of[max_threads];
};
static_assert(max_threads <= 32);

struct shadow_word {
  std::uintptr_t word;
  std::uint64_t execution;  // an entry of an earlier execution is free
  accesses reads;
  accesses writes;
};

shadow_word table[table_size];
std::uint64_t execution = 1;
std::size_t used = 0;

shadow_word& find(std::uintptr_t word) {
  std::size_t slot = (word * 0x9e3779b97f4a7c15u >> 40) % table_size;
  while (table[slot].execution == execution && table[slot].word != word) slot = (slot + 1) % table_size;
  shadow_word& entry = table[slot];
  if (entry.execution == execution) return entry;
  if (++used > table_size / 2) fail("the model is too large", "raise table_size in race.cpp");
  entry.reads.threads = entry.writes.threads = 0;
  entry.word = word;
  entry.execution = execution;
  return entry;
}

// File and line of an instruction, by the tool that reads debug information.
std::string place_of(const void* code) {
  Dl_info info{};
  if (dladdr(code, &info) == 0 || info.dli_fname == nullptr) return "?";
  char command[512];
  const auto offset = reinterpret_cast<std::uintptr_t>(code) - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  std::snprintf(command, sizeof command, "addr2line -s -i -e /proc/%d/exe 0x%zx 2>/dev/null", static_cast<int>(getpid()),
                offset - 1);
  FILE* pipe = popen(command, "r");
  if (pipe == nullptr) return "?";
  char line[256] = "?";
  if (std::fgets(line, sizeof line, pipe) != nullptr) line[std::strcspn(line, " \n")] = 0;
  pclose(pipe);
  return line;
}

void report_race(int me, int other, bool wrote, bool other_wrote, const void* code, const void* other_code) {
  prune_if_owing();
  const auto verb = [](bool write) { return write ? " writes at " : " reads at "; };
  fail("data race", thread_name(other) + verb(other_wrote) + place_of(other_code) + ", " + thread_name(me) + verb(wrote) +
                        place_of(code) + ", neither happens before the other");
}

void check(int me, const access& past, int other, std::size_t first, std::size_t last, bool wrote, bool other_wrote,
           const void* code) {
  for (std::size_t byte = first; byte < last; ++byte) {
    if (past.time[byte] != 0 && !thread_covers(me, other, past.time[byte])) {
      report_race(me, other, wrote, other_wrote, code, past.code);
    }
  }
}

void check_others(int me, const accesses& past, std::size_t first, std::size_t last, bool wrote, bool other_wrote,
                  const void* code) {
  for (std::uint32_t left = past.threads & ~(1u << me); left != 0; left &= left - 1) {
    const int other = std::countr_zero(left);
    check(me, past.of[other], other, first, last, wrote, other_wrote, code);
  }
}

[[gnu::always_inline]] inline void touch_word(int me, std::uintptr_t word, std::size_t first, std::size_t last, bool write,
                                              const void* code) {
  shadow_word& entry = find(word);
  check_others(me, entry.writes, first, last, write, true, code);
  if (write) check_others(me, entry.reads, first, last, true, false, code);
  accesses& mine = write ? entry.writes : entry.reads;
  access& latest = mine.of[me];
  if ((mine.threads & 1u << me) == 0) latest = {};
  mine.threads |= 1u << me;
  latest.code = code;
  const std::uint32_t now = thread_time(me);
  for (std::size_t byte = first; byte < last; ++byte) latest.time[byte] = now;
}

[[gnu::noinline]] void touch_words(const void* address, std::size_t bytes, bool write, const void* code) {
  const int me = current_thread();
  auto at = reinterpret_cast<std::uintptr_t>(address);
  while (bytes > 0) {
    const std::size_t first = at % word_bytes;
    const std::size_t part = first + bytes > word_bytes ? word_bytes - first : bytes;
    touch_word(me, at - first, first, first + part, write, code);
    at += part;
    bytes -= part;
  }
}

inline void touch_plain(const void* address, std::size_t bytes, bool write, const void* code) {
  if (current_thread() > 0) touch_words(address, bytes, write, code);  // the body runs before and after all others
}

}  // namespace

void reset_races() {
  ++execution;
  used = 0;
}

}  // namespace explorer

// ---- the names that the compiler calls ----------------------------------------------------------

using explorer::touch_plain;

#define EXPLORER_HOOK(bytes)                                                                                           \
  extern "C" void __tsan_read##bytes(void* p) { touch_plain(p, bytes, false, __builtin_return_address(0)); }           \
  extern "C" void __tsan_write##bytes(void* p) { touch_plain(p, bytes, true, __builtin_return_address(0)); }           \
  extern "C" void __tsan_unaligned_read##bytes(void* p) { touch_plain(p, bytes, false, __builtin_return_address(0)); } \
  extern "C" void __tsan_unaligned_write##bytes(void* p) { touch_plain(p, bytes, true, __builtin_return_address(0)); } \
  extern "C" void __tsan_read_write##bytes(void* p) { touch_plain(p, bytes, true, __builtin_return_address(0)); }      \
  extern "C" void __tsan_unaligned_read_write##bytes(void* p) { touch_plain(p, bytes, true, __builtin_return_address(0)); }

EXPLORER_HOOK(1)
EXPLORER_HOOK(2)
EXPLORER_HOOK(4)
EXPLORER_HOOK(8)
EXPLORER_HOOK(16)

extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_read_range(void* p, unsigned long bytes) { touch_plain(p, bytes, false, __builtin_return_address(0)); }
void __tsan_write_range(void* p, unsigned long bytes) { touch_plain(p, bytes, true, __builtin_return_address(0)); }
// Guards of static variables inside functions.
unsigned char __tsan_atomic8_load(const volatile unsigned char* p, int) { return *p; }
// weft/hot.h looks at flags of the unit that runs, which do not change meanwhile.
unsigned short __tsan_atomic16_load(const volatile unsigned short* p, int) { return *p; }
// Words of the user's own, such as full/empty bits guard: atomics for the core, and memory holds
// what was stored last.
unsigned long __tsan_atomic64_load(const volatile unsigned long* p, int order) {
  return explorer::atomic_load({const_cast<const unsigned long*>(p), sizeof *p}, explorer::order{order}, {});
}
void __tsan_atomic64_store(volatile unsigned long* p, unsigned long value, int order) {
  explorer::atomic_store({const_cast<unsigned long*>(p), sizeof *p}, value, explorer::order{order}, {});
  *p = value;
}
void __tsan_vptr_read(void* p) { touch_plain(p, sizeof(void*), false, __builtin_return_address(0)); }
void __tsan_vptr_update(void** p, void*) { touch_plain(p, sizeof(void*), true, __builtin_return_address(0)); }

// clang turns these into calls.
void* __tsan_memcpy(void* to, const void* from, unsigned long bytes) {
  touch_plain(from, bytes, false, __builtin_return_address(0));
  touch_plain(to, bytes, true, __builtin_return_address(0));
  return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, unsigned long bytes) {
  touch_plain(from, bytes, false, __builtin_return_address(0));
  touch_plain(to, bytes, true, __builtin_return_address(0));
  return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, unsigned long bytes) {
  touch_plain(to, bytes, true, __builtin_return_address(0));
  return std::memset(to, value, bytes);
}
}
