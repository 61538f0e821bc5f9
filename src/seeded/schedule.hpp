// A schedule: what decides each choice of the scheduler in a run that can be repeated
// (WEFT_SCHEDULE). seeded/turns.hpp asks.
//
// A choice is a number below that of the alternatives; 0 is always what the scheduler would do
// anyway (go on, take the unit that is next, steal from the nearest). Sources:
//   usual    always 0;
//   seed     at random: another alternative with a probability that the seed draws from 1/2 to
//            1/16, so that some seeds change places at every call and others leave a worker alone
//            for long;
//   pct      priorities: the worker with the highest one always goes on; at DEPTH - 1 choices,
//            drawn from the first `length` ones, the one that goes on gets the lowest. A bug that
//            needs DEPTH things in an order is found with a probability of at least
//            1 / (workers * length^(DEPTH - 1)) a run (Burckhardt, Kothari, Musuvathi, Nagarakatte,
//            ASPLOS 2010, doi:10.1145/1736020.1736040). A worker that yields or finds nothing gets
//            the lowest, too, or workers that wait in circles would keep all others from running;
//   pos      priorities again: each worker draws one for its next step, the highest goes on, and
//            draws anew once it has made its step. It samples the orders of steps more evenly than
//            choices at random where one worker makes many steps and another few (Yuan, Yang, Gu,
//            CAV 2018, doi:10.1007/978-3-319-96142-2_20; their basic form, as a choice does not say
//            which steps conflict);
//   replay   a record's (schedule_trace.hpp); 0 where it says nothing. Where the program asks for
//            something else than was recorded, the run ends with exit_diverged;
//   near     a record's as far as possible: what does not fit is left out; for shrinking.
//
// Called by the one OS thread whose turn it is.
#pragma once

#include <cstdint>

#include "base/rng.hpp"
#include "base/status.hpp"
#include "seeded/schedule_text.hpp"
#include "seeded/schedule_trace.hpp"

namespace weft::sched {

inline constexpr unsigned most_schedule_workers = 1024;

class schedule {
 public:
  // run: which runtime of this process it is, from 1. Errors: invalid, after a line on stderr.
  status open(const schedule_wish& wish, unsigned run, unsigned workers);
  void close();

  // alternatives: at least 1; a single one is no choice. workers: the index of each, where workers
  // are chosen among; else null.
  std::uint32_t choose(choice_kind kind, std::uint32_t alternatives, const std::uint16_t* workers);

  // The worker waits in circles.
  void put_last(unsigned worker);

 private:
  void draw_priorities();
  std::uint32_t decide(const recorded_choice& asked, const std::uint16_t* workers);
  std::uint32_t decide_at_random(const recorded_choice& asked);
  std::uint32_t decide_by_priority(const recorded_choice& asked, const std::uint16_t* workers);
  std::uint32_t decide_by_sample(const recorded_choice& asked, const std::uint16_t* workers);
  std::uint32_t highest(std::uint32_t alternatives, const std::uint16_t* workers) const;
  std::uint32_t decide_as_recorded(const recorded_choice& asked);
  bool is_change_point(choice_kind kind);
  void check_end() const;

  choice_source from_ = choice_source::usual;
  schedule_writer record_;
  std::uint64_t choices_ = 0;
  std::uint32_t sum_ = 0;

  // replay
  schedule_reader replay_;
  bool has_next_ = false;
  recorded_choice next_{};
  std::uint64_t last_matched_ = 0;

  // seed
  base::rng random_{0};
  std::uint32_t one_in_ = 2;

  // pos
  bool samples_orders_ = false;

  // pct; the priorities are pos's, too
  std::uint32_t depth_ = 0;  // 0: off
  std::uint32_t length_ = 0;
  std::uint64_t change_points_[64] = {};
  std::int64_t lowest_ = 0;
  std::int64_t priorities_[most_schedule_workers] = {};
};

}  // namespace weft::sched
