// Protocol R, over dist/words/clock_questions.hpp: each time that a rank is told lies between its
// question and the arrival of the answer, rank 0 serves one rank after the other, and readings come
// to their end although a transport stores each word twice.
#include "arch/cpu.hpp"
#include "dist/words/clock_questions.hpp"
#include "dist/words/far_words.hpp"
#include "explorer/explorer.hpp"
#include "net/rma/shm.cpp"  // NOLINT(bugprone-suspicious-include): how operations find their bytes

namespace base = weft::base;
namespace dist = weft::dist;
namespace net = weft::net;
using namespace explorer::words;

namespace {

constexpr int ranks = 3;
using words = dist::basic_far_words<1, 1>;

struct job {
  words of[ranks];
  net::job all;
  net::window opened{&all, reinterpret_cast<std::byte*>(of), sizeof(words), nullptr};
  base::atomic<std::uint64_t> time{2};  // of all clocks: every step of it is a reading

  job() {
    for (words& each : of) {
      each.clock_asked.clear();
      each.clock_told.clear();
    }
  }
  std::uint64_t known[ranks] = {};
};
job* now = nullptr;

std::uint64_t tick() { return now->time.fetch_add(1, base::relaxed) + 1; }
void look_again() { weft::arch::pause(); }

// A put of a word releases, as the contract of a transport says, and may store it more than once.
void put(const net::window&, int rank, std::size_t offset, const void* from, std::size_t) {
  auto* const to = reinterpret_cast<dist::put_word*>(reinterpret_cast<std::byte*>(&now->of[rank]) + offset);
  to->set(*static_cast<const std::uint64_t*>(from));
  to->set(*static_cast<const std::uint64_t*>(from));
}
void flush(const net::window&, int) {}

const net::rma network = {"model", nullptr, nullptr, put, nullptr, nullptr, flush, nullptr, nullptr};

void answer(int rank) { dist::answer_clock_questions(network, now->opened, now->of[0], rank, tick, look_again); }

void ask(int rank, int rounds) {
  dist::clock_questions to_rank_0(network, now->opened, now->of[rank], &now->known[rank], look_again);
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t asked = tick();
    const std::uint64_t told = to_rank_0.ask();
    check(asked < told && told < tick(), "rank 0 read its clock meanwhile");
  }
  to_rank_0.end();
}

void some_rounds(int rounds) {
  job all;
  now = &all;
  for (int reading = 0; reading < 2; ++reading) {  // a barrier lies between them
    threads(thread{"rank 0", [] { answer(1); }}, thread{"rank 1", [rounds] { ask(1, rounds); }});
  }
}

void two_nodes() {
  job all;
  now = &all;
  for (int reading = 0; reading < 2; ++reading) {
    for (int rank = 1; rank < ranks; ++rank)
      threads(thread{"rank 0", [rank] { answer(rank); }}, thread{"the rank", [rank] { ask(rank, 1); }});
  }
}

const explorer::expectations usual{.at_least = 3, .quick = {.executions = 60'000}, .deep = {}};
const model not_old{"R a node whose readings are not old", usual, [] { some_rounds(0); }};
const model rounds{"R a node asks for the time twice", usual, [] { some_rounds(2); }};
const model nodes{"R two nodes ask for the time", usual, two_nodes};

}  // namespace
