// Protocol R, clocks of nodes: docs/protocols/R.md. A rank asks rank 0 for its time, some times in
// a row. How clocks are read, and what is done while a word stays as it is, is said elsewhere, so
// that a model runs this very header. The words are those of far_words.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dist/join_record.hpp"
#include "net/rma.hpp"

namespace weft::dist {

inline constexpr std::uint64_t clock_goes_on = 1, clock_is_read = 2;  // no time is so small

inline void put_clock_word(const net::rma& by, const net::window& words, int rank, std::size_t offset, std::uint64_t value) {
  by.put(words, rank, offset, &value, sizeof value);
  by.flush(words, rank);
}

// idle: called after each look.
template <class Idle>
std::uint64_t wait_for_other(const put_word& word, std::uint64_t known, Idle& idle) {
  for (;; idle()) {
    if (const std::uint64_t value = word.value(); value != known) return value;
  }
}

// In rank 0: until that rank needs no more answers. time: later at each call.
template <class Words, class Idle>
void answer_clock_questions(const net::rma& by, const net::window& words, Words& mine, int rank, std::uint64_t (*time)(),
                            Idle idle) {
  put_clock_word(by, words, rank, offsetof(Words, clock_told), clock_goes_on);
  for (;;) {
    const std::uint64_t question = wait_for_other(mine.clock_asked, 0, idle);
    mine.clock_asked.clear();  // before the answer, which lets the rank ask again
    if (question == clock_is_read) return;
    put_clock_word(by, words, rank, offsetof(Words, clock_told), time());
  }
}

// In another rank, once it is that rank's turn.
template <class Words, class Idle>
class clock_questions {
 public:
  clock_questions(const net::rma& by, const net::window& words, Words& mine, Idle idle)
      : by_(by), words_(words), mine_(mine), idle_(idle), told_(wait_for_other(mine.clock_told, 0, idle_)) {}

  // Rank 0's time, after this call began and before it returns.
  [[nodiscard]] std::uint64_t ask() {
    put_clock_word(by_, words_, 0, offsetof(Words, clock_asked), clock_goes_on);
    return told_ = wait_for_other(mine_.clock_told, told_, idle_);
  }
  void end() {
    mine_.clock_told.clear();
    put_clock_word(by_, words_, 0, offsetof(Words, clock_asked), clock_is_read);
  }

 private:
  const net::rma& by_;
  const net::window& words_;
  Words& mine_;
  Idle idle_;
  std::uint64_t told_;
};

}  // namespace weft::dist
