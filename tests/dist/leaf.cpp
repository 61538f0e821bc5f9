// A rank that stays in one leaf gives what is public all the same: the leaf ends only once another rank has run what its forker does
// next. Wants two ranks; hangs if the continuation cannot be stolen meanwhile.
#include <cstdio>
#include <cstring>

#include <weft/dist.h>
#include <weft/hot.h>

#include "shared_words.hpp"

namespace {

shared_words* words;
enum { went_on };

struct ranks {
  long child, forker;
};

void stay(void* work) {
  words->wait_for(went_on, 1);
  const long rank = weft_dist_rank();
  std::memcpy(work, &rank, sizeof rank);
}

void run(void* work) {
  long child = -1;
  weft_forked* const forked = weft_fork(stay, &child, sizeof child);
  const ranks both{0, weft_dist_rank()};
  (*words)[went_on].store(1);
  weft_fork_join(forked, stay, &child, sizeof child);
  const ranks result{child, both.forker};
  std::memcpy(work, &result, sizeof result);
}

}  // namespace

int main() {
  words = new shared_words;
  for (int round = 0; round < 20; ++round) {
    (*words)[went_on].store(0);
    ranks result{-1, -1};
    if (weft_dist_root(run, &result, sizeof result) != WEFT_OK) return 1;
    if (result.child == result.forker) {
      std::printf("the leaf and its forker ran on rank %ld both\n", result.child);
      return 1;
    }
  }
  return 0;
}
