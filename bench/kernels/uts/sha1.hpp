// SHA-1 (FIPS 180-4) of messages that fit in one block: the random-number generator of UTS hashes
// 20 or 24 bytes. It is the work of a node, the same in all variants, not a library for other uses.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace bench::uts {

using digest = std::array<std::uint32_t, 5>;

// s rotates by one place a round: instead of moving five words, each round finds a … e at another
// place.
template <int Round>
[[gnu::always_inline]] constexpr void sha1_round(digest& s, std::array<std::uint32_t, 16>& w) {
  constexpr std::size_t first = static_cast<std::size_t>(80 - Round) % 5;
  std::uint32_t &a = s[first], &b = s[(first + 1) % 5], &c = s[(first + 2) % 5], &d = s[(first + 3) % 5], &e = s[(first + 4) % 5];
  constexpr std::size_t at = Round % 16;
  if constexpr (Round >= 16) w[at] = std::rotl(w[(at + 13) % 16] ^ w[(at + 8) % 16] ^ w[(at + 2) % 16] ^ w[at], 1);
  std::uint32_t mix = 0;
  if constexpr (Round < 20)
    mix = ((b & c) | (~b & d)) + 0x5a827999U;
  else if constexpr (Round < 40)
    mix = (b ^ c ^ d) + 0x6ed9eba1U;
  else if constexpr (Round < 60)
    mix = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcU;
  else
    mix = (b ^ c ^ d) + 0xca62c1d6U;
  e += std::rotl(a, 5) + mix + w[at];
  b = std::rotl(b, 30);
}

template <int... Rounds>
[[gnu::always_inline]] constexpr void sha1_rounds(digest& s, std::array<std::uint32_t, 16>& w,
                                                  std::integer_sequence<int, Rounds...>) {
  (sha1_round<Rounds>(s, w), ...);
}

// words: the message, big-endian, the rest zero; at most 13 words long.
constexpr digest sha1(std::array<std::uint32_t, 16> words, std::uint32_t bytes) {
  words[bytes / 4] = 0x80000000U;
  words[15] = bytes * 8;
  constexpr digest start{0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U, 0xc3d2e1f0U};
  digest s = start;
  sha1_rounds(s, words, std::make_integer_sequence<int, 80>{});
  for (std::size_t place = 0; place < s.size(); ++place) s[place] += start[place];
  return s;
}

// "abcd", by any other implementation.
static_assert(sha1({0x61626364U}, 4) == digest{0x81fe8bfeU, 0x87576c3eU, 0xcb22426fU, 0x8e578473U, 0x82917acfU});

}  // namespace bench::uts
