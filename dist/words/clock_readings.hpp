// How far the clock of a node is from rank 0's: what was read of both, and the line through it
// (far/clocks.hpp).
#pragma once

#include <algorithm>
#include <cstdint>

namespace weft::dist {

// In steps of the node's clock, but for `there`.
struct clock_reading {
  std::uint64_t here, there;  // the node's time, and rank 0's
  std::uint64_t error;        // how far `here` may be off

  // Question and arrival of an answer.
  static clock_reading of_round(std::uint64_t asked, std::uint64_t answer, std::uint64_t arrived) {
    return {asked + (arrived - asked) / 2, answer, (arrived - asked) / 2 + 1};
  }
};

// No reading: the node's clock is rank 0's. One: the clocks run alike.
struct clock_readings {
  unsigned count;
  clock_reading first, last;

  void add(const clock_reading& one) { (count++ == 0 ? first : last) = one; }
  // Of the time since the first reading, more than an eighth is not covered.
  [[nodiscard]] bool are_old(std::uint64_t now) const { return count < 2 || now - last.here > (now - first.here) / 8; }
};

// From a node's times to rank 0's.
class clock_line {
 public:
  explicit clock_line(const clock_readings& known) : known_(known) {
    if (known.count > 1 && known.last.here > known.first.here)
      rate_ = static_cast<double>(known.last.there - known.first.there) / static_cast<double>(known.last.here - known.first.here);
  }

  [[nodiscard]] bool is_needed() const { return known_.count != 0; }
  [[nodiscard]] std::uint64_t there(std::uint64_t here) const {
    const auto since = static_cast<std::int64_t>(here - known_.first.here);
    return known_.first.there + static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<double>(since) * rate_));
  }
  [[nodiscard]] double rate() const { return rate_; }
  [[nodiscard]] double ahead() const {
    return static_cast<double>(static_cast<std::int64_t>(known_.first.here - known_.first.there));
  }
  // Of all times from the first reading to that one, in rank 0's steps.
  [[nodiscard]] std::uint64_t error(std::uint64_t until) const {
    double most = static_cast<double>(known_.first.error);
    if (known_.count > 1) {
      most = std::max(most, static_cast<double>(known_.last.error));
      const double known_for = static_cast<double>(known_.last.here - known_.first.here) + 1;
      const double beyond = until > known_.last.here ? static_cast<double>(until - known_.last.here) : 0;
      most += static_cast<double>(known_.first.error + known_.last.error) * beyond / known_for;
    }
    return static_cast<std::uint64_t>(most * rate_) + 1;
  }

 private:
  clock_readings known_;
  double rate_ = 1;
};

}  // namespace weft::dist
