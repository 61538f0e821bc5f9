// Protocol Y (docs/protocols/Y.md): the words that workers share. A thief posts a request with a
// victim; the victim takes it at a poll and answers; a task that was given ends, and its giver goes
// on. The words know neither records nor ULTs, so that the explorer runs this file.
//
// Called by workers, each for itself. "Owner" stands before what only the word's own worker calls.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft_tascell/atomic.hpp>

namespace weft::tascell_runtime {

// ---- the poll word: why a worker is to attend ---------------------------------------------------

enum attention : std::uint32_t {
  wants_work = 1,   // a request was posted
  wants_end = 2,    // a task was cancelled, or one that the worker gave has thrown
  always_look = 4,  // the modes for tests: set for ever
};

inline void draw_attention(atomic<std::uint32_t>& word, attention why) {
  // [Y1] release: the request that was posted, or the task that was cancelled; pairs with [Y2]
  word.fetch_or(why, base::release);
}

// Owner: takes the reasons away, except those to keep.
inline std::uint32_t take_attention(atomic<std::uint32_t>& word, std::uint32_t keep) {
  // [Y2] acquire: what attention was drawn to is then seen; pairs with [Y1]
  return word.exchange(keep, base::acquire);
}

inline bool draws_attention(const atomic<std::uint32_t>& word) {
  return (word.load(base::relaxed) & ~std::uint32_t{always_look}) != 0;
}

// ---- requests: a bit for each thief -------------------------------------------------------------

inline constexpr unsigned bits_of_word = 64;
constexpr std::size_t request_words(unsigned workers) { return (workers + bits_of_word - 1) / bits_of_word; }

// A victim's requests. A thief sets its bit, and either the victim takes the bit and then answers,
// or the thief takes it back.
class request_set {
 public:
  void use(atomic<std::uint64_t>* words) { words_ = words; }

  // What the thief wants is written before, and stays until the answer or the withdrawal.
  void post(unsigned thief) {
    // [Y3] release: what the thief wants, and its empty mailbox; pairs with [Y4]
    words_[thief / bits_of_word].fetch_or(bit_of(thief), base::release);
  }
  // True: the victim has not taken the request, and will not answer it.
  bool withdraw(unsigned thief) {
    return (words_[thief / bits_of_word].fetch_and(~bit_of(thief), base::relaxed) & bit_of(thief)) != 0;
  }
  // Owner: takes the requests of 64 thieves, each of which must be answered.
  std::uint64_t take(std::size_t word) {
    if (words_[word].load(base::relaxed) == 0) return 0;
    // [Y4] acquire: what the thieves want; pairs with [Y3]
    return words_[word].exchange(0, base::acquire);
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
  void clear() { answer_.store(empty, base::relaxed); }
  // Owner: the answer, or empty.
  std::uintptr_t look() const {
    // [Y5] acquire: the task that was made; pairs with [Y6]
    return answer_.load(base::acquire);
  }
  // The victim, once for each request that it took; it wakes the thief afterwards.
  void answer(std::uintptr_t what) {
    // [Y6] release: the task that was made; pairs with [Y5]
    answer_.store(what, base::release);
  }

 private:
  atomic<std::uintptr_t> answer_{empty};
};

// ---- a task that was given ----------------------------------------------------------------------

enum task_state : std::uint32_t { task_made = 0, task_given = 1, task_ended = 2 };

// The state of a task that has ended for a reason, a weft_tascell_reason.
constexpr std::uint32_t ended_by(std::uint32_t reason) { return task_ended + reason; }

// The thief, last of all: the giver may then free the task. The thief wakes the giver afterwards.
inline void end_task(atomic<std::uint32_t>& state, std::uint32_t reason) {
  // [Y7] release: the results, and the thief's last use of the task; pairs with [Y8]
  state.store(ended_by(reason), base::release);
}

// The giver.
inline bool has_ended(const atomic<std::uint32_t>& state) {
  // [Y8] acquire: the results; the task may then be freed; pairs with [Y7]
  return state.load(base::acquire) >= task_ended;
}

// ---- sleep --------------------------------------------------------------------------------------

// Whether a worker sleeps, or is about to. The worker says so, looks once more at all that it waits
// for, and then waits for a token. A waker changes what the worker waits for, then asks
// must_be_woken. A token too many only lets a sleeper look again.
class sleeper {
 public:
  enum depth : std::uint32_t { up = 0, shallow = 1, deep = 2 };  // deep: an idle worker without a deadline

  // Owner: before the last look.
  void lie_down(depth how) {
    is_down_.store(how, base::relaxed);
    // [Y9] fence: before the last look; pairs with [Y10]
    base::fence_seq_cst();
  }
  // Owner: after the wait. False: a waker has taken the word, and gives or has given a token.
  bool get_up() { return is_down_.exchange(up, base::relaxed) != up; }
  // A waker: true if it must give the worker a token.
  bool must_be_woken(depth least) {
    // [Y10] fence: after the change that the sleeper waits for; pairs with [Y9]
    base::fence_seq_cst();
    return is_down_.load(base::relaxed) >= least && is_down_.exchange(up, base::relaxed) != up;
  }

 private:
  atomic<std::uint32_t> is_down_{up};
};

// One idle worker at a time keeps the watch: it goes on asking, however often it is refused. The
// others sleep until a task starts, the watch is free, or the run ends.
class watch {
 public:
  bool take(unsigned index) {
    std::uint32_t holder = free;
    return holder_.compare_exchange_strong(holder, index + 1, base::relaxed) || holder == index + 1;
  }
  // True: it was the caller's, which then wakes a sleeper.
  bool leave(unsigned index) {
    if (holder_.load(base::relaxed) != index + 1) return false;
    holder_.store(free, base::relaxed);
    return true;
  }
  bool is_kept() const { return holder_.load(base::relaxed) != free; }

 private:
  static constexpr std::uint32_t free = 0;

  atomic<std::uint32_t> holder_{free};
};

}  // namespace weft::tascell_runtime
