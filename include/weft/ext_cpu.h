/* Weft for builders: the CPUs of the machine, and which of them the workers are placed on. Included
 * by ext.h, whose conventions hold here. */
#ifndef WEFT_EXT_CPU_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_EXT_CPU_H

#include <weft/weft.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* A CPU, and the groups of CPUs in which it lies. The groups of each kind are numbered from 0 over
 * the machine. */
typedef struct weft_ext_cpu {
  unsigned number;    /* the system's; under WEFT_TOPOLOGY, from 0 in the order of the text */
  unsigned core;      /* its core */
  unsigned cache;     /* the CPUs under the same last-level cache */
  unsigned numa;      /* its NUMA node */
  unsigned package;   /* its package (socket) */
  unsigned around[4]; /* the same four, from the innermost outwards as they nest on this machine */
} weft_ext_cpu;

/* Lists the CPUs that workers may be placed on: those of the affinity mask that the process has, or
 * had when the runtime started; under WEFT_TOPOLOGY all CPUs of that machine.
 * The first capacity of them, in the order of their numbers, are written to out. *count receives
 * how many there are. out may be null if capacity is 0.
 * Errors: WEFT_INVALID (count is null; out is null, and capacity is not 0), WEFT_UNSUPPORTED
 * (WEFT_TOPOLOGY cannot be used), WEFT_NOMEM. A line on stderr says what is wrong with a topology.
 * Switches: never. Callers: any.
 * Undefined: a call while the runtime starts or ends. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_cpus(weft_ext_cpu *out, unsigned capacity, unsigned *count);

/* Tells on which CPU a worker is placed: *out receives it. Unless workers are bound (weft_config),
 * the worker may run elsewhere; it steals from those that are placed near it first.
 * Errors: WEFT_INVALID (out is null; worker is 1024 or more), WEFT_NOT_INITIALIZED.
 * Switches: never. Callers: any.
 * Undefined: a call from an OS thread outside while weft_finalize runs. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_worker_cpu(unsigned worker, weft_ext_cpu *out);

/* Sets where the workers of the runtimes that start from now on are placed: worker i on the CPU
 * with the number cpus[i % count]. With count 0, which is how a process starts, they are placed on
 * the CPUs of the affinity mask in turn. The library copies cpus.
 * Errors: WEFT_INVALID (cpus is null, and count is not 0; a number is none of those that
 * weft_ext_cpus lists; more than 1024 numbers), WEFT_BUSY (the runtime runs), WEFT_UNSUPPORTED
 * (WEFT_TOPOLOGY cannot be used), WEFT_NOMEM.
 * Switches: never. Callers: any, before weft_init; with count 0 also while the runtime runs. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_place_workers(const unsigned *cpus, unsigned count);

#if defined(__cplusplus)
}
#endif
#endif
