// See mapped_file.hpp.
#include "os/mapped_file.hpp"

#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/fault.hpp"

namespace weft::os {

mapped_file::mapped_file(const char* path) {
  if (fault::fails(call::open)) return;
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  struct stat about;
  const bool is_known = !fault::fails(call::read) && fstat(descriptor, &about) == 0;
  if (is_known && about.st_size > 0) map(descriptor, static_cast<std::size_t>(about.st_size));
  close(descriptor);
}

mapped_file::~mapped_file() {
  if (base_ != nullptr) munmap(base_, bytes_);
}

void mapped_file::map(int descriptor, std::size_t bytes) {
  if (fault::fails(call::mmap)) return;
  void* mapped = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (mapped == MAP_FAILED) return;
  base_ = mapped;
  bytes_ = bytes;
}

namespace {

bool is_main_program(const Dl_info& module) {
  Dl_info program;
  const auto headers = getauxval(AT_PHDR);  // they lie in the program's first page
  return headers != 0 && dladdr(reinterpret_cast<const void*>(headers), &program) != 0 && program.dli_fbase == module.dli_fbase;
}

}  // namespace

const char* path_of(const Dl_info& module) { return is_main_program(module) ? "/proc/self/exe" : module.dli_fname; }

const Elf64_Shdr* sections_of(const mapped_file& file, unsigned* count) {
  const auto* header = file.at<Elf64_Ehdr>(0, 1);
  *count = 0;
  if (header == nullptr || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
    return nullptr;
  const auto* sections = file.at<Elf64_Shdr>(header->e_shoff, header->e_shnum);
  *count = sections != nullptr ? header->e_shnum : 0;
  return sections;
}

std::uint64_t address_in(const mapped_file& file, const Dl_info& module, std::uint64_t address) {
  const bool is_fixed = file.at<Elf64_Ehdr>(0, 1)->e_type == ET_EXEC;
  return is_fixed ? address : address - reinterpret_cast<std::uintptr_t>(module.dli_fbase);
}

}  // namespace weft::os
