/* Qthreads on Weft: hashes of words and of bytes. */
#ifndef WEFT_QTHREADS_HASH_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_QTHREADS_HASH_H

#include "common.h"
#include "macros.h"
#include "qthread.h"

Q_STARTCXX

/* A start value for qt_hash_bytes. */
#define GOLDEN_RATIO 0x9e3779b97f4a7c13LL

/* The values of both functions are the same in every process of one release, and are not those of
 * Qthreads. No call switches, and any caller may make it. */

/* Returns: a hash of a word. Different words have different hashes. */
uint64_t qt_hash64(uint64_t key);
/* Returns: a hash of bytes bytes at key_ptr and of state: GOLDEN_RATIO, or the hash of what comes
 * before these bytes. key_ptr may be null if bytes is 0, and needs no alignment. */
aligned_t qt_hash_bytes(void *key_ptr, size_t bytes, aligned_t state);

Q_ENDCXX

#endif
