// Taking: idle workers and joiners ask other nodes, and run what these give.
#include <cstdlib>
#include <cstring>

#include "kinds.hpp"
#include "node_take.hpp"
#include "node_talk.hpp"
#include "task_bytes.hpp"

namespace weft::tascell_runtime {
namespace {

constexpr std::uint64_t first_delay_ns = 100 * us, longest_delay_ns = 10 * ms;  // between two asks of a node
constexpr std::uint64_t safety_ns = 200 * ms;                                   // a node that had nothing is asked all the same
constexpr std::uint64_t silence_ns = 100 * ms;                                  // then another node is asked, too
constexpr std::uint64_t unclaimed_ns = 20 * ms;

// ---- the inbox ----------------------------------------------------------------------------------

// Under the lock. An idle worker runs anything. A joiner runs the task itself, or what was asked
// for on its account: tasks keep in `tag` until they run the number of the task whose descendant
// they are.
bool is_for(const task* each, const task* joined) {
  if (joined == nullptr || each == joined) return true;
  return each->far_state == was_taken && each->tag != 0 && joined->far_state == was_given &&
         static_cast<std::uint64_t>(each->tag) == joined->far_number;
}

task* take_out(node* self, worker* by, const task* joined) {
  const node_lock locked(self);
  task* const found = self->inbox.take_first([joined](const task* each) { return is_for(each, joined); });
  if (self->inbox.is_empty()) self->has_inbox.store(0, base::relaxed);
  if (found == nullptr) return nullptr;
  found->thief = by;
  found->next = nullptr;
  found->tag = 0;
  if (found->far_state == is_orphan) {
    found->far_state = is_near;
  } else {
    found->far_state = is_run_here;
    self->running.push_front(found);
  }
  return found;
}

// A task that came cannot run here: its giver runs it.
void give_back(node* self, task* what) {
  const number_body body = {what->far_number};
  const std::uint32_t to = what->far_node;
  weft_tascell_task_free(what);
  say(self, to, back_message, &body, sizeof body);
}

void unlink_running(node* self, task* what) {
  const node_lock locked(self);
  (void)self->running.remove(what);
  what->next = nullptr;
}

task* take_filled(worker* self, const task* joined) {
  node* const all = self->all->far;
  while (all->has_inbox.load(base::relaxed) != 0) {
    task* const found = take_out(all, self, joined);
    if (found == nullptr || found->far_state == is_near) return found;
    if (is_unwanted(found) || fill_taken(found)) return found;
    unlink_running(all, found);
    give_back(all, found);
  }
  return nullptr;
}

// ---- asking -------------------------------------------------------------------------------------

// Under the lock: the node to ask for any work, or null; *until_ns: when there may be one.
member* choose_member(worker* self, std::uint64_t now, std::uint64_t* until_ns) {
  node* const all = self->all->far;
  member* chosen = nullptr;
  unsigned count = 0;
  for (std::size_t i = 0; i < all->member_count; ++i) {
    member* const each = all->members + i;
    if (each->asked_ns != 0 && now < each->asked_ns + silence_ns) {  // one ask at a time
      *until_ns = each->asked_ns + silence_ns;
      return nullptr;
    }
    if (each->asked_ns != 0) continue;
    const std::uint64_t at = each->may_have_work ? each->ask_at_ns : each->ask_at_ns + safety_ns;
    if (at > now) {
      *until_ns = at < *until_ns ? at : *until_ns;
      continue;
    }
    if (self->random.next() % ++count == 0) chosen = each;
  }
  return chosen;
}

void ask_any(worker* self, std::uint64_t* until_ns) {
  node* const all = self->all->far;
  std::uint32_t to = 0;
  {
    const node_lock locked(all);
    const std::uint64_t now = weft_now_ns();
    member* const chosen =
        all->is_ready && all->is_leaving.load(base::relaxed) == 0 ? choose_member(self, now, until_ns) : nullptr;
    if (chosen == nullptr) return;
    chosen->asked_ns = now;
    to = chosen->number;
  }
  *until_ns = weft_now_ns() + silence_ns;
  const ask_body body = {0, self->index, 0};
  say(all, to, ask_message, &body, sizeof body);
  pass_state(all, asking_state);
}

// For descendants of a task that another node runs; one ask at a time, and then a pause.
void ask_back(worker* self, task* what) {
  node* const all = self->all->far;
  const std::uint64_t now = weft_now_ns();
  const bool is_answered = self->is_answered.load(base::relaxed) != 0;
  if (now < (is_answered ? self->ask_back_at_ns : self->asked_back_ns + silence_ns)) return;
  std::uint32_t to = 0;
  {
    const node_lock locked(all);
    if (what->far_state == was_given && all->is_leaving.load(base::relaxed) == 0) to = what->far_node;
  }
  if (to == 0) return;
  self->ask_back_delay_ns = self->ask_back_delay_ns == 0 ? first_delay_ns : 2 * self->ask_back_delay_ns;
  if (self->ask_back_delay_ns > longest_delay_ns) self->ask_back_delay_ns = longest_delay_ns;
  self->ask_back_at_ns = now + self->ask_back_delay_ns;
  self->asked_back_ns = now;
  self->is_answered.store(0, base::relaxed);
  const ask_body body = {what->far_number, self->index, 0};
  say(all, to, ask_message, &body, sizeof body);
}

}  // namespace

task* take_from_outside(worker* self, std::uint64_t* until_ns) {
  pass_state(self->all->far, idle_state);
  task* const found = take_filled(self, nullptr);
  if (found == nullptr && self->all->far->is_cut_off.load(base::relaxed) == 0) ask_any(self, until_ns);
  return found;
}

task* take_for(worker* self, task* what, bool may_steal) {
  task* const found = take_filled(self, what);
  if (found != nullptr) {
    self->ask_back_delay_ns = 0;
    self->ask_back_at_ns = 0;
  } else if (may_steal && !is_unwanted(what)) {
    ask_back(self, what);
  }
  return found;
}

// ---- what a worker ran --------------------------------------------------------------------------

bool is_taken(const task* what) { return what->far_state == is_run_here; }

void give_result(worker* self, task* done, weft_tascell_reason reason, std::int64_t tag) {
  node* const all = self->all->far;
  const std::uint32_t to = done->far_node;
  result_body head = {done->far_number, tag, static_cast<std::uint32_t>(reason), 0};
  unlink_running(all, done);
  pass_state(all, result_state);
  const void* data = nullptr;
  std::size_t size = 0;
  void* owner = nullptr;
  if (reason == WEFT_TASCELL_RETURNED) {
    if (!pack_out_taken(done)) die(&done->kind->place, "no memory to send a task's results");
    owner = detach_bytes(done, &data, &size);
  }
  weft_tascell_task_free(done);
  say(all, to, result_message, &head, sizeof head, data, size, owner == nullptr ? nullptr : free_detached, owner);
  pass_state(all, sent_state);
}

// ---- the door -----------------------------------------------------------------------------------

bool take_given(node* self, std::uint32_t from, const give_body& head, std::byte* bytes, std::size_t offset, std::size_t size) {
  const weft_tascell_kind* const kind = kind_at(head.kind);
  if (kind == nullptr || kind->unpack_in == nullptr || head.asker >= self->all->count) {
    std::free(bytes);
    return false;
  }
  task* const made = weft_tascell_task_make(nullptr, kind);
  const bool is_good = made != nullptr && adopt_bytes(made, bytes, offset, size);
  if (!is_good) {
    if (made == nullptr) std::free(bytes);
    weft_tascell_task_free(made);
    const number_body body = {head.number};
    say(self, from, back_message, &body, sizeof body);
    return true;
  }
  made->far_number = head.number;
  made->far_node = from;
  made->far_state = was_taken;
  made->tag = static_cast<std::int64_t>(head.wanted);
  made->far_since = weft_now_ns();
  {
    const node_lock locked(self);
    member* const giver = find_member(self, from);
    if (giver != nullptr && head.wanted == 0) {
      giver->asked_ns = giver->ask_at_ns = 0;
      giver->delay_ns = 0;
      giver->may_have_work = true;
    }
    self->inbox.push_back(made);
    self->has_inbox.store(1, base::relaxed);
  }
  worker* const asker = self->all->workers + head.asker;
  asker->has_news.store(1, base::relaxed);
  if (head.wanted != 0) asker->is_answered.store(1, base::relaxed);
  wake(asker);
  if (head.wanted == 0 && asker->status.load(base::relaxed) != is_idle) wake_an_idle(self->all, 0);
  return true;
}

void take_none(node* self, std::uint32_t from, const none_body& what) {
  if (what.wanted != 0) {
    if (what.asker < self->all->count) self->all->workers[what.asker].is_answered.store(1, base::relaxed);
    return;
  }
  {
    const node_lock locked(self);
    member* const of = find_member(self, from);
    if (of == nullptr) return;
    of->asked_ns = 0;
    of->may_have_work = what.is_busy != 0;
    of->delay_ns = of->delay_ns == 0 ? first_delay_ns : of->delay_ns * 2 < longest_delay_ns ? of->delay_ns * 2 : longest_delay_ns;
    of->ask_at_ns = weft_now_ns() + of->delay_ns;
  }
  wake_an_idle(self->all, 0);  // to ask another node, or later
}

void take_hint(node* self, std::uint32_t from) {
  {
    const node_lock locked(self);
    member* const of = find_member(self, from);
    if (of == nullptr) return;
    of->may_have_work = true;
    of->ask_at_ns = of->delay_ns = 0;
  }
  wake_an_idle(self->all, 0);
}

void take_cancel(node* self, std::uint32_t from, std::uint64_t number) {
  task* found = nullptr;
  {
    const node_lock locked(self);
    found = self->inbox.take_first([from, number](const task* each) {
      return each->far_state == was_taken && each->far_node == from && each->far_number == number;
    });
    if (found == nullptr) {
      for (task* each = self->running.front(); each != nullptr; each = self->running.after(each)) {
        if (each->far_node != from || each->far_number != number) continue;
        as_atomic(each->is_cancelled).store(1, base::relaxed);
        draw_attention(attention_of(as_worker(each->thief)), wants_end);
        wake(as_worker(each->thief));
      }
    }
  }
  if (found == nullptr) return;
  weft_tascell_task_free(found);
  const result_body head = {number, 0, WEFT_TASCELL_CANCELLED, 0};
  say(self, from, result_message, &head, sizeof head);
}

void drop_taken(node* self, std::uint32_t from) {
  weft::base::linked_queue<task> dropped;
  {
    const node_lock locked(self);
    dropped = self->inbox.take_each(
        [from](const task* each) { return each->far_state == was_taken && (from == 0 || each->far_node == from); });
    for (task* each = self->running.front(); each != nullptr; each = self->running.after(each)) {
      if (from != 0 && each->far_node != from) continue;
      as_atomic(each->is_cancelled).store(1, base::relaxed);
      draw_attention(attention_of(as_worker(each->thief)), wants_end);
      wake(as_worker(each->thief));
    }
  }
  while (task* const each = dropped.pop_front()) weft_tascell_task_free(each);
}

bool look_after_inbox(node* self, bool at_once) {
  if (self->has_inbox.load(base::relaxed) == 0) return false;
  if (!at_once && has_idle(self->all)) {
    wake_an_idle(self->all, 0);
    return true;
  }
  const std::uint64_t now = weft_now_ns();
  weft::base::linked_queue<task> unclaimed;
  bool is_left = false;
  {
    const node_lock locked(self);
    unclaimed = self->inbox.take_each([at_once, now](const task* each) {
      return each->far_state == was_taken && (at_once || now > each->far_since + unclaimed_ns);
    });
    is_left = !self->inbox.is_empty();
  }
  while (task* const each = unclaimed.pop_front()) give_back(self, each);
  return is_left;
}

// A node that runs a task may give of it.
void tell_nodes(run* all) {
  node* const self = all->far;
  if (!self->hints.is_wanted()) return;
  for (;;) {
    std::uint32_t to = 0;
    {
      const node_lock locked(self);
      for (std::size_t i = 0; i < self->member_count && to == 0; ++i) {
        if (!self->members[i].wants_hint) continue;
        self->members[i].wants_hint = false;
        to = self->members[i].number;
      }
      if (to == 0) self->hints.settle();
    }
    if (to == 0) return;
    say(self, to, hint_message, nullptr, 0);
  }
}

}  // namespace weft::tascell_runtime
