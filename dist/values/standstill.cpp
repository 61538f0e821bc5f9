// See standstill.hpp: what a rank without a thread asks and answers.
#include "dist/words/standstill.hpp"

#include "dist/values/global.hpp"
#include "dist/values/waiting.hpp"
#include "dist/words/far_words.hpp"
#include "net/network.hpp"
#include "os/clock.hpp"

namespace weft::dist {
namespace {

using words = standstill_words;

constexpr std::uint64_t first_pause_ns = 100'000'000, longest_pause_ns = 1'600'000'000;
constexpr unsigned looks_at_moved = 64;  // WEFT_DIST_CHECK=all: later ones take this rank's own frames, too

standstill_place place;
words* mine = nullptr;  // null: no other rank answers
constinit standstill_answering<words> answering;
constinit standstill_asking<words, net::most_ranks> asking;
std::uint64_t pause_ns = first_pause_ns, next_ns = 0;

void ask_on() {
  if (!asking.is_asking()) {
    const std::uint64_t now = os::now_ns();
    if (next_ns == 0) next_ns = now + pause_ns;
    if (now < next_ns) return;
    next_ns = 0;
    pause_ns = 2 * pause_ns < longest_pause_ns ? 2 * pause_ns : longest_pause_ns;
  }
  if (!asking.is_standstill(place, *mine, all.job.ranks)) return;
  int rank = 0;
  open_waits sum = count_waits();
  for (int each = 1; each < all.job.ranks; ++each) {
    const open_waits& its = mine->answers[each].waits;
    sum.count += its.count;
    if (sum.future != 0 || its.future == 0) continue;
    sum.future = its.future;
    rank = each;
  }
  if (sum.count != 0) end_deadlocked(rank, sum);
}

}  // namespace

void start_standstill() {
  const net::network* const found = all.job.network;
  if (all.job.ranks == 1 || found == nullptr || all.set.policy != way::optimised) return;
  place = {found->by, &found->words, sizeof(far_words)};
  mine = static_cast<words*>(found->by->alias(found->words, all.job.rank, place.at));
}

void found_thread() {
  answering.found();
  if (all.job.rank != 0) return;
  asking.restart();
  pause_ns = first_pause_ns;
  next_ns = 0;
}

std::uint64_t seen_question() { return mine != nullptr ? standstill_answering<words>::question(*mine) : 0; }

void found_no_thread(std::uint64_t question, unsigned looks) {
  if (mine == nullptr || (all.set.checking == check::all && looks <= looks_at_moved)) return;
  if (all.job.rank == 0) return ask_on();
  if (question != 0 && answering.is_new(question)) answering.answer(place, all.job.rank, question, count_waits());
}

}  // namespace weft::dist
