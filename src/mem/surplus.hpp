// What a store of idle things did not need for a while, and gives back little by little. One user
// at a time: inside the store's lock. Plain arithmetic, of times that the caller gives.
//
// A store looks in windows. The fewest that it held in a window were not needed in it, so after a
// window that many may go, a step at a time. What is taken meanwhile is needed after all. A store
// that holds its floor or less has nothing to look at, so that a program at rest is not woken for
// it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::mem {

class surplus {
 public:
  static constexpr std::uint64_t window_ns = 5'000'000'000;
  static constexpr std::uint64_t pause_ns = 1'000'000;  // between two steps
  static constexpr std::uint64_t never = UINT64_MAX;

  // So many are left after some were taken.
  void taken_to(std::size_t count) {
    if (count < fewest_) fewest_ = count;
  }

  // How many of `count` may go now, at most `most`. *next_ns: when to ask again.
  std::size_t ask(std::uint64_t now_ns, std::size_t count, std::size_t floor, std::size_t most, std::uint64_t* next_ns) {
    if (count <= floor) return rest(next_ns);
    if (end_ns_ == 0) open_window(now_ns, count, 0);
    if (now_ns >= end_ns_) open_window(now_ns, count, fewest_);
    due_ = least(due_, least(fewest_, count - floor));
    const std::size_t now = least(due_, most);
    due_ -= now;
    fewest_ -= now;
    *next_ns = due_ != 0 ? now_ns + pause_ns : end_ns_;
    return now;
  }

 private:
  static std::size_t least(std::size_t one, std::size_t other) { return one < other ? one : other; }
  std::size_t rest(std::uint64_t* next_ns) {
    end_ns_ = 0;
    *next_ns = never;
    return 0;
  }
  void open_window(std::uint64_t now_ns, std::size_t count, std::size_t due) {
    end_ns_ = now_ns + window_ns;
    due_ = due;
    fewest_ = count;
  }

  std::uint64_t end_ns_ = 0;  // of the window; 0: none is open
  std::size_t fewest_ = 0;    // in this window
  std::size_t due_ = 0;       // that may go, of those not needed in the window before
};

}  // namespace weft::mem
