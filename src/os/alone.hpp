// Whether the process has a single OS thread, so that an operation that is atomic among OS threads
// need not be: then locks are taken without a locked instruction, which is most of what they cost.
// The C library does the same inside its own locks.
//
// True holds until the caller itself starts an OS thread (which then sees all that came before);
// false may be out of date.
#pragma once

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>  // glibc 2.32
#endif

namespace weft::os {

#if __has_include(<sys/single_threaded.h>)
inline bool is_alone() { return __libc_single_threaded != 0; }
#else
inline bool is_alone() { return false; }
#endif

// For a caller that is alone: what a strong compare-exchange of an atomic word does. A plain
// compare with memory is one instruction.
template <class Atomic, class Value>
inline bool replace_alone(Atomic* word, Value expected, Value wanted) {
  static_assert(sizeof(Atomic) == sizeof(Value));
  auto* const plain = reinterpret_cast<Value*>(word);
  if (*plain != expected) return false;
  *plain = wanted;
  return true;
}

}  // namespace weft::os
