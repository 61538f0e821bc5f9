// A full/empty word that holds its state itself, beside 60 bits of data: protocol F,
// docs/protocols/F.md.
//
// A call that finds the state that it waits for, and no waiters, is one compare-exchange; one that
// only reads is a load. A caller that waits marks the word, inside the lock of its stripe of the
// table of full/empty words (feb_table.hpp), where the waiters' entry lies. While the mark is
// there, the word changes inside that lock alone, and callers are served as at the table's own
// words.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/status.hpp"
#include "os/alone.hpp"
#include "sync/feb.hpp"
#include "sync/waiters.hpp"

namespace weft::sync {

struct feb_entry;
class feb_stripe;

class syncvar {
 public:
  static constexpr std::uint64_t greatest_value = UINT64_MAX >> 4;

  // In one step, without waiting: false, and nothing was done, if the word has the other state, is
  // marked, or has changed meanwhile. out may be null.
  bool read_at_once(std::uint64_t* out) const {
    // [F1] acquire: sees what was done before the word was filled; pairs with [F2] [F4]
    const std::uint64_t seen = word_.load(base::acquire);
    if (marks_in(seen) != 0) return false;
    if (out != nullptr) *out = value_in(seen);
    return true;
  }
  bool take_at_once(std::uint64_t* out) {
    const std::uint64_t seen = word_.load(base::relaxed);
    if (marks_in(seen) != 0 || !replace(seen, seen | empty_mark)) return false;
    if (out != nullptr) *out = value_in(seen);
    return true;
  }
  bool write_at_once(std::uint64_t value) {
    const std::uint64_t seen = word_.load(base::relaxed);
    return marks_in(seen) == empty_mark && replace(seen, full_of(value));
  }
  bool overwrite_at_once(std::uint64_t value) {
    const std::uint64_t seen = word_.load(base::relaxed);
    return marks_in(seen) == 0 && replace(seen, full_of(value));
  }
  // To full or empty, with another value if that is not null.
  bool change_at_once(const std::uint64_t* value, bool to_full) {
    const std::uint64_t seen = word_.load(base::relaxed);
    if ((seen & waiters_mark) != 0) return false;
    const std::uint64_t data = value != nullptr ? full_of(*value) : seen & ~all_marks;
    return replace(seen, data | (to_full ? 0 : empty_mark));
  }

  // To full, with a value that is so much larger, of 60 bits.
  bool add_at_once(std::uint64_t increment, std::uint64_t* sum) {
    const std::uint64_t seen = word_.load(base::relaxed);
    if ((seen & waiters_mark) != 0) return false;
    *sum = sum_of(value_in(seen), increment);
    return replace(seen, full_of(*sum));
  }

  // These wait, or lost a race. Errors: nomem, cannot_block, timeout. A deadline of `immediately`
  // never waits.
  status read(feb::operation what, std::uint64_t deadline_ns, std::uint64_t* out);
  status write(feb::operation what, std::uint64_t deadline_ns, std::uint64_t value) { return run(what, deadline_ns, &value); }
  void change(const std::uint64_t* value, bool to_full) {
    while (!change_at_once(value, to_full) && !change_marked(value, to_full)) {
    }
  }
  void add(std::uint64_t increment, std::uint64_t* sum) {
    while (!add_at_once(increment, sum) && !add_marked(increment, sum)) {
    }
  }

  // By an awaiter's record, whose value is what is written, or was read. Errors: nomem.
  status await(sched::await_record* one, feb::operation what, sched::armed_as* result);

  bool is_full() const {
    // [F5] acquire: as [F1]; pairs with [F2] [F4]
    return (word_.load(base::acquire) & empty_mark) == 0;
  }
  std::uint64_t value() const { return value_in(word_.load(base::relaxed)); }

 private:
  // The lowest four bits; the value is above them. The bits are those of an older interface's
  // public words, so that its words can be these.
  static constexpr std::uint64_t waiters_mark = 2;  // there is an entry with waiters; set and cleared inside the lock
  static constexpr std::uint64_t empty_mark = 4;
  static constexpr std::uint64_t all_marks = 15;
  static constexpr unsigned value_shift = 4;

  struct marked_word;  // how the word is reached by its entry

  static std::uint64_t marks_in(std::uint64_t word) { return word & all_marks; }
  static std::uint64_t value_in(std::uint64_t word) { return word >> value_shift; }
  static std::uint64_t full_of(std::uint64_t value) { return value << value_shift; }
  static std::uint64_t sum_of(std::uint64_t value, std::uint64_t increment) { return (value + increment) & greatest_value; }
  static bool is_ready(std::uint64_t seen, feb::operation what) {
    return ((seen & empty_mark) == 0) == (what != feb::operation::write);
  }
  static std::uint64_t after(std::uint64_t seen, feb::operation what, std::uint64_t value);

  // As a strong compare-exchange.
  bool replace(std::uint64_t seen, std::uint64_t wanted) {
    if (os::is_alone()) return os::replace_alone(&word_, seen, wanted);
    // [F2] acq_rel: publishes what was done before, and sees what was before the last change; pairs
    // with [F1] [F3] [F4] [F5]
    return word_.compare_exchange_strong(seen, wanted, base::acq_rel, base::relaxed);
  }

  std::uint64_t* key() { return reinterpret_cast<std::uint64_t*>(this); }
  status run(feb::operation what, std::uint64_t deadline_ns, std::uint64_t* value);
  void run_marked(feb_stripe* stripe, feb_entry* one, feb::operation what, std::uint64_t* value);
  bool change_marked(const std::uint64_t* value, bool to_full);
  bool add_marked(std::uint64_t increment, std::uint64_t* sum);
  template <class Change>
  bool change_inside(Change change);
  void perform(feb_entry* one, feb::operation what, std::uint64_t* value, wake_later* served);
  template <feb::operation What>
  static void leave(sched::await_record* one);
  static void enter(feb_entry* entry, sched::await_record* one, feb::operation what);
  feb_entry* find_marked(feb_stripe* stripe);
  status mark(feb_stripe* stripe, std::uint64_t seen, feb_entry** made);
  status wait_for(feb_stripe* stripe, feb_entry* one, feb::operation what, std::uint64_t deadline_ns, std::uint64_t* value);
  void publish(feb_stripe* stripe);

  base::atomic<std::uint64_t> word_{0};
};

}  // namespace weft::sync
