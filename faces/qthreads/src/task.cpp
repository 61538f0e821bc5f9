// A task's life after it was made: it runs, returns its value, and takes what it had with it.
#include "task.hpp"

#include <cstdlib>
#include <cstring>

#include <qthread/sinc.h>

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

void deliver(void* ret, std::uint16_t flags, aligned_t value) {
  if (ret == nullptr) return;
  if ((flags & returns_sinc) != 0) {
    qt_sinc_submit(static_cast<qt_sinc_t*>(ret), (flags & returns_nothing) != 0 ? nullptr : &value);
  } else if ((flags & returns_syncvar) != 0) {
    static_cast<void>(weft_syncvar_write_ef(core(ret), value & WEFT_SYNCVAR_MAX));
  } else {
    static_cast<void>(weft_feb_write_ef(static_cast<aligned_t*>(ret), value));
  }
}

void free_tasklocal(task* one) {
  std::free(one->local);
  one->local = nullptr;
}

void run_to_end(task* one, void* argument) {
  const aligned_t value = one->function(argument);
  if (one->in != nullptr) leave_team(one);
  if (one->local != nullptr) free_tasklocal(one);
  if (one->emptied.first != nullptr) forget_emptied_words(one->emptied, __builtin_frame_address(0));
  deliver(one->ret, one->flags, value);
}

// A unit that carries a copy gets its address; any other one gets its own handle.
void run_bottom(void* argument) {
  task* const mine = task_of(weft_self());
  mine->has_started.store(true, base::relaxed);
  run_to_end(mine, argument == thread_of(mine) ? mine->argument : argument);
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
  if (mine->local == nullptr && wanted <= sizeof mine->own) return &mine->own;
  if (mine->local != nullptr && wanted <= mine->local_bytes) return mine->local;
  const std::size_t before = mine->local != nullptr ? mine->local_bytes : sizeof mine->own;
  void* const larger = std::calloc(1, wanted);
  if (larger == nullptr) return nullptr;
  std::memcpy(larger, mine->local != nullptr ? mine->local : &mine->own, before < wanted ? before : wanted);
  std::free(mine->local);
  mine->local = larger;
  mine->local_bytes = static_cast<std::uint32_t>(wanted);
  return larger;
}

unsigned qthread_size_tasklocal(void) {
  const task* const mine = self();
  const runtime* const all = current_runtime();
  if (mine == nullptr || all == nullptr) return 0;
  return mine->local != nullptr ? mine->local_bytes : static_cast<unsigned>(all->wanted.tasklocal_bytes);
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
  deliver(ret, kind, value);
}
}
