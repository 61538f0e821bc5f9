// How often an idle rank probes ranks of other nodes: a few times at once, then ever more seldom,
// down to 100 times a second. A probe costs the network and the victim's processor something. A
// rank that has work again calls a rank that had asked it in vain (far_words.hpp), so a seldom
// probe finds work that no rank was asked for.
#pragma once

#include <cstdint>

namespace weft::dist {

class probe_pace {
 public:
  static constexpr unsigned at_once = 16;
  static constexpr std::uint64_t first_ns = 20'000;
  static constexpr std::uint64_t longest_ns = 10'000'000;

  // At the begin of a rank's idling.
  void restart() {
    made_ = 0;
    interval_ns_ = first_ns;
  }
  // Whether the next probe's time has come; if so, it is taken for made.
  bool is_time(std::uint64_t now_ns) {
    if (made_ < at_once) {
      ++made_;
      last_ns_ = now_ns;
      return true;
    }
    if (now_ns - last_ns_ < interval_ns_) return false;
    last_ns_ = now_ns;
    interval_ns_ = 2 * interval_ns_ < longest_ns ? 2 * interval_ns_ : longest_ns;
    return true;
  }

 private:
  unsigned made_ = 0;
  std::uint64_t interval_ns_ = first_ns, last_ns_ = 0;
};

}  // namespace weft::dist
