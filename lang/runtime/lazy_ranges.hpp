// Sets of bytes as sorted ranges: which elements of another node are here, and which were asked
// for. Without locks, allocation and the rest of the runtime, so that a fault handler may use them
// and the explorer runs them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::tascell_runtime {

struct byte_range {
  std::uint64_t low, high;  // high is behind the last byte
};

class range_set {
 public:
  // memory has room for so many ranges, and stays.
  void use(byte_range* memory, std::size_t room) {
    ranges_ = memory;
    room_ = room;
  }
  [[nodiscard]] bool has(std::uint64_t low, std::uint64_t high) const {
    byte_range gap;
    return !find_gap(low, high, &gap);
  }
  // The first bytes of [low, high) that are not in the set. False: there are none.
  bool find_gap(std::uint64_t low, std::uint64_t high, byte_range* out) const {
    std::size_t at = first_behind(low);
    if (at < count_ && ranges_[at].low <= low) low = ranges_[at++].high;
    if (low >= high) return false;
    *out = {low, at < count_ && ranges_[at].low < high ? ranges_[at].low : high};
    return true;
  }
  // False: there is no room for another range.
  bool add(std::uint64_t low, std::uint64_t high) {
    if (low >= high) return true;
    const std::size_t from = first_touching(low);
    std::size_t to = from;
    while (to < count_ && ranges_[to].low <= high) {
      low = ranges_[to].low < low ? ranges_[to].low : low;
      high = ranges_[to].high > high ? ranges_[to].high : high;
      ++to;
    }
    if (from == to && count_ == room_) return false;
    if (from == to) {
      for (std::size_t i = count_++; i > from; --i) ranges_[i] = ranges_[i - 1];
    } else if (to - from > 1) {
      for (std::size_t i = to; i < count_; ++i) ranges_[i - (to - from) + 1] = ranges_[i];
      count_ -= to - from - 1;
    }
    ranges_[from] = {low, high};
    return true;
  }
  // False: there is no room for both parts of a range.
  bool remove(std::uint64_t low, std::uint64_t high) {
    const std::size_t from = first_behind(low);
    std::size_t to = from;
    while (to < count_ && ranges_[to].low < high) ++to;
    if (low >= high || from == to) return true;
    const byte_range before = {ranges_[from].low, low}, behind = {high, ranges_[to - 1].high};
    const bool has_before = before.low < before.high, has_behind = behind.low < behind.high;
    const std::size_t end = from + (has_before ? 1 : 0) + (has_behind ? 1 : 0);
    if (end > to && count_ == room_) return false;
    if (end > to) {
      for (std::size_t i = count_; i > to; --i) ranges_[i] = ranges_[i - 1];
    } else {
      for (std::size_t i = to; i < count_; ++i) ranges_[i - (to - end)] = ranges_[i];
    }
    count_ = count_ - to + end;
    if (has_before) ranges_[from] = before;
    if (has_behind) ranges_[end - 1] = behind;
    return true;
  }
  void clear() { count_ = 0; }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  // The first range that ends behind a byte.
  [[nodiscard]] std::size_t first_behind(std::uint64_t byte) const { return first_ending_from(byte + 1); }
  // The first range that ends at a byte, or behind it.
  [[nodiscard]] std::size_t first_touching(std::uint64_t byte) const { return first_ending_from(byte); }
  [[nodiscard]] std::size_t first_ending_from(std::uint64_t byte) const {
    std::size_t low = 0, high = count_;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (ranges_[middle].high < byte)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  byte_range* ranges_ = nullptr;
  std::size_t room_ = 0, count_ = 0;
};

}  // namespace weft::tascell_runtime
