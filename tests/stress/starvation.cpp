// No ready unit starves: random programs of patterns that keep themselves ready for ever, beside
// units whose waits are counted (turns.hpp). The patterns create and join in place, name each other,
// hand locks over, yield, fill pools, recur, and run under schedulers; each program mixes a few.
// Usage: starvation WORKERS, at most 8.
//
// tests/api/fair_turns.c has each pattern alone.
#include "turns.hpp"

namespace {

using weft::stress::all_turns;
using weft::stress::dice;
using weft::stress::victim;
using weft::stress::victim_kind;

// A pattern: one unit, or two that have a part each.
struct part {
  struct pattern* of;
  unsigned number;
  dice from;
  weft_thread* thread = nullptr;
  bool goes_on() { return all_turns->goes_on(&from); }
  part& other();
};

struct pattern {
  const struct pattern_kind* kind;
  unsigned place;
  weft_pool* scheduled = nullptr;  // of units that a scheduler of its own runs
  std::vector<part> parts;
  weft_mutex handed = WEFT_MUTEX_INIT;
  std::atomic<unsigned> ended{0};
  std::atomic<bool> is_chain_over{false};
  std::atomic<unsigned> in_row{0};
  std::vector<weft_thread*> busy;
};

part& part::other() { return of->parts[1 - number]; }

void nothing(void*) {}

// It may have ended.
void resume(weft_thread* one) {
  const weft_status done = weft_resume(one);
  MUST(done == WEFT_OK || done == WEFT_INVALID);
}

weft_thread_attr attr_of(const pattern& of) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = all_turns->places[of.place].pool;
  return attr;
}

// ---- create and join ----

void create_and_join(part* self) {
  weft_thread_attr attr = attr_of(*self->of);
  const bool is_mixed = self->from.one_in(2);
  while (self->goes_on()) {
    if (is_mixed) attr.stack_bytes = self->from.one_in(2) ? 131072 : 0;
    weft_thread* made = nullptr;
    OK(weft_thread_create(nothing, nullptr, &attr, &made));
    OK(weft_thread_join(made));
  }
}

void join_tasklets(part* self) {
  const weft_thread_attr attr = attr_of(*self->of);
  while (self->goes_on()) {
    weft_thread* made = nullptr;
    OK(weft_tasklet_create(nothing, nullptr, &attr, &made));
    OK(weft_thread_join(made));
  }
}

void join_many(part* self) {
  const weft_thread_attr attr = attr_of(*self->of);
  while (self->goes_on()) {
    weft_thread* made[4];
    OK(weft_thread_create_many(nothing, nullptr, 0, 4, &attr, made));
    OK(weft_thread_join_many(made, 4));
  }
}

void make_successor(void* argument) {
  auto* const self = static_cast<part*>(argument);
  if (self->goes_on()) {
    const weft_thread_attr attr = attr_of(*self->of);
    OK(weft_thread_create(make_successor, self, &attr, nullptr));
  } else {
    self->of->is_chain_over.store(true);
  }
}
void chain(part* self) {
  make_successor(self);
  all_turns->wait_until([self] { return self->of->is_chain_over.load(); });
}

struct branch {
  part* of;
  unsigned left;
  dice from;
};
constexpr unsigned depth_of_recursion = 2;

void divide(void* argument) {
  branch self = *static_cast<branch*>(argument);
  if (self.left == 0) return;
  const weft_thread_attr attr = attr_of(*self.of->of);
  branch below{self.of, self.left - 1, dice(self.from.next())};
  weft_thread* made[2];
  for (weft_thread*& each : made) OK(weft_thread_create(divide, &below, &attr, &each));
  for (weft_thread* each : made) {
    (void)all_turns->goes_on(&self.from);
    OK(weft_thread_join(each));
  }
}
void recur(part* self) {
  while (self->goes_on()) {
    branch root{self, depth_of_recursion, dice(self->from.next())};
    divide(&root);
  }
}

// ---- pairs ----

void name_each_other(part* self) {
  while (self->goes_on()) {
    const weft_status done = weft_yield_to(self->other().thread);
    MUST(done == WEFT_OK || done == WEFT_AGAIN);
  }
}

// A call of weft_suspend that a resumption has preceded returns at once, and is no choice: the
// second one waits for the first, so that none does.
void resume_each_other(part* self) {
  if (self->number == 1) OK(weft_suspend());
  while (self->goes_on()) {
    resume(self->other().thread);
    OK(weft_suspend());
  }
}

void hand_over(part* self) {
  while (self->goes_on()) {
    OK(weft_mutex_lock(&self->of->handed));
    weft_yield();  // the other one comes to wait for it
    OK(weft_mutex_unlock(&self->of->handed));
  }
}

// Each takes the other out of the pool, and then owns it.
void give_way(part* self) {
  weft_pool* const pool = all_turns->places[self->of->place].pool;
  while (self->goes_on()) {
    if (weft_ext_pool_remove(pool, self->other().thread)) {
      OK(weft_ext_yield_to_owned(self->other().thread, self->from.one_in(8)));
    } else {
      weft_yield();
    }
  }
}

void yield_in_turn(part* self) {
  while (self->goes_on()) weft_yield();
}

bool accept(void*, weft_thread*) { return true; }
void yield_in_pool(part* self) {
  while (self->goes_on()) {
    if (weft_ext_yield_in_pool(accept, nullptr) != WEFT_OK) weft_yield();
  }
}

// ---- schedulers ----

void yield_in_row(void* argument) {
  auto* const of = static_cast<pattern*>(argument);
  while (!all_turns->is_over.load()) {
    MUST(of->in_row.fetch_add(1) <= 256);
    weft_yield();
  }
}

void yield_under_scheduler(void* argument) {
  auto* const self = static_cast<part*>(argument);
  while (self->goes_on()) weft_yield();
}

weft_thread* pop_next(void* pool, weft_thread*) { return weft_ext_pool_pop(static_cast<weft_pool*>(pool)); }
weft_thread* pop_for(void* pool, unsigned) { return weft_ext_pool_pop(static_cast<weft_pool*>(pool)); }

void start_busy(pattern* of, unsigned count, weft_function run, void* argument) {
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &of->scheduled));
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = of->scheduled;
  of->busy.resize(count);
  for (weft_thread*& each : of->busy) OK(weft_thread_create(run, argument, &attr, &each));
}

void end_busy(pattern* of) {
  OK(weft_thread_join_many(of->busy.data(), of->busy.size()));
  OK(weft_pool_destroy(of->scheduled));
}

// A scheduler whose row never ends by itself.
void run_rows(part* self) {
  pattern* const of = self->of;
  start_busy(of, 2 + self->from.below(2), yield_in_row, of);
  const weft_row row = {sizeof row, pop_next, of->scheduled, nullptr, nullptr, nullptr};
  while (weft_thread* one = weft_ext_pool_pop(of->scheduled)) {
    of->in_row.store(0);
    OK(weft_ext_dispatch_in_turn(one, &row));
    (void)self->goes_on();
    weft_yield();
  }
  end_busy(of);
}

// A scheduler of worker 0 that always has a unit.
void set_scheduler(part* self) {
  pattern* const of = self->of;
  start_busy(of, 2, yield_under_scheduler, self);
  const weft_scheduler_ops ops = {sizeof ops, pop_for};
  OK(weft_ext_worker_set_scheduler(0, &ops, of->scheduled));
  yield_in_turn(self);
  for (weft_thread* each : of->busy) OK(weft_thread_join(each));
  of->busy.clear();
  OK(weft_ext_worker_set_scheduler(0, nullptr, nullptr));
  end_busy(of);
}

// ---- programs ----

struct pattern_kind {
  const char* name;
  void (*run)(part* self);
  unsigned parts;
  unsigned units;  // ready at a time, at most
  unsigned joiners;
  bool needs_pool;
};
constexpr pattern_kind kinds[] = {
    {"create and join", create_and_join, 1, 2, 1, false},
    {"tasklets", join_tasklets, 1, 2, 1, false},
    {"join_many", join_many, 1, 5, 1, false},
    {"chain", chain, 1, 2, 0, false},
    {"recursion", recur, 1, 2 << depth_of_recursion, 1U << depth_of_recursion, false},
    {"yield_to", name_each_other, 2, 2, 0, false},
    {"suspend and resume", resume_each_other, 2, 2, 0, false},
    {"hand-over", hand_over, 2, 2, 0, false},
    {"yield_to_owned", give_way, 2, 2, 0, true},
    {"yield", yield_in_turn, 2, 2, 0, false},
    {"yield_in_pool", yield_in_pool, 2, 2, 0, true},
    {"rows", run_rows, 1, 1, 0, false},
    {"scheduler", set_scheduler, 1, 1, 0, false},  // last: a worker has one
};

void run_part(void* argument) {
  auto* const self = static_cast<part*>(argument);
  all_turns->wait_until([] { return all_turns->has_begun.load(); });
  self->of->kind->run(self);
  std::atomic<unsigned>& ended = self->of->ended;
  const auto parts = static_cast<unsigned>(self->of->parts.size());
  if (ended.fetch_add(1) + 1 < parts) resume(self->other().thread);  // it may be suspended
  all_turns->wait_until(
      [&ended, parts] { return ended.load() == parts; });  // the other one names this one, which may be joined once it ends
}

void add_pattern(std::deque<pattern>* all, const pattern_kind* kind, dice* from) {
  weft::stress::turns& its = *all_turns;
  const auto pools = static_cast<unsigned>(its.places.size()) - 1;
  if (kind->needs_pool && pools == 0) kind = &kinds[0];
  pattern& one = all->emplace_back();
  one.kind = kind;
  one.place = kind->needs_pool ? 1 + from->below(pools) : from->below(pools + 1);
  its.places[one.place].units += kind->units;
  its.words.append(its.words.empty() ? "" : ", ")
      .append(kind->name)
      .append(one.place == 0 ? "" : " in pool " + std::to_string(one.place));
  for (unsigned i = 0; i < kind->parts; ++i) one.parts.push_back({&one, i, dice(from->next())});
}

void add_patterns(std::deque<pattern>* all, dice* from) {
  constexpr unsigned count = sizeof kinds / sizeof *kinds;
  const unsigned wanted = 1 + from->below(3);
  for (unsigned i = 0; i < wanted; ++i) add_pattern(all, &kinds[from->below(count - 1)], from);
  if (from->one_in(6)) add_pattern(all, &kinds[count - 1], from);
}

void add_victims(dice* from) {
  weft::stress::turns& its = *all_turns;
  const unsigned wanted = 2 + from->below(4);
  for (unsigned i = 0; i < wanted; ++i) {
    victim& one = its.victims.emplace_back();
    one.kind = static_cast<victim_kind>(from->below(6));
    one.place = from->below(static_cast<unsigned>(its.places.size()));
    ++its.places[one.place].units;
  }
}

// What docs/guide/how-a-thread-runs.md promises.
void set_bounds(const std::deque<pattern>& all) {
  weft::stress::turns& its = *all_turns;
  const auto pools = static_cast<unsigned>(its.places.size()) - 1;
  std::uint64_t joiners = 0, longest = 0;
  bool names = false;
  for (const pattern& each : all) {
    joiners += each.kind->joiners;
    names = names || each.kind->run == name_each_other || each.kind->joiners != 0;  // the named one runs at the first look
  }
  constexpr unsigned own = 2;  // the choice at whose end a look is due, and the one that the look is for
  const std::uint64_t choices = (own + (joiners != 0 ? 256 : 64)) * (1 + joiners) * (names ? 2 : 1) *
                                (pools != 0 ? 2 : 1);  // the own queue and the pools come in turn
  for (victim& each : its.victims) {
    const std::uint64_t before = its.places[each.place].units;
    each.bound = choices * (each.place == 0 ? 2 * before + 3 : pools * (before + 1));
    longest = std::max(longest, each.bound);
  }
  its.set_most_steps(longest + longest / 2);
}

void start_victims() {
  for (victim& each : all_turns->victims) {
    if (each.kind == victim_kind::fresh || each.kind == victim_kind::tasklet) continue;
    weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
    attr.pool = all_turns->places[each.place].pool;
    all_turns->staying.fetch_add(1);
    OK(weft_thread_create(weft::stress::arrive_for_ever, &each, &attr, &each.thread));
  }
}

void end_victims() {
  all_turns->is_closed.store(true);
  for (victim& each : all_turns->victims) {
    if (each.kind == victim_kind::suspended) OK(weft_resume(each.thread));
    if (each.kind == victim_kind::at_semaphore) OK(weft_semaphore_release(&each.tokens, 1));
  }
  for (victim& each : all_turns->victims) {
    if (each.thread != nullptr) OK(weft_thread_join(each.thread));
  }
  all_turns->wait_until([] { return !all_turns->any_new_one_waits(); });
}

void run_patterns(std::deque<pattern>* all) {
  std::vector<weft_thread*> started;
  for (pattern& one : *all) {
    const weft_thread_attr attr = attr_of(one);
    for (part& each : one.parts) {
      OK(weft_thread_create(run_part, &each, &attr, &each.thread));
      started.push_back(each.thread);
    }
  }
  all_turns->has_begun.store(true);
  OK(weft_thread_join_many(started.data(), started.size()));
}

double longest_share = 0;

void live(unsigned workers, std::uint64_t seed) {
  dice from(seed);
  weft::stress::turns its(workers, 0);
  all_turns = &its;
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  OK(weft_init(&config));
  const unsigned pools = from.one_in(2) ? 0 : 1 + from.below(3);
  its.places.resize(1 + pools);
  for (unsigned i = 1; i <= pools; ++i) {
    OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &its.places[i].pool));
    for (unsigned worker = 0; worker < workers; ++worker) OK(weft_pool_attach(its.places[i].pool, worker));
  }
  std::deque<pattern> all;
  add_patterns(&all, &from);
  add_victims(&from);
  set_bounds(all);
  start_victims();
  run_patterns(&all);
  end_victims();
  for (unsigned i = 1; i <= pools; ++i) {
    for (unsigned worker = 0; worker < workers; ++worker) OK(weft_pool_detach(its.places[i].pool, worker));
    OK(weft_pool_destroy(its.places[i].pool));
  }
  OK(weft_finalize());
  longest_share = std::max(longest_share, its.longest_share);
  ++weft::stress::programs;
}

}  // namespace

int main(int count, char** arguments) {
  const int status = weft::stress::live_on("starvation", count, arguments, live);
  std::printf("the longest wait took %.0f %% of its bound\n", 100 * longest_share);
  return status;
}
