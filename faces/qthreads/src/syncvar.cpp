// syncvar_t is a weft_syncvar: both keep their value in the upper 60 bits, and the lower bits have
// one meaning.
#include <cstddef>

#include "children.hpp"
#include "feb.hpp"
#include "task.hpp"

namespace weft::qthreads {

namespace {

static_assert(sizeof(syncvar_t) == sizeof(weft_syncvar) && alignof(syncvar_t) == alignof(weft_syncvar));

// Null: it does not lie at a multiple of 8 bytes.
weft_syncvar* core(syncvar_t* one) {
  return reinterpret_cast<std::uintptr_t>(one) % sizeof(syncvar_t) == 0 ? reinterpret_cast<weft_syncvar*>(one) : nullptr;
}

// First without a look at what may have to run before.
template <class Attempt, class Wait, class WaitUntil>
[[gnu::always_inline]] inline int read_full(const syncvar_t* word, Attempt attempt, Wait wait, WaitUntil wait_until) {
  if (const weft_status result = attempt(); result != WEFT_BUSY) [[likely]]
    return code_of(result);
  run_child_of(word);
  return at_once_or_wait(word, attempt, wait, wait_until);
}

bool is_too_large(std::uint64_t value) { return value > WEFT_SYNCVAR_MAX; }

}  // namespace
}  // namespace weft::qthreads

using namespace weft::qthreads;

extern "C" {

int qthread_syncvar_status(syncvar_t* const v) { return weft_syncvar_is_full(core(v)) ? 1 : 0; }

int qthread_syncvar_empty(syncvar_t* restrict dest) { return code_of(weft_syncvar_empty(core(dest))); }

int qthread_syncvar_fill(syncvar_t* restrict dest) { return code_of(weft_syncvar_fill(core(dest))); }

int qthread_syncvar_writeEF_const(syncvar_t* restrict dest, uint64_t src) {
  if (is_too_large(src)) return QTHREAD_OVERFLOW;
  return at_once_or_wait(
      dest, [=] { return weft_syncvar_try_write_ef(core(dest), src); }, [=] { return weft_syncvar_write_ef(core(dest), src); },
      [=](std::uint64_t deadline) { return weft_syncvar_write_ef_until(core(dest), src, deadline); });
}

int qthread_syncvar_writeEF(syncvar_t* restrict dest, uint64_t const* restrict src) {
  return src == nullptr ? QTHREAD_BADARGS : qthread_syncvar_writeEF_const(dest, *src);
}

int qthread_syncvar_writeEF_const_nb(syncvar_t* restrict dest, uint64_t src) {
  return is_too_large(src) ? QTHREAD_OVERFLOW : code_of(weft_syncvar_try_write_ef(core(dest), src));
}

int qthread_syncvar_writeEF_nb(syncvar_t* restrict dest, uint64_t const* restrict src) {
  return src == nullptr ? QTHREAD_BADARGS : qthread_syncvar_writeEF_const_nb(dest, *src);
}

int qthread_syncvar_writeF_const(syncvar_t* restrict dest, uint64_t src) {
  return is_too_large(src) ? QTHREAD_OVERFLOW : code_of(weft_syncvar_write_f(core(dest), src));
}

int qthread_syncvar_writeF(syncvar_t* restrict dest, uint64_t const* restrict src) {
  return src == nullptr ? QTHREAD_BADARGS : qthread_syncvar_writeF_const(dest, *src);
}

int qthread_syncvar_readFF(uint64_t* restrict dest, syncvar_t* restrict src) {
  return read_full(
      src, [=] { return weft_syncvar_try_read_ff(core(src), dest); }, [=] { return weft_syncvar_read_ff(core(src), dest); },
      [=](std::uint64_t deadline) { return weft_syncvar_read_ff_until(core(src), deadline, dest); });
}

int qthread_syncvar_readFF_nb(uint64_t* restrict dest, syncvar_t* restrict src) {
  return code_of(weft_syncvar_try_read_ff(core(src), dest));
}

int qthread_syncvar_readFE(uint64_t* restrict dest, syncvar_t* restrict src) {
  return read_full(
      src, [=] { return weft_syncvar_try_read_fe(core(src), dest); }, [=] { return weft_syncvar_read_fe(core(src), dest); },
      [=](std::uint64_t deadline) { return weft_syncvar_read_fe_until(core(src), deadline, dest); });
}

int qthread_syncvar_readFE_nb(uint64_t* restrict dest, syncvar_t* restrict src) {
  return code_of(weft_syncvar_try_read_fe(core(src), dest));
}

uint64_t qthread_syncvar_incrF(syncvar_t* restrict operand, uint64_t inc) {
  uint64_t sum = 0;
  static_cast<void>(weft_syncvar_add_f(core(operand), inc, &sum));
  return sum;
}
}
