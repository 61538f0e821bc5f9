// The slow path of a poll: a worker takes the requests that have come, walks its records to the
// oldest, undoing, lets choice points divide on the way back, and redoes.
//
// The walk needs no memory of its own: on the way up it turns each record's link round, and on the
// way back it restores it (H. Schorr, W. M. Waite, doi:10.1145/363534.363554). It ends at the root,
// or at a choice point that has already given: everything older was found indivisible then, and
// what is older than a running construct does not become divisible again.
#include "kinds.hpp"
#include "node.hpp"
#include "node_give.hpp"

namespace weft::tascell_runtime {
namespace {

// ---- requests -----------------------------------------------------------------------------------

bool is_outside(const worker* self, unsigned thief) { return thief >= self->all->count; }

void answer(worker* self, unsigned thief, std::uintptr_t what) {
  worker* const to = self->all->workers + thief;
  to->answers.answer(what);
  wake(to);
}

void refuse(worker* self, unsigned thief) {
  ++self->counts.refused;
  weft_ext_trace_note(note_of_refusals, 1);
  if (is_outside(self, thief))
    answer_outside(self, thief, nullptr);
  else
    answer(self, thief, mailbox::none);
}

// Whether the running task descends from a task, or is that task.
bool descends(const worker* self, const task* from) {
  for (const task* each = self->top == nullptr ? nullptr : self->top->running; each != nullptr; each = each->parent)
    if (each == from) return true;
  return false;
}

bool wants_descendant(const worker* self, unsigned thief) {
  return is_outside(self, thief) ? wants_part_of_one(self->all->far, thief) : self->all->workers[thief].wanted != nullptr;
}

const task* wanted_by(const worker* self, unsigned thief) {
  return is_outside(self, thief) ? find_wanted(self->all->far, thief) : self->all->workers[thief].wanted;
}

bool accepts(worker* self, unsigned thief) {
  if (self->is_alone) return false;
  if (wants_descendant(self, thief)) {
    const task* const wanted = wanted_by(self, thief);
    return wanted != nullptr && descends(self, wanted);
  }
  return !self->all->how.refuses || self->probability >= 1 || self->random.fraction() < self->probability;
}

// Takes what has come into self->pending. Returns how many it accepts; the others are refused.
unsigned take_requests(worker* self) {
  unsigned count = 0;
  for (std::size_t word = 0; word < request_words(self->all->thieves); ++word) {
    std::uint64_t taken = self->requests.take(word);
    for (std::uint64_t rest = taken; rest != 0; rest &= rest - 1) {
      const auto thief = static_cast<unsigned>(word * bits_of_word) + static_cast<unsigned>(__builtin_ctzll(rest));
      ++self->counts.requests;
      if (accepts(self, thief)) {
        ++count;
        continue;
      }
      taken &= ~(rest & (~rest + 1));
      refuse(self, thief);
    }
    self->pending[word] = taken;
  }
  return count;
}

// The first accepted request of those that a choice point may serve, or of any; those of this node
// come first. Its bit stays. Returns: the thief; thieves if there is none.
unsigned find_thief(const worker* self, const record* at) {
  const std::uint32_t thieves = self->all->thieves;
  for (std::size_t word = 0; word < request_words(thieves); ++word) {
    if (self->pending[word] == 0) continue;
    const auto thief = static_cast<unsigned>(word * bits_of_word) + static_cast<unsigned>(__builtin_ctzll(self->pending[word]));
    return at == nullptr || !is_outside(self, thief) || can_go(at->operations->gives) ? thief : thieves;
  }
  return thieves;
}

void forget_request(worker* self, unsigned thief) {
  self->pending[thief / bits_of_word] &= ~(std::uint64_t{1} << thief % bits_of_word);
}

// The next accepted request. There is one.
unsigned next_thief(worker* self) {
  const unsigned thief = find_thief(self, nullptr);
  forget_request(self, thief);
  return thief;
}

// ---- the walk -----------------------------------------------------------------------------------

bool has_given(const record* at) {
  return at->operations->kind == WEFT_TASCELL_CHOICE && reinterpret_cast<const weft_tascell_choice*>(at)->given != nullptr;
}

void undo(worker* self, record* at) {
  ++self->counts.records;
  if (at->operations->kind != WEFT_TASCELL_WIND) return;
  save_workspace(self, at);
  at->operations->undo(at, self);
}

void redo(worker* self, record* at) {
  if (at->operations->kind != WEFT_TASCELL_WIND) return;
  at->operations->redo(at, self);
  compare_saved(self->check, at);
}

void send(worker* self, weft_tascell_choice* from, task* made, unsigned thief) {
  worker* const to = self->all->workers + thief;
  made->older = from->given;
  from->given = made;
  made->giver = self;
  made->thief = to;
  made->parent = self->top->running;
  state_of(made).store(task_given, base::relaxed);
  ++self->counts.given;
  weft_ext_trace_note(note_of_gift, made->kind->bytes);
  if (to != self && wants_descendant(self, thief)) ++self->counts.stolen_back;
  if (is_outside(self, thief)) {
    answer_outside(self, thief, made);
    return;
  }
  if (self->all->how.ships || (self->all->how.checks_puts && made->kind->has_parts)) pack_given(made);
  if (to == self) {
    self->own = made;
    return;
  }
  answer(self, thief, reinterpret_cast<std::uintptr_t>(made));
}

// Serves one request at a choice point, if it can. True: a request was served, or refused by the
// guard.
bool serve(worker* self, record* at) {
  const unsigned thief = find_thief(self, at);
  if (thief == self->all->thieves) return false;
  const double refused = at->operations->guard == nullptr ? 0 : at->operations->guard(at, self);
  if (refused > 0 && self->random.fraction() < refused) {
    forget_request(self, thief);
    if (thief != self->index) refuse(self, thief);
    return true;
  }
  task* const made = at->operations->divide(at, self);
  if (made == nullptr) return false;
  forget_request(self, thief);
  send(self, reinterpret_cast<weft_tascell_choice*>(at), made, thief);
  return true;
}

bool gives_parts(const record* at) {
  const weft_tascell_kind* const gives = at->operations->gives;
  return gives != nullptr && gives->has_parts && gives->pack_in != nullptr;
}

// The check mode runs tasks that write parts of arrays as if they had come from another node, to
// see what they read.
void give_part_to_itself(worker* self, record* at) {
  if (!self->offers_parts || !gives_parts(at)) return;
  task* const made = at->operations->divide(at, self);
  if (made == nullptr) return;
  self->offers_parts = false;
  send(self, reinterpret_cast<weft_tascell_choice*>(at), made, self->index);
}

// What tasks that were given write in place is changed then.
bool is_comparable(const record* at) { return !has_given(at) || !gives_parts(at); }

// Walks from the newest record to the oldest and back, and serves up to count requests. Returns how
// many are left.
unsigned backtrack(worker* self, record* newest, unsigned count) {
  ++self->counts.backtracks;
  const std::uint64_t before = self->counts.records;
  self->mode = WEFT_TASCELL_BACKTRACKING;
  record* newer = nullptr;
  record* at = newest;
  for (;;) {
    undo(self, at);
    if (at->up == nullptr || has_given(at)) break;
    record* const older = at->up;
    at->up = newer;
    newer = at;
    at = older;
  }
  for (;;) {
    if (at->operations->kind == WEFT_TASCELL_CHOICE) {
      if (self->all->how.checks_puts && is_comparable(at)) compare_for(self->check, at);
      give_part_to_itself(self, at);
      while (count != 0 && serve(self, at)) --count;
    }
    redo(self, at);
    if (newer == nullptr) break;
    record* const next = newer;
    newer = next->up;
    next->up = at;
    at = next;
  }
  self->mode = WEFT_TASCELL_NORMAL;
  weft_ext_trace_note(note_of_walk, self->counts.records - before);
  return count;
}

void refuse_pending(worker* self, unsigned count) {
  for (; count != 0; --count) {
    const unsigned thief = next_thief(self);
    if (thief != self->index) refuse(self, thief);
  }
}

// The storm mode: the worker is a thief of its own.
bool asks_itself(worker* self) {
  const std::uint64_t storm = self->all->how.storm;
  return storm == 1 || (storm != 0 && self->random.next() % storm == 0);
}

}  // namespace

void refuse_all(worker* self) {
  for (std::size_t word = 0; word < request_words(self->all->thieves); ++word) {
    for (std::uint64_t rest = self->requests.take(word); rest != 0; rest &= rest - 1) {
      ++self->counts.requests;
      refuse(self, static_cast<unsigned>(word * bits_of_word) + static_cast<unsigned>(__builtin_ctzll(rest)));
    }
  }
}

}  // namespace weft::tascell_runtime

using namespace weft::tascell_runtime;

static bool attend(worker* self, record* newest, bool has_polled, unwinding* out) {
  if (self->all->how.yields) weft_yield();
  const std::uint32_t why = take_attention(attention_of(self), self->all->looks_always);
  self->asked_since.store(0, base::relaxed);
  note_workspace(self, newest, has_polled);
  if ((why & wants_end) != 0 && must_unwind(self, newest, out)) return true;
  unsigned count = take_requests(self);
  if (count != 0) weft_ext_trace_note(note_of_requests, count);
  const bool asks = (why & always_look) != 0 && !self->is_alone && asks_itself(self);
  self->offers_parts = self->check != nullptr && self->all->how.checks_puts && !self->is_alone && !asks;
  if (asks) {
    self->pending[self->index / bits_of_word] |= std::uint64_t{1} << self->index % bits_of_word;
    ++count;
  }
  if (count == 0 && self->check == nullptr) return false;  // the check mode walks at every poll
  self->seen_at.store(&newest->operations->place, base::relaxed);
  refuse_pending(self, backtrack(self, newest, count));
  if (task* const own = self->own; own != nullptr) {
    self->own = nullptr;
    self->top->newest = newest;
    run_task(self, own);
  }
  return false;
}

bool weft_tascell_attend_in_frames(weft_tascell_worker* worker, weft_tascell_record* newest, weft_tascell_unwinding* out) {
  return attend(as_worker(worker), newest, false, out);
}

void weft_tascell_attend(weft_tascell_worker* worker, weft_tascell_record* newest) {
  unwinding how{};
  if (attend(as_worker(worker), newest, false, &how)) weft_tascell_unwind(worker, newest, &how);
}

void weft_tascell_attend_again(weft_tascell_worker* worker, weft_tascell_record* newest) {
  unwinding how{};
  if (attend(as_worker(worker), newest, true, &how)) weft_tascell_unwind(worker, newest, &how);
}
