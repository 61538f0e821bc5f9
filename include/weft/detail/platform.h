/* The systems and CPUs that Weft runs on. It is included before everything else, so that a compiler
 * for another one says this first. A file that is not there stands for an #error, after which
 * compilers would go on. */
#ifndef WEFT_DETAIL_PLATFORM_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_DETAIL_PLATFORM_H

#if !defined(__linux__)
#include "Weft runs on Linux alone, and this compiler builds for another system"
#elif !defined(__LP64__) || !(defined(__x86_64__) || defined(__aarch64__))
#include "Weft runs on x86-64 and aarch64, 64 bits wide, and this compiler builds for another CPU"
#endif

#endif
