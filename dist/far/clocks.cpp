// See clocks.hpp, and clock_questions.hpp for the words that the ranks put.
#include "dist/far/clocks.hpp"

#include <sched.h>

#include "arch/cpu.hpp"
#include "dist/far/far_state.hpp"
#include "dist/words/clock_questions.hpp"
#include "os/clock.hpp"

namespace weft::dist {
namespace {

constexpr unsigned least_rounds = 8, most_rounds = 64;
constexpr std::uint64_t rounds_take_ns = 10'000'000;  // at most: ranks may share a processor

struct wait_a_little {
  unsigned looks = 0;

  void operator()() {
    constexpr unsigned looks_before_yield = 1000;
    far.net->by->progress(far.net->words);
    looks++ < looks_before_yield ? arch::pause() : void(sched_yield());
  }
};
using questions = clock_questions<far_words, wait_a_little>;

clock_reading read(questions* to_rank_0, std::uint64_t (*time)()) {
  clock_reading best = {};
  const std::uint64_t until = os::now_ns() + rounds_take_ns;
  for (unsigned round = 0; round < most_rounds && (round < least_rounds || os::now_ns() < until); ++round) {
    const std::uint64_t asked = time();
    const std::uint64_t answer = to_rank_0->ask();
    const clock_reading one = clock_reading::of_round(asked, answer, time());
    if (round == 0 || one.error < best.error) best = one;
  }
  return best;
}

std::uint64_t told_last = 0;

// Once it is this node's turn.
void read_if_old(std::uint64_t (*time)(), bool is_last, clock_readings* mine) {
  questions to_rank_0(*far.net->by, far.net->words, far.offers.words(), &told_last, wait_a_little{});
  if (is_last || mine->are_old(time())) mine->add(read(&to_rank_0, time));
  to_rank_0.end();
}

bool is_first_of_far_node(int rank) { return all.job.nodes[rank] == rank && all.job.nodes[0] != rank; }

}  // namespace

void read_clocks(std::uint64_t (*time)(), bool is_last, clock_readings* mine) {
  for (int rank = 1; rank < all.job.ranks; ++rank) {
    if (!is_first_of_far_node(rank)) continue;
    if (all.job.rank == 0) answer_clock_questions(*far.net->by, far.net->words, far.offers.words(), rank, time, wait_a_little{});
    if (all.job.rank == rank) read_if_old(time, is_last, mine);
    net::barrier(all.job);
  }
}

}  // namespace weft::dist
