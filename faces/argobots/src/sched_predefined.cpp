// BASIC takes units from its pools in the order of their access (private ones first), PRIO in the
// order given, RANDWS from its first pool or else as a thief from others. Each sleeps when all its
// pools are empty. BASIC_WAIT, which waits in a pool where Argobots' BASIC spins, is BASIC here.
//
// Argobots' BASIC starves later pools while a unit of an earlier one yields again and again; here
// now and then a later one has its turn.

#include "sched_predefined.hpp"

#include <cstdint>

#include "base/rng.hpp"
#include "pool.hpp"
#include "self.hpp"
#include "stream.hpp"

namespace weft::abt {

namespace {

// ---- which unit is next ----

// When the unit that leaves goes back into one of the pools (comes_back), no pool after that one is
// looked at: the unit itself comes first.
struct in_order {
  scheduler* who;

  chosen next(const pool* comes_back) const {
    for (std::size_t index = 0; index < who->pool_count; ++index) {
      pool* const one = who->served[index];
      if (weft_thread* found = pop(one, ABT_POOL_CONTEXT_OP_POOL_OTHER); found != nullptr) return {found, false};
      if (one == comes_back) return {nullptr, true};
    }
    return {nullptr, false};
  }
  void take_stock() {}
};

struct in_order_with_turns {
  scheduler* who;
  std::size_t turn = 0;  // the pool that is looked at first, once after each look at events
  bool has_turn = false;

  chosen next(const pool* comes_back) {
    if (has_turn) {
      has_turn = false;
      if (weft_thread* found = pop(who->served[turn], ABT_POOL_CONTEXT_OP_POOL_OTHER); found != nullptr) return {found, false};
    }
    return in_order{who}.next(comes_back);
  }
  void take_stock() {
    if (++turn >= who->pool_count) turn = 0;
    has_turn = turn != 0;
  }
};

struct stealing {
  scheduler* who;
  base::rng random;

  chosen next(const pool* comes_back) {
    if (weft_thread* found = pop(who->served[0], ABT_POOL_CONTEXT_OWNER_PRIMARY); found != nullptr) return {found, false};
    if (comes_back == who->served[0]) return {nullptr, true};
    return {who->pool_count > 1 ? steal() : nullptr, false};
  }
  // Each of the others once, from a random one on.
  weft_thread* steal() {
    const std::size_t others = who->pool_count - 1;
    std::size_t victim = random.below(static_cast<std::uint32_t>(others));
    for (std::size_t tried = 0; tried < others; ++tried) {
      if (weft_thread* found = pop(who->served[1 + victim], ABT_POOL_CONTEXT_OWNER_SECONDARY); found != nullptr) return found;
      if (++victim == others) victim = 0;
    }
    return nullptr;
  }
  void take_stock() {}
};

// ---- the loop ----

struct sleeper {
  scheduler* who;
  const stream* here;
};

bool is_wanted(void* argument) {
  const auto* const me = static_cast<sleeper*>(argument);
  return has_events(me->here, me->who) || has_to_stop(me->who);
}

// Blocked units that it waits for may go elsewhere without a word.
std::uint64_t latest_look(const scheduler* who) {
  constexpr std::uint64_t between_looks_ns = 10'000'000;
  const bool is_leaving = who->use == scheduler_use::in_pool || who->requests.load(std::memory_order_relaxed) != 0;
  return is_leaving ? weft_deadline_in(between_looks_ns) : WEFT_FOREVER;
}

void sleep(scheduler* who) {
  sleeper me{who, who_calls().where};
  static_cast<void>(weft_ext_wait_for_work(who->queues, who->pool_count, latest_look(who), is_wanted, &me));
}

// Users' pools are asked by their scheduler's ULT itself, as in Argobots.
bool may_run_rows(const scheduler* who) {
  for (std::size_t index = 0; index < who->pool_count; ++index) {
    if (!who->served[index]->is_built_in()) return false;
  }
  return who->use == scheduler_use::main;
}

template <class Choice>
choice_of_units choice_by(Choice* how, const scheduler* who) {
  const pool* const first = who->served[0];
  return {[](void* state, const pool* comes_back) { return static_cast<Choice*>(state)->next(comes_back); }, how,
          first->is_built_in() ? first : nullptr, who->event_frequency};
}

template <class Choice>
void serve(scheduler* who, Choice how) {
  if (who->pool_count == 0) return;
  const bool in_rows = may_run_rows(who);
  choice_of_units choice = choice_by(&how, who);
  for (;;) {
    weft_thread* const found = choice.choose(nullptr).unit;
    if (found != nullptr) {
      in_rows ? run_units(found, &choice) : run_unit(found);
      if (choice.left != 0) continue;
    }
    choice.left = who->event_frequency;
    check_events(who_calls().where, who);
    if (has_to_stop(who)) return;
    how.take_stock();
    if (found == nullptr) sleep(who);
  }
}

void run_basic(ABT_sched handle) { serve(scheduler_of(handle), in_order_with_turns{scheduler_of(handle)}); }
void run_prio(ABT_sched handle) { serve(scheduler_of(handle), in_order{scheduler_of(handle)}); }
void run_randws(ABT_sched handle) {
  scheduler* const who = scheduler_of(handle);
  const std::uint64_t seed = who->pool_count != 0 ? who->served[0]->id + 1 : 1;
  serve(who, stealing{who, base::rng(seed)});
}

constexpr ABT_sched_def basic{ABT_SCHED_TYPE_ULT, nullptr, run_basic, nullptr, nullptr};
constexpr ABT_sched_def prio{ABT_SCHED_TYPE_ULT, nullptr, run_prio, nullptr, nullptr};
constexpr ABT_sched_def randws{ABT_SCHED_TYPE_ULT, nullptr, run_randws, nullptr, nullptr};

}  // namespace

const ABT_sched_def* predefined(ABT_sched_predef which) {
  switch (which) {
    case ABT_SCHED_DEFAULT:
    case ABT_SCHED_BASIC:
    case ABT_SCHED_BASIC_WAIT: return &basic;
    case ABT_SCHED_PRIO: return &prio;
    case ABT_SCHED_RANDWS: return &randws;
  }
  return nullptr;
}

scheduler_kind kind_of(ABT_sched_predef which) {
  switch (which) {
    case ABT_SCHED_BASIC_WAIT: return scheduler_kind::basic_wait;
    case ABT_SCHED_PRIO: return scheduler_kind::prio;
    case ABT_SCHED_RANDWS: return scheduler_kind::randws;
    default: return scheduler_kind::basic;
  }
}

}  // namespace weft::abt
