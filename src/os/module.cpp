// See module.hpp.
#include "os/module.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include <span>

namespace weft::os {
namespace {

struct search {
  std::uintptr_t code;
  code_module* out;
};

bool find_segment(const dl_phdr_info& about, search* wanted) {
  for (unsigned index = 0; index < about.dlpi_phnum; ++index) {
    const ElfW(Phdr)& one = about.dlpi_phdr[index];
    const std::uintptr_t low = about.dlpi_addr + one.p_vaddr;
    if (one.p_type != PT_LOAD || (one.p_flags & PF_X) == 0 || wanted->code - low >= one.p_memsz) continue;
    wanted->out->low = low;
    wanted->out->high = low + one.p_memsz;
    return true;
  }
  return false;
}

std::uintptr_t find_eh_frame_hdr(const dl_phdr_info& about) {
  for (unsigned index = 0; index < about.dlpi_phnum; ++index) {
    if (about.dlpi_phdr[index].p_type == PT_GNU_EH_FRAME) return about.dlpi_addr + about.dlpi_phdr[index].p_vaddr;
  }
  return 0;
}

const char* file_name(const dl_phdr_info& about) {
  const bool is_program = about.dlpi_name == nullptr || about.dlpi_name[0] == '\0';
  const char* path = is_program ? program_invocation_name : about.dlpi_name;
  const char* slash = strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

int look_into(dl_phdr_info* about, std::size_t, void* argument) {
  auto* wanted = static_cast<search*>(argument);
  if (!find_segment(*about, wanted)) return 0;
  snprintf(wanted->out->name, sizeof wanted->out->name, "%s", file_name(*about));
  wanted->out->bias = about->dlpi_addr;
  wanted->out->eh_frame_hdr = find_eh_frame_hdr(*about);
  return 1;
}

// How many bytes from that address on the module has in memory that can be read; 0: none of its
// own.
std::size_t bytes_from(const dl_phdr_info& about, std::uintptr_t address) {
  for (unsigned index = 0; index < about.dlpi_phnum; ++index) {
    const ElfW(Phdr)& one = about.dlpi_phdr[index];
    const std::uintptr_t inside = address - about.dlpi_addr - one.p_vaddr;
    if (one.p_type == PT_LOAD && (one.p_flags & PF_R) != 0 && inside < one.p_memsz) return one.p_memsz - inside;
  }
  return 0;
}

std::span<const ElfW(Dyn)> dynamic_section(const dl_phdr_info& about) {
  for (unsigned index = 0; index < about.dlpi_phnum; ++index) {
    const ElfW(Phdr)& one = about.dlpi_phdr[index];
    const std::uintptr_t address = about.dlpi_addr + one.p_vaddr;
    if (one.p_type != PT_DYNAMIC || bytes_from(about, address) < one.p_memsz) continue;
    return {reinterpret_cast<const ElfW(Dyn)*>(address), one.p_memsz / sizeof(ElfW(Dyn))};
  }
  return {};
}

// glibc adds the bias to the addresses in most modules' dynamic sections, musl in none, and neither
// does it in that of the vdso.
std::uintptr_t address_of(const dl_phdr_info& about, std::uintptr_t told) {
  return bytes_from(about, told) != 0 ? told : about.dlpi_addr + told;
}

std::string_view soname_of(const dl_phdr_info& about) {
  std::uintptr_t strings = 0;
  std::uintptr_t offset = 0;
  for (const ElfW(Dyn) & one : dynamic_section(about)) {
    if (one.d_tag == DT_NULL) break;
    if (one.d_tag == DT_STRTAB) strings = address_of(about, one.d_un.d_ptr);
    if (one.d_tag == DT_SONAME) offset = one.d_un.d_val;
  }
  if (strings == 0 || offset == 0) return {};
  const std::size_t room = bytes_from(about, strings);
  if (offset >= room) return {};
  const auto* name = reinterpret_cast<const char*>(strings + offset);
  return {name, strnlen(name, room - offset)};
}

struct name_search {
  std::string_view begins;
  std::string_view own;
  named_module* out;
};

int look_beside(dl_phdr_info* about, std::size_t, void* argument) {
  auto* wanted = static_cast<name_search*>(argument);
  if (bytes_from(*about, reinterpret_cast<std::uintptr_t>(&look_beside)) != 0) return 0;
  const std::string_view name = soname_of(*about);
  if (!name.starts_with(wanted->begins)) return 0;
  std::string_view rest = name;
  rest.remove_prefix(wanted->begins.size());
  // More may come behind what is the same: libweft.so.0.1.0 is libweft.so.0.1, and libweft.so.0.10
  // is not.
  if (rest.starts_with(wanted->own) && (rest.size() == wanted->own.size() || rest[wanted->own.size()] == '.')) return 0;
  named_module* const out = wanted->out;
  out->soname[name.copy(out->soname, sizeof out->soname - 1)] = '\0';
  snprintf(out->file, sizeof out->file, "%s", file_name(*about));
  return 1;
}

struct segment_search {
  std::uintptr_t address;
  std::size_t bytes_left;
};

int measure_segment(dl_phdr_info* about, std::size_t, void* argument) {
  auto* wanted = static_cast<segment_search*>(argument);
  wanted->bytes_left = bytes_from(*about, wanted->address);
  return wanted->bytes_left != 0 ? 1 : 0;
}

}  // namespace

std::size_t module_bytes_from(std::uintptr_t address) {
  segment_search wanted{address, 0};
  dl_iterate_phdr(measure_segment, &wanted);
  return wanted.bytes_left;
}

bool find_module(std::uintptr_t code, code_module* out) {
  search wanted{code, out};
  return dl_iterate_phdr(look_into, &wanted) != 0;
}

bool find_module_beside(std::string_view begins, std::string_view own, named_module* out) {
  name_search wanted{begins, own, out};
  return dl_iterate_phdr(look_beside, &wanted) != 0;
}

// The first call returns the words, the second frees them. They are the calling OS thread's own.
void forget_linker_errors() {
  static_cast<void>(dlerror());  // NOLINT(concurrency-mt-unsafe): glibc and musl keep them by OS thread
  static_cast<void>(dlerror());  // NOLINT(concurrency-mt-unsafe): as above
}

}  // namespace weft::os
