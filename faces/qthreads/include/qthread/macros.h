/* Qthreads on Weft: how its headers begin and end their C declarations, which a program that hides
 * its own symbols finds, too. */
#ifndef QTHREAD_MACROS_H /* SPDX-License-Identifier: BSD-3-Clause */
#define QTHREAD_MACROS_H

#ifdef __cplusplus
#define Q_STARTCXX _Pragma("GCC visibility push(default)") extern "C" {
#define Q_ENDCXX \
  }              \
  _Pragma("GCC visibility pop")
#else
#define Q_STARTCXX _Pragma("GCC visibility push(default)")
#define Q_ENDCXX _Pragma("GCC visibility pop")
#endif

/* Of functions that the headers of Qthreads 1.23 declare and its library does not have: a call is
 * an error of the compiler, which prints the reason. */
#define QTHREAD_IS_ABSENT(reason) __attribute__((error(reason)))

#endif
