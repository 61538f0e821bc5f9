// Whether the process has a single OS thread, so that an operation that is atomic among OS threads need not be: then locks are taken
// without a locked instruction, which is most of what they cost. The C library does the same inside its own locks.
//
// True holds until the caller itself starts an OS thread (which then sees all that came before); false may be out of date.
#pragma once

extern "C" const char __libc_single_threaded [[gnu::weak]];  // glibc 2.32; null where there is none

namespace weft::os {

inline bool is_alone() { return &__libc_single_threaded != nullptr && __libc_single_threaded != 0; }

}  // namespace weft::os
