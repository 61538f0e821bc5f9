// A program or library as it lies in memory, without being run: its segments are read into memory
// of this process, at the distances that they have from each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cli {

class elf_image {
 public:
  // Throws std::runtime_error, which names the file and what is wrong with it.
  explicit elf_image(const std::string& file);
  ~elf_image();
  elf_image(const elf_image&) = delete;
  elf_image& operator=(const elf_image&) = delete;

  [[nodiscard]] unsigned machine() const { return machine_; }  // EM_*
  // In this process; 0: it has no unwind tables.
  [[nodiscard]] std::uintptr_t eh_frame_hdr() const { return eh_frame_hdr_; }
  // The address that the file gives to what lies at one of this process.
  [[nodiscard]] std::uint64_t address_of(std::uintptr_t in_memory) const;
  // Of the function around an address of the file; empty: it has no name there.
  [[nodiscard]] std::string function_at(std::uint64_t address) const;

 private:
  struct function {
    std::uint64_t begin;
    std::uint64_t bytes;
    std::string name;
  };
  class reader;

  void load(const reader& from, const std::string& file);
  void read_functions(const reader& from);

  unsigned machine_ = 0;
  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
  std::uint64_t first_ = 0;  // the address of what lies at memory_
  std::uintptr_t eh_frame_hdr_ = 0;
  std::vector<function> functions_;  // sorted
};

}  // namespace cli
