// The lock of qthread_spinlock_t: a word that is 0 while it is free, 1 while it is held, and 2 while
// it is held and callers may wait at it.
#pragma once

#include <cstdint>

#include "runtime.hpp"

namespace weft::qthreads {

// The task, or the OS thread outside, that calls; never 0 or negative.
std::int64_t caller_identity();

// Codes of this interface; `one` is not null.
int lock(qthread_spinlock_t* one);
int try_lock(qthread_spinlock_t* one);
int unlock(qthread_spinlock_t* one);
void lay_out(qthread_spinlock_t* one, bool is_recursive);

}  // namespace weft::qthreads
