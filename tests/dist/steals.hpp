// How often ranks have stolen from each other: a test of what moves sees to it that something does.
#pragma once

#include <weft/dist.h>
#include <weft/global.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

class all_steals {
 public:
  // Collective, outside a root.
  all_steals() {
    const auto words = 2 * static_cast<std::size_t>(weft_dist_ranks());
    if (weft_global_array(words, sizeof(std::uint64_t), &words_) != WEFT_OK) std::abort();
  }

  // Collective, outside a root: of all ranks together, since the program began. By the global heap,
  // since ranks of several nodes share no memory.
  int count() {
    weft_dist_counts its;
    weft_dist_read_counts(&its);
    const int ranks = weft_dist_ranks();
    // Two sets of words: a rank writes to one while others may still read the other.
    const int first = (set_ ^= 1) * ranks;
    const std::uint64_t mine = its.steals;
    weft_global_put(word(first + weft_dist_rank()), &mine, sizeof mine);
    long nothing = 0;
    if (weft_dist_root([](void*) {}, &nothing, sizeof nothing) != WEFT_OK) std::abort();
    std::uint64_t sum = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      std::uint64_t steals = 0;
      weft_global_get(&steals, word(first + rank), sizeof steals);
      sum += steals;
    }
    return static_cast<int>(sum);
  }

 private:
  weft_global word(int index) const { return words_ + static_cast<weft_global>(index) * sizeof(std::uint64_t); }

  weft_global words_ = 0;
  int set_ = 0;
};
