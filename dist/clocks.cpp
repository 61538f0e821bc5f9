// See clocks.hpp. The questions and the answers are words that the other rank's put changes:
// far_words.hpp.
#include "dist/clocks.hpp"

#include <sched.h>

#include "arch/cpu.hpp"
#include "dist/far_state.hpp"
#include "os/clock.hpp"

namespace weft::dist {
namespace {

constexpr unsigned least_rounds = 8, most_rounds = 64;
constexpr std::uint64_t rounds_take_ns = 10'000'000;  // at most: ranks may share a processor
constexpr std::uint64_t goes_on = 1, has_done = 2;    // no time is so small

void put(int rank, std::size_t offset, std::uint64_t value) {
  far.net->by->put(far.net->words, rank, offset, &value, sizeof value);
  far.net->by->flush(far.net->words, rank);
}

// Until the word is another.
std::uint64_t wait_for_other(const put_word& word, std::uint64_t known) {
  constexpr unsigned looks_before_yield = 1000;
  for (unsigned looks = 0;; ++looks) {
    if (const std::uint64_t value = word.value(); value != known) return value;
    far.net->by->progress(far.net->words);
    looks < looks_before_yield ? arch::pause() : void(sched_yield());
  }
}

void answer_node(std::uint64_t (*time)(), int rank) {
  put_word& asked = far.offers.words().clock_asked;
  put(rank, offsetof(far_words, clock_told), goes_on);
  for (;;) {
    const std::uint64_t question = wait_for_other(asked, 0);
    asked.clear();  // before the answer, which lets the node ask again
    if (question == has_done) return;
    put(rank, offsetof(far_words, clock_told), time());
  }
}

clock_reading ask(std::uint64_t (*time)()) {
  const put_word& told = far.offers.words().clock_told;
  std::uint64_t answer = goes_on;
  clock_reading best = {};
  const std::uint64_t until = os::now_ns() + rounds_take_ns;
  for (unsigned round = 0; round < most_rounds && (round < least_rounds || os::now_ns() < until); ++round) {
    const std::uint64_t asked = time();
    put(0, offsetof(far_words, clock_asked), goes_on);
    answer = wait_for_other(told, answer);
    const clock_reading one = clock_reading::of_round(asked, answer, time());
    if (round == 0 || one.error < best.error) best = one;
  }
  return best;
}

// Once it is this node's turn.
void ask_if_old(std::uint64_t (*time)(), bool is_last, clock_readings* mine) {
  put_word& told = far.offers.words().clock_told;
  (void)wait_for_other(told, 0);
  if (is_last || mine->are_old(time())) mine->add(ask(time));
  told.clear();
  put(0, offsetof(far_words, clock_asked), has_done);
}

bool is_first_of_far_node(int rank) { return all.job.nodes[rank] == rank && all.job.nodes[0] != rank; }

}  // namespace

void read_clocks(std::uint64_t (*time)(), bool is_last, clock_readings* mine) {
  if (all.job.rank == 0) {
    for (int rank = 1; rank < all.job.ranks; ++rank) {
      if (is_first_of_far_node(rank)) answer_node(time, rank);
    }
  } else if (is_first_of_far_node(all.job.rank)) {
    ask_if_old(time, is_last, mine);
  }
  net::barrier(all.job);
}

}  // namespace weft::dist
