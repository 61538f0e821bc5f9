// See vm.hpp.
#include "os/vm.hpp"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/align.hpp"
#include "base/assert.hpp"
#include "base/config.hpp"
#include "os/cgroup.hpp"
#include "os/fault.hpp"
#include "os/file.hpp"

extern "C" void __asan_unpoison_memory_region(void const volatile* base, std::size_t size) __attribute__((weak));

namespace weft::os {
namespace {

// Headers older than Linux 6.13 lack these.
constexpr int madv_guard_install = 102;
constexpr int madv_guard_remove = 103;
constexpr int madv_populate_write = 23;
constexpr int madv_dontneed_locked = 24;  // Linux 5.18
constexpr unsigned mlock_onfault = 1;
constexpr int this_process = -10001;  // PIDFD_SELF_THREAD_GROUP, Linux 6.14
#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif

// 0: "max", or there is no such file.
double bytes_in(const char* directory, const char* file) {
  char text[32];
  return read_text(text, sizeof text, "%s/%s", directory, file) ? strtod(text, nullptr) : 0;
}

constexpr std::size_t canary_words = 8;
constexpr std::uint64_t canary_pattern = 0x77656674'67756172;  // "weftguar"

void* map(std::size_t bytes, int protection = PROT_READ | PROT_WRITE) {
  if (fault::fails(call::mmap)) return nullptr;
  void* base = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return base == MAP_FAILED ? nullptr : base;
}

bool unmap(void* base, std::size_t bytes) {
  if (fault::fails(call::munmap)) return false;
  return munmap(base, bytes) == 0;
}

bool advise(void* base, std::size_t bytes, int advice) {
  if (fault::fails(call::madvise)) return false;
  return madvise(base, bytes, advice) == 0;
}

// One call for all of them.
bool advise_all(const span* those, unsigned count, int advice) {
  iovec ranges[most_spans];
  std::size_t wanted = 0;
  for (unsigned index = 0; index < count; ++index) {
    ranges[index] = {those[index].base, those[index].bytes};
    wanted += those[index].bytes;
  }
  if (fault::fails(call::madvise)) return false;
  const long done = syscall(SYS_process_madvise, this_process, ranges, std::size_t{count}, advice, 0U);
  return done >= 0 && static_cast<std::size_t>(done) == wanted;
}

bool protect(void* base, std::size_t bytes, int protection) {
  if (fault::fails(call::mprotect)) return false;
  return mprotect(base, bytes, protection) == 0;
}

// Whether mlockall(MCL_FUTURE) is in force: a fresh page holds memory that was not touched.
bool fills_mappings() {
  const std::size_t page = page_bytes();
  void* const probe = map(page);
  if (probe == nullptr) return false;
  unsigned char answer = 0;
  const bool is_filled = !fault::fails(call::mincore) && mincore(probe, page, &answer) == 0 && (answer & 1) != 0;
  (void)unmap(probe, page);
  return is_filled;
}

constinit base::atomic<bool> has_told_unlocked{false};

void lock_when_touched(void* base, std::size_t bytes) {
  if (!fault::fails(call::lock_memory) && syscall(SYS_mlock2, base, bytes, mlock_onfault) == 0) return;
  (void)munlock(base, bytes);
  if (has_told_unlocked.exchange(true, base::relaxed)) return;
  base::report(
      "warning: mlockall(MCL_FUTURE) is in force, but stacks cannot be locked as they are touched (mlock2 fails): they are not "
      "locked at all; raise RLIMIT_MEMLOCK (ulimit -l)");
}

status from_errno() { return errno == ENOMEM || errno == EAGAIN ? status::nomem : status::unsupported; }
status result(bool succeeded) { return succeeded ? status::ok : from_errno(); }

// The words of the guard next to the stack proper: an overflow meets them first.
std::uint64_t* canary_of(const void* base, std::size_t bytes) {
  return reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::uintptr_t>(base) + bytes) - canary_words;
}

// Mixed with the address, so that a stack's image copied elsewhere is not taken for intact.
std::uint64_t canary_value(const std::uint64_t* word) { return canary_pattern ^ reinterpret_cast<std::uintptr_t>(word); }

void write_canary(void* base, std::size_t bytes) {
  std::uint64_t* words = canary_of(base, bytes);
  for (std::size_t i = 0; i < canary_words; ++i) words[i] = canary_value(&words[i]);
}

// The kernel's own access to a guarded page must fail as ours would; this asks without taking a
// signal.
bool faults_on_touch(void* page) {
  if (fault::fails(call::getrandom)) return false;
  return getrandom(page, 1, GRND_NONBLOCK) < 0 && errno == EFAULT;
}

}  // namespace

std::size_t page_bytes() {
  static base::atomic<std::size_t> known{0};  // sysconf takes a hundred instructions
  std::size_t bytes = known.load(base::relaxed);
  if (bytes == 0) [[unlikely]] {
    bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    known.store(bytes, base::relaxed);
  }
  return bytes;
}

std::size_t usable_memory_bytes(const char* proc_root, const char* cgroup_root) {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const std::size_t all = pages > 0 ? static_cast<std::size_t>(pages) * page_bytes() : 0;
  const double limit =
      cgroup_limit(proc_root, cgroup_root,
                   {.name = "memory",
                    .limit_v1 = [](const char* directory) { return bytes_in(directory, "memory.limit_in_bytes"); },
                    .limit_v2 = [](const char* directory) { return bytes_in(directory, "memory.max"); }});
  return limit > 0 && limit < static_cast<double>(all) ? static_cast<std::size_t>(limit) : all;
}

void* reserve(std::size_t bytes, std::size_t alignment) {
  const std::size_t page = page_bytes();
  const std::size_t wanted = base::round_up(bytes, page);
  const std::size_t slack = alignment > page ? alignment - page : 0;
  if (wanted < bytes || wanted + slack < wanted) return nullptr;
  void* mapped = map(wanted + slack);
  if (mapped == nullptr) return nullptr;
  forget_frames(mapped, wanted + slack);  // those of a stack of others' that lay here before
  if (slack == 0) return mapped;
  const auto start = reinterpret_cast<std::uintptr_t>(mapped);
  const std::uintptr_t aligned = base::round_up(start, alignment);
  const std::size_t before = aligned - start;
  // Untouched address space at worst.
  if (before != 0) (void)unmap(mapped, before);
  if (before != slack) (void)unmap(reinterpret_cast<void*>(aligned + wanted), slack - before);
  return reinterpret_cast<void*>(aligned);
}

// Inaccessible memory is not filled; nor is what is locked when touched, once it is accessible.
void* reserve_unfilled(std::size_t bytes) {
  if (!fills_mappings()) return reserve(bytes, page_bytes());
  void* const base = map(bytes, PROT_NONE);
  if (base == nullptr) return nullptr;
  forget_frames(base, bytes);
  lock_when_touched(base, bytes);
  if (protect(base, bytes, PROT_READ | PROT_WRITE)) return base;
  (void)unmap(base, bytes);
  return nullptr;
}

// munmap of what reserve returned cannot fail but for the mapping limit when it splits one; then
// the range stays reserved, without memory.
void release(void* base, std::size_t bytes) {
  const std::size_t whole = base::round_up(bytes, page_bytes());
  if (!unmap(base, whole)) (void)advise(base, whole, MADV_DONTNEED);
}

status discard(void* base, std::size_t bytes) {
  if (advise(base, bytes, MADV_DONTNEED)) return status::ok;
  return result(errno == EINVAL && advise(base, bytes, madv_dontneed_locked));  // locked
}

bool is_touched(const void* base, std::size_t bytes) {
  constexpr std::size_t pages_at_once = 1024;
  const std::size_t step = pages_at_once * page_bytes();
  unsigned char answers[pages_at_once];
  const auto low = reinterpret_cast<std::uintptr_t>(base);
  // From the high end, where a stack is used first.
  for (std::size_t left = bytes; left != 0;) {
    const std::size_t now = left < step ? left : step;
    left -= now;
    auto* const from = reinterpret_cast<void*>(low + left);
    if (fault::fails(call::mincore) || mincore(from, now, answers) != 0) return true;
    for (std::size_t page = 0; page < now / page_bytes(); ++page) {
      if ((answers[page] & 1) != 0) return true;
    }
  }
  return false;
}

void forget_frames(const void* base, std::size_t bytes) {
  if constexpr (config::address_sanitizer) __asan_unpoison_memory_region(base, bytes);
}

void no_huge_pages(void* base, std::size_t bytes) { (void)advise(base, bytes, MADV_NOHUGEPAGE); }

const char* guard_name(guard_kind kind) {
  switch (kind) {
    case guard_kind::marker: return "marker";
    case guard_kind::mprotect_page: return "mprotect";
    case guard_kind::canary: return "canary";
    case guard_kind::none: break;
  }
  return "none";
}

guard_kind best_guard_kind() {
  const std::size_t page = page_bytes();
  void* probe = map(page);
  if (probe == nullptr) return guard_kind::mprotect_page;
  const bool works = advise(probe, page, madv_guard_install) && faults_on_touch(probe);
  (void)unmap(probe, page);
  return works ? guard_kind::marker : guard_kind::mprotect_page;
}

std::size_t most_mappings() {
  constexpr std::size_t usual = 65530;
  char text[24];
  const char* rest = text;
  unsigned number = 0;
  const bool is_known = read_text(text, sizeof text, "/proc/sys/vm/max_map_count") && take_number(&rest, &number);
  return is_known ? number : usual;
}

status install_guard(void* base, std::size_t bytes, guard_kind kind) {
  switch (kind) {
    case guard_kind::marker: return result(advise(base, bytes, madv_guard_install));
    case guard_kind::mprotect_page: return result(protect(base, bytes, PROT_NONE));
    case guard_kind::canary: write_canary(base, bytes); break;
    case guard_kind::none: break;
  }
  return status::ok;
}

bool install_markers(const span* those, unsigned count) { return advise_all(those, count, madv_guard_install); }

bool populate(const span* those, unsigned count) { return advise_all(those, count, madv_populate_write); }

status remove_guard(void* base, std::size_t bytes, guard_kind kind) {
  if (kind == guard_kind::marker) return result(advise(base, bytes, madv_guard_remove));
  if (kind == guard_kind::mprotect_page) return result(protect(base, bytes, PROT_READ | PROT_WRITE));
  return status::ok;
}

bool guard_intact(const void* base, std::size_t bytes, guard_kind kind) {
  if (kind != guard_kind::canary) return true;
  const std::uint64_t* words = canary_of(base, bytes);
  for (std::size_t i = 0; i < canary_words; ++i) {
    if (words[i] != canary_value(&words[i])) return false;
  }
  return true;
}

}  // namespace weft::os
