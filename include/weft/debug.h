/* Weft: where debuggers find a runtime's threads. This header is for tools that look into a live
 * process or a core file from outside; a program has no use for it. weft-gdb.py
 * (docs/guide/debugger.md) reads nothing but this table and what it leads to, so it needs no debug
 * information.
 *
 * The facts are made from the very structs that the library is compiled with. Each version of the
 * library may have other facts, and a tool copes with one that is missing. What this header
 * declares only changes together with WEFT_DEBUG_VERSION. */
#ifndef WEFT_DEBUG_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_DEBUG_H

#include <stdint.h>

#include <weft/weft.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* The version of this table's form. */
#define WEFT_DEBUG_VERSION 1

/* A fact about the library: where a field of one of its structs lies, or a number that the library
 * uses. */
typedef struct weft_debug_fact {
  char name[32];  /* "unit.state": a field of a struct; "state.blocked": a number; ends with a 0 */
  uint32_t value; /* of a field, how many bytes after the struct's begin */
  uint32_t bytes; /* of a field, its size; 0: the fact is a number */
} weft_debug_fact;

/* What a debugger reads first: the array of facts, and the addresses at which a walk of the
 * runtime's structs begins. */
typedef struct weft_debug_table {
  char magic[8];                /* "weftdbg", 0 */
  uint32_t version;             /* WEFT_DEBUG_VERSION */
  uint32_t fact_bytes;          /* from one fact to the next */
  uint64_t fact_count;          /* how many facts there are */
  const weft_debug_fact *facts; /* the first of them */
  /* Two addresses: of the pointer to the runtime (null while there is none), and of the list of OS
   * threads outside. */
  const void *const *roots;
} weft_debug_table;

/* The table of the library that the process has loaded. */
WEFT_API extern const weft_debug_table weft_debug_layout;

#if defined(__cplusplus)
}
#endif

#endif
