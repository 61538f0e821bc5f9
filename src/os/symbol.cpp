// See symbol.hpp.
#include "os/symbol.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic.hpp"
#include "os/mapped_file.hpp"
#include "os/module.hpp"

namespace weft::os {
namespace {

using teller = const char* const* (*)();  // a std::type_info, as words

constinit base::atomic<teller> type_of_exception{nullptr};  // the C++ library's, if there is one

constexpr size_t longest_name = 1024;  // as the linker knows it, of what is made readable here

struct found_symbol {
  const char* name = nullptr;
  uint64_t offset = 0;
};

bool holds(const Elf64_Sym& symbol, uint64_t value) {
  return ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && value >= symbol.st_value && value - symbol.st_value < symbol.st_size;
}

// Of a module: the function that holds an address in memory. The name points into the file.
found_symbol find_in_file(const mapped_file& file, const Dl_info& module, uint64_t address) {
  unsigned section_count = 0;
  const Elf64_Shdr* const sections = sections_of(file, &section_count);
  const Elf64_Shdr* table = sections;
  while (table != sections + section_count && table->sh_type != SHT_SYMTAB) ++table;
  if (table == sections + section_count || table->sh_link >= section_count) return {};
  const uint64_t value = address_in(file, module, address);
  const uint64_t count = table->sh_size / sizeof(Elf64_Sym);
  const auto* symbols = file.at<Elf64_Sym>(table->sh_offset, count);
  const auto* strings = sections + table->sh_link;
  const auto* names = file.at<char>(strings->sh_offset, strings->sh_size);
  if (symbols == nullptr || names == nullptr) return {};
  for (uint64_t index = 0; index < count; ++index) {
    if (!holds(symbols[index], value) || symbols[index].st_name >= strings->sh_size) continue;
    return {names + symbols[index].st_name, value - symbols[index].st_value};
  }
  return {};
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

// Cut to capacity - 1 characters.
void copy(const char* words, char* out, size_t capacity) {
  const size_t length = strlen(words) < capacity ? strlen(words) : capacity - 1;
  memcpy(out, words, length);
  out[length] = '\0';
}

// `out` without the distance that may stand behind a name; offset: the distance, or "".
void take_offset(char* out, char (&offset)[24]) {
  char* plus = strrchr(out, '+');
  snprintf(offset, sizeof offset, "%s", plus != nullptr ? plus : "");
  if (plus != nullptr) *plus = '\0';
}

bool shorten_name(char* out, size_t capacity, const char* offset) {
  char readable[256];
  if (!read_cxx_name(out, readable, sizeof readable - sizeof(char[24]))) return false;
  snprintf(out, capacity, "%s%s", readable, offset);
  return true;
}

// Of a name with all that the C++ library's demangler knows of it.
bool demangle_fully(char* out, size_t capacity, const char* offset) {
  using demangler = char* (*)(const char*, char*, size_t*, int*);
  const auto function = reinterpret_cast<demangler>(dlsym(RTLD_DEFAULT, "__cxa_demangle"));
  if (function == nullptr) {
    forget_linker_errors();
    return false;
  }
  int result = 0;
  char* readable = function(out, nullptr, nullptr, &result);
  const bool is_readable = result == 0 && readable != nullptr;
  if (is_readable) snprintf(out, capacity, "%s%s", readable, offset);
  free(readable);
  return is_readable;
}

void make_readable(char* out, size_t capacity, spelling how) {
  char offset[24];
  if (strncmp(out, "_Z", 2) != 0 || strlen(out) + 1 == capacity) return;
  take_offset(out, offset);
  if (how == spelling::full_first && demangle_fully(out, capacity, offset)) return;
  if (shorten_name(out, capacity, offset)) return;
  if (how == spelling::short_first && demangle_fully(out, capacity, offset)) return;
  snprintf(out + strlen(out), capacity - strlen(out), "%s", offset);
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
  const mapped_file file(path_of(module));
  const found_symbol found = find_in_file(file, module, value - back);
  if (found.name != nullptr) return write_name(found.name, found.offset + back, out, capacity);
  code_module where;
  if (find_module(value - back, &where)) return write_name(where.name, value - where.bias, out, capacity);
  write_address(value, out, capacity);  // of data
}

void name_readably(const void* address, code_place place, spelling how, char* out, std::size_t capacity) {
  char name[longest_name];
  name_code(address, place, name, sizeof name);
  make_readable(name, sizeof name, how);
  copy(name, out, capacity);
}

callable name_start(const void* function, char* out, std::size_t capacity) {
  char mangled[longest_name];
  name_code(function, code_place::exact, mangled, sizeof mangled);
  return read_cxx_callable(mangled, out, capacity);
}

void find_exceptions() {
  void* found = dlsym(RTLD_DEFAULT, "__cxa_current_exception_type");
  if (found == nullptr) forget_linker_errors();
  type_of_exception.store(reinterpret_cast<teller>(found), base::relaxed);
}

bool name_current_exception(char* out, std::size_t capacity) {
  const teller current = type_of_exception.load(base::relaxed);
  const char* const* type = current != nullptr ? current() : nullptr;
  if (type == nullptr) return false;
  const char* name = type[1];  // a std::type_info: the pointer to its virtual functions, its name
  if (*name == '*') ++name;    // compared by address
  char mangled[longest_name];
  snprintf(mangled, sizeof mangled, "_Z%s", name);
  if (!read_cxx_name(mangled, out, capacity)) copy(name, out, capacity);
  return true;
}

bool is_header_code(const void* return_address) {
  constexpr const char* scopes[] = {"_ZN4weft", "_ZNK4weft", "_ZNSt", "_ZNKSt", "_ZSt", "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx"};
  char mangled[longest_name];
  name_code(return_address, code_place::after_call, mangled, sizeof mangled);
  for (const char* each : scopes) {
    if (strncmp(mangled, each, strlen(each)) == 0) return true;
  }
  return false;
}

void name_scope(const void* function, char* out, std::size_t capacity) {
  char mangled[longest_name];
  name_code(function, code_place::exact, mangled, sizeof mangled);
  read_cxx_scope(mangled, out, capacity);
}

}  // namespace weft::os
