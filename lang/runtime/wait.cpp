// Workers that wait: an idle one for any task, a joiner for its own. Each looks for a little while,
// letting other ULTs of its worker of Weft run, and then sleeps.
#include <algorithm>
#include <cstdio>

#include "node_life.hpp"
#include "node_take.hpp"
#include "node_tell.hpp"

namespace weft::tascell_runtime {
namespace {

constexpr std::uint64_t looks_for = 20 * us;         // before it sleeps
constexpr std::uint64_t longest_delay = ms;          // between two requests
constexpr std::uint64_t longest_patience = 16 * ms;  // with a victim that does not poll

// Sleeps until a waker comes, the deadline passes, or is_over, which is the last look, is true.
template <class Condition>
void sleep(worker* self, std::uint64_t deadline_ns, const Condition& is_over, sleeper::depth how = sleeper::shallow) {
  self->bed.lie_down(how);
  if (!is_over()) {
    ++self->counts.sleeps;
    if (weft_semaphore_acquire_until(&self->token, deadline_ns) == WEFT_OK) return;
  }
  if (!self->bed.get_up()) (void)weft_semaphore_acquire(&self->token);
}

// Looks until the deadline, or is_over.
template <class Condition>
void look(worker* self, std::uint64_t deadline_ns, const Condition& is_over) {
  while (!is_over() && weft_now_ns() < deadline_ns) {
    refuse_all(self);
    for (int i = 0; i < 8; ++i) spin_hint();
    weft_yield();
  }
}

// Waits for *delay_ns, which doubles, or until is_over.
template <class Condition>
void back_off(worker* self, std::uint64_t* delay_ns, const Condition& is_over) {
  const std::uint64_t deadline = weft_now_ns() + *delay_ns;
  if (*delay_ns < looks_for)
    look(self, deadline, is_over);
  else
    sleep(self, deadline, is_over);
  *delay_ns = std::min(2 * *delay_ns, longest_delay);
}

// ---- a request ----------------------------------------------------------------------------------

// Names a victim that has not polled for long, once for each time.
void watch_over(worker* victim, std::uint64_t now_ns) {
  const std::uint64_t limit = victim->all->how.watchdog_ns;
  std::uint64_t since = victim->asked_since.load(base::relaxed);
  if (limit == 0 || since == 0 || since == UINT64_MAX || now_ns < since + limit) return;
  if (weft_thread_get_state(victim->thread) == WEFT_THREAD_BLOCKED) return;
  if (!victim->asked_since.compare_exchange_strong(since, UINT64_MAX, base::relaxed)) return;
  const weft_tascell_place* const at = victim->seen_at.load(base::relaxed);
  const bool is_known = at != nullptr && at->file != nullptr;
  const auto passed = static_cast<unsigned long long>((now_ns - since) / ms);
  if (is_known)
    std::fprintf(stderr, "weft: tascell: worker %u has not polled for %llu ms; its task began, or last answered, at %s:%u\n",
                 victim->index, passed, at->file, at->line);
  else
    std::fprintf(stderr, "weft: tascell: worker %u has not polled for %llu ms, nor since its task began\n", victim->index,
                 passed);
}

void post(worker* self, worker* victim, const task* wanted) {
  self->wanted = wanted;
  self->answers.clear();
  victim->requests.post(self->index);
  draw_attention(attention_of(victim), wants_work);
  std::uint64_t never = 0;
  (void)victim->asked_since.compare_exchange_strong(never, weft_now_ns(), base::relaxed);
}

// Asks a victim, and waits up to *patience_ns for its answer. Returns a task; null: there is none.
// Once the victim has taken the request, its answer is waited for.
template <class Condition>
task* ask(worker* self, worker* victim, const task* wanted, std::uint64_t* patience_ns, const Condition& is_over) {
  post(self, victim, wanted);
  const std::uint64_t start = weft_now_ns();
  const auto has_answer = [&] { return self->answers.look() != mailbox::empty; };
  const auto has_enough = [&] { return has_answer() || is_over(); };
  look(self, start + looks_for, has_enough);
  if (!has_enough()) sleep(self, start + *patience_ns, has_enough);
  if (!has_answer() && victim->requests.withdraw(self->index)) {
    watch_over(victim, weft_now_ns());
    *patience_ns = std::min(2 * *patience_ns, longest_patience);
    return nullptr;
  }
  look(self, UINT64_MAX, has_answer);
  *patience_ns = ms;
  const std::uintptr_t answer = self->answers.look();
  return answer == mailbox::none ? nullptr : reinterpret_cast<task*>(answer);
}

// ---- idle ---------------------------------------------------------------------------------------

constexpr std::uint64_t longest_look_outside = 100 * ms;  // of the worker that keeps the watch of a node

bool has_ended(const run* all) { return all->has_ended.load(base::relaxed) != 0; }

bool has_come(const run* all) { return all->far != nullptr && all->far->has_inbox.load(base::relaxed) != 0; }

void wake_idle(worker* self) {
  run* const all = self->all;
  for (unsigned i = 1; i < all->count; ++i) {
    worker* const each = all->workers + (self->index + i) % all->count;
    if (!each->bed.must_be_woken(sleeper::deep)) continue;
    (void)weft_semaphore_release(&each->token, 1);
    return;
  }
}

void stop_watch(worker* self) {
  if (self->all->keeper.leave(self->index)) wake_idle(self);
}

void sleep_for_long(worker* self) {
  run* const all = self->all;
  all->asleep.fetch_add(1, base::relaxed);
  sleep(self, WEFT_FOREVER, [all] { return has_ended(all) || has_come(all) || !all->keeper.is_kept(); }, sleeper::deep);
  all->asleep.fetch_add(~std::uint32_t{0}, base::relaxed);
}

// until_ns: when other nodes can be asked again, where nothing runs on this one.
void rest(worker* self, std::uint64_t* delay_ns, bool is_still, std::uint64_t until_ns) {
  run* const all = self->all;
  const auto is_over = [all] { return has_ended(all) || has_come(all); };
  if (*delay_ns == longest_delay && !all->keeper.take(self->index)) {
    sleep_for_long(self);
    *delay_ns = us;
    return;
  }
  if (all->far == nullptr || !is_still || *delay_ns < longest_delay) {
    back_off(self, delay_ns, is_over);
    return;
  }
  all->asleep.fetch_add(1, base::relaxed);
  sleep(self, std::min(until_ns, weft_now_ns() + longest_look_outside), is_over, sleeper::deep);
  all->asleep.fetch_add(~std::uint32_t{0}, base::relaxed);
}

}  // namespace

// ---- victims ------------------------------------------------------------------------------------

worker* draw_victim(worker* self) {
  run* const all = self->all;
  worker* drawn = nullptr;
  double sum = 0;
  for (unsigned i = 0; i < all->count; ++i) {
    worker* const each = all->workers + i;
    if (each == self || each->status.load(base::relaxed) != is_running) continue;
    const double weight = all->how.refuses ? 1 : static_cast<double>(each->accepts.load(base::relaxed)) * 0x1p-20;
    sum += weight;
    if (weight > 0 && self->random.fraction() * sum < weight) drawn = each;
  }
  return drawn;
}

// Another worker may take over a task that came back from another node.
static worker* thief_of(run* all, const task* what) {
  if (all->far == nullptr) return as_worker(what->thief);
  const node_lock locked(all->far);
  return as_worker(what->thief);
}

worker* follow(worker* self, const task* what) { return follow(self, thief_of(self->all, what)); }

worker* follow(worker* self, worker* at) {
  for (unsigned hops = 0; hops < self->all->count && at != self; ++hops) {
    if (at->index >= self->all->count) return nullptr;  // it is on another node
    const std::uint32_t status = at->status.load(base::relaxed);
    if (status == is_running) return at;
    if (status == is_idle) return nullptr;
    at = self->all->workers + at->waits_for.load(base::relaxed);
  }
  return nullptr;
}

// ---- wakers -------------------------------------------------------------------------------------

void wake(worker* other) {
  if (other->bed.must_be_woken(sleeper::shallow)) (void)weft_semaphore_release(&other->token, 1);
}

void tell_idle(worker* self) {
  if (self->all->asleep.load(base::relaxed) != 0) wake_idle(self);
  if (self->all->far != nullptr) tell_nodes(self->all);
}

void wake_an_idle(run* all, unsigned first) {
  for (unsigned i = 0; i < all->count; ++i) {
    worker* const each = all->workers + (first + i) % all->count;
    if (each->status.load(base::relaxed) != is_idle || !each->bed.must_be_woken(sleeper::shallow)) continue;
    (void)weft_semaphore_release(&each->token, 1);
    return;
  }
}

bool has_idle(const run* all) {
  for (unsigned i = 0; i < all->count; ++i)
    if (all->workers[i].status.load(base::relaxed) == is_idle) return true;
  return false;
}

void be_idle(worker* self) {
  run* const all = self->all;
  const auto is_over = [all] { return has_ended(all); };
  std::uint64_t delay = us, patience = ms;
  while (!is_over()) {
    refuse_all(self);
    worker* const victim = draw_victim(self);
    task* got = victim == nullptr ? nullptr : ask(self, victim, nullptr, &patience, is_over);
    std::uint64_t until = UINT64_MAX;
    if (got == nullptr && all->far != nullptr) got = take_from_outside(self, &until);
    if (got == nullptr) {
      rest(self, &delay, victim == nullptr, until);
      continue;
    }
    stop_watch(self);
    run_task(self, got);
    delay = us;
  }
  refuse_all(self);
}

void wait_for(worker* self, record* newest, task* what, bool may_steal) {
  const auto is_over = [self, what] {
    return has_ended(state_of(what)) || draws_attention(attention_of(self)) || self->has_news.load(base::relaxed) != 0;
  };
  self->top->newest = newest;
  std::uint64_t delay = us, patience = ms;
  bool must_end = false;
  while (!has_ended(state_of(what))) {
    self->waits_for.store(thief_of(self->all, what)->index, base::relaxed);
    self->status.store(is_waiting, base::relaxed);
    if ((take_attention(attention_of(self), self->all->looks_always) & wants_end) != 0) {
      must_end = true;
      pass_on_cancellations(self, self->top);
    }
    refuse_all(self);
    self->has_news.store(0, base::relaxed);
    task* got = self->all->far == nullptr ? nullptr : take_for(self, what, may_steal);
    worker* const victim = got == nullptr && may_steal && !is_unwanted(what) ? follow(self, what) : nullptr;
    if (victim != nullptr) got = ask(self, victim, what, &patience, is_over);
    if (got == nullptr) {
      back_off(self, &delay, is_over);
      continue;
    }
    run_task(self, got);
    delay = us;
  }
  self->status.store(is_running, base::relaxed);
  if (must_end) draw_attention(attention_of(self), wants_end);
}

void wait_for_nodes(worker* self) {
  const node* const far = self->all->far;
  const auto is_over = [far] {
    return far->nodes.load(base::relaxed) >= far->nodes_wanted || far->is_cut_off.load(base::relaxed) != 0;
  };
  std::uint64_t delay = us;
  while (!is_over()) back_off(self, &delay, is_over);
}

void wait_for_ticket(worker* self) {
  const node* const far = self->all->far;
  const auto is_over = [self, far] {
    return self->ticket.load(base::relaxed) == 0 || far->is_cut_off.load(base::relaxed) != 0 || has_ended(self->all);
  };
  std::uint64_t delay = us;
  while (!is_over()) {
    refuse_all(self);
    back_off(self, &delay, is_over);
  }
}

}  // namespace weft::tascell_runtime

using namespace weft::tascell_runtime;

bool weft_tascell_join_in_frames(weft_tascell_worker* worker, weft_tascell_choice* choice, weft_tascell_task** task,
                                 weft_tascell_unwinding* out) {
  auto* const self = as_worker(worker);
  weft_tascell_task* const given = choice->given;
  wait_for(self, &choice->record, given, true);
  std::int64_t tag = 0;
  const weft_tascell_reason reason = weft_tascell_task_reason(given, &tag);
  *task = nullptr;
  if (reason == WEFT_TASCELL_CANCELLED) {  // by this worker, because something older ends
    if (!must_unwind(self, &choice->record, out)) die(&choice->record.operations->place, "a task was cancelled without a reason");
    return true;
  }
  choice->given = given->older;
  if (reason == WEFT_TASCELL_RETURNED) {
    unpack_results(given);
    *task = given;
    return false;
  }
  *out = {WEFT_TASCELL_THREW, tag, nullptr, given->foreign};
  weft_tascell_task_free(given);
  return true;
}

weft_tascell_task* weft_tascell_join(weft_tascell_worker* worker, weft_tascell_choice* choice) {
  weft_tascell_task* joined = nullptr;
  unwinding how{};
  if (weft_tascell_join_in_frames(worker, choice, &joined, &how)) weft_tascell_unwind(worker, &choice->record, &how);
  return joined;
}
