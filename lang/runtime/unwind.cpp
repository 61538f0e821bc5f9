// Exceptions and cancellation. An unwinding walks the records from the newest on: it undoes winds,
// has choice points abandon what they gave, and ends at a catch, a bridge or the root.
//
// A given task that throws while its giver still works is an exception of the choice point that
// gave it. Its giver notices at the next poll, is unwound as by a cancellation up to that choice
// point (the level), and throws the tag there.
#include <cstdio>
#include <cstdlib>

#include "node_give.hpp"

namespace weft::tascell_runtime {
namespace {

bool has_thrown(const task* given) {
  const atomic<std::uint32_t>& state = as_atomic(const_cast<task*>(given)->state);
  return has_ended(state) && state.load(base::relaxed) == ended_by(WEFT_TASCELL_THREW);
}

weft_tascell_choice* as_choice(record* at) {
  return at->operations->kind == WEFT_TASCELL_CHOICE ? reinterpret_cast<weft_tascell_choice*>(at) : nullptr;
}

// The oldest choice point one of whose tasks has thrown; null: none.
record* level_of(record* newest) {
  record* level = nullptr;
  for (record* at = newest; at != nullptr; at = at->up) {
    weft_tascell_choice* const choice = as_choice(at);
    if (choice == nullptr) continue;
    for (const task* each = choice->given; each != nullptr; each = each->older)
      if (has_thrown(each)) level = at;
  }
  return level;
}

void cancel(worker* self, task* given) {
  if (has_ended(state_of(given))) return;
  if (self->all->far != nullptr) {
    cancel_far(self->all->far, given);
    return;
  }
  as_atomic(given->is_cancelled).store(1, base::relaxed);
  worker* const thief = as_worker(given->thief);
  draw_attention(attention_of(thief), wants_end);
  wake(thief);
}

void cancel_given(worker* self, weft_tascell_choice* choice) {
  for (task* each = choice->given; each != nullptr; each = each->older) cancel(self, each);
}

// The exception of a task at the level becomes what is thrown there.
void take_exception(task* from, record* at, unwinding* how) {
  const bool is_it = how->level == at && has_thrown(from);
  if (is_it && how->reason == WEFT_TASCELL_CANCELLED) {
    how->reason = WEFT_TASCELL_THREW;
    how->tag = from->tag;
    how->foreign = from->foreign;
  } else {
    free_foreign(from->foreign);
  }
  from->foreign = nullptr;
}

weft_tascell_mode mode_of(const unwinding& how) {
  return how.reason == WEFT_TASCELL_THREW ? WEFT_TASCELL_THROWING : WEFT_TASCELL_CANCELLING;
}

bool catches(const record* at, const unwinding& how) {
  if (at->operations->kind != WEFT_TASCELL_CATCH || how.reason != WEFT_TASCELL_THREW || how.foreign != nullptr) return false;
  return reinterpret_cast<const weft_tascell_catch*>(at)->tag == how.tag;
}

}  // namespace

void die(const weft_tascell_place* at, const char* what) {
  const bool is_known = at != nullptr && at->file != nullptr;
  if (is_known) std::fprintf(stderr, "weft: tascell: %s:%u: %s\n", at->file, at->line, what);
  if (!is_known) std::fprintf(stderr, "weft: tascell: %s\n", what);
  std::abort();
}

void free_foreign(void* foreign) {
  if (foreign == nullptr) return;
  void (*const destroy)(void*) = *static_cast<void (**)(void*)>(foreign);
  destroy(foreign);
}

void pass_on_cancellations(worker* self, frame* from) {
  for (frame* each = from; each != nullptr; each = each->below) {
    record* const level = is_unwanted(each->running) ? &each->root : level_of(each->newest);
    if (level == nullptr) continue;
    for (record* at = each->newest;; at = at->up) {
      if (weft_tascell_choice* const choice = as_choice(at)) cancel_given(self, choice);
      if (at == level) break;
    }
  }
}

bool must_unwind(worker* self, record* newest, unwinding* out) {
  pass_on_cancellations(self, self->top->below);
  if (is_unwanted(self->top->running)) {
    *out = {WEFT_TASCELL_CANCELLED, 0, nullptr, nullptr};
    return true;
  }
  record* const level = level_of(newest);
  if (level == nullptr) return false;
  *out = {WEFT_TASCELL_CANCELLED, 0, level, nullptr};
  return true;
}

}  // namespace weft::tascell_runtime

using namespace weft::tascell_runtime;

const weft_tascell_operations weft_tascell_catch_operations = {
    WEFT_TASCELL_CATCH, {}, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
const weft_tascell_operations weft_tascell_bridge_operations = {
    WEFT_TASCELL_BRIDGE, {}, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};

void weft_tascell_abandon(weft_tascell_worker* worker, weft_tascell_choice* choice, weft_tascell_unwinding* unwinding) {
  auto* const self = as_worker(worker);
  cancel_given(self, choice);
  while (task* const given = choice->given) {
    wait_for(self, &choice->record, given, false);
    choice->given = given->older;
    take_exception(given, &choice->record, unwinding);
    weft_tascell_task_free(given);
  }
  if (unwinding->level == &choice->record) unwinding->level = nullptr;
  self->mode = mode_of(*unwinding);
}

void weft_tascell_unwind(weft_tascell_worker* worker, weft_tascell_record* newest, const weft_tascell_unwinding* unwinding) {
  auto* const self = as_worker(worker);
  weft_tascell_unwinding how = *unwinding;
  self->mode = mode_of(how);
  for (record* at = newest;; at = at->up) {
    if (weft_tascell_choice* const choice = as_choice(at)) weft_tascell_abandon(worker, choice, &how);
    if (at->operations->kind == WEFT_TASCELL_WIND) at->operations->undo(at, worker);
    if (catches(at, how)) {
      self->mode = WEFT_TASCELL_NORMAL;
      std::longjmp(reinterpret_cast<weft_tascell_catch*>(at)->buffer, 1);
    }
    if (at->operations->kind == WEFT_TASCELL_BRIDGE) {
      auto* const bridge = reinterpret_cast<weft_tascell_bridge*>(at);
      bridge->unwinding = how;
      std::longjmp(bridge->buffer, 1);
    }
    if (at->operations->kind == WEFT_TASCELL_ROOT) {
      auto* const bottom = reinterpret_cast<frame*>(at);
      bottom->ended = how;
      self->mode = WEFT_TASCELL_NORMAL;
      std::longjmp(bottom->buffer, 1);
    }
  }
}

void weft_tascell_throw(weft_tascell_worker* worker, weft_tascell_record* newest, int64_t tag) {
  const unwinding how = {WEFT_TASCELL_THREW, tag, nullptr, nullptr};
  weft_tascell_unwind(worker, newest, &how);
}
