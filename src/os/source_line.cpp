// See source_line.hpp.
#include "os/source_line.hpp"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "os/line_program.hpp"
#include "os/mapped_file.hpp"

namespace weft::os {
namespace {

section contents_of(const mapped_file& file, const Elf64_Shdr& one) {
  constexpr Elf64_Xword compressed = 1 << 11;  // SHF_COMPRESSED
  if ((one.sh_flags & compressed) != 0 || one.sh_type == SHT_NOBITS) return {};
  const auto* const begin = file.at<unsigned char>(one.sh_offset, one.sh_size);
  return {begin, begin != nullptr ? one.sh_size : 0};
}

line_sections find_sections(const mapped_file& file) {
  line_sections found;
  unsigned count = 0;
  const Elf64_Shdr* const sections = sections_of(file, &count);
  const unsigned names_at = count != 0 ? file.at<Elf64_Ehdr>(0, 1)->e_shstrndx : 0;
  if (names_at >= count) return found;
  const section names = contents_of(file, sections[names_at]);
  for (unsigned index = 0; index < count; ++index) {
    const std::size_t at = sections[index].sh_name;
    if (at >= names.bytes || memchr(names.begin + at, 0, names.bytes - at) == nullptr) continue;
    const char* const name = reinterpret_cast<const char*>(names.begin) + at;
    if (strcmp(name, ".debug_line") == 0) found.lines = contents_of(file, sections[index]);
    if (strcmp(name, ".debug_line_str") == 0) found.line_strings = contents_of(file, sections[index]);
    if (strcmp(name, ".debug_str") == 0) found.strings = contents_of(file, sections[index]);
  }
  return found;
}

}  // namespace

bool write_source_line(const void* address, code_place place, char* out, std::size_t capacity) {
  const std::uintptr_t inside = reinterpret_cast<std::uintptr_t>(address) - (place == code_place::after_call ? 1 : 0);
  Dl_info module;
  source_line found;
  *out = '\0';
  if (dladdr(reinterpret_cast<const void*>(inside), &module) == 0 || module.dli_fname == nullptr) return false;
  const mapped_file file(path_of(module));
  const line_sections sections = find_sections(file);
  if (sections.lines.bytes == 0 || !find_line(sections, address_in(file, module, inside), &found)) return false;
  const char* const slash = strrchr(found.file, '/');
  snprintf(out, capacity, "%s:%lu", slash != nullptr ? slash + 1 : found.file, static_cast<unsigned long>(found.line));
  return true;
}

}  // namespace weft::os
