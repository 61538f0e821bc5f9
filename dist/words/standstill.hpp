// Protocol R, standstill: docs/protocols/R.md. How rank 0 finds out that no rank will ever run a
// thread again although the root has not ended: all threads wait, for values that none is left to
// set. What is a thread, and what a wait, is said elsewhere, so that a model runs this very header.
//
// Rank 0 asks the other ranks, one after the other, twice. A rank answers once it has looked for a
// thread in vain after it saw the question, and says how many threads it has found so far. If all
// say the same twice, no rank had a thread when the first round ended.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/align.hpp"
#include "dist/words/join_record.hpp"
#include "net/rma.hpp"

namespace weft::dist {

// What a rank's threads wait for, but in joins.
struct open_waits {
  std::uint64_t count;
  std::uint64_t future;  // of one of them; 0: none waits for a future
};

struct standstill_answer {
  put_word said;  // how many threads the rank has found << 32 | the question; put after `waits`
  open_waits waits;
};

template <int Ranks>
struct alignas(base::cache_line) basic_standstill_words {
  put_word question;                 // the number of the newest; rank 0 puts it
  standstill_answer answers[Ranks];  // rank 0's: of each rank, which puts it
};

using standstill_words = basic_standstill_words<net::most_ranks>;

// The words of all ranks, and where they lie in a window.
struct standstill_place {
  const net::rma* by = nullptr;
  const net::window* window = nullptr;
  std::size_t at = 0;
};

inline constexpr std::uint64_t question_mask = 0xffffffff;

// Of each rank but 0.
template <class Words>
class standstill_answering {
 public:
  // Before it runs a thread.
  void found() { ++found_; }

  // Read before the look for a thread that fails. 0: there was none yet.
  [[nodiscard]] static std::uint64_t question(const Words& mine) { return mine.question.value(); }
  [[nodiscard]] bool is_new(std::uint64_t question) const { return question != answered_; }

  void answer(const standstill_place& of, int rank, std::uint64_t question, const open_waits& waits) {
    answered_ = question;
    const std::size_t at = of.at + offsetof(Words, answers) + static_cast<std::size_t>(rank) * sizeof(standstill_answer);
    const std::uint64_t said = found_ << 32 | question;
    of.by->put(*of.window, 0, at + offsetof(standstill_answer, waits), &waits, sizeof waits);
    of.by->flush(*of.window, 0);  // before the word says so
    of.by->put(*of.window, 0, at + offsetof(standstill_answer, said), &said, sizeof said);
    of.by->flush(*of.window, 0);
  }

 private:
  std::uint64_t found_ = 0, answered_ = 0;
};

// Of rank 0.
template <class Words, int Ranks>
class standstill_asking {
 public:
  // Rank 0 begins to look for a thread: what it was told before is void.
  void restart() {
    round_ = 0;
    asked_ = 0;
  }

  // Whether a rank has not answered yet.
  [[nodiscard]] bool is_asking() const { return asked_ != 0 || round_ != 0; }

  // After a look for a thread that failed. True: there is none, on any rank. The last question was
  // put after all first answers had come, so a value that was set is seen by the look that an
  // answer follows; rank 0 itself has looked since then, too.
  [[nodiscard]] bool is_standstill(const standstill_place& of, const Words& mine, int ranks) {
    if (asked_ == 0) {
      ask(of, 1);
      return false;
    }
    const std::uint64_t said = mine.answers[asked_].said.value();
    if ((said & question_mask) != number_) return false;
    if (round_ == 1 && said >> 32 != found_[asked_]) {
      restart();
      return false;
    }
    found_[asked_] = static_cast<std::uint32_t>(said >> 32);
    if (asked_ + 1 < ranks) {
      ask(of, asked_ + 1);
      return false;
    }
    asked_ = 0;
    round_ = 1 - round_;
    return round_ == 0;
  }

 private:
  void ask(const standstill_place& of, int rank) {
    asked_ = rank;
    number_ = number_ == question_mask ? 1 : number_ + 1;
    of.by->put(*of.window, rank, of.at + offsetof(Words, question), &number_, sizeof number_);
    of.by->flush(*of.window, rank);
  }

  int round_ = 0, asked_ = 0;  // 0: no rank
  std::uint64_t number_ = 0;
  std::uint32_t found_[Ranks] = {};  // what the first round said
};

}  // namespace weft::dist
