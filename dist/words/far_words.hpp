// Protocol R between nodes: docs/protocols/R.md. What a rank's words hold, which only the
// operations of a network change (net/rma.hpp), and the steps on them. As in steal_queue.hpp, what
// the words mean is said elsewhere, so that a model runs this very header over a transport that
// puts off and reorders.
//
// - The *offer* is one continuation that a rank has set aside for ranks of other nodes, or, where
//   forkers go on (the policy `child`), one fork.
// - A *far record* is a join record of a continuation that was offered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/align.hpp"
#include "base/atomic.hpp"
#include "dist/words/join_record.hpp"
#include "dist/words/steal_queue.hpp"
#include "net/rma.hpp"

namespace weft::dist {

// A claimant gets the whole of it in one operation, which may be torn.
struct offer {
  static constexpr unsigned bytes_at = 3;  // a fork's, behind its function
  static constexpr unsigned count = bytes_at + join_record::cargo_bytes / sizeof(std::uint64_t) + 1;
  static constexpr unsigned ticket = 0;         // 0: nothing is offered; no two offers have the same
  static constexpr unsigned index = 1;          // of a fork: its record
  static constexpr unsigned what = 2;           // a descriptor, or a fork's function
  static constexpr unsigned check = count - 1;  // of all the others
  static_assert(what + descriptor::count <= check);

  std::uint64_t words[count];

  [[nodiscard]] std::uint64_t sum() const {
    std::uint64_t value = 0x9e3779b97f4a7c15;
    for (unsigned i = 0; i != check; ++i) {
      value = (value ^ words[i]) * 0xbf58476d1ce4e5b9;
      value ^= value >> 29;
    }
    return value;
  }
  [[nodiscard]] bool is_whole() const { return words[ticket] != 0 && words[check] == sum(); }
};

struct alignas(base::cache_line) far_record {
  static constexpr std::uint64_t ended = 1;      // added by the child; the forker adds twice the code of its frames
  static constexpr std::uint64_t discarded = 1;  // instead of a code: no forker will join

  base::atomic<std::uint64_t> state;
  put_word freed;  // 1: the forker needs it no more
  unsigned char cargo[join_record::cargo_bytes];
};

template <std::uint32_t Copies, std::uint32_t Records>
struct basic_far_words {
  static constexpr std::uint32_t copies = Copies;
  static constexpr std::uint32_t most_records = Records;

  alignas(base::cache_line) base::atomic<std::uint64_t> offered[offer::count];
  alignas(base::cache_line) put_word wanted;          // not 0: the last rank of another node that found no offer, plus one
  put_word called;                                    // not 0: a rank that was asked in vain has an offer now, plus one
  put_word root_end;                                  // not 0: where the root's bytes lie
  put_word clock_asked, clock_told;                   // for a trace: clock_questions.hpp
  alignas(base::cache_line) put_word copied[copies];  // at a ticket's: the ticket, once its copy has ended
  far_record records[most_records];
};
using far_words = basic_far_words<64, 1024>;

// Of this rank: the owner's side of its offer.
template <class Words>
class basic_offering {
 public:
  void set_up(const net::rma& by, const net::window& words) {
    by_ = &by;
    words_ = &words;
    mine_ = static_cast<Words*>(by.alias(words, rank(), 0));
  }
  [[nodiscard]] Words& words() { return *mine_; }

  // Whether a claim of an offer that had this one's place among the copies goes on. Then nothing
  // may be offered.
  [[nodiscard]] bool is_full() { return last_ + 1 - first_open() >= Words::copies; }

  // Nothing is offered. What was written before is what a claimant sees.
  void make(std::uint64_t index, const descriptor& what) {
    offer mine = {};
    mine.words[offer::index] = index;
    for (unsigned i = 0; i < descriptor::count; ++i) mine.words[offer::what + i] = what.words[i];
    make(mine);
  }
  // A fork, all of which is in the offer: its claimant copies nothing else.
  void make_fork(std::uint64_t record, std::uint64_t function, const void* bytes) {
    offer mine = {};
    mine.words[offer::index] = record;
    mine.words[offer::what] = function;
    std::memcpy(&mine.words[offer::bytes_at], bytes, join_record::cargo_bytes);
    make(mine);
    mine_->copied[last_ % Words::copies].set_own(last_);
  }
  // Once a rank made an offer: whether it stands.
  [[nodiscard]] bool stands() { return is_open_ && mine_->offered[offer::ticket].load(base::relaxed) == last_; }
  // False: it was claimed.
  bool take_back() {
    is_open_ = false;
    if (by_->compare_swap(*words_, rank(), ticket_at, last_, 0) != last_) return false;
    mine_->copied[last_ % Words::copies].set_own(last_);  // no claimant has this ticket
    return true;
  }
  void was_claimed() { is_open_ = false; }
  [[nodiscard]] bool is_open() const { return is_open_; }

  // Whether claimants are done with what they claimed.
  [[nodiscard]] bool all_copied() { return first_open() == last_ + (is_open_ ? 0 : 1); }

 private:
  static constexpr std::size_t ticket_at = offsetof(Words, offered);

  [[nodiscard]] int rank() const { return words_->all->rank; }
  void make(offer& mine) {
    mine.words[offer::ticket] = ++last_;
    mine.words[offer::check] = mine.sum();
    for (unsigned i = offer::index; i < offer::count; ++i) mine_->offered[i].store(mine.words[i], base::relaxed);
    is_open_ = true;
    (void)by_->compare_swap(*words_, rank(), ticket_at, 0, last_);
  }
  std::uint64_t first_open() {
    const std::uint64_t end = last_ + (is_open_ ? 0 : 1);
    while (first_open_ != end && mine_->copied[first_open_ % Words::copies].value() == first_open_) ++first_open_;
    return first_open_;
  }

  const net::rma* by_ = nullptr;
  const net::window* words_ = nullptr;
  Words* mine_ = nullptr;
  std::uint64_t last_ = 0;        // ticket
  std::uint64_t first_open_ = 1;  // the oldest claim whose copy may go on
  bool is_open_ = false;          // not yet known to have been claimed
};
using offering = basic_offering<far_words>;

// ---- claimants ----

// Two waits if it succeeds, else one or two. The claimant of a continuation copies, and calls
// end_copy.
template <class Words>
bool claim_offer(const net::rma& by, const net::window& words, int victim, offer* out) {
  constexpr std::size_t at = offsetof(Words, offered);
  by.get(words, victim, at, out, sizeof *out);
  by.flush(words, victim);
  if (!out->is_whole()) return false;
  const std::uint64_t ticket = out->words[offer::ticket];
  return by.compare_swap(words, victim, at, ticket, 0) == ticket;
}

// Not waited for: the next flush ends it at the latest.
template <class Words>
void end_copy(const net::rma& by, const net::window& words, int victim, std::uint64_t ticket) {
  const std::size_t at = offsetof(Words, copied) + (ticket % Words::copies) * sizeof(put_word);
  by.put(words, victim, at, &ticket, sizeof ticket);
}

// The two are hints, put without waiting: the thief's, that it found no offer; and the victim's to
// that thief, that there is one.
inline void want_offer(const net::rma& by, const net::window& words, int victim) {
  const std::uint64_t thief = static_cast<std::uint64_t>(words.all->rank) + 1;
  by.put(words, victim, offsetof(far_words, wanted), &thief, sizeof thief);
}
inline void call_thief(const net::rma& by, const net::window& words, int thief) {
  const std::uint64_t victim = static_cast<std::uint64_t>(words.all->rank) + 1;
  by.put(words, thief, offsetof(far_words, called), &victim, sizeof victim);
}

// ---- joins ----

// A record of any rank, at that offset of its words.
struct far_join {
  const net::rma& by;
  const net::window& words;
  int rank;
  std::size_t offset;

  // The child's end. The code of the forker's frames if it waits: the caller must resume it;
  // `discarded`: the caller must give the record; else 0.
  std::uint64_t end(const void* cargo) const {
    by.put(words, rank, offset + offsetof(far_record, cargo), cargo, join_record::cargo_bytes);
    by.flush(words, rank);
    return (by.fetch_add)(words, rank, offset, far_record::ended) >> 1;
  }
  // The forker's side. Afterwards take_cargo.
  [[nodiscard]] bool has_ended() const { return ((by.fetch_add)(words, rank, offset, 0) & far_record::ended) != 0; }
  // Its frames lie where the code says, from now on. False: the child ended before.
  [[nodiscard]] bool wait(std::uint64_t code) const {
    return ((by.fetch_add)(words, rank, offset, code << 1) & far_record::ended) == 0;
  }
  // The forker will never join. False: the child ended before, and the forker must give the record.
  [[nodiscard]] bool discard() const { return wait(far_record::discarded); }
  void take_cargo(void* into) const {
    by.get(words, rank, offset + offsetof(far_record, cargo), into, join_record::cargo_bytes);
    by.flush(words, rank);
  }
  // The last use; not waited for.
  void give() const {
    const std::uint64_t yes = 1;
    by.put(words, rank, offset + offsetof(far_record, freed), &yes, sizeof yes);
  }
};

// The owner's records. Offsets in the words.
template <class Words>
class basic_far_pool {
 public:
  void set_up(Words* words, std::uint32_t count) {
    words_ = words;
    count_ = count < Words::most_records ? count : Words::most_records;
  }
  // 0: none is free.
  std::size_t take() {
    for (std::uint32_t tries = 0; tries < count_; ++tries) {
      const std::uint32_t at = next_++ % count_;
      if (!collect(at)) continue;
      used_[at] = true;
      far_record& record = words_->records[at];
      record.freed.clear();
      record.state.store(0, base::relaxed);  // no other rank knows the record
      return offsetof(Words, records) + at * sizeof(far_record);
    }
    return 0;
  }
  // Before another rank has seen it.
  void put_back(std::size_t offset) { used_[(offset - offsetof(Words, records)) / sizeof(far_record)] = false; }
  [[nodiscard]] bool are_all_back() {
    for (std::uint32_t at = 0; at < count_; ++at) {
      if (!collect(at)) return false;
    }
    return true;
  }

 private:
  // Whether it is free.
  bool collect(std::uint32_t at) {
    if (used_[at] && words_->records[at].freed.value() != 0) used_[at] = false;
    return !used_[at];
  }

  Words* words_ = nullptr;
  std::uint32_t count_ = 0, next_ = 0;
  bool used_[Words::most_records] = {};
};
using far_pool = basic_far_pool<far_words>;

}  // namespace weft::dist
