/* Weft: where debuggers find a runtime's threads. For tools that look into a live process or a core file from outside; a program has no
 * use for it. weft-gdb.py (docs/guide/debugger.md) reads nothing but this table and what it leads to, so it needs no debug information.
 *
 * The facts are made from the very structs that the library is compiled with. Which there are may change with every version of the
 * library; a tool copes with one that is missing. What is here only changes together with WEFT_DEBUG_VERSION. */
#ifndef WEFT_DEBUG_H
#define WEFT_DEBUG_H

#include <stdint.h>

#include <weft/weft.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define WEFT_DEBUG_VERSION 1

typedef struct weft_debug_fact {
  char name[32];  /* "unit.state": a field of a struct; "state.blocked": a number; ends with a 0 */
  uint32_t value; /* of a field, how many bytes after the struct's begin */
  uint32_t bytes; /* of a field, its size; 0: the fact is a number */
} weft_debug_fact;

typedef struct weft_debug_table {
  char magic[8];       /* "weftdbg", 0 */
  uint32_t version;    /* WEFT_DEBUG_VERSION */
  uint32_t fact_bytes; /* from one fact to the next */
  uint64_t fact_count;
  const weft_debug_fact *facts;
  const void *const *roots; /* two addresses: of the pointer to the runtime (null while there is none), and of the list of OS
                               threads outside */
} weft_debug_table;

WEFT_API extern const weft_debug_table weft_debug_layout;

#if defined(__cplusplus)
}
#endif

#endif
