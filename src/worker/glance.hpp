// Looking at another OS thread's plain field, for reports: what is read may be old, and is judged
// by the looker. Not under TSan's eyes: the race is meant.
#pragma once

namespace weft::sched {

template <class T>
__attribute__((no_sanitize("thread"), noinline)) T glance(const T& field) {
  return __atomic_load_n(&field, __ATOMIC_RELAXED);
}

}  // namespace weft::sched
