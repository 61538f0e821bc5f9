// What every transport of net/rma.hpp keeps: run by all ranks of a job together. A broken promise
// is one line on stderr.
#pragma once

#include <sched.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "net/network.hpp"

namespace weft::test {

class conformance {
 public:
  explicit conformance(const net::job& all) : all_(all), net_(*all.network), by_(*net_.by) {}

  // True: all promises are kept, as far as this rank sees.
  bool run() {
    const struct {
      const char* name;
      bool (conformance::*scene)();
    } scenes[] = {
        {"bytes that were put arrive, in every window", &conformance::bytes_arrive},
        {"many copies end in one flush", &conformance::one_flush_ends_many},
        {"a rank reaches its own memory", &conformance::own_memory},
        {"additions are whole", &conformance::additions},
        {"swaps are whole", &conformance::swaps},
        {"what was put before an addition is got after it", &conformance::put_then_added},
        {"a put of a word is seen whole, and what was done before it", &conformance::word_is_whole},
    };
    for (const auto& each : scenes) {
      net::barrier(all_);
      if ((this->*each.scene)()) continue;
      std::fprintf(stderr, "rank %d of %d over %s: broken: %s\n", all_.rank, all_.ranks, by_.name, each.name);
      return false;
    }
    net::barrier(all_);
    return true;
  }

 private:
  // Offsets in the words.
  static constexpr std::size_t sum = 512, turns = 520, told = 528, plain = 536, done = 544;
  static constexpr std::size_t bytes_at = 1024, piece = 200;

  [[nodiscard]] int next() const { return (all_.rank + 1) % all_.ranks; }
  [[nodiscard]] int before() const { return (all_.rank + all_.ranks - 1) % all_.ranks; }

  void wait() {
    by_.progress(net_.words);
    sched_yield();  // more ranks than processors
  }
  std::uint64_t load_own(std::size_t offset) {
    by_.progress(net_.words);
    return __atomic_load_n(static_cast<const std::uint64_t*>(by_.alias(net_.words, all_.rank, offset)), __ATOMIC_ACQUIRE);
  }
  void fill(unsigned char (&into)[piece], int rank, int salt) {
    for (std::size_t i = 0; i < piece; ++i)
      into[i] = static_cast<unsigned char>(static_cast<std::size_t>(31 * rank + 7 * salt) + i);
  }
  bool is_filled(const void* bytes, int rank, int salt) {
    unsigned char expected[piece];
    fill(expected, rank, salt);
    return std::memcmp(bytes, expected, piece) == 0;
  }

  bool bytes_arrive() {
    int salt = 0;
    for (const net::window* each : {&net_.region, &net_.shared, &net_.words}) {
      unsigned char bytes[piece];
      fill(bytes, all_.rank, ++salt);
      by_.put(*each, next(), bytes_at, bytes, piece);
      std::memset(bytes, 0, piece);  // may be used again at once
      by_.flush(*each, next());
      net::barrier(all_);
      unsigned char got[piece] = {};
      by_.get(*each, next(), bytes_at, got, piece);
      by_.flush(*each, next());
      by_.progress(*each);
      if (!is_filled(got, all_.rank, salt) || !is_filled(by_.alias(*each, all_.rank, bytes_at), before(), salt)) return false;
      net::barrier(all_);
    }
    return is_filled(all_.region + bytes_at, before(), 1);  // its window is the region itself
  }

  bool one_flush_ends_many() {
    constexpr int many = 100;  // of pieces in the region
    static unsigned char bytes[many][piece];
    for (int i = 0; i < many; ++i) {
      fill(bytes[i], all_.rank, i);
      by_.put(net_.region, next(), bytes_at + static_cast<std::size_t>(i) * piece, bytes[i], i % 3 == 0 ? 8 : piece);
      if (i % 3 == 0) by_.put(net_.region, next(), bytes_at + static_cast<std::size_t>(i) * piece + 8, bytes[i] + 8, piece - 8);
    }
    by_.flush(net_.region, next());
    std::memset(bytes, 0, sizeof bytes);
    for (int i = many - 1; i >= 0; --i) {
      by_.get(net_.region, next(), bytes_at + static_cast<std::size_t>(i) * piece, bytes[i], piece);
    }
    by_.flush(net_.region, next());
    for (int i = 0; i < many; ++i) {
      if (!is_filled(bytes[i], all_.rank, i)) return false;
    }
    return true;
  }

  bool own_memory() {
    unsigned char bytes[piece], got[piece] = {};
    fill(bytes, all_.rank, 9);
    by_.put(net_.words, all_.rank, bytes_at, bytes, piece);
    by_.flush(net_.words, all_.rank);
    by_.get(net_.words, all_.rank, bytes_at, got, piece);
    by_.flush(net_.words, all_.rank);
    const std::uint64_t first = by_.fetch_add(net_.words, all_.rank, plain, 5);
    const std::uint64_t second = by_.compare_swap(net_.words, all_.rank, plain, first + 5, 0);
    return is_filled(got, all_.rank, 9) && first == 0 && second == 5 && load_own(plain) == 0;
  }

  bool additions() {
    constexpr std::uint64_t times = 100;
    std::uint64_t last = 0;
    bool grows = true;
    for (std::uint64_t i = 0; i < times; ++i) {
      const std::uint64_t was = by_.fetch_add(net_.words, all_.ranks - 1, sum, 3);
      grows = grows && (i == 0 || was > last);
      last = was;
    }
    net::barrier(all_);
    return grows && by_.fetch_add(net_.words, all_.ranks - 1, sum, 0) == 3 * times * static_cast<std::uint64_t>(all_.ranks);
  }

  bool swaps() {
    constexpr std::uint64_t times = 30;
    for (std::uint64_t i = 0; i < times; ++i) {
      std::uint64_t seen = 0;
      for (std::uint64_t old; (old = by_.compare_swap(net_.words, 0, turns, seen, seen + 5)) != seen; seen = old) continue;
    }
    net::barrier(all_);
    return by_.compare_swap(net_.words, 0, turns, 1, 2) == 5 * times * static_cast<std::uint64_t>(all_.ranks);
  }

  // A token goes round; each rank puts bytes into the next one's region before it hands the token
  // on.
  bool put_then_added() {
    constexpr std::uint64_t rounds = 10;
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      const std::uint64_t mine = (round - 1) * static_cast<std::uint64_t>(all_.ranks) + static_cast<std::uint64_t>(all_.rank);
      while (by_.fetch_add(net_.words, 0, told, 0) != mine) wait();
      unsigned char bytes[piece];
      if (mine != 0 && all_.ranks > 1) {
        by_.get(net_.region, all_.rank, bytes_at, bytes, piece);
        by_.flush(net_.region, all_.rank);
        if (!is_filled(bytes, before(), static_cast<int>(all_.rank == 0 ? round - 1 : round))) return false;
      }
      fill(bytes, all_.rank, static_cast<int>(round));
      by_.put(net_.region, next(), bytes_at, bytes, piece);
      by_.flush(net_.region, next());
      by_.fetch_add(net_.words, 0, told, 1);
    }
    return true;
  }

  bool word_is_whole() {
    constexpr std::uint64_t half = 0x1'0000'0001;
    constexpr std::uint64_t rounds = 20;
    bool is_whole = true;
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      unsigned char bytes[piece];
      fill(bytes, all_.rank, static_cast<int>(round));
      by_.put(net_.words, next(), bytes_at, bytes, piece);
      by_.flush(net_.words, next());
      const std::uint64_t word = round * half;
      by_.put(net_.words, next(), plain, &word, sizeof word);
      by_.flush(net_.words, next());
      std::uint64_t seen = 0;
      while ((seen = load_own(plain)) != word) {
        is_whole = is_whole && seen % half == 0;
        wait();
      }
      is_whole = is_whole && is_filled(by_.alias(net_.words, all_.rank, bytes_at), before(), static_cast<int>(round));
      net::barrier(all_);
    }
    return is_whole;
  }

  const net::job& all_;
  const net::network& net_;
  const net::rma& by_;
};

}  // namespace weft::test
