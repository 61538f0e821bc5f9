// Protocol R, over dist/words/standstill.hpp: rank 0 takes nothing for a standstill while a rank has a
// thread, or while a value that a thread waits for is set and its rank has not looked; and finds a
// standstill in which all ranks look in vain.
#include "dist/words/standstill.hpp"
#include "explorer/explorer.hpp"

namespace base = weft::base;
namespace dist = weft::dist;
namespace net = weft::net;
using namespace explorer::words;

namespace {

constexpr int ranks = 3;
using words = dist::basic_standstill_words<ranks>;

// The words of all ranks. A put of a word releases, as the contract of a transport says.
struct job {
  words of[ranks];
  net::job all;
  net::window opened{&all, reinterpret_cast<std::byte*>(of), sizeof(words), nullptr};

  job() {
    for (words& each : of) {
      each.question.clear();
      for (auto& answer : each.answers) answer.said.clear();
    }
  }
};
job* now = nullptr;

void put(const net::window&, int rank, std::size_t offset, const void* from, std::size_t bytes) {
  auto* const to = reinterpret_cast<std::byte*>(&now->of[rank]) + offset;
  if (bytes == sizeof(std::uint64_t))
    reinterpret_cast<dist::put_word*>(to)->set(*static_cast<const std::uint64_t*>(from));
  else
    *reinterpret_cast<dist::open_waits*>(to) = *static_cast<const dist::open_waits*>(from);
}
void flush(const net::window&, int) {}

const net::rma network = {"model", nullptr, nullptr, put, nullptr, nullptr, flush, nullptr, nullptr};

struct scene {
  job net;
  dist::standstill_place place{&network, &net.opened, 0};
  dist::standstill_asking<words, ranks> asking;
  dist::standstill_answering<words> rank[ranks];
  base::atomic<std::uint32_t> value{0};    // what a thread of rank 0 waits for
  base::atomic<std::uint32_t> to_take{0};  // 1: a continuation, which other ranks may take

  scene() { now = &net; }

  // What rank `mine` does out of work, a few times: `look` returns true if it has found a thread.
  template <class Look>
  bool idle(int mine, int times, Look look) {
    for (int i = 0; i < times; ++i) {
      const std::uint64_t question = rank[mine].question(net.of[mine]);
      if (look()) {
        rank[mine].found();
        return true;
      }
      if (rank[mine].is_new(question)) rank[mine].answer(place, mine, question, {1, 7});
    }
    return false;
  }
  void never_idle(int mine) {
    (void)idle(mine, 2, [] { return false; });
  }
};

// Rank 1 sets the value, relaxed, and is then out of work.
void a_value_is_set() {
  scene all;
  threads(thread{"rank 0",
                 [&] {
                   for (int i = 0; i < 6; ++i) {
                     if (all.value.load(base::relaxed) != 0) return;
                     check(!all.asking.is_standstill(all.place, all.net.of[0], 2), "the value was set by a thread that ran");
                   }
                 }},
          thread{"rank 1", [&] {
                   all.value.store(1, base::relaxed);
                   (void)all.idle(1, 3, [] { return false; });
                 }});
}

// Rank 1 is asked first, and takes what rank 2 has offered before it goes out of work: both answer
// the first round, each at a time at which the other has the thread. It then sets the value.
void a_continuation_is_taken() {
  scene all;
  const auto take = [&](std::uint32_t as) {
    std::uint32_t expected = 1;
    return all.to_take.compare_exchange_strong(expected, as, base::relaxed, base::relaxed);
  };
  threads(thread{"rank 0",
                 [&] {
                   for (int i = 0; i < 8; ++i) {
                     if (all.value.load(base::relaxed) != 0) return;
                     check(!all.asking.is_standstill(all.place, all.net.of[0], ranks),
                           "a rank has a thread, or had one that set a value");
                   }
                 }},
          thread{"rank 1",
                 [&] {
                   if (!all.idle(1, 2, [&] { return take(3); })) return;
                   all.value.store(1, base::relaxed);
                   all.never_idle(1);
                 }},
          thread{"rank 2", [&] {
                   all.to_take.store(1, base::relaxed);
                   if (take(2)) return;  // and runs it for ever
                   all.never_idle(2);
                 }});
}

// One after the other, so that it always ends.
void all_look_in_vain() {
  scene all;
  bool is_found = false;
  for (int i = 0; i < 16 && !is_found; ++i) {
    is_found = all.asking.is_standstill(all.place, all.net.of[0], ranks);
    all.never_idle(1);
    all.never_idle(2);
  }
  check(is_found, "rank 0 finds out");
  check(all.net.of[0].answers[2].waits.future == 7, "and what the ranks wait for");
}

// In one order: each rank answers the first round while the other has the thread, which ends before
// the second.
void a_thread_comes_and_goes() {
  scene all;
  const auto looks_in_vain = [&](int mine) { all.never_idle(mine); };
  const auto asks = [&] { check(!all.asking.is_standstill(all.place, all.net.of[0], ranks), "rank 1 has found a thread"); };
  asks();
  looks_in_vain(1);  // while rank 2 has a thread
  asks();
  check(all.idle(1, 1, [] { return true; }), "rank 1 takes it");
  looks_in_vain(2);
  asks();
  asks();
  looks_in_vain(1);  // the thread has ended, and may have set a value after rank 0 looked
  asks();
  looks_in_vain(2);
  asks();
}

const explorer::expectations usual{.at_least = 3, .quick = {.executions = 60'000}, .deep = {}};
const explorer::expectations once{.at_least = 1, .quick = {}, .deep = {}};
const model value{"R a value is set while rank 0 asks", usual, a_value_is_set};
const model taken{"R a continuation is taken while rank 0 asks", usual, a_continuation_is_taken};
const model moved{"R a thread comes and goes between two answers", once, a_thread_comes_and_goes};
const model vain{"R all ranks look in vain", once, all_look_in_vain};

}  // namespace
