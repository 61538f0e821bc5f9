/* Qthreads on Weft: what the headers of Qthreads 1.23 know of the machine and the compiler. */
#ifndef QTHREAD_COMMON_H /* SPDX-License-Identifier: BSD-3-Clause */
#define QTHREAD_COMMON_H

/* Of the members of syncvar_t, the first lies in the lowest bits. */
#define BITFIELD_ORDER_REVERSE

#if defined(__cplusplus) && !defined(restrict)
#define restrict __restrict
#endif

#define QTHREAD_TRAP() __builtin_trap()

#define QTHREAD_UNSUPPORTED 0
#define QTHREAD_IA32 1
#define QTHREAD_AMD64 2
#define QTHREAD_POWERPC32 6
#define QTHREAD_POWERPC64 7
#define QTHREAD_ARM 12
#define QTHREAD_ARMV8_A64 13
#define QTHREAD_RISCV 14

#if defined(__x86_64__)
#define QTHREAD_ASSEMBLY_ARCH QTHREAD_AMD64
#elif defined(__aarch64__)
#define QTHREAD_ASSEMBLY_ARCH QTHREAD_ARMV8_A64
#else
#error "Weft runs on x86-64 and aarch64"
#endif

#endif
