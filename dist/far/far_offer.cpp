// See far.hpp: offers, and steals from ranks of other nodes.
#include <signal.h>

#include <cstring>

#include "arch/cpu.hpp"
#include "base/assert.hpp"
#include "dist/far/far_state.hpp"
#include "dist/rank/engine.hpp"
#include "os/clock.hpp"
#include "os/thread.hpp"

namespace weft::dist {

constinit far_process far;

namespace {

struct open_put {
  const net::window* into;
  int rank;
};
open_put open_puts[64];
unsigned open_count = 0;
bool has_ticker = false;

// In the index of an offer: above it stands the thread that runs, for the trace.
constexpr unsigned thread_at = 32;

base::atomic<std::uint32_t> ticks_so_far{0};

// Makes each fork that begins now and then take the rare way, which makes offers, and polls: the
// fast one knows no time. As an assistant it also lets operations go on while the rank does not
// fork.
void* tick(void*) {
  os::name_this_thread("weft-ticks");
  for (;;) {
    os::sleep_until(os::now_ns() + std::uint64_t{all.set.poll} * 1000);
    ticks_so_far.store(ticks_so_far.load(base::relaxed) + 1, base::relaxed);
    if (far.is_assisted) far.net->by->assist(far.net->words);
    if (!all.mine->is_serving) continue;
    all.mine->limit.store(0, base::relaxed);
    if (all.how->is_inline) fork_line::ask(all.mine->line);
  }
  return nullptr;
}

void start_ticker() {
  sigset_t every, before;
  sigfillset(&every);
  sigprocmask(SIG_SETMASK, &every, &before);
  os::os_thread ticker;
  const bool is_started = os::start_thread(&ticker, tick, nullptr, 0) == status::ok;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (!is_started)
    net::fail(all.job, "rank %d of %d has no memory for the OS thread by which it polls", all.job.rank, all.job.ranks);
  has_ticker = true;
}

[[noreturn]] void refuse_assistant() {
  if (all.set.poll == 0)
    net::fail(all.job, "WEFT_DIST_PROGRESS=assistant: an assistant looks every WEFT_DIST_POLL microseconds; set that above 0");
  net::fail(all.job,
            "WEFT_DIST_PROGRESS=assistant: %s lets one OS thread alone call it; set WEFT_DIST_PROGRESS=polling, or have it built "
            "with threads",
            far.net->library);
}

void end_puts() {
  for (unsigned i = 0; i < open_count; ++i) far.net->by->flush(*open_puts[i].into, open_puts[i].rank);
  open_count = 0;
}

// No fork takes the rare way until the next tick.
void be_quiet(control* from) { from->limit.store(all.set.poll != 0 ? from->quiet_limit : 0, base::relaxed); }

void take_back_public(control* from) {
  while (!from->queue.seems_empty()) {
    if (!take_back(from, from->split - 1)) break;
  }
}

bool make_offer(control* from) {
  slot* const which = from->split;
  if (which == from->top || far.offers.is_full()) return false;
  continuation what{which->frame, which[-1].frame, which[-1].place, which->place, nullptr, which[-1].record};
  if (!make_far(what, &which[-1].record)) return false;
  const std::size_t record = far.records.take();
  if (record == 0) return false;
  which->record = what.record = far_record_at(all.job.rank, record);
  what.parent_record = which[-1].record;
  descriptor words;
  std::memcpy(&words, &what, sizeof words);
  const std::uint32_t index = from->index_of(which);
  from->split = which + 1;
  from->queue.skip(index + 1);
  far.offered = which;
  const std::uint64_t asked_by = take_wanted();
  far.offers.make(index | current_thread() << thread_at, words);
  call_wanting(asked_by);
  return true;
}

// This rank's, of another's region.
std::size_t offset_in_region(const void* address) {
  return static_cast<std::size_t>(static_cast<const std::byte*>(address) - all.job.region);
}

void copy_far(int victim, const continuation& what) {
  const net::rma& by = *far.net->by;
  (void)ask_for_next(victim);  // the flush below ends it, too
  auto* const frame = reinterpret_cast<void*>(what.frame);
  by.get(far.net->region, victim, offset_in_region(frame), frame, what.frame_end - what.frame);
  // With the place of the child, which says what it runs.
  const auto* const end = reinterpret_cast<const std::byte*>(what.places_end + 1);
  by.get(far.net->region, victim, offset_in_region(what.places), what.places,
         static_cast<std::size_t>(end - reinterpret_cast<const std::byte*>(what.places)));
  by.flush(far.net->region, victim);
}

}  // namespace

void start_far() {
  for (int rank = 0; rank < all.job.ranks; ++rank) {
    if (!net::is_near(all.job, rank))
      all.is_far = true;
    else if (rank != all.job.rank)
      far.neighbour[far.neighbours++] = rank;
  }
  if (!all.is_far) return;
  if (all.set.checking == check::all)
    net::fail(
        all.job,
        "WEFT_DIST_CHECK=all: the ranks must be on one node; start them by weft launch alone, or set WEFT_DIST_CHECK=first");
  if (all.how->take_offer == nullptr)
    net::fail(all.job,
              "WEFT_DIST_POLICY=%s: the ranks must be on one node, because %s; unset the variable, or set it to optimised, "
              "stalling, child or run-to-completion",
              all.set.policy == way::basic ? "basic" : "iso-address",
              all.set.policy == way::basic
                  ? "they read a forker's frames in a copy of the stack that no network reaches"
                  : "a stack's bytes stay where its thread waits, and go back to its rank by shared memory");
  far.net = all.job.network;
  far.polls = far.net->chosen() == net::progress_by::polling;
  far.is_assisted = far.net->chosen() == net::progress_by::assistant && far.net->by->assist != nullptr;
  if (far.is_assisted && !far.net->may_assist) refuse_assistant();
  far.offers.set_up(*far.net->by, far.net->words);
  far.records.set_up(&far.offers.words(), all.set.pool);
  if (far.is_assisted) start_ticker();
}

void begin_far_root(control* mine) {
  if (all.is_far && !has_ticker && all.set.poll != 0) start_ticker();
  if (all.is_far && all.how->is_inline) fork_line::ask(mine->line);
}

void end_far_root(control*) {
  if (!all.is_far) return;
  poll_far();
  if (all.how->is_inline && far.offered != nullptr && !far.offers.stands()) {  // it was claimed after its forker had left
    far.offers.was_claimed();
    far.offered = nullptr;
  }
  WEFT_ASSERT(far.offered == nullptr, "an offer stands after the root's end");
}

void note_put(const net::window& into, int rank) {
  if (far.net->by->send_puts != nullptr) far.net->by->send_puts(into, rank);
  for (unsigned i = 0; i < open_count; ++i) {
    if (open_puts[i].into == &into && open_puts[i].rank == rank) return;
  }
  if (open_count == sizeof open_puts / sizeof *open_puts) end_puts();
  open_puts[open_count++] = {&into, rank};
}

std::uint32_t ticks() { return ticks_so_far.load(base::relaxed); }

void poll_far() {
  if (!all.is_far) return;
  far.net->by->progress(far.net->words);
  end_puts();
}

bool may_offer() {
  if (far.polls) far.net->by->progress(far.net->words);
  if (far.offered != nullptr) {
    if (far.offers.stands()) return false;
    far.offers.was_claimed();
    far.offered = nullptr;
  }
  return far.neighbours == 0 || far.offers.words().wanted.value() != 0;
}

std::uint64_t take_wanted() {
  const std::uint64_t asked_by = far.offers.words().wanted.value();
  far.offers.words().wanted.clear();
  return asked_by;
}

bool ask_for_next(int victim) {
  if (far.polls || far.is_assisted) return false;  // the put would arrive when the victim looks for itself
  const std::uint64_t now = 0;
  const void* const limit = all.how->is_inline ? static_cast<const void*>(&all.mine->line.limit) : &all.mine->limit;
  const auto at = static_cast<std::size_t>(static_cast<const std::byte*>(limit) - all.job.region);
  far.net->by->put(far.net->region, victim, at, &now, sizeof now);
  return true;
}

void call_wanting(std::uint64_t asked_by) {
  if (asked_by == 0) return;
  const int thief = static_cast<int>(asked_by) - 1;
  call_thief(*far.net->by, far.net->words, thief);
  note_put(far.net->words, thief);
}

bool publish_far(control* from) {
  if (!all.is_far) return false;
  const bool may = may_offer();
  if (far.offered != nullptr) {
    be_quiet(from);
    return true;
  }
  if (!may) return false;
  take_back_public(from);
  if (!make_offer(from)) return false;
  be_quiet(from);
  return true;
}

bool is_offered(const slot* forker) { return far.offered == forker; }

bool take_back_offer(control* from, const slot* forker) {
  far.offered = nullptr;
  if (!far.offers.take_back()) return false;
  slot* const its = from->slots + from->index_of(forker);
  far.records.put_back(join_of(its->record).offset);
  its->record = nullptr;
  from->split = its;
  from->queue.skip(from->index_of(its));
  from->limit.store(0, base::relaxed);
  return true;
}

bool are_far_copied() { return !all.is_far || far.offers.all_copied(); }

bool steal_far(control* mine, int victim) {
  const net::rma& by = *far.net->by;
  far.claim_began = arch::cycles();
  offer claimed;
  all.part->robbed.store(static_cast<std::uint32_t>(victim) + 1, base::relaxed);
  const bool is_claimed = claim_offer<far_words>(by, far.net->words, victim, &claimed);
  if (!is_claimed) {
    all.part->robbed.store(0, base::relaxed);
    if (claimed.words[offer::ticket] == 0 && !net::is_near(all.job, victim)) {
      want_offer(by, far.net->words, victim);
      note_put(far.net->words, victim);
    }
    return false;
  }
  mine->count.claim_ticks += arch::cycles() - far.claim_began;
  all.how->take_offer(mine, victim, claimed);
  all.part->robbed.store(0, base::relaxed);
  return true;
}

std::uint64_t when_claim_began() { return far.claim_began; }

void take_continuation(control* mine, int victim, const offer& claimed) {
  const std::uint64_t was_claimed = arch::cycles();
  const net::rma& by = *far.net->by;
  continuation what;
  std::memcpy(&what, &claimed.words[offer::what], sizeof what);
  copy_far(victim, what);
  end_copy<far_words>(by, far.net->words, victim, claimed.words[offer::ticket]);
  note_put(far.net->words, victim);
  const std::uint64_t was_copied = arch::cycles();
  const std::size_t bytes = bytes_of(what);
  what.places_end->taker = what.record;
  void (*const run)(void* work) = what.places_end->run;
  ++what.places_end;
  const std::uint64_t index = claimed.words[offer::index];
  occupy(mine, static_cast<std::uint32_t>(index), what);
  next_is_stolen({victim, index >> thread_at, run, bytes, far.claim_began, was_claimed, was_copied});
  counters& count = mine->count;
  ++count.steals;
  count.stolen_bytes += bytes;
  count.copy_ticks += was_copied - was_claimed;
  count.take_up_ticks += arch::cycles() - was_copied;
}

namespace {

// At random, of the other ranks of this node.
int neighbour() { return far.neighbour[random_below(far.neighbours)]; }

// The rank that has an offer for this one, or any other; less than 0: it is not yet time.
int next_far_victim() {
  put_word& called = far.offers.words().called;
  if (const std::uint64_t victim = called.value(); victim != 0) {
    called.clear();
    return static_cast<int>(victim) - 1;
  }
  return far.pace.is_time(os::now_ns()) ? other_rank() : -1;
}

}  // namespace

bool try_far(control* mine, unsigned round) {
  if (round == 0) far.pace.restart();
  if (all.how->is_inline && take_own_fork(mine)) return true;
  if (far.neighbours != 0) {
    ++mine->count.probes;
    if (all.how->steal(mine, neighbour())) return true;
  }
  const int victim = next_far_victim();
  if (victim < 0) return false;
  ++mine->count.probes;
  return steal_far(mine, victim);
}

}  // namespace weft::dist
