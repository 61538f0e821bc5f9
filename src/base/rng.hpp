// A small seedable generator for choices that need no quality beyond spread: victims, colours, test
// schedules. One word of state, three shifts a number. Not synchronised; each owner has its own.
// The core, dist, lang and the faces draw from this one.
//
// Marsaglia, "Xorshift RNGs", 2003, doi:10.18637/jss.v008.i14, with the multiplier of Vigna's
// xorshift64* (2016, doi:10.1145/2845077). Seeds go through splitmix64, so that neighbouring seeds
// (worker indices) give unrelated sequences.
#pragma once

#include <cstdint>

namespace weft::base {

class rng {
 public:
  constexpr explicit rng(std::uint64_t seed) : state_(splitmix(seed)) {
    if (state_ == 0) state_ = 1;  // the one state that xorshift never leaves
  }

  constexpr std::uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1dULL;
  }

  // In [0, n); n > 0. The bias is below n / 2^32.
  constexpr std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32); }

  // In [0, 1), in steps of 2^-53.
  constexpr double fraction() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  static constexpr std::uint64_t splitmix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  }

  std::uint64_t state_;
};

}  // namespace weft::base
