// Full/empty words of any memory. A call that need not wait is one call of weft.h; one that has to
// wait first looks whether its caller said that it would not.
#include "feb.hpp"

#include "children.hpp"
#include "task.hpp"

namespace weft::qthreads {

namespace {

bool may_be_on_stack(const void* word) {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  constexpr std::uintptr_t near_enough = std::uintptr_t{1} << 20;
  return reinterpret_cast<std::uintptr_t>(word) - here < near_enough;
}

}  // namespace

void note_empty_word(task* mine, const void* word) {
  if (mine == nullptr || (mine->flags & is_main) != 0 || !may_be_on_stack(word)) return;
  mine->flags |= uses_more;
  mine->emptied.add(static_cast<const char*>(word));
}

void note_empty_word(const void* word) {
  if (may_be_on_stack(word)) note_empty_word(self(), word);
}

int code_of(weft_status status) {
  switch (status) {
    case WEFT_OK: return QTHREAD_SUCCESS;
    case WEFT_NOMEM: return QTHREAD_MALLOC_ERROR;
    case WEFT_BUSY: return QTHREAD_OPFAIL;
    case WEFT_CANNOT_BLOCK: return QTHREAD_NOT_ALLOWED;
    default: return QTHREAD_BADARGS;
  }
}

constinit atomic<bool> has_simple_tasks{false};

bool is_simple_task() {
  const task* const mine = self();
  return mine != nullptr && (mine->flags & is_simple) != 0;
}

constinit waits_outside those_outside;

noted_wait::noted_wait(const void* word) : word_(word) {
  if (weft_self() != nullptr) return;
  is_listed_ = true;
  const face::guard inside(those_outside.lock);
  next_ = those_outside.first;
  if (next_ != nullptr) next_->previous_ = this;
  those_outside.first = this;
}

noted_wait::~noted_wait() {
  if (!is_listed_) return;
  const face::guard inside(those_outside.lock);
  if (next_ != nullptr) next_->previous_ = previous_;
  (previous_ != nullptr ? previous_->next_ : those_outside.first) = next_;
}

void tell_outside_waiters() {
  std::size_t count = 0;
  const void* first = nullptr;
  {
    const face::guard inside(those_outside.lock);
    for (const noted_wait* one = those_outside.first; one != nullptr; one = one->next_, ++count) first = one->word_;
  }
  if (count == 0) return;
  report(
      "qthread_finalize: %zu OS thread%s outside still wait%s, the first for the word at %p: tasks that did not end do not fill "
      "it; write or fill it from an OS thread, or wait for its task before qthread_finalize",
      count, count == 1 ? "" : "s", count == 1 ? "s" : "", first);
}

bool holds_its_reader() {
  weft_thread* const thread = weft_self();
  const task* const mine = thread != nullptr && distance_to_task != 0 ? task_of(thread)->acting : nullptr;
  if (mine == nullptr || mine->ret == nullptr) return false;
  if ((mine->flags & returns_sinc) != 0) return false;
  if ((mine->flags & returns_syncvar) != 0) return weft_syncvar_is_full(static_cast<weft_syncvar*>(mine->ret));
  return weft_feb_is_full(static_cast<aligned_t*>(mine->ret));
}

void tell_of_held_reader() {
  const task* const mine = self();
  report(
      "a task runs on the stack of its reader, has filled its own return word at %p, and waits: its reader goes on only when the "
      "task has ended; if the task waits for its reader, make it with qthread_fork_to",
      mine->ret);
}

namespace {

uint64_t* core(const aligned_t* word) { return const_cast<aligned_t*>(word); }

[[gnu::noinline]] int read_fe_of_empty(aligned_t* dest, const aligned_t* src) {
  run_child_of(src);
  return at_once_or_wait(
      src, [=] { return weft_feb_try_read_fe(core(src), dest); }, [=] { return weft_feb_read_fe(core(src), dest); },
      [=](std::uint64_t deadline) { return weft_feb_read_fe_until(core(src), deadline, dest); });
}

}  // namespace
}  // namespace weft::qthreads

using namespace weft::qthreads;

extern "C" {

int qthread_feb_status(aligned_t const* addr) { return weft_feb_is_full(addr) ? 1 : 0; }

int qthread_empty(aligned_t const* dest) {
  note_empty_word(dest);
  return code_of(weft_feb_empty(core(dest)));
}

int qthread_fill(aligned_t const* dest) { return code_of(weft_feb_fill(core(dest))); }

int qthread_writeEF_const(aligned_t* dest, aligned_t const src) {
  return at_once_or_wait(
      dest, [=] { return weft_feb_try_write_ef(dest, src); }, [=] { return weft_feb_write_ef(dest, src); },
      [=](std::uint64_t deadline) { return weft_feb_write_ef_until(dest, src, deadline); });
}

int qthread_writeEF(aligned_t* restrict dest, aligned_t const* restrict src) {
  return src == nullptr ? QTHREAD_BADARGS : qthread_writeEF_const(dest, *src);
}

int qthread_writeEF_const_nb(aligned_t* dest, aligned_t src) { return code_of(weft_feb_try_write_ef(dest, src)); }

int qthread_writeEF_nb(aligned_t* restrict dest, aligned_t const* restrict src) {
  return src == nullptr ? QTHREAD_BADARGS : qthread_writeEF_const_nb(dest, *src);
}

int qthread_writeF_const(aligned_t* dest, aligned_t src) { return code_of(weft_feb_write_f(dest, src)); }

int qthread_writeF(aligned_t* dest, aligned_t const* src) {
  return src == nullptr ? QTHREAD_BADARGS : qthread_writeF_const(dest, *src);
}

int qthread_purge_to_const(aligned_t* dest, aligned_t value) {
  note_empty_word(dest);
  return code_of(weft_feb_purge_to(dest, value));
}

int qthread_purge_to(aligned_t* restrict dest, aligned_t const* restrict src) {
  return src == nullptr ? QTHREAD_BADARGS : qthread_purge_to_const(dest, *src);
}

int qthread_purge(aligned_t* dest) { return qthread_purge_to_const(dest, 0); }

int qthread_writeFF_const(aligned_t* dest, aligned_t src) {
  return at_once_or_wait(
      dest, [=] { return weft_feb_try_write_ff(dest, src); }, [=] { return weft_feb_write_ff(dest, src); },
      [=](std::uint64_t deadline) { return weft_feb_write_ff_until(dest, src, deadline); });
}

int qthread_writeFF(aligned_t* restrict dest, aligned_t const* restrict src) {
  return src == nullptr ? QTHREAD_BADARGS : qthread_writeFF_const(dest, *src);
}

int qthread_readFF(aligned_t* dest, aligned_t const* src) {
  aligned_t value = 0;
  if (run_child_of(src, &value)) {  // the read happened between its write and all that came after
    if (dest != nullptr && dest != src) *dest = value;
    return QTHREAD_SUCCESS;
  }
  return at_once_or_wait(
      src, [=] { return weft_feb_try_read_ff(core(src), dest); }, [=] { return weft_feb_read_ff(core(src), dest); },
      [=](std::uint64_t deadline) { return weft_feb_read_ff_until(core(src), deadline, dest); });
}

int qthread_readFF_nb(aligned_t* restrict dest, aligned_t const* restrict src) {
  return code_of(weft_feb_try_read_ff(core(src), dest));
}

int qthread_readFE(aligned_t* dest, aligned_t const* src) {
  note_empty_word(src);
  if (const weft_status result = weft_feb_try_read_fe(core(src), dest); result != WEFT_BUSY) [[likely]]
    return code_of(result);
  return read_fe_of_empty(dest, src);
}

int qthread_readFE_nb(aligned_t* restrict dest, aligned_t const* restrict src) {
  note_empty_word(src);
  return code_of(weft_feb_try_read_fe(core(src), dest));
}

int qthread_readXX(aligned_t* dest, aligned_t const* src) { return code_of(weft_feb_read_xx(core(src), dest)); }
}
