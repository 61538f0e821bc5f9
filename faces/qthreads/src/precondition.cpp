#include "precondition.hpp"

#include <cstdlib>
#include <cstring>

#include <qthread/qthread.h>

#include "runtime.hpp"

namespace weft::qthreads {

namespace {

struct preconditions {
  weft_awaiter awaiter;  // the first member: `is_full` gets its address
  std::uint64_t life;    // of the runtime that the task belongs to
  weft_thread* unit;
  weft_ext_wait noted;  // for reports: the word at which the awaiter waits
  weft_pool* home;
  weft_await_kind kind;
  std::size_t left;  // words that were not seen full, from the last one on
  void* words[];
};

void start(preconditions* all) {
  weft_ext_thread_note_wait(all->unit, nullptr, nullptr, nullptr);
  make_ready(all->unit, all->home);
  std::free(all);
}

// Looks at the words that are left, up to one that is empty: there the awaiter waits. False: no
// memory for that.
bool look(preconditions* all) {
  for (; all->left != 0; --all->left) {
    bool waits = false;
    weft_ext_thread_note_wait(all->unit, &all->noted, "its precondition, to be full", all->words[all->left - 1]);
    const weft_status result = weft_ext_await(&all->awaiter, all->words[all->left - 1], all->kind, &waits);
    if (result != WEFT_OK) return false;
    if (waits) return true;
  }
  start(all);
  return true;
}

// The word that was waited for is full.
void go_on(preconditions* all) {
  const runtime* const now = current_runtime();
  if (now == nullptr || now->life != all->life) return std::free(all);  // the task's runtime ends, or has ended
  --all->left;
  if (look(all)) return;
  report("no memory is left in which a task waits for its preconditions: it starts before they are full");
  start(all);
}

void is_full(weft_awaiter* awaiter, weft_status status) {
  auto* const all = reinterpret_cast<preconditions*>(awaiter);
  if (status != WEFT_OK) return std::free(all);
  if (weft_worker_self() >= 0) return go_on(all);
  const face::guard inside(used_outside);
  go_on(all);
}

}  // namespace

bool start_when_full(weft_thread* unit, weft_pool* home, std::size_t count, void** words, unsigned features) {
  auto* const all = static_cast<preconditions*>(std::malloc(sizeof(preconditions) + count * sizeof(void*)));
  if (all == nullptr) return false;
  all->awaiter = WEFT_AWAITER_INIT(is_full);
  all->life = current_runtime()->life;
  all->unit = unit;
  all->home = home;
  all->kind = (features & QTHREAD_SPAWN_PC_SYNCVAR_T) != 0 ? WEFT_AWAIT_SYNCVAR_READ : WEFT_AWAIT_FEB_READ;
  all->left = count;
  std::memcpy(all->words, words, count * sizeof(void*));
  if (look(all)) return true;
  weft_ext_thread_note_wait(unit, nullptr, nullptr, nullptr);
  std::free(all);
  return false;
}

}  // namespace weft::qthreads
