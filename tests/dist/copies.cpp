// What moves arrives as it was, although its rank goes on meanwhile.
//
// Frames: each node of a tree fills a large frame with words of its own, so that another node's frame at the same addresses differs. A
// thief's copy takes long. The victim's child ends meanwhile, and the victim then takes frames from a third rank to the same addresses.
//
// Results: a root's result fills much of the stack of the rank on which it ended, which begins the next root at once, while others copy.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <weft/dist.h>
#include <weft/hot.h>

namespace {

constexpr std::size_t frame_words = 32 * 1024, step = 64;
constexpr std::uint64_t depth = 6;

struct node {
  std::uint64_t number, depth;
  std::uint64_t good;  // nodes whose frames were as they had left them
};

std::uint64_t word_of(std::uint64_t number, std::size_t at) { return (number * frame_words + at) * 0x9e3779b97f4a7c15ULL; }

void run_node(void* work) {
  node own;
  std::memcpy(&own, work, sizeof own);
  volatile std::uint64_t frame[frame_words];
  for (std::size_t at = 0; at < frame_words; at += step) frame[at] = word_of(own.number, at);
  own.good = 0;
  if (own.depth != 0) {
    node left{2 * own.number, own.depth - 1, 0}, right{2 * own.number + 1, own.depth - 1, 0};
    weft_forked* const forked = weft_fork(run_node, &left, sizeof left);
    run_node(&right);
    weft_fork_join(forked, run_node, &left, sizeof left);
    own.good = left.good + right.good;
  }
  bool is_good = true;
  for (std::size_t at = 0; at < frame_words; at += step) is_good &= frame[at] == word_of(own.number, at);
  own.good += is_good ? 1 : 0;
  std::memcpy(work, &own, sizeof own);
}

bool are_frames_whole(int rounds) {
  const std::uint64_t nodes = (std::uint64_t{2} << depth) - 1;
  for (int round = 0; round < rounds; ++round) {
    node root{1, depth, 0};
    if (weft_dist_root(run_node, &root, sizeof root) != WEFT_OK) return false;
    if (root.good == nodes) continue;
    std::printf("round %d: %lu of %lu frames are whole\n", round, root.good, nodes);
    return false;
  }
  return true;
}

// ---- results ----

constexpr std::size_t result_words = 256 * 1024;

// The work is the result of the root before: its first word is the number of the next.
void fill(void* work) {
  auto* const words = static_cast<std::uint64_t*>(work);
  const std::uint64_t number = words[0] + 1;
  for (std::size_t at = 1; at < result_words; ++at) words[at] = word_of(number, at);
  words[0] = number;
}

bool are_results_whole(int rounds) {
  std::vector<std::uint64_t> words(result_words);
  for (int round = 1; round <= rounds; ++round) {
    if (weft_dist_root(fill, words.data(), words.size() * sizeof words[0]) != WEFT_OK) return false;
    bool is_good = words[0] == static_cast<std::uint64_t>(round);
    for (std::size_t at = 1; at < result_words; ++at) is_good &= words[at] == word_of(words[0], at);
    if (is_good) continue;
    std::printf("rank %d, round %d: the result is not the root's\n", weft_dist_rank(), round);
    return false;
  }
  return true;
}

}  // namespace

int main() { return are_frames_whole(30) && are_results_whole(30) ? 0 : 1; }
