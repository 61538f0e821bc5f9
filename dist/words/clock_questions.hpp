// Protocol R, clocks of nodes: docs/protocols/R.md. A rank asks rank 0 for its time, some times in
// a row. How clocks are read, and what is done while a word stays as it is, is said elsewhere, so
// that a model runs this very header. The words are those of far_words.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dist/words/join_record.hpp"
#include "net/rma.hpp"

namespace weft::dist {

// A transport may store a put word more than once, the last time shortly after another process has
// seen it. So a word is never cleared, and its value only grows: each value is rank 0's time, which
// is never the same twice, and a stale one is less than what is waited for.
inline constexpr std::uint64_t clock_is_read = 1;  // the lowest bit of a question: there will be no more

inline void put_clock_word(const net::rma& by, const net::window& words, int rank, std::size_t offset, std::uint64_t value) {
  by.put(words, rank, offset, &value, sizeof value);
  by.flush(words, rank);
}

// idle: called after each look.
template <class Idle>
std::uint64_t wait_for_clock_word(const put_word& word, std::uint64_t least, Idle& idle) {
  for (;; idle()) {
    if (const std::uint64_t value = word.value(); value >= least) return value;
  }
}

// In rank 0: until that rank needs no more answers. time: later at each call. A barrier must follow
// before another rank is answered.
template <class Words, class Idle>
void answer_clock_questions(const net::rma& by, const net::window& words, Words& mine, int rank, std::uint64_t (*time)(),
                            Idle idle) {
  for (;;) {
    const std::uint64_t now = time();
    put_clock_word(by, words, rank, offsetof(Words, clock_told), now);
    if ((wait_for_clock_word(mine.clock_asked, now << 1, idle) & clock_is_read) != 0) return;
  }
}

// In another rank, once it is that rank's turn. known: what rank 0 told it last, 0 at first.
template <class Words, class Idle>
class clock_questions {
 public:
  clock_questions(const net::rma& by, const net::window& words, const Words& mine, std::uint64_t* known, Idle idle)
      : by_(by), words_(words), mine_(mine), known_(known), idle_(idle) {
    wait();
  }

  // Rank 0's time, after this call began and before it returns.
  [[nodiscard]] std::uint64_t ask() {
    put_clock_word(by_, words_, 0, offsetof(Words, clock_asked), *known_ << 1);
    return wait();
  }
  void end() { put_clock_word(by_, words_, 0, offsetof(Words, clock_asked), *known_ << 1 | clock_is_read); }

 private:
  std::uint64_t wait() { return *known_ = wait_for_clock_word(mine_.clock_told, *known_ + 1, idle_); }

  const net::rma& by_;
  const net::window& words_;
  const Words& mine_;
  std::uint64_t* known_;
  Idle idle_;
};

}  // namespace weft::dist
