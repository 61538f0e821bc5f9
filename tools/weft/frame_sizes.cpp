// See frame_sizes.hpp.
#include "frame_sizes.hpp"

#include <elf.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>

#include "mem/guard_layout.hpp"
#include "unwind/rules.hpp"
#include "unwind/tables.hpp"

namespace cli {

namespace {

namespace unwind = weft::unwind;

// A damaged table may point anywhere: the kernel copies, or fails.
bool copy(const void* from, void* to, std::size_t bytes) {
  iovec const into = {to, bytes};
  iovec const of = {const_cast<void*>(from), bytes};
  return process_vm_readv(getpid(), &into, 1, &of, 1, 0) == static_cast<ssize_t>(bytes);
}

// In DWARF's numbers: the processor supplements of the System V ABI.
std::uint64_t stack_pointer_of(unsigned machine) {
  constexpr std::uint64_t x86_64 = 7;
  constexpr std::uint64_t aarch64 = 31;
  return machine == EM_AARCH64 ? aarch64 : x86_64;
}

}  // namespace

frame_sizes read_frame_sizes(const elf_image& image) {
  frame_sizes found;
  unwind::memory from(copy);
  unwind::function_list list;
  if (image.eh_frame_hdr() == 0 || !unwind::read_list(&from, image.eh_frame_hdr(), &list)) return found;
  found.has_tables = true;
  found.function_count = list.count;
  std::uint64_t const stack_pointer = stack_pointer_of(image.machine());
  for (std::uint64_t index = 0; index < list.count; ++index) {
    unwind::function_entry function;
    unwind::extent measured;
    bool const is_read =
        unwind::read_listed(&from, list, index, &function) && unwind::find_extent(&from, function, stack_pointer, &measured);
    if (!is_read || !measured.is_whole) ++found.unknown_count;
    if (is_read) found.known.push_back({image.address_of(function.begin), static_cast<std::uint64_t>(measured.bytes)});
  }
  std::ranges::stable_sort(found.known, std::ranges::greater{}, &function_frame::bytes);
  return found;
}

std::uint64_t smallest_guard_bytes() { return weft::mem::masses_frame_bytes; }

}  // namespace cli
