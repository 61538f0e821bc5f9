// See cursor.hpp.
#include "unwind/cursor.hpp"

#include <cstring>

namespace weft::unwind {

void cursor::take(void* to, std::size_t bytes) {
  if (!has_failed_ && at_ <= end_ && bytes <= end_ - at_ && memory_->read(at_, to, bytes)) {
    at_ += bytes;
  } else {
    std::memset(to, 0, bytes);
    has_failed_ = true;
  }
}

void cursor::skip(std::uint64_t bytes) {
  if (at_ <= end_ && bytes <= end_ - at_) {
    at_ += bytes;
  } else {
    has_failed_ = true;
  }
}

std::uint64_t cursor::uleb() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint64_t group = byte();
    value |= (group & 0x7f) << shift;
    if ((group & 0x80) == 0) return value;
  }
  has_failed_ = true;
  return 0;
}

std::int64_t cursor::sleb() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64;) {
    const std::uint64_t group = byte();
    value |= (group & 0x7f) << shift;
    shift += 7;
    if ((group & 0x80) != 0) continue;
    if (shift < 64 && (group & 0x40) != 0) value |= ~std::uint64_t{0} << shift;
    return static_cast<std::int64_t>(value);
  }
  has_failed_ = true;
  return 0;
}

std::uint64_t cursor::form(unsigned how) {
  switch (how & encoding::form) {
    case encoding::absolute: return fixed<std::uintptr_t>();
    case encoding::uleb128: return uleb();
    case encoding::unsigned2: return fixed<std::uint16_t>();
    case encoding::unsigned4: return fixed<std::uint32_t>();
    case encoding::unsigned8: return fixed<std::uint64_t>();
    case encoding::sleb128: return static_cast<std::uint64_t>(sleb());
    case encoding::signed2: return static_cast<std::uint64_t>(fixed<std::int16_t>());
    case encoding::signed4: return static_cast<std::uint64_t>(fixed<std::int32_t>());
    case encoding::signed8: return fixed<std::uint64_t>();
    default: has_failed_ = true; return 0;
  }
}

std::uintptr_t cursor::pointer(unsigned how, std::uintptr_t data) {
  if (how == encoding::omitted) return 0;
  const std::uintptr_t itself = at_;
  std::uintptr_t value = form(how);
  switch (how & encoding::relative) {
    case 0: break;
    case encoding::to_itself: value += itself; break;
    case encoding::to_data: value += data; break;
    default: has_failed_ = true;
  }
  if ((how & encoding::indirect) != 0 && !has_failed_ && !memory_->read(value, &value)) has_failed_ = true;
  return has_failed_ ? 0 : value;
}

}  // namespace weft::unwind
