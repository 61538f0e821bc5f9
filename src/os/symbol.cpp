// See symbol.hpp.
#include "os/symbol.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/fault.hpp"
#include "os/module.hpp"

namespace weft::os {
namespace {

// A file in memory while its symbols are looked through.
class mapped_file {
 public:
  explicit mapped_file(const char* path) {
    if (fault::fails(call::open)) return;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    struct stat about;
    const bool is_known = !fault::fails(call::read) && fstat(descriptor, &about) == 0;
    if (is_known && about.st_size > 0) map(descriptor, static_cast<size_t>(about.st_size));
    close(descriptor);
  }
  ~mapped_file() {
    if (base_ != nullptr) munmap(base_, bytes_);
  }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;

  // `count` objects at `offset`, or null when the file does not hold them.
  template <class T>
  const T* at(uint64_t offset, uint64_t count) const {
    if (base_ == nullptr || offset > bytes_ || count > (bytes_ - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(static_cast<const char*>(base_) + offset);
  }

 private:
  void map(int descriptor, size_t bytes) {
    if (fault::fails(call::mmap)) return;
    void* mapped = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapped == MAP_FAILED) return;
    base_ = mapped;
    bytes_ = bytes;
  }

  void* base_ = nullptr;
  size_t bytes_ = 0;
};

struct found_symbol {
  const char* name = nullptr;
  uint64_t offset = 0;
};

const Elf64_Shdr* symbol_table_of(const mapped_file& file, const Elf64_Ehdr* header) {
  const auto* sections = file.at<Elf64_Shdr>(header->e_shoff, header->e_shnum);
  for (unsigned index = 0; sections != nullptr && index < header->e_shnum; ++index) {
    if (sections[index].sh_type == SHT_SYMTAB && sections[index].sh_link < header->e_shnum) return &sections[index];
  }
  return nullptr;
}

bool holds(const Elf64_Sym& symbol, uint64_t value) {
  return ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && value >= symbol.st_value && value - symbol.st_value < symbol.st_size;
}

// base: where the module lies. The name points into the file.
found_symbol find_in_file(const mapped_file& file, uint64_t address, uint64_t base) {
  const auto* header = file.at<Elf64_Ehdr>(0, 1);
  if (header == nullptr || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64) return {};
  const Elf64_Shdr* table = symbol_table_of(file, header);
  if (table == nullptr) return {};
  const uint64_t value = header->e_type == ET_EXEC ? address : address - base;
  const uint64_t count = table->sh_size / sizeof(Elf64_Sym);
  const auto* symbols = file.at<Elf64_Sym>(table->sh_offset, count);
  const auto* strings = file.at<Elf64_Shdr>(header->e_shoff, header->e_shnum) + table->sh_link;
  const auto* names = file.at<char>(strings->sh_offset, strings->sh_size);
  if (symbols == nullptr || names == nullptr) return {};
  for (uint64_t index = 0; index < count; ++index) {
    if (!holds(symbols[index], value) || symbols[index].st_name >= strings->sh_size) continue;
    return {names + symbols[index].st_name, value - symbols[index].st_value};
  }
  return {};
}

bool is_main_program(const Dl_info& module) {
  Dl_info program;
  const auto headers = getauxval(AT_PHDR);  // they lie in the program's first page
  return headers != 0 && dladdr(reinterpret_cast<const void*>(headers), &program) != 0 && program.dli_fbase == module.dli_fbase;
}

void write_address(uint64_t value, char* out, size_t capacity) {
  snprintf(out, capacity, "%#lx", static_cast<unsigned long>(value));
}

void write_name(const char* name, uint64_t offset, char* out, size_t capacity) {
  if (offset == 0) {
    snprintf(out, capacity, "%s", name);
  } else {
    snprintf(out, capacity, "%s+%#lx", name, static_cast<unsigned long>(offset));
  }
}

// A name that is nothing but parts of a path, such as _ZN4weft5sched4waitE: `weft::sched::wait`, without its parameters. What else C++
// can name stays as it is: the core's own functions are to be read in programs that have no C++ library.
void demangle_plainly(char* out, const char* offset) {
  constexpr char unnamed_space[] = "_GLOBAL__N_1";
  char readable[256];
  size_t used = 0;
  const char* at = out + 2;
  if (*at++ != 'N') return;
  while (*at != 'E') {
    if (*at == 'L') ++at;  // known to its file alone
    char* name;
    const unsigned long length = strtoul(at, &name, 10);
    if (name == at || length > strlen(name) || used + length + 3 > sizeof readable) return;
    at = name + length;
    if (length == strlen(unnamed_space) && strncmp(name, unnamed_space, length) == 0) continue;
    used += static_cast<size_t>(
        snprintf(readable + used, sizeof readable - used, "%s%.*s", used == 0 ? "" : "::", static_cast<int>(length), name));
  }
  snprintf(readable + used, sizeof readable - used, "%s", offset != nullptr ? offset : "");
  if (strlen(readable) < strlen(out)) strcpy(out, readable);
}

}  // namespace

void name_code(const void* address, code_place place, char* out, std::size_t capacity) {
  const auto value = reinterpret_cast<uintptr_t>(address);
  const uintptr_t back = place == code_place::after_call ? 1 : 0;
  Dl_info module;
  if (value == 0 || dladdr(reinterpret_cast<const void*>(value - back), &module) == 0 || module.dli_fname == nullptr) {
    return write_address(value, out, capacity);
  }
  if (module.dli_sname != nullptr) {
    return write_name(module.dli_sname, value - reinterpret_cast<uintptr_t>(module.dli_saddr), out, capacity);
  }
  const auto base = reinterpret_cast<uintptr_t>(module.dli_fbase);
  const mapped_file file(is_main_program(module) ? "/proc/self/exe" : module.dli_fname);
  const found_symbol found = find_in_file(file, value - back, base);
  if (found.name != nullptr) return write_name(found.name, found.offset + back, out, capacity);
  code_module where;
  if (find_module(value - back, &where)) return write_name(where.name, value - where.bias, out, capacity);
  write_address(value, out, capacity);  // of data
}

void demangle(char* out, std::size_t capacity) {
  using demangler = char* (*)(const char*, char*, size_t*, int*);
  char* plus = strrchr(out, '+');
  char offset[24] = "";
  if (strncmp(out, "_Z", 2) != 0 || strlen(out) + 1 == capacity) return;
  const auto function = reinterpret_cast<demangler>(dlsym(RTLD_DEFAULT, "__cxa_demangle"));
  if (function == nullptr) return demangle_plainly(out, plus);
  if (plus != nullptr) {
    snprintf(offset, sizeof offset, "%s", plus);
    *plus = '\0';
  }
  int result = 0;
  char* readable = function(out, nullptr, nullptr, &result);
  if (result == 0 && readable != nullptr) {
    snprintf(out, capacity, "%s%s", readable, offset);
  } else if (plus != nullptr) {
    *plus = '+';
  }
  free(readable);
}

}  // namespace weft::os
