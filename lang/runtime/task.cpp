// Task objects: made and freed, packed into bytes and unpacked, run and ended.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "node.hpp"
#include "node_take.hpp"
#include "node_tell.hpp"
#include "parts.hpp"
#include "task_bytes.hpp"

struct weft_tascell_bytes {
  unsigned char* data = nullptr;
  std::size_t size = 0, capacity = 0;
  std::size_t at = 0;          // what is read next
  std::size_t begin = 0;       // of what may be read
  part_list* parts = nullptr;  // under the modes for tests: what the parts of results hold at first; null: zeros
};

namespace weft::tascell_runtime {
namespace {

atomic<std::uint64_t> live_tasks{0};

void free_bytes(weft_tascell_bytes* bytes) {
  if (bytes == nullptr) return;
  std::free(bytes->data);
  std::free(bytes);
}

weft_tascell_bytes* make_bytes() { return static_cast<weft_tascell_bytes*>(std::calloc(1, sizeof(weft_tascell_bytes))); }

// A task as its thief gets it; null: without memory the giver's object is run instead.
task* unpack_copy(worker* self, task* given, part_list* parts) {
  task* copy = weft_tascell_task_make(self, given->kind);
  if (copy == nullptr) return nullptr;
  given->shipped->at = 0;
  given->shipped->parts = parts;
  const bool is_whole = given->kind->unpack_in(copy, given->shipped);
  given->shipped->parts = nullptr;
  if (is_whole) return copy;
  weft_tascell_task_free(copy);
  return nullptr;
}

// The results, in the place of what was given.
void pack_results(task* given, const task* copy) {
  given->shipped->size = given->shipped->at = 0;
  if (!given->kind->pack_out(copy, given->shipped)) die(&given->kind->place, "no memory to ship a task's results");
}

void drop_bytes(task* given) {
  free_bytes(given->shipped);
  given->shipped = nullptr;
}

void run_body(worker* self, frame* at) {
  task* given = at->running;
  if (given->shipped != nullptr) {
    at->copy = unpack_copy(self, given, &at->parts);
    if (at->copy == nullptr) drop_bytes(given);
  }
  task* const runs = at->copy != nullptr ? at->copy : given;
  runs->kind->run(runs, self, &at->root);
}

void enter(worker* self, frame* at, task* what) {
  at->root = {nullptr, &root_operations};
  at->running = what;
  at->below = self->top;
  at->probability = self->probability;
  at->checked = enter_level(self->check);
  self->seen_at.store(&what->kind->place, base::relaxed);
  self->top = at;
  weft_tascell_set_probability(self, 1);
  self->status.store(is_running, base::relaxed);
}

void leave(worker* self, frame* at) {
  leave_level(self->check, at->checked);
  self->top = at->below;
  weft_tascell_set_probability(self, at->probability);
  if (at->below == nullptr) self->status.store(is_idle, base::relaxed);
}

// ---- trials: a task runs again, with other contents of what it is to write -----------------------

struct trial {
  frame at;
  part_list parts;
  task* copy = nullptr;
};

void run_trial(worker* self, trial* one, record* root) {
  if (setjmp(one->at.buffer) == 0) one->copy->kind->run(one->copy, self, root);
}

// Runs a task as if it were alone: it neither asks nor gives. Returns whether it has returned.
bool try_again(worker* self, task* given, unsigned pattern, trial* one) {
  one->parts.pattern = pattern;
  one->copy = unpack_copy(self, given, &one->parts);
  if (one->copy == nullptr) return false;
  one->copy->parent = given;
  const bool was_alone = self->is_alone;
  self->is_alone = true;
  enter(self, &one->at, one->copy);
  one->at.ended.reason = WEFT_TASCELL_RETURNED;
  run_trial(self, one, &one->at.root);
  leave(self, &one->at);
  self->is_alone = was_alone;
  free_foreign(one->at.ended.foreign);
  return one->at.ended.reason == WEFT_TASCELL_RETURNED;
}

void end_trial(trial* one) {
  weft_tascell_task_free(one->copy);
  free_parts(&one->parts);
}

// Whether trials that begin alike end alike, and those that do not begin alike differ: then the
// difference comes of what the elements held.
bool is_confirmed(worker* self, task* given, const part_list* other, part_difference* found) {
  trial first, again;
  const bool have_run = try_again(self, given, 0, &first) && try_again(self, given, 0, &again);
  part_difference chance;
  const bool is_steady = have_run && !find_difference(&first.parts, &again.parts, &chance);
  const bool differs = is_steady && find_difference(&first.parts, other, found);
  end_trial(&first);
  end_trial(&again);
  return differs;
}

// The check mode: a task whose elements of out p[a..b] end up otherwise when they begin otherwise
// reads them, or leaves some as they were.
void check_results(worker* self, frame* at) {
  if (self->check == nullptr || !self->all->how.checks_puts || self->is_alone || at->copy == nullptr) return;
  task* const given = at->running;
  if (at->parts.count == 0 || is_unwanted(given)) return;
  at->newest = &at->root;
  trial other;
  part_difference found;
  if (try_again(self, given, 1, &other) && find_difference(&at->parts, &other.parts, &found) &&
      is_confirmed(self, given, &other.parts, &found))
    tell_difference(&given->kind->place, found);
  end_trial(&other);
}

void end(worker* self, frame* at) {
  task* const what = at->running;
  if (at->copy != nullptr) {
    if (at->ended.reason == WEFT_TASCELL_RETURNED) pack_results(what, at->copy);
    weft_tascell_task_free(at->copy);
  }
  what->tag = at->ended.tag;
  what->foreign = at->ended.foreign;
  if (at->ended.reason == WEFT_TASCELL_CANCELLED) ++self->counts.cancelled;
  if (is_taken(what)) {
    const weft_tascell_reason reason = at->ended.reason;
    give_result(self, what, reason, reason == WEFT_TASCELL_THREW ? at->ended.tag : 0);
    return;
  }
  worker* const giver = what->giver == nullptr ? nullptr : as_worker(what->giver);
  end_task(state_of(what), at->ended.reason);  // the giver may free it now
  if (giver == nullptr) return;
  if (at->ended.reason == WEFT_TASCELL_THREW) draw_attention(attention_of(giver), wants_end);
  if (giver != self) wake(giver);
}

}  // namespace

std::uint64_t count_live() { return live_tasks.load(base::relaxed); }

const weft_tascell_operations root_operations = {WEFT_TASCELL_ROOT, {},      nullptr, nullptr, nullptr,
                                                 nullptr,           nullptr, nullptr, nullptr};

void run_task(worker* self, task* what) {
  frame at;
  const std::uint64_t start_ns = weft_now_ns();
  enter(self, &at, what);
  tell_idle(self);
  if (is_taken(what)) pass_state(self->all->far, running_state);
  at.ended.reason = WEFT_TASCELL_RETURNED;
  if (is_unwanted(what)) {
    at.ended.reason = WEFT_TASCELL_CANCELLED;
  } else if (setjmp(at.buffer) == 0) {
    run_body(self, &at);
    check_results(self, &at);
  }
  free_parts(&at.parts);
  leave(self, &at);
  weft_ext_trace_note(note_of_run, weft_now_ns() - start_ns);
  end(self, &at);
}

void pack_given(task* given) {
  if (given->kind->pack_in == nullptr) return;
  given->shipped = make_bytes();
  if (given->shipped != nullptr && !given->kind->pack_in(given, given->shipped)) drop_bytes(given);
}

// ---- for nodes ----------------------------------------------------------------------------------

bool adopt_bytes(task* to, std::byte* bytes, std::size_t offset, std::size_t size) {
  free_bytes(to->shipped);
  to->shipped = make_bytes();
  if (to->shipped == nullptr) {
    std::free(bytes);
    return false;
  }
  *to->shipped = {reinterpret_cast<unsigned char*>(bytes), offset + size, offset + size, offset, offset};
  return true;
}

void* detach_bytes(task* from, const void** data, std::size_t* size) {
  weft_tascell_bytes* const detached = from->shipped;
  from->shipped = nullptr;
  *data = detached->data;
  *size = detached->size;
  return detached;
}

void free_detached(void* bytes) { free_bytes(static_cast<weft_tascell_bytes*>(bytes)); }

bool fill_taken(task* what) {
  if (what->shipped == nullptr) return true;
  const bool is_good = what->kind->unpack_in(what, what->shipped) && what->shipped->at == what->shipped->size;
  drop_bytes(what);
  return is_good;
}

bool pack_out_taken(task* what) {
  what->shipped = make_bytes();
  return what->shipped != nullptr && what->kind->pack_out(what, what->shipped);
}

void unpack_results(task* given) {
  if (given->shipped == nullptr) return;
  given->shipped->at = given->shipped->begin;
  const bool is_good = given->kind->unpack_out(given, given->shipped) && given->shipped->at == given->shipped->size;
  if (!is_good) die(&given->kind->place, "a task's results could not be unpacked");
  drop_bytes(given);
}

}  // namespace weft::tascell_runtime

using namespace weft::tascell_runtime;

weft_tascell_task* weft_tascell_task_make(weft_tascell_worker*, const weft_tascell_kind* kind) {
  const std::size_t alignment = std::max(kind->alignment, alignof(std::max_align_t));
  if (kind->bytes > SIZE_MAX / 2 - alignment) return nullptr;
  const std::size_t bytes = (kind->bytes + alignment - 1) / alignment * alignment;
  void* const memory = alignment == alignof(std::max_align_t) ? std::malloc(bytes) : std::aligned_alloc(alignment, bytes);
  if (memory == nullptr) return nullptr;
  std::memset(memory, 0, bytes);
  auto* const made = static_cast<task*>(memory);
  made->kind = kind;
  live_tasks.fetch_add(1, base::relaxed);
  return made;
}

void weft_tascell_task_free(weft_tascell_task* task) {
  if (task == nullptr) return;
  free_bytes(task->shipped);
  if (task->kind->destroy != nullptr) task->kind->destroy(task);
  std::free(task);
  live_tasks.fetch_add(~std::uint64_t{0}, base::relaxed);
}

weft_tascell_reason weft_tascell_task_reason(const weft_tascell_task* task, int64_t* tag) {
  const auto reason = static_cast<weft_tascell_reason>(task->state >= task_ended ? task->state - task_ended : 0);
  if (reason == WEFT_TASCELL_THREW && tag != nullptr) *tag = task->tag;
  return reason;
}

bool weft_tascell_write(weft_tascell_bytes* bytes, const void* data, size_t size) {
  if (size > bytes->capacity - bytes->size) {
    std::size_t capacity = std::max<std::size_t>(64, 2 * bytes->capacity);
    if (capacity - bytes->size < size) capacity = bytes->size + size;
    if (capacity < size) return false;
    void* const grown = std::realloc(bytes->data, capacity);
    if (grown == nullptr) return false;
    bytes->data = static_cast<unsigned char*>(grown);
    bytes->capacity = capacity;
  }
  if (size != 0) std::memcpy(bytes->data + bytes->size, data, size);
  bytes->size += size;
  return true;
}

bool weft_tascell_read(weft_tascell_bytes* bytes, void* data, size_t size) {
  if (size > bytes->size - bytes->at) return false;
  if (size != 0) std::memcpy(data, bytes->data + bytes->at, size);
  bytes->at += size;
  return true;
}

void* weft_tascell_make_part(weft_tascell_bytes* bytes, const weft_tascell_part* part, int64_t low, int64_t high) {
  if (high < low) return nullptr;
  const auto count = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  if (count > (SIZE_MAX - 1) / part->bytes) return nullptr;
  const std::size_t size = count * part->bytes;
  void* const memory = std::calloc(1, size + 1);
  if (memory != nullptr && bytes->parts != nullptr &&
      !note_part(bytes->parts, {part, low, static_cast<unsigned char*>(memory), size})) {
    std::free(memory);
    return nullptr;
  }
  return memory;
}

bool weft_tascell_broadcast(weft_tascell_worker* worker, weft_tascell_task* task) {
  if (as_worker(worker)->all->far != nullptr) {
    const bool is_told = broadcast_far(as_worker(worker), task);
    weft_tascell_task_free(task);
    return is_told;
  }
  bool is_done = true;
  if (as_worker(worker)->all->how.ships && task->kind->pack_in != nullptr) {
    pack_given(task);
    weft_tascell_task* const copy = task->shipped == nullptr ? nullptr : unpack_copy(as_worker(worker), task, nullptr);
    is_done = copy != nullptr;
    weft_tascell_task_free(copy);
  }
  weft_tascell_task_free(task);
  return is_done;
}
