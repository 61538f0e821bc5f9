// Each rank is out of work now and then, never all at once: two threads on two ranks pass values to
// and fro by futures, while rank 0 waits for a future of its own, and asks whether any rank will
// ever run a thread again. It must not say that none will. Wants three ranks.
#include <cstdint>
#include <cstdio>

#include <weft/dist.hpp>

#include "dist/rank/engine.hpp"
#include "dist/words/far_words.hpp"
#include "dist/words/standstill.hpp"
#include "net/network.hpp"
#include "shared_words.hpp"

namespace {

using namespace weft::dist;

shared_words words;
enum { first_may_go_on, second_may_go_on, are_here };

// A value is the address of the future for which its setter waits next; 0: the last one.
using address = weft_global;

address make_future() {
  address made = 0;
  weft::detail::check(weft_global_future_make(rank(), sizeof made, &made), "weft_global_future_make");
  return made;
}
void set(address future, address value) { weft_global_future_set(future, &value, sizeof value); }
address get_and_free(address future) {
  address value = 0;
  weft_global_future_get(future, &value, sizeof value);
  weft_global_future_free(future, sizeof value);
  return value;
}

// The number of the newest question that rank 0 has put to this rank.
std::uint64_t question() {
  const weft::net::network& network = *all.job.network;
  return static_cast<const standstill_words*>(network.by->alias(network.words, all.job.rank, sizeof(far_words)))
      ->question.value();
}

// Four say that all ranks are at rest, if no rank has run a thread between its first answer and its
// second.
constexpr std::uint64_t more_questions_than_that = 5;

// It is this rank's turn.
void pass_on(address theirs) {
  while (theirs != 0 && question() < more_questions_than_that) {
    const address own = make_future();
    set(theirs, own);
    theirs = get_and_free(own);
  }
  if (theirs != 0) set(theirs, 0);
}

struct futures {
  address second, last;
};

// One thread a rank: none leaves its rank before all have come.
int take_part(const futures& its) {
  words[are_here].fetch_add(1);
  words.at_least(are_here, 3);
  switch (rank()) {
    case 0: return get_and_free(its.last) == 0 ? 0 : 1;
    case 1: pass_on(its.second); break;
    default: pass_on(get_and_free(its.second)); set(its.last, 0);
  }
  return 0;
}

int run() {
  const futures its{make_future(), make_future()};
  auto first = weft::fork([its] {
    words.wait_for(first_may_go_on, 1);
    return take_part(its);
  });
  words[first_may_go_on].store(1);
  auto second = weft::fork([its] {
    words.wait_for(second_may_go_on, 1);
    return take_part(its);
  });
  words[second_may_go_on].store(1);
  const int wrong = take_part(its);
  return wrong + second.join() + first.join();
}

}  // namespace

int main() { return weft::dist::ranks() == 3 ? weft::dist::root(run) : 2; }
