// Files of programs and libraries in memory, for reports. Callable from any OS thread and from a
// handler of SIGSEGV.
#pragma once

#include <dlfcn.h>
#include <elf.h>

#include <cstddef>
#include <cstdint>

namespace weft::os {

// A file in memory while its tables are looked through.
class mapped_file {
 public:
  explicit mapped_file(const char* path);
  ~mapped_file();
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;

  // `count` objects at `offset`, or null when the file does not hold them.
  template <class T>
  const T* at(std::uint64_t offset, std::uint64_t count) const {
    if (base_ == nullptr || offset > bytes_ || count > (bytes_ - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(static_cast<const char*>(base_) + offset);
  }

 private:
  void map(int descriptor, std::size_t bytes);

  void* base_ = nullptr;
  std::size_t bytes_ = 0;
};

// The file of a module that dladdr(3) found.
const char* path_of(const Dl_info& module);

// The sections of such a file; count: how many, 0 of what is no such file.
const Elf64_Shdr* sections_of(const mapped_file& file, unsigned* count);

// An address as the file has it, of one in memory. The file has sections.
std::uint64_t address_in(const mapped_file& file, const Dl_info& module, std::uint64_t address);

}  // namespace weft::os
