// Protocol F over src/sync/feb.cpp and feb_table.cpp: no wake-up is lost, no value is lost or
// doubled, a caller that goes on sees what was done before, and an entry stands as long as it says
// something and no longer. The callers are OS threads outside.
// Built with src/sync/feb.cpp src/sync/feb_table.cpp src/sync/waiters.cpp src/run/awaiter.cpp
// Built with src/run/wait.cpp src/run/resume.cpp src/unit/timer.cpp
#include "core_world.hpp"
#include "feb_entries.hpp"
#include "sync/feb.hpp"
#include "sync/feb_table.hpp"

namespace {

using namespace explorer::words;
using weft::status;
using weft::sched::forever;
using weft::sync::feb_entry;
using weft::sync::feb_stripe;
namespace feb = weft::sync::feb;

constexpr std::uint64_t soon = 100'000;

// Of so many words in a row some share a stripe.
std::uint64_t many_words[1024];

std::uint64_t* fellow_of(const std::uint64_t* word) {
  for (std::uint64_t& each : many_words) {
    if (&each != word && weft::sync::feb_stripe_of(&each) == weft::sync::feb_stripe_of(word)) return &each;
  }
  explorer::fail("the model is too small", "no two words in one stripe: raise many_words");
}

// Two words, whose stripe was never used.
struct world {
  std::uint64_t* word = &many_words[0];
  std::uint64_t* other = fellow_of(word);
  feb_stripe* stripe = weft::sync::feb_stripe_of(word);

  world() {
    core_world::make(1);
    entries_made = 0;
    *word = *other = 0;
    stripe = new (stripe) feb_stripe;
    explorer::name(*word, "word");
    explorer::name(*other, "other");
    explorer::name(stripe->lock, "lock");
    for (auto& each : entries) {
      const auto* one = reinterpret_cast<const feb_entry*>(each);
      explorer::name(one->to_read, "to_read");
      explorer::name(one->to_overwrite, "to_overwrite");
      explorer::name(one->to_take, "to_take");
      explorer::name(one->to_write, "to_write");
    }
  }

  void make_empty(std::uint64_t* which) { check(feb::empty(which) == status::ok, "ok"); }
  void fill(std::uint64_t* which) { check(feb::fill(which) == status::ok, "ok"); }
  void put(std::uint64_t* which, std::uint64_t value) { check(feb::write_empty(which, value, forever) == status::ok, "ok"); }
  void overwrite(std::uint64_t* which, std::uint64_t value) {
    check(feb::overwrite_full(which, value, forever) == status::ok, "ok");
  }
  std::uint64_t take(std::uint64_t* which) {
    std::uint64_t value = 0;
    check(feb::take_full(which, forever, &value) == status::ok, "ok");
    return value;
  }
  std::uint64_t read(std::uint64_t* which) {
    std::uint64_t value = 0;
    check(feb::read_full(which, forever, &value) == status::ok, "ok");
    return value;
  }

  // At the end, when no caller waits.
  void ends(std::uint64_t* which, bool full, std::uint64_t value) {
    check(feb::is_full(which) == full, full ? "full at the end" : "empty at the end");
    check(*which == value, "the value at the end");
    check((stripe->find(which) == nullptr) == full, "an entry stands for an empty word alone");
    if (const feb_entry* one = stripe->find(which); one != nullptr) check(!one->has_waiters(), "no caller is left waiting");
  }
};

// ---- readers, takers, writers -------------------------------------------------------------------

void one_value_is_handed_over() {
  world it;
  it.make_empty(it.word);
  int message = 0;
  threads(thread{"writer",
                 [&] {
                   message = 1;
                   it.put(it.word, 7);
                 }},
          thread{"taker", [&] { check(it.take(it.word) == 7 && message == 1, "the value, and what was done before"); }});
  it.ends(it.word, false, 7);
}

void an_empty_lets_a_writer_in() {
  world it;
  int message = 0;
  threads(thread{"writer",
                 [&] {
                   it.put(it.word, 4);
                   check(message == 1, "what was done before");
                 }},
          thread{"empties", [&] {
                   message = 1;
                   it.make_empty(it.word);
                 }});
  it.ends(it.word, true, 4);
}

void one_filling_for_two_readers() {
  world it;
  it.make_empty(it.word);
  threads(thread{"a", [&] { check(it.read(it.word) == 5, "the value"); }},
          thread{"b", [&] { check(it.read(it.word) == 5, "the value"); }}, thread{"writer", [&] { it.put(it.word, 5); }});
  it.ends(it.word, true, 5);
}

// The taker has the first filling. The reader shares it, or has the second.
void a_reader_and_a_taker() {
  world it;
  it.make_empty(it.word);
  threads(thread{"reader", [&] { explorer::outcome(it.read(it.word)); }},
          thread{"taker", [&] { check(it.take(it.word) == 1, "the first value"); }}, thread{"writer", [&] {
                                                                                              it.put(it.word, 1);
                                                                                              it.put(it.word, 2);
                                                                                            }});
  it.ends(it.word, true, 2);
}

void two_takers() {
  world it;
  it.make_empty(it.word);
  std::uint64_t got[2] = {0, 0};
  threads(thread{"a", [&] { got[0] = it.take(it.word); }}, thread{"b", [&] { got[1] = it.take(it.word); }},
          thread{"writer", [&] {
                   it.put(it.word, 1);
                   it.put(it.word, 2);
                 }});
  check(got[0] + got[1] == 3, "each value once");
  it.ends(it.word, false, 2);
}

void two_writers() {
  world it;
  std::uint64_t sum = 0;
  threads(thread{"a", [&] { it.put(it.word, 1); }}, thread{"b", [&] { it.put(it.word, 2); }},
          thread{"taker", [&] {
                   check(it.take(it.word) == 0, "what was there first");
                   sum = it.take(it.word);
                 }});
  it.ends(it.word, true, 3 - sum);
}

// The taker, which alone may then use the word, does so while the writer that filled it may not be
// done yet.
void into_the_word_itself() {
  world it;
  it.make_empty(it.word);
  threads(thread{"taker", [&] { check(feb::take_full(it.word, forever, it.word) == status::ok, "ok"); }},
          thread{"writer", [&] {
                   it.put(it.word, 1);
                   it.put(it.word, 2);
                 }});
  it.ends(it.word, true, 2);
}

void a_reader_and_an_overwriter() {
  world it;
  it.make_empty(it.word);
  threads(thread{"reader", [&] { explorer::outcome(it.read(it.word)); }}, thread{"overwriter", [&] { it.overwrite(it.word, 2); }},
          thread{"writer", [&] { it.put(it.word, 1); }});
  it.ends(it.word, true, 2);
}

// The overwriter writes into the first filling or into the second.
void a_taker_and_an_overwriter() {
  world it;
  it.make_empty(it.word);
  std::uint64_t got = 0;
  threads(thread{"taker", [&] { got = it.take(it.word); }}, thread{"overwriter", [&] { it.overwrite(it.word, 3); }},
          thread{"writer", [&] {
                   it.put(it.word, 1);
                   it.put(it.word, 2);
                 }});
  check(got == 1 || got == 3, "the first filling, or what it was overwritten by");
  it.ends(it.word, true, got == 1 ? 3 : 2);
  explorer::outcome(got);
}

// ---- the entry comes and goes -------------------------------------------------------------------

// It is made by a caller that takes, or waits, and goes with the last that fills.
void as_a_lock() {
  world it;
  int inside = 0;
  const auto work = [&] {
    for (int round = 0; round < 2; ++round) {
      static_cast<void>(it.take(it.word));
      ++inside;
      it.fill(it.word);
    }
  };
  threads(thread{"a", work}, thread{"b", work});
  check(inside == 4, "one after the other");
  check(entries_made == 1, "one entry at a time");
  it.ends(it.word, true, 0);
}

// A wait that ends early leaves the entry to the caller that needs one next, for another word.
void one_entry_for_two_words() {
  world it;
  status written = status::ok;
  threads(thread{"writer", [&] { written = feb::write_empty(it.word, 1, soon); }}, thread{"takes the other", [&] {
                                                                                            static_cast<void>(it.take(it.other));
                                                                                            it.put(it.other, 2);
                                                                                            it.make_empty(it.other);
                                                                                          }});
  check(written == status::timeout, "it is not emptied");
  explorer::outcome(entries_made);
  it.ends(it.word, true, 0);
  it.ends(it.other, false, 2);
}

// A reader leaves the entry to the writer that waits on it; another word needs one of its own.
void another_word_while_one_waits() {
  world it;
  threads(thread{"writer", [&] { it.put(it.word, 1); }}, thread{"empties both", [&] {
                                                                  check(it.read(it.word) == 0, "what was there first");
                                                                  it.make_empty(it.other);
                                                                  it.make_empty(it.word);
                                                                }});
  explorer::outcome(entries_made);
  it.ends(it.word, true, 1);
  it.ends(it.other, false, 0);
}

// Both are in one chain: each waits for its own.
void two_words_in_one_chain() {
  world it;
  it.make_empty(it.word);
  it.make_empty(it.other);
  threads(thread{"takes one", [&] { check(it.take(it.word) == 1, "its own"); }},
          thread{"reads the other", [&] { check(it.read(it.other) == 2, "its own"); }}, thread{"writer", [&] {
                                                                                                 it.put(it.word, 1);
                                                                                                 it.put(it.other, 2);
                                                                                               }});
  it.ends(it.word, false, 1);
  it.ends(it.other, true, 2);
}

// ---- deadlines ----------------------------------------------------------------------------------

void taker_with_deadline() {
  world it;
  it.make_empty(it.word);
  std::uint64_t got = 0;
  status taken = status::ok;
  threads(thread{"taker", [&] { taken = feb::take_full(it.word, soon, &got); }}, thread{"writer", [&] { it.put(it.word, 1); }});
  check(taken == status::ok ? got == 1 : taken == status::timeout && got == 0, "the value, or nothing");
  it.ends(it.word, taken != status::ok, 1);
  explorer::outcome(got);
}

void reader_with_deadline() {
  world it;
  it.make_empty(it.word);
  int message = 0;
  threads(thread{"reader",
                 [&] {
                   std::uint64_t got = 0;
                   const bool is_read = feb::read_full(it.word, soon, &got) == status::ok;
                   if (is_read) check(message == 1, "what was done before");
                   check(got == (is_read ? 1 : 0), "the value, or nothing");
                   explorer::outcome(got);
                 }},
          thread{"writer", [&] {
                   message = 1;
                   it.put(it.word, 1);
                 }});
  it.ends(it.word, true, 1);
}

void writer_with_deadline() {
  world it;
  status written = status::ok;
  threads(thread{"writer", [&] { written = feb::write_empty(it.word, 1, soon); }},
          thread{"taker", [&] { check(it.take(it.word) == 0, "what was there first"); }});
  const bool is_written = written == status::ok;
  it.ends(it.word, is_written, is_written ? 1 : 0);
  explorer::outcome(is_written ? 1 : 0);
}

void overwriter_with_deadline() {
  world it;
  it.make_empty(it.word);
  status written = status::ok;
  threads(thread{"overwriter", [&] { written = feb::overwrite_full(it.word, 2, soon); }},
          thread{"writer", [&] { it.put(it.word, 1); }});
  const bool is_written = written == status::ok;
  it.ends(it.word, true, is_written ? 2 : 1);
  explorer::outcome(is_written ? 1 : 0);
}

// The other still waits, on the same entry.
void one_of_two_gives_up() {
  world it;
  threads(thread{"timed",
                 [&] {
                   if (feb::write_empty(it.word, 1, soon) == status::ok) it.make_empty(it.word);
                 }},
          thread{"writer", [&] { it.put(it.word, 2); }}, thread{"empties", [&] { it.make_empty(it.word); }});
  it.ends(it.word, true, 2);
}

constexpr bounds quick{.preemptions = 2, .weak = 1, .executions = 30'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 10'000'000};
constexpr bounds timed{.preemptions = 2, .weak = 1, .timeouts = 1, .executions = 30'000};
constexpr bounds timed_deep{.preemptions = 4, .weak = 3, .timeouts = 1, .spurious = 1, .executions = 10'000'000};

const model m1{"F one value is handed over", {.at_least = 20, .quick = quick, .deep = deep}, one_value_is_handed_over};
const model m2{"F an empty lets a writer in", {.at_least = 20, .quick = quick, .deep = deep}, an_empty_lets_a_writer_in};
const model m3{
    "F a reader and a taker", {.at_least = 100, .quick = quick, .deep = deep, .outcomes = "1 2"}, a_reader_and_a_taker};
const model m4{"F two takers", {.at_least = 100, .quick = quick, .deep = deep}, two_takers};
const model m5{"F two writers", {.at_least = 100, .quick = quick, .deep = deep}, two_writers};
const model m6{"F into the word itself", {.at_least = 20, .quick = quick, .deep = deep}, into_the_word_itself};
const model m7{"F as a lock", {.at_least = 100, .quick = quick, .deep = deep}, as_a_lock};
const model m8{"F one entry for two words",
               {.at_least = 20, .quick = timed, .deep = timed_deep, .outcomes = "1 2"},
               one_entry_for_two_words};
const model m9{"F another word while one waits",
               {.at_least = 20, .quick = quick, .deep = deep, .outcomes = "2"},
               another_word_while_one_waits};
const model m10{"F one filling for two readers", {.at_least = 100, .quick = quick, .deep = deep}, one_filling_for_two_readers};
const model m11{"F two words in one chain", {.at_least = 100, .quick = quick, .deep = deep}, two_words_in_one_chain};
const model m12{
    "F taker with deadline", {.at_least = 20, .quick = timed, .deep = timed_deep, .outcomes = "0 1"}, taker_with_deadline};
const model m13{
    "F reader with deadline", {.at_least = 20, .quick = timed, .deep = timed_deep, .outcomes = "0 1"}, reader_with_deadline};
const model m14{
    "F writer with deadline", {.at_least = 20, .quick = timed, .deep = timed_deep, .outcomes = "0 1"}, writer_with_deadline};
const model m15{"F one of two gives up", {.at_least = 100, .quick = timed, .deep = timed_deep}, one_of_two_gives_up};
const model m16{"F a reader and an overwriter",
                {.at_least = 100, .quick = quick, .deep = deep, .outcomes = "1 2"},
                a_reader_and_an_overwriter};
const model m17{
    "F a taker and an overwriter", {.at_least = 100, .quick = quick, .deep = deep, .outcomes = "1 3"}, a_taker_and_an_overwriter};
const model m18{"F overwriter with deadline",
                {.at_least = 20, .quick = timed, .deep = timed_deep, .outcomes = "0 1"},
                overwriter_with_deadline};

}  // namespace
