// SHA-256 as FIPS 180-4 writes it down, for a command that needs no other library (WEFT_SELF_CONTAINED).
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/hash/hash.hpp"

namespace bench::hash {

namespace {

constexpr std::size_t chunk_bytes = 64;
constexpr std::size_t length_at = chunk_bytes - 8;
using words = std::array<std::uint32_t, 8>;
using rounds = std::array<std::uint32_t, 64>;

constexpr words start_words = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

// The first 32 bits behind the point of the cube roots of the first 64 primes.
rounds cube_roots() {
  rounds made{};
  std::size_t count = 0;
  for (unsigned number = 2; count < made.size(); ++number) {
    bool is_prime = true;
    for (unsigned divisor = 2; divisor * divisor <= number; ++divisor) is_prime = is_prime && number % divisor != 0;
    if (!is_prime) continue;
    double const root = std::cbrt(static_cast<double>(number));  // 53 bits are enough: three stand before the point
    made[count++] = static_cast<std::uint32_t>((root - std::floor(root)) * 0x1p32);
  }
  return made;
}

std::uint32_t read_word(const unsigned char* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

rounds schedule(const unsigned char* chunk) {
  rounds made{};
  for (std::size_t place = 0; place < 16; ++place) made[place] = read_word(chunk + 4 * place);
  for (std::size_t place = 16; place < made.size(); ++place) {
    std::uint32_t const early = made[place - 15];
    std::uint32_t const late = made[place - 2];
    made[place] = made[place - 16] + (std::rotr(early, 7) ^ std::rotr(early, 18) ^ early >> 3) + made[place - 7] +
                  (std::rotr(late, 17) ^ std::rotr(late, 19) ^ late >> 10);
  }
  return made;
}

void take_chunk(words& sum, const unsigned char* chunk) {
  static const rounds constants = cube_roots();
  rounds const message = schedule(chunk);
  auto [a, b, c, d, e, f, g, h] = sum;
  for (std::size_t round = 0; round < message.size(); ++round) {
    std::uint32_t const first =
        h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + constants[round] + message[round];
    std::uint32_t const second = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first;
    d = c, c = b, b = a, a = first + second;
  }
  words const mixed = {a, b, c, d, e, f, g, h};
  for (std::size_t place = 0; place < sum.size(); ++place) sum[place] += mixed[place];
}

}  // namespace

struct sha256::state {
  words sum = start_words;
  std::uint64_t length = 0;                           // in bytes
  std::array<unsigned char, chunk_bytes> begun = {};  // length % chunk_bytes of them
};

sha256::sha256() : state_(std::make_unique<state>()) {}
sha256::~sha256() = default;

void sha256::update(const void* bytes, std::size_t count) {
  const auto* next = static_cast<const unsigned char*>(bytes);
  while (count != 0) {
    std::size_t const filled = state_->length % chunk_bytes;
    std::size_t const part = std::min(count, chunk_bytes - filled);
    std::memcpy(state_->begun.data() + filled, next, part);
    state_->length += part;
    next += part;
    count -= part;
    if (filled + part == chunk_bytes) take_chunk(state_->sum, state_->begun.data());
  }
}

digest sha256::finish() {
  std::uint64_t const bits = 8 * state_->length;
  constexpr std::array<unsigned char, chunk_bytes> padding = {0x80};
  std::size_t const filled = state_->length % chunk_bytes;
  update(padding.data(), filled < length_at ? length_at - filled : chunk_bytes + length_at - filled);
  std::array<unsigned char, 8> length{};
  for (std::size_t place = 0; place < length.size(); ++place)
    length[place] = static_cast<unsigned char>(bits >> (56 - 8 * place));
  update(length.data(), length.size());
  digest value{};
  for (std::size_t place = 0; place < value.size(); ++place)
    value[place] = static_cast<unsigned char>(state_->sum[place / 4] >> (24 - 8 * (place % 4)));
  *state_ = state{};
  return value;
}

}  // namespace bench::hash
