// A channel of numbers with a bound, as programs make one of a mutex and two conditions where their
// runtime brings none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace bench {

inline constexpr std::size_t channel_places = 1;

// Mutex, Condition: std's, or with as much of its interface (harness/threads.hpp).
template <class Mutex, class Condition>
class bounded_channel {
 public:
  void send(std::uint64_t value) {
    {
      std::unique_lock<Mutex> lock(mutex_);
      while (held_ == channel_places) has_room_.wait(lock);
      places_[(first_ + held_) % channel_places] = value;
      ++held_;
    }
    has_value_.notify_one();
  }

  std::uint64_t receive() {
    std::uint64_t value = 0;
    {
      std::unique_lock<Mutex> lock(mutex_);
      while (held_ == 0) has_value_.wait(lock);
      value = places_[first_];
      first_ = (first_ + 1) % channel_places;
      --held_;
    }
    has_room_.notify_one();
    return value;
  }

 private:
  Mutex mutex_;
  Condition has_room_;
  Condition has_value_;
  std::array<std::uint64_t, channel_places> places_{};
  std::size_t first_ = 0;
  std::size_t held_ = 0;
};

}  // namespace bench
