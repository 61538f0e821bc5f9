// Address space: reserving it, giving its memory back, and guarding parts of it. Callable from any
// OS thread; nothing here keeps state.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"

namespace weft::os {

std::size_t page_bytes();

// What this process may use: the machine's, or what memory.max or memory.limit_in_bytes of its
// cgroups leave of it.
std::size_t usable_memory_bytes(const char* proc_root = "/proc", const char* cgroup_root = "/sys/fs/cgroup");

// Readable and writable address space, without memory until touched (and not counted against
// overcommit where the kernel can help it). alignment: a power of two. bytes is rounded up to
// pages. Null: out of address space or mappings.
void* reserve(std::size_t bytes, std::size_t alignment);

// As reserve, in whole pages, for what is touched little, such as stacks. Under
// mlockall(MCL_FUTURE) the kernel would fill all of it at once; here it is locked page by page as
// it is touched. Where a limit forbids even that, it is not locked, and a line on stderr says so,
// once.
void* reserve_unfilled(std::size_t bytes);

// Undoes reserve. bytes as given there; a part of a reservation, in whole pages, may be released as
// well.
void release(void* base, std::size_t bytes);

// Gives the memory of whole pages back; they read as zero when next touched. Guards in the range
// stay.
status discard(void* base, std::size_t bytes);

// The range is a stack no more, or was one of others'. ASan sees neither that a stack is unmapped
// nor what dlopen maps there next, and would take that for the frames that were left for good.
// Nothing in other builds.
void forget_frames(const void* base, std::size_t bytes);

// Whether any of the whole pages holds memory. True where the system does not tell.
bool is_touched(const void* base, std::size_t bytes);

// Asks the kernel not to back the range with huge pages: a stack that touched one page should cost
// one page. A hint.
void no_huge_pages(void* base, std::size_t bytes);

// Whole pages.
struct span {
  void* base;
  std::size_t bytes;
};
inline constexpr unsigned most_spans = 32;

// Gives each of up to most_spans spans memory, so that its first use is no page fault. One call of
// the system for all of them costs about 0.6 of their faults. A hint: false where it was not
// followed, as before Linux 6.14.
bool populate(const span* those, unsigned count);

// How an overflow of a stack is noticed, best first.
enum class guard_kind : std::uint8_t {
  marker,         // guard pages inside one mapping (Linux 6.13): a million stacks need no million mappings
  mprotect_page,  // PROT_NONE pages: two more mappings a stack, so vm.max_map_count bounds them
  canary,         // a pattern at the low end, checked afterwards by guard_intact: finds most overflows, late
  none,
};
const char* guard_name(guard_kind kind);

// The best that this kernel does, found by trying (a user-mode emulator may accept a marker and
// ignore it). Never canary or none.
guard_kind best_guard_kind();

// How many mappings the kernel grants this process (vm.max_map_count); the kernel's default where
// it does not say.
std::size_t most_mappings();

// base, bytes: whole pages at the low end of a stack. Errors: nomem (out of mappings), unsupported
// (by this kernel, or, of a marker, by memory that is locked).
status install_guard(void* base, std::size_t bytes, guard_kind kind);
// The same of up to most_spans spans, guarded by markers, in one call of the system. False: some
// are not guarded, as before Linux 6.14, and each is to be guarded by itself; that one may be
// guarded already does no harm.
bool install_markers(const span* those, unsigned count);
status remove_guard(void* base, std::size_t bytes, guard_kind kind);

// False: something wrote over the canary. True for all other kinds.
bool guard_intact(const void* base, std::size_t bytes, guard_kind kind);

}  // namespace weft::os
