// Protocol Y (docs/protocols/Y.md): the words that workers share. A thief posts a request with a
// victim; the victim takes it at a poll and answers; a task that was given ends, and its giver goes
// on. The words know neither records nor ULTs, so that the explorer runs this file.
//
// Called by workers, each for itself: what a word's owner may call is named "owner", the rest is for
// every other worker.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft_tascell/atomic.hpp>

namespace weft::tascell_runtime {

// ---- the poll word: why a worker is to attend ---------------------------------------------------

enum attention : std::uint32_t {
  wants_work = 1,   // a request was posted
  wants_end = 2,    // a task was cancelled, or one that the worker gave has thrown
  always_look = 4,  // the storm mode: set for ever
};

inline void draw_attention(atomic<std::uint32_t>& word, attention why) {
  // [Y1] seq_cst: what was posted or cancelled before; a sleeper sees the bit; pairs with [Y2] [Y11]
  word.fetch_or(why, seq_cst);
}

// Owner: the reasons, which are taken away but for those to keep.
inline std::uint32_t take_attention(atomic<std::uint32_t>& word, std::uint32_t keep) {
  // [Y2] acquire: sees the posted requests; pairs with [Y1]
  return word.exchange(keep, acquire);
}

// ---- requests: a bit for each thief -------------------------------------------------------------

inline constexpr unsigned bits_of_word = 64;
constexpr std::size_t request_words(unsigned workers) { return (workers + bits_of_word - 1) / bits_of_word; }

// A victim's requests. A thief sets its bit, and either the victim takes the bit and then answers,
// or the thief takes it back.
class request_set {
 public:
  void use(atomic<std::uint64_t>* words) { words_ = words; }

  // What the thief wants is written before, and stays until the answer or until it is withdrawn.
  void post(unsigned thief) {
    // [Y3] release: what the thief wants, and its empty mailbox; pairs with [Y4]
    words_[thief / bits_of_word].fetch_or(bit_of(thief), release);
  }
  // True: the victim has not seen the request, and will not answer it.
  bool withdraw(unsigned thief) {
    return (words_[thief / bits_of_word].fetch_and(~bit_of(thief), relaxed) & bit_of(thief)) != 0;
  }
  // Owner: takes the requests of 64 thieves, each of which must be answered.
  std::uint64_t take(std::size_t word) {
    if (words_[word].load(relaxed) == 0) return 0;
    // [Y4] acquire: what the thieves want; pairs with [Y3]
    return words_[word].exchange(0, acquire);
  }

 private:
  static constexpr std::uint64_t bit_of(unsigned thief) { return std::uint64_t{1} << thief % bits_of_word; }

  atomic<std::uint64_t>* words_ = nullptr;
};

// ---- the answer to a thief's one request --------------------------------------------------------

class mailbox {
 public:
  static constexpr std::uintptr_t empty = 0, none = 1;  // else the address of a task

  // Owner: before it posts.
  void clear() { answer_.store(empty, relaxed); }
  // Owner: the answer, or empty.
  std::uintptr_t look() const {
    // [Y5] seq_cst: the task that was made; the last look before sleep; pairs with [Y6] [Y9]
    return answer_.load(seq_cst);
  }
  // The victim, once for each request that it took; it wakes the thief afterwards.
  void answer(std::uintptr_t what) {
    // [Y6] seq_cst: the task; the thief sleeps only if it does not see it; pairs with [Y5] [Y9]
    answer_.store(what, seq_cst);
  }

 private:
  atomic<std::uintptr_t> answer_{empty};
};

// ---- a task that was given ----------------------------------------------------------------------

enum task_state : std::uint32_t { task_made = 0, task_given = 1, task_ended = 2 };  // the reason is added to task_ended

constexpr std::uint32_t ended_by(std::uint32_t reason) { return task_ended + reason; }

// The thief, last of all: the giver may then free the task. The thief wakes the giver afterwards.
inline void end_task(atomic<std::uint32_t>& state, std::uint32_t reason) {
  // [Y7] seq_cst: the results; the giver sleeps only if it does not see it; pairs with [Y8] [Y9]
  state.store(ended_by(reason), seq_cst);
}

// The giver.
inline bool has_ended(const atomic<std::uint32_t>& state) {
  // [Y8] seq_cst: the results; the last look before sleep; pairs with [Y7] [Y9]
  return state.load(seq_cst) >= task_ended;
}

// ---- sleep --------------------------------------------------------------------------------------

// Whether a worker sleeps, or is about to. The worker says so, looks once more at all that it waits
// for, and then waits for a token. A waker changes what the worker waits for, then calls wake().
class sleeper {
 public:
  // Owner: before the last look.
  void lie_down() {
    // [Y9] seq_cst: before the last look; pairs with [Y5] [Y6] [Y7] [Y8] [Y10]
    // [Y11] [Y12] [Y13] [Y14] [Y15] [Y1]
    is_down_.exchange(1, seq_cst);
  }
  // Owner: after the wait. False: a waker has taken the word, and gives or has given a token.
  bool get_up() { return is_down_.exchange(0, relaxed) != 0; }
  // A waker: true if it must give the worker a token.
  bool must_be_woken() {
    // [Y10] seq_cst: after the change that the sleeper waits for; pairs with [Y9]
    return is_down_.load(seq_cst) != 0 && is_down_.exchange(0, relaxed) != 0;
  }

 private:
  atomic<std::uint32_t> is_down_{0};
};

// Owner: a look at the poll word before sleep.
inline bool draws_attention(const atomic<std::uint32_t>& word) {
  // [Y11] seq_cst: the last look before sleep; pairs with [Y1] [Y9]
  return (word.load(seq_cst) & ~std::uint32_t{always_look}) != 0;
}

// What an idle worker may wait for without a deadline: one of them at a time keeps the watch and
// goes on asking; the others sleep until a task starts, until the watch is free or the run ends.
class watch {
 public:
  static constexpr std::uint32_t nothing = 0;

  bool take(unsigned index) {
    std::uint32_t holder = nothing;
    return holder_.compare_exchange_strong(holder, index + 1, relaxed) || holder == index + 1;
  }
  // True: it was the caller's, which then wakes a sleeper.
  bool leave(unsigned index) {
    if (holder_.load(relaxed) != index + 1) return false;
    // [Y12] seq_cst: a sleeper stays only if it does not see it; pairs with [Y13] [Y9]
    holder_.store(nothing, seq_cst);
    return true;
  }
  bool is_kept() const {
    // [Y13] seq_cst: the last look before sleep; pairs with [Y12] [Y9]
    return holder_.load(seq_cst) != nothing;
  }

 private:
  atomic<std::uint32_t> holder_{nothing};
};

// The end of a run, after which its workers go.
class end_of_run {
 public:
  void come() {
    // [Y14] seq_cst: a sleeper stays only if it does not see it; pairs with [Y15] [Y9]
    has_come_.store(1, seq_cst);
  }
  bool has_come() const {
    // [Y15] seq_cst: the last look before sleep; pairs with [Y14] [Y9]
    return has_come_.load(seq_cst) != 0;
  }

 private:
  atomic<std::uint32_t> has_come_{0};
};

}  // namespace weft::tascell_runtime
