// See elf_notes.hpp.
#include "elf_notes.hpp"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <string_view>
#include <vector>

namespace cli {

namespace {

constexpr std::uint64_t most_note_bytes = 1 << 20;  // of a damaged file no more is read

std::string bytes_at(std::ifstream& from, std::uint64_t offset, std::uint64_t count) {
  std::string bytes(count, '\0');
  from.clear();
  from.seekg(static_cast<std::streamoff>(offset));
  from.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<std::size_t>(from.gcount()));
  return bytes;
}

template <class T>
bool read_at(std::ifstream& from, std::uint64_t offset, T* out) {
  std::string const bytes = bytes_at(from, offset, sizeof(T));
  if (bytes.size() != sizeof(T)) return false;
  std::memcpy(out, bytes.data(), sizeof(T));
  return true;
}

std::size_t padded(std::size_t bytes) { return (bytes + 3) & ~std::size_t{3}; }

// What the notes of the name "Weft" say of the program.
void read_notes(std::string_view notes, elf_facts* out) {
  constexpr std::string_view name("Weft\0", 5);
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr head;
    std::memcpy(&head, notes.data(), sizeof head);
    notes.remove_prefix(sizeof head);
    bool const is_ours = notes.substr(0, head.n_namesz) == name;
    out->starts_ranks |= is_ours && head.n_type == 1;
    out->is_a_node |= is_ours && head.n_type == 2;
    std::size_t const rest = padded(head.n_namesz) + padded(head.n_descsz);
    notes.remove_prefix(std::min(rest, notes.size()));
  }
}

}  // namespace

elf_facts read_elf(const std::string& file) {
  elf_facts found;
  std::ifstream from(file, std::ios::binary);
  Elf64_Ehdr head;
  if (!from || !read_at(from, 0, &head)) return found;
  found.is_elf = std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64;
  if (!found.is_elf) return found;
  found.machine = head.e_machine;
  for (unsigned index = 0; index < head.e_phnum; ++index) {
    Elf64_Phdr part;
    if (!read_at(from, head.e_phoff + index * std::uint64_t{head.e_phentsize}, &part)) break;
    if (part.p_filesz > most_note_bytes) continue;
    if (part.p_type == PT_INTERP) found.loader = bytes_at(from, part.p_offset, part.p_filesz).c_str();
    if (part.p_type == PT_NOTE) read_notes(bytes_at(from, part.p_offset, part.p_filesz), &found);
  }
  return found;
}

}  // namespace cli
