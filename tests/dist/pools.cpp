// A rank's memory for frames, against an oracle: blocks of all sizes, taken and given back in any
// order, never lie on one another. It is filled to its end again and again, so that what is free is
// between what is taken.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <vector>

#include "dist/rank/engine.hpp"

namespace {

using namespace weft::dist;

struct block {
  evacuated* frames;
  std::size_t bytes;
  unsigned char mark;
};

unsigned char* bytes_of(const block& one) { return reinterpret_cast<unsigned char*>(one.frames + 1); }
std::size_t count_of(const block& one) { return one.bytes - sizeof(evacuated); }

void fill(const block& one) { std::fill_n(bytes_of(one), count_of(one), one.mark); }

bool is_whole(const block& one) {
  for (std::size_t at = 0; at < count_of(one); ++at) {
    if (bytes_of(one)[at] != one.mark) return false;
  }
  return true;
}

bool gives_each_byte_once(frame_pool& pool, std::uint32_t most, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<block> taken;
  bool was_full = false;
  for (int step = 0; step < 20'000; ++step) {
    const std::size_t wanted = sizeof(evacuated) + 1 + (random() % 4 == 0 ? random() % 200'000 : random() % 2'000);
    const bool takes = taken.size() < 3 || random() % (was_full ? 3 : 5) != 0;
    evacuated* const frames = takes ? pool.take(wanted) : nullptr;
    if (frames != nullptr) {
      taken.push_back({frames, wanted, static_cast<unsigned char>(random())});
      fill(taken.back());
      continue;
    }
    was_full = takes;
    const std::size_t at = random() % taken.size();
    const block one = taken[at];
    taken[at] = taken.back();
    taken.pop_back();
    if (!is_whole(one)) return false;
    random() % 2 == 0 ? pool.put_back(one.frames) : pool.give(one.frames);
  }
  for (const block& each : taken) {
    if (!is_whole(each)) return false;
    pool.give(each.frames);
  }
  return pool.are_all_back(most);
}

bool gives_no_more_blocks_than(std::uint32_t most) {
  const auto pool = std::make_unique<frame_pool>();
  pool->set_up(most);
  std::vector<evacuated*> taken;
  while (taken.size() <= most) {
    evacuated* const frames = pool->take(sizeof(evacuated) + 1);
    if (frames == nullptr) break;
    taken.push_back(frames);
  }
  bool is_right = taken.size() == most;
  pool->give(taken.back());
  is_right &= pool->take(sizeof(evacuated) + 1) == taken.back() && pool->take(sizeof(evacuated) + 1) == nullptr;
  for (evacuated* const each : taken) pool->put_back(each);
  return is_right && pool->are_all_back(most);
}

}  // namespace

int main() {
  constexpr std::uint32_t most = 1024;
  if (!gives_no_more_blocks_than(3)) {
    std::printf("a memory of 3 blocks gave more, or fewer\n");
    return 1;
  }
  const auto pool = std::make_unique<frame_pool>();
  pool->set_up(most);
  for (unsigned seed = 1; seed <= 20; ++seed) {
    if (gives_each_byte_once(*pool, most, seed)) continue;
    std::printf("seed %u: a block lay on another, or did not come back\n", seed);
    return 1;
  }
  return 0;
}
