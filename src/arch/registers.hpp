// The registers that unwind tables speak of, by their numbers in DWARF; and where a suspended
// context (arch/context.hpp) keeps its own.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include "arch/x86_64/registers.hpp"
#elif defined(__aarch64__)
#include "arch/aarch64/registers.hpp"
#else
#error "Weft runs on x86-64 and aarch64"
#endif

namespace weft::arch {

// Those of one frame, as far as they are known.
class registers {
 public:
  void set(unsigned number, std::uintptr_t value) {
    values_[number] = value;
    known_ |= std::uint64_t{1} << number;
  }
  void forget(unsigned number) { known_ &= ~(std::uint64_t{1} << number); }
  bool has(unsigned number) const { return number < dwarf::count && (known_ >> number & 1) != 0; }
  std::uintptr_t get(unsigned number) const { return values_[number]; }

 private:
  std::uintptr_t values_[dwarf::count] = {};
  std::uint64_t known_ = 0;
};

}  // namespace weft::arch
