// See schedule.hpp.
#include "seeded/schedule.hpp"
#include "worker/runtime.hpp"

#include <inttypes.h>
#include <unistd.h>

#include "base/assert.hpp"

namespace weft::sched {

namespace {

// FNV-1a over the words.
std::uint32_t add_to_sum(std::uint32_t sum, choice_kind kind, std::uint32_t alternatives) {
  constexpr std::uint32_t prime = 16777619;
  sum = (sum ^ static_cast<std::uint32_t>(kind)) * prime;
  return (sum ^ alternatives) * prime;
}

constexpr std::uint32_t empty_sum = 2166136261;

[[noreturn]] void diverge(const recorded_choice& asked, const recorded_choice& recorded, std::uint64_t last_matched) {
  base::report("replay diverged at choice %" PRIu64 ", or after choice %" PRIu64
               ", the last one that was as recorded: choice %" PRIu64 " was %s %" PRIu32 "/%" PRIu32 ", now choice %" PRIu64
               " is %s with %" PRIu32
               " alternatives. Something besides the schedule changed: arguments, input, time of day, OS threads outside Weft",
               asked.number, last_matched, recorded.number, name_of(recorded.kind), recorded.chosen, recorded.alternatives,
               asked.number, name_of(asked.kind), asked.alternatives);
  _exit(exit_diverged);
}

}  // namespace

status schedule::open(const schedule_wish& wish, unsigned run, unsigned workers) {
  from_ = wish.from;
  sum_ = empty_sum;
  if (from_ == choice_source::replay || from_ == choice_source::near) {
    if (const status result = replay_.open(wish.replay, run, workers); result != status::ok) return result;
    has_next_ = replay_.next(&next_);
  }
  random_ = base::rng(wish.seed + (run - 1) * 0x9e3779b97f4a7c15);
  one_in_ = 2u << random_.below(4);
  depth_ = wish.depth;
  length_ = wish.length;
  samples_orders_ = wish.samples_orders;
  if (depth_ != 0 || samples_orders_) draw_priorities();
  if (wish.record[0] == '\0') return status::ok;
  const status result = record_.open(wish.record, run, workers);
  if (result != status::ok) replay_.close();
  return result;
}

void schedule::close() {
  if (from_ == choice_source::replay) check_end();
  replay_.close();
  if (record_.is_open()) record_.close(choices_, sum_);
}

void schedule::check_end() const {
  std::uint64_t choices = next_.number;
  std::uint32_t sum = 0;
  const bool knows_end = !has_next_ && replay_.next_is_end(&choices, &sum);
  if (!has_next_ && (!knows_end || (choices == choices_ && sum == sum_))) return;
  base::report("replay diverged after choice %" PRIu64 ", the last one that was as recorded: this run ended after %" PRIu64
               " choices, the recorded one %s choice %" PRIu64,
               last_matched_, choices_, knows_end ? "after" : "not before", choices);
  _exit(exit_diverged);
}

void schedule::draw_priorities() {
  for (std::int64_t& each : priorities_) each = random_.below(INT32_MAX);
  for (std::uint32_t index = 0; index + 1 < depth_; ++index) change_points_[index] = 1 + random_.below(length_);
}

// At the first choice of a turn from a drawn one on.
bool schedule::is_change_point(choice_kind kind) {
  if (kind != choice_kind::turn) return false;
  bool is_one = false;
  for (std::uint32_t index = 0; index + 1 < depth_; ++index) {
    if (change_points_[index] > choices_) continue;
    change_points_[index] = UINT64_MAX;
    is_one = true;
  }
  return is_one;
}

void schedule::put_last(unsigned worker) { priorities_[worker] = --lowest_; }

std::uint32_t schedule::choose(choice_kind kind, std::uint32_t alternatives, const std::uint16_t* workers) {
  if (alternatives == 1) return 0;
  sum_ = add_to_sum(sum_, kind, alternatives);
  recorded_choice made{++choices_, kind, 0, alternatives, sum_};
  made.chosen = decide(made, workers);
  if (made.chosen != 0 && record_.is_open()) record_.write(made);
  return made.chosen;
}

std::uint32_t schedule::decide(const recorded_choice& asked, const std::uint16_t* workers) {
  switch (from_) {
    case choice_source::usual: break;
    case choice_source::seed:
      if (workers != nullptr && depth_ != 0) return decide_by_priority(asked, workers);
      return workers != nullptr && samples_orders_ ? decide_by_sample(asked, workers) : decide_at_random(asked);
    case choice_source::replay:
    case choice_source::near: return decide_as_recorded(asked);
  }
  return 0;
}

std::uint32_t schedule::decide_at_random(const recorded_choice& asked) {
  const bool has_usual = asked.kind == choice_kind::turn || asked.kind == choice_kind::unit;
  const bool is_usual = has_usual && random_.below(one_in_) != 0;
  return is_usual ? 0 : random_.below(asked.alternatives);
}

std::uint32_t schedule::decide_by_priority(const recorded_choice& asked, const std::uint16_t* workers) {
  if (is_change_point(asked.kind)) put_last(workers[0]);
  return highest(asked.alternatives, workers);
}

// The first alternative of a turn is the worker that has just made a step.
std::uint32_t schedule::decide_by_sample(const recorded_choice& asked, const std::uint16_t* workers) {
  if (asked.kind == choice_kind::turn) priorities_[workers[0]] = random_.below(INT32_MAX);
  return highest(asked.alternatives, workers);
}

std::uint32_t schedule::highest(std::uint32_t alternatives, const std::uint16_t* workers) const {
  std::uint32_t best = 0;
  for (std::uint32_t index = 1; index < alternatives; ++index) {
    if (priorities_[workers[index]] > priorities_[workers[best]]) best = index;
  }
  return best;
}

std::uint32_t schedule::decide_as_recorded(const recorded_choice& asked) {
  const bool is_strict = from_ == choice_source::replay;
  if (!has_next_ || next_.number > asked.number) return 0;
  const bool fits = next_.kind == asked.kind && next_.alternatives == asked.alternatives;
  if (is_strict && (!fits || next_.sum != asked.sum)) diverge(asked, next_, last_matched_);
  const std::uint32_t chosen = next_.kind == asked.kind && next_.chosen < asked.alternatives ? next_.chosen : 0;
  last_matched_ = next_.number;
  has_next_ = replay_.next(&next_);
  return chosen;
}

}  // namespace weft::sched
