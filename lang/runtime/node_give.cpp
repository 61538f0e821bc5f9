// Giving: requests of other nodes, the tasks that answered them, and what becomes of these.
#include <cstdlib>
#include <cstring>

#include "kinds.hpp"
#include "node_give.hpp"
#include "node_talk.hpp"
#include "task_bytes.hpp"

namespace weft::tascell_runtime {
namespace {

constexpr std::uint64_t victim_patience_ns = ms;      // with a victim that does not poll
constexpr std::uint64_t whole_patience_ns = 20 * ms;  // of a request
constexpr std::uint64_t most_backlog = std::uint64_t{64} << 20;

// ---- requests -----------------------------------------------------------------------------------

unsigned thief_of(const node* self, const outside_request* of) {
  return self->all->count + static_cast<unsigned>(of - self->requests);
}

outside_request* free_request(node* self) {
  for (outside_request& each : self->requests)
    if (each.word.is_free()) return &each;
  return nullptr;
}

const task* find_running(const node* self, std::uint32_t from, std::uint64_t number) {
  for (const task* each = self->running.front(); each != nullptr; each = self->running.after(each))
    if (each->far_node == from && each->far_number == number) return each;
  return nullptr;
}

// Null: that node has no such task.
task* claim_given(node* self, std::uint32_t to, std::uint64_t number) {
  return self->given.take_first([to, number](const task* each) { return each->far_node == to && each->far_number == number; });
}

void say_none(node* self, std::uint32_t to, const ask_body& of, bool is_busy) {
  const none_body body = {of.wanted, is_busy ? 1u : 0u, of.asker};
  say(self, to, none_message, &body, sizeof body);
}

bool runs_anything(const run* all) {
  for (unsigned i = 0; i < all->count; ++i)
    if (all->workers[i].status.load(base::relaxed) != is_idle) return true;
  return false;
}

// Nothing runs here: the asker is told when something does.
void refuse_idle(node* self, std::uint32_t to, const ask_body& of) {
  {
    const node_lock locked(self);
    if (member* const asker = find_member(self, to)) asker->wants_hint = true;
  }
  self->hints.want();
  say_none(self, to, of, runs_anything(self->all));
}

// The task may go as soon as the lock is free, and its worker stays.
worker* runner_of_wanted(node* self, const outside_request& of) {
  const node_lock locked(self);
  const task* const wanted = find_running(self, of.node, of.wanted);
  return wanted == nullptr ? nullptr : as_worker(wanted->thief);
}

worker* follow_wanted(node* self, const outside_request& of) {
  worker* const runner = runner_of_wanted(self, of);
  return runner == nullptr ? nullptr : follow(self->all->workers + thief_of(self, &of), runner);
}

bool post_outside(node* self, outside_request* of) {
  worker* const thief = self->all->workers + thief_of(self, of);
  worker* const victim = of->wanted == 0 ? draw_victim(thief) : follow_wanted(self, *of);
  if (victim == nullptr) return false;
  of->victim = victim;
  of->posted_ns = weft_now_ns();
  victim->requests.post(thief->index);
  draw_attention(attention_of(victim), wants_work);
  return true;
}

// ---- gifts --------------------------------------------------------------------------------------

void tell_orphan(run* all, worker* giver) {
  giver->has_news.store(1, base::relaxed);
  wake(giver);
  wake_an_idle(all, 0);
}

// Under the lock: the task runs here. Returns its giver: the task may go as soon as the lock is
// free.
worker* make_orphan(node* self, task* given) {
  given->far_state = is_orphan;
  self->inbox.push_front(given);
  self->has_inbox.store(1, base::relaxed);
  return as_worker(given->giver);
}

}  // namespace

void serve_ask(node* self, std::uint32_t from, const ask_body& what) {
  outside_request* const made = self->by->backlog(self->group) > most_backlog ? nullptr : free_request(self);
  if (made == nullptr) {
    say_none(self, from, what, true);
    return;
  }
  made->node = from;
  made->asker = what.asker;
  made->wanted = what.wanted;
  if (what.wanted != 0 && runner_of_wanted(self, *made) == nullptr) {  // it has ended, or has not begun
    say_none(self, from, what, false);
    return;
  }
  made->begun_ns = weft_now_ns();
  made->word.begin();
  if (post_outside(self, made)) return;
  made->word.end();
  if (what.wanted == 0)
    refuse_idle(self, from, what);
  else
    say_none(self, from, what, true);
}

bool look_after_requests(node* self) {
  bool there_are = false;
  const std::uint64_t now = weft_now_ns();
  for (outside_request& each : self->requests) {
    if (each.word.is_free()) continue;
    there_are = true;
    if (now < each.posted_ns + victim_patience_ns || !each.victim->requests.withdraw(thief_of(self, &each))) continue;
    if (now < each.begun_ns + whole_patience_ns && post_outside(self, &each)) continue;
    each.word.end();
    say_none(self, each.node, {each.wanted, each.asker, 0}, true);
  }
  return there_are;
}

const task* find_wanted(node* self, unsigned thief) {
  const outside_request& of = self->requests[thief - self->all->count];
  const node_lock locked(self);
  return find_running(self, of.node, of.wanted);
}

bool wants_part_of_one(const node* self, unsigned thief) { return self->requests[thief - self->all->count].wanted != 0; }

void answer_outside(worker* self, unsigned thief, task* made) {
  node* const all = self->all->far;
  outside_request* const of = all->requests + (thief - self->all->count);
  const std::uint32_t to = of->node;
  give_body head = {0, of->wanted, of->asker, made == nullptr ? no_kind : number_of(made->kind)};
  of->word.end();
  if (made == nullptr) {
    say_none(all, to, {head.wanted, head.asker, 0}, true);
    return;
  }
  made->thief = self->all->workers + self->all->count;  // none of this node
  if (made->shipped == nullptr) pack_given(made);
  const void* data = nullptr;
  std::size_t size = 0;
  void* owner = nullptr;
  {
    const node_lock locked(all);
    const bool can_go = made->shipped != nullptr && find_member(all, to) != nullptr;
    if (can_go) {
      owner = detach_bytes(made, &data, &size);
      head.number = made->far_number = ++all->last_number;
      made->far_node = to;
      made->far_state = was_given;
      all->given.push_front(made);
    } else {
      make_orphan(all, made);
    }
  }
  if (owner == nullptr) {
    wake_an_idle(self->all, self->index);
    return;
  }
  say(all, to, give_message, &head, sizeof head, data, size, free_detached, owner);
}

void cancel_far(node* self, task* given) {
  std::uint32_t to = 0;
  const number_body body = {given->far_number};
  {
    const node_lock locked(self);
    as_atomic(given->is_cancelled).store(1, base::relaxed);
    if (given->far_state == was_given) to = given->far_node;
    if (given->far_state == is_near && given->thief->index < self->all->count) {
      worker* const thief = as_worker(given->thief);
      draw_attention(attention_of(thief), wants_end);
      wake(thief);
    }
  }
  if (to != 0) say(self, to, cancel_message, &body, sizeof body);
}

bool take_result(node* self, std::uint32_t from, const result_body& head, std::byte* bytes, std::size_t offset,
                 std::size_t size) {
  task* given = nullptr;
  if (head.reason <= WEFT_TASCELL_CANCELLED) {
    const node_lock locked(self);
    given = claim_given(self, from, head.number);
  }
  if (given == nullptr) {
    std::free(bytes);
    return head.reason <= WEFT_TASCELL_CANCELLED;
  }
  given->far_state = is_near;
  if (head.reason != WEFT_TASCELL_RETURNED)
    std::free(bytes);
  else if (!adopt_bytes(given, bytes, offset, size))
    die(&given->kind->place, "no memory for a task's results");
  given->tag = head.tag;
  worker* const giver = as_worker(given->giver);
  end_task(state_of(given), head.reason);
  if (head.reason == WEFT_TASCELL_THREW) draw_attention(attention_of(giver), wants_end);
  wake(giver);
  return true;
}

void take_back(node* self, std::uint32_t from, std::uint64_t number) {
  worker* giver = nullptr;
  {
    const node_lock locked(self);
    task* const given = claim_given(self, from, number);
    if (given != nullptr) giver = make_orphan(self, given);
  }
  if (giver != nullptr) tell_orphan(self->all, giver);
}

void lose_member(node* self, std::uint32_t which) {
  bool has_lost = false;
  {
    const node_lock locked(self);  // for both, so that no victim gives it a task in between
    member* const gone = find_member(self, which);
    if (gone != nullptr) *gone = self->members[--self->member_count];
    if (which == 0) self->member_count = 0;
    auto lost = self->given.take_each([which](const task* each) { return which == 0 || each->far_node == which; });
    has_lost = !lost.is_empty();
    while (task* const each = lost.pop_front()) (void)make_orphan(self, each);
  }
  for (unsigned i = 0; has_lost && i < self->all->count; ++i) tell_orphan(self->all, self->all->workers + i);
}

}  // namespace weft::tascell_runtime
