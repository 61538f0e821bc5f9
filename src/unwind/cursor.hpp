// Reads the numbers of which unwind tables consist, one after the other: DWARF 5, section 7.6
// (LEB128) and the Linux Standard Base's page on DWARF extensions (encoded pointers). Beyond the
// end, or where memory cannot be read, everything is 0 and has_failed() is true from then on: so a
// caller may read all that it wants and ask once.
#pragma once

#include <cstdint>

#include "unwind/memory.hpp"

namespace weft::unwind {

// How a pointer is written: DW_EH_PE_*.
namespace encoding {
inline constexpr unsigned form = 0x0f;
inline constexpr unsigned absolute = 0x00, uleb128 = 0x01, unsigned2 = 0x02, unsigned4 = 0x03, unsigned8 = 0x04;
inline constexpr unsigned sleb128 = 0x09, signed2 = 0x0a, signed4 = 0x0b, signed8 = 0x0c;
inline constexpr unsigned relative = 0x70;
inline constexpr unsigned to_itself = 0x10, to_data = 0x30;
inline constexpr unsigned indirect = 0x80;
inline constexpr unsigned omitted = 0xff;
}  // namespace encoding

class cursor {
 public:
  cursor(memory* from, std::uintptr_t at, std::uintptr_t end) : memory_(from), at_(at), end_(end) {}

  bool has_failed() const { return has_failed_; }
  bool is_at_end() const { return has_failed_ || at_ >= end_; }
  std::uintptr_t at() const { return at_; }
  std::uintptr_t end() const { return end_; }

  template <class T>
  T fixed() {
    T value{};
    take(&value, sizeof value);
    return value;
  }
  unsigned byte() { return fixed<std::uint8_t>(); }
  std::uint64_t uleb();
  std::int64_t sleb();
  std::uintptr_t pointer(unsigned how, std::uintptr_t data);  // data: what to_data counts from
  void skip(std::uint64_t bytes);
  void fail() { has_failed_ = true; }

 private:
  void take(void* to, std::size_t bytes);
  std::uint64_t form(unsigned how);

  memory* memory_;
  std::uintptr_t at_;
  std::uintptr_t end_;
  bool has_failed_ = false;
};

}  // namespace weft::unwind
