// Qthreads on Weft: a syncvar_t with the calls on it, for C++. qthread.h has their meanings.
#ifndef QTHREAD_SYNCVAR_HPP /* SPDX-License-Identifier: BSD-3-Clause */
#define QTHREAD_SYNCVAR_HPP

#include <assert.h>

#include "qthread.h"

// The values have 60 bits; more is an error that assert finds. A copy takes value and state as they
// are: no task may wait at what it is made from.
class syncvar {
 public:
  // Full, of 0 or a value.
  syncvar() noexcept { the_syncvar_t.u.w = 0; }
  syncvar(uint64_t const &value) noexcept {
    the_syncvar_t.u.w = 0;
    write(value);
  }
  syncvar(syncvar const &other) noexcept { the_syncvar_t.u.w = other.the_syncvar_t.u.w; }
  syncvar(syncvar_t const &other) { the_syncvar_t.u.w = other.u.w; }
  syncvar &operator=(syncvar const &other) = default;

  int empty() { return qthread_syncvar_empty(&the_syncvar_t); }
  int fill() { return qthread_syncvar_fill(&the_syncvar_t); }
  // 1: full.
  int status() { return qthread_syncvar_status(&the_syncvar_t); }

  int readFF(uint64_t *const to) { return qthread_syncvar_readFF(to, &the_syncvar_t); }
  int readFE(uint64_t *const to) { return qthread_syncvar_readFE(to, &the_syncvar_t); }
  uint64_t readFF() {
    uint64_t value = 0;
    int const status = readFF(&value);
    assert(status == QTHREAD_SUCCESS);
    (void)status;
    return value;
  }
  uint64_t readFE() {
    uint64_t value = 0;
    int const status = readFE(&value);
    assert(status == QTHREAD_SUCCESS);
    (void)status;
    return value;
  }

  int writeF(uint64_t value) {
    assert(fits(value));
    return qthread_syncvar_writeF_const(&the_syncvar_t, value);
  }
  int writeEF(uint64_t const value) {
    assert(fits(value));
    return qthread_syncvar_writeEF_const(&the_syncvar_t, value);
  }
  // What qthread_syncvar_incrF returns.
  uint64_t incr(int64_t by = 1) { return qthread_syncvar_incrF(&the_syncvar_t, static_cast<uint64_t>(by)); }

  // Whatever the state, which stays; not atomic.
  uint64_t read() const { return the_syncvar_t.u.s.data; }
  void write(uint64_t const value) {
    assert(fits(value));
    the_syncvar_t.u.s.data = value & 0xfffffffffffffffull;
  }

 protected:
  syncvar_t the_syncvar_t;

 private:
  static bool fits(uint64_t value) { return value >> 60 == 0; }
};

#endif
