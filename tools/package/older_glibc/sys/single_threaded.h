// In the place of glibc's header, in libraries that are built for a glibc before 2.32
// (tools/package/older_glibc.py): beside a newer glibc they find the variable when they are loaded,
// and otherwise they take a process for one that has several OS threads.
#pragma once

extern "C" __attribute__((weak)) char weft_single_threaded_if_known __asm__("__libc_single_threaded");
#define __libc_single_threaded (&weft_single_threaded_if_known != nullptr && weft_single_threaded_if_known != 0)
