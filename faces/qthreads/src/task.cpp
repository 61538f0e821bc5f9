// A task's life after it was made: it runs, returns its value, and takes what it had with it.
#include "task.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include <qthread/sinc.h>

#include "key.hpp"
#include "team.hpp"

namespace weft::qthreads {

std::ptrdiff_t distance_to_task = 0;
constinit thread_local task* acting_task = nullptr;

namespace {

weft_syncvar* core(void* ret) { return static_cast<weft_syncvar*>(ret); }

// Full/empty words live in a table: those of a stack that another task gets must be full.
// frame is that of the caller of the task's function: whatever lies beneath belonged to the task.
void forget_emptied_words(const emptied_words& emptied, const void* frame) {
  const auto* const high = static_cast<const char*>(frame);
  if (emptied.first >= high) return;
  const char* const end = emptied.last < high ? emptied.last + sizeof(aligned_t) : high;
  static_cast<void>(weft_feb_forget(emptied.first, static_cast<std::size_t>(end - emptied.first)));
}

}  // namespace

namespace {

void deliver_otherwise(void* ret, std::uint16_t flags, aligned_t value) {
  if ((flags & returns_sinc) != 0) {
    qt_sinc_submit(static_cast<qt_sinc_t*>(ret), (flags & returns_nothing) != 0 ? nullptr : &value);
  } else {
    static_cast<void>(weft_syncvar_write_ef(core(ret), value & WEFT_SYNCVAR_MAX));
  }
}

// True: at once.
bool fill_word(void* ret, aligned_t value) {
  auto* const word = static_cast<aligned_t*>(ret);
  if (weft_feb_try_write_ef(word, value) == WEFT_OK) [[likely]]
    return true;
  static_cast<void>(weft_feb_write_ef(word, value));
  return false;
}

}  // namespace

bool deliver(void* ret, std::uint16_t flags, aligned_t value) {
  if (ret == nullptr) return false;
  if ((flags & (returns_sinc | returns_syncvar)) == 0) return fill_word(ret, value);
  deliver_otherwise(ret, flags, value);
  return false;
}

void free_tasklocal(task* one) {
  end_values(one);
  std::free(one->local);
  one->local = nullptr;
}

void task::clean() {
  const bool is_more = (flags & uses_more) != 0;
  std::memset(static_cast<void*>(this), 0, offsetof(task, copy));
  if (is_more) std::memset(copy, 0, sizeof(task) - offsetof(task, copy));
}

bool run_to_end(task* one, void* argument, aligned_t* value) {
  *value = one->function(argument);
  if ((one->flags & uses_more) != 0 && one->local != nullptr) free_tasklocal(one);  // destructors may ask for the team
  if (one->in != nullptr) leave_team(one);
  if ((one->flags & uses_more) != 0) {
    if (one->emptied.first != nullptr) forget_emptied_words(one->emptied, __builtin_frame_address(0));
    end_family(one);
  }
  return deliver(one->ret, one->flags, *value);
}

// A unit that carries a large copy gets its address; any other one gets its own handle.
void run_bottom(void* argument) {
  task* const mine = task_of(weft_self());
  mine->has_started.store(true, base::relaxed);
  aligned_t value = 0;
  static_cast<void>(run_to_end(mine, argument == thread_of(mine) ? mine->argument : argument, &value));
  if ((mine->flags & is_cleaned) != 0) mine->clean();
}

void tell_of_simple_that_waits() {
  static constinit atomic<bool> is_told{false};
  if (!is_told.exchange(true, base::relaxed))
    report("a task of QTHREAD_SPAWN_SIMPLE waits: it goes on as any other task; make it without that flag");
}

}  // namespace weft::qthreads

using namespace weft::qthreads;

extern "C" {

void* qthread_get_tasklocal(unsigned int size) {
  task* const mine = self();
  runtime* const all = current_runtime();
  if (mine == nullptr || all == nullptr) return nullptr;
  const std::size_t usual = all->wanted.tasklocal_bytes;
  const std::size_t wanted = size > usual ? size : usual;
  mine->flags |= uses_more;
  const std::size_t larger_before = mine->local != nullptr ? mine->local->bytes : 0;
  if (larger_before == 0 && wanted <= sizeof mine->own) return &mine->own;
  if (wanted <= larger_before) return mine->local->data;
  auto* const larger = static_cast<tasklocal*>(std::calloc(1, sizeof(tasklocal) + wanted));
  if (larger == nullptr) return nullptr;
  larger->bytes = wanted;
  larger->values = mine->local != nullptr ? mine->local->values : nullptr;
  const void* const before = larger_before != 0 ? static_cast<const void*>(mine->local->data) : &mine->own;
  std::memcpy(larger->data, before, larger_before != 0 ? larger_before : sizeof mine->own);
  std::free(mine->local);
  mine->local = larger;
  return larger->data;
}

unsigned qthread_size_tasklocal(void) {
  const task* const mine = self();
  const runtime* const all = current_runtime();
  if (mine == nullptr || all == nullptr) return 0;
  return static_cast<unsigned>(mine->local != nullptr && mine->local->bytes != 0 ? mine->local->bytes
                                                                                 : all->wanted.tasklocal_bytes);
}

aligned_t* qthread_retloc(void) {
  const task* const mine = self();
  return mine != nullptr ? static_cast<aligned_t*>(mine->ret) : nullptr;
}

void qthread_call_method(qthread_f f, void* arg, void* ret, uint16_t flags) {
  const aligned_t value = f(arg);
  std::uint16_t kind = 0;
  if ((flags & QTHREAD_SPAWN_RET_SYNCVAR_T) != 0) kind |= returns_syncvar;
  if ((flags & (QTHREAD_SPAWN_RET_SINC | QTHREAD_SPAWN_RET_SINC_VOID)) != 0) kind |= returns_sinc;
  if ((flags & QTHREAD_SPAWN_RET_SINC_VOID) != 0) kind |= returns_nothing;
  static_cast<void>(deliver(ret, kind, value));
}
}
