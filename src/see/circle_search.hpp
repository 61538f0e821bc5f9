// The search for circles: units that wait for each other, each for the end of the next one or for a
// mutex that the next one holds, all without a deadline.
//
// It goes through all units in steps of a bounded number of reads, with a cursor. A step has two
// passes over the same units: the first one notes on which stacks those stand that wait for a unit,
// since most mutexes know their holder by an address in its stack; the second one follows the waits
// of each. A walk over all units is a round. So a circle whose members are known by their stacks is
// found in the second round at the latest, and in the first step where that is a whole round.
//
// What is read of many units one after the other is no moment in time. So a circle counts when two
// steps have found it with the same waits: then all of these lasted from the end of the first step
// to the begin of the second. The second time it is followed from where it was found.
//
// While others go on, a mutex whose holder is known by its number names no unit in a round in which
// a fork lives, or lived in the round before: forks lock under their forker's number.
#pragma once

#include <cstddef>
#include <cstdint>

#include "see/long_waits.hpp"

namespace weft::sched {

struct runtime;
struct unit;

struct circle {
  static constexpr unsigned most_members = 64;  // longer ones are not looked for

  const unit* members[most_members] = {};
  unsigned count = 0;
  std::uint64_t signature = 0;  // the same for the same waits, whichever member it begins with
};

class circle_search {
 public:
  // What a step reads at most, as wait_reader counts it, but for the end of what it is at: a
  // millisecond.
  static constexpr std::uint64_t most_work = 20'000;

  // Null: no memory.
  static circle_search* make();
  static void free(circle_search* one);

  // Calls found(state, circle) for each that was confirmed and never told before. True: there is
  // more to do soon, to end the round or to confirm what was found.
  bool step(runtime* rt, void (*found)(void* state, const circle& one), void* state);

  // All units at once, while nothing moves: calls found for each circle.
  void search_all(runtime* rt, void (*found)(void* state, const circle& one), void* state);

  std::uint64_t rounds() const { return rounds_; }       // ended
  std::uint64_t work() const { return reader_.work(); }  // of the last step

 private:
  struct start {
    const unit* one;
    std::size_t number;  // of the cursor
  };
  struct suspect {
    const unit* first;
    std::uint64_t signature;
  };
  static constexpr std::size_t most_starts = 1024;
  static constexpr unsigned most_suspects = 8, most_told = 8;

  circle_search() = default;
  void begin(runtime* rt);
  bool gather(std::uint64_t limit);
  void consider(const unit* one, std::size_t number);
  bool follow(const unit* first, bool from_any, circle* out);
  void follow_starts(bool ends_round);
  void suspect_circle(const circle& one);
  void confirm(void (*found)(void* state, const circle& one), void* state);
  bool is_told(std::uint64_t signature) const;

  runtime* rt_ = nullptr;
  wait_reader reader_;
  std::size_t next_ = 0;  // 0: the adopted caller; then the blocks of the slab
  std::uint64_t rounds_ = 0;
  std::uint64_t now_ns_ = 0;
  bool by_numbers_ = false;
  bool sees_forks_ = false;  // in this round
  bool saw_forks_ = true;    // in the round before; none has ended: there may be some
  std::size_t start_count_ = 0;
  unsigned suspect_count_ = 0;
  unsigned told_count_ = 0;
  suspect suspects_[most_suspects] = {};
  std::uint64_t told_[most_told] = {};
  start starts_[most_starts] = {};
};

}  // namespace weft::sched
