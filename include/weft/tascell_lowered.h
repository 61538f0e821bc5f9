/* Weft: what only programs that `weft tascell` compiles call, beside weft/tascell.h: the steps of
 * loops, elements that are results of their tasks, and elements that these read lazily. The
 * conventions of weft.h hold. */
#ifndef WEFT_TASCELL_LOWERED_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_TASCELL_LOWERED_H

#include <weft/tascell.h>

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" /* C has no others, and clang warns of them here too */
#endif

/* ---- steps: do_many (i : low, high, step) ---------------------------------------------------- */

/* Ends the program with a line that names a loop whose step is less than 1.
 * place is where the loop is written.
 * Returns: never.
 * Switches: never. Callers: worker functions. */
WEFT_API __attribute__((noreturn)) void weft_tascell_refuse_step(const weft_tascell_place *place, int64_t step);

/* Finds the iteration behind index in a loop with a step. index is less than end.
 * Returns: the iteration; end if index is the last one.
 * Switches: never. Callers: any.
 * Undefined: step is less than 1. */
static inline int64_t weft_tascell_next_step(int64_t index, int64_t end, int64_t step) {
  return (uint64_t)end - (uint64_t)index > (uint64_t)step ? index + step : end;
}

/* Finds where to divide a loop with a step, as weft_tascell_middle does for a step of 1.
 * index is the running iteration. The result is an iteration of the loop.
 * Returns: m, with index < m < end; end if fewer than two iterations are left.
 * Switches: never. Callers: any.
 * Undefined: step is less than 1. */
static inline int64_t weft_tascell_middle_step(int64_t index, int64_t end, int64_t step) {
  if (end <= index) return end;
  uint64_t const behind = ((uint64_t)end - (uint64_t)index - 1) / (uint64_t)step; /* iterations that have not begun */
  return behind == 0 ? end : (int64_t)((uint64_t)index + (uint64_t)step * (1 + behind / 2));
}

/* Finds the first iteration of a loop with a step that is at least from, and behind index.
 * index is the running iteration, and less than end.
 * Returns: the iteration; end if there is none.
 * Switches: never. Callers: any.
 * Undefined: step is less than 1. */
static inline int64_t weft_tascell_step_from(int64_t index, int64_t end, int64_t step, int64_t from) {
  if (from <= index) from = index + 1;
  if (from < index || from >= end) return end;
  uint64_t const steps = ((uint64_t)from - (uint64_t)index - 1) / (uint64_t)step + 1;
  return (uint64_t)end - (uint64_t)index > steps * (uint64_t)step ? (int64_t)((uint64_t)index + steps * (uint64_t)step) : end;
}

/* ---- elements that are results: share (out p[a..b]) ------------------------------------------ */

/* Which elements of an array a task writes, as the program spells them: constant data. */
typedef struct weft_tascell_part {
  const char *name;  /* of the array or pointer */
  const char *shown; /* such as p[a .. b] */
  size_t bytes;      /* of an element */
} weft_tascell_part;

/* Makes the memory of a task that is unpacked for the elements [low, high) that it writes.
 * The memory is zeroed. In the modes for tests that ship tasks, it has other contents, so that a
 * task that reads an element before it writes it gets another result.
 * Returns: the memory, at least one byte, which the caller frees by free(); null if there is no
 * memory, or if high is less than low.
 * Switches: never. Callers: unpack_in. */
WEFT_NODISCARD WEFT_API void *weft_tascell_make_part(weft_tascell_bytes *bytes, const weft_tascell_part *part, int64_t low,
                                                     int64_t high);

/* ---- elements that are read lazily ----------------------------------------------------------- */

/* The memory into which the library fetches elements of another node. */
typedef struct weft_tascell_lazy_map weft_tascell_lazy_map;

/* Elements that a task reads and does not write: share (copy p[a..b] lazily).
 * On the node of the construct, the task reads the elements where they are. On another node, the
 * library fetches a page of elements when a task first touches it, and once for all tasks of the
 * construct. The program must not change the elements from the beginning of the construct to its
 * end. A system call does not fetch elements: it fails with EFAULT. */
struct weft_tascell_lazy {
  const void *low; /* where the first one is on this node */
  size_t bytes;    /* of all of them */
  /* the library's */
  uint64_t home_low;          /* where the first one is at home */
  weft_tascell_stamp stamp;   /* of the construct that lends them */
  uint32_t home;              /* the node of that construct */
  weft_tascell_lazy_map *map; /* through which they are read; null: they are this node's */
  weft_tascell_lazy *next;    /* of the task */
};

/* Notes that the new task `to` reads elements lazily: the bytes from low on. from is the record of
 * the choice point that divides. The call fills *lazy, a field of the task, and links it into the
 * task.
 * Switches: never. Callers: divide. */
WEFT_API void weft_tascell_lend(weft_tascell_worker *worker, weft_tascell_record *from, const void *low, size_t bytes,
                                weft_tascell_task *to, weft_tascell_lazy *lazy);

/* Appends to a buffer where elements lie that a task reads lazily.
 * Returns: true; false if there is no memory.
 * Switches: never. Callers: pack_in. */
WEFT_NODISCARD WEFT_API bool weft_tascell_write_lazy(weft_tascell_bytes *bytes, const weft_tascell_lazy *lazy);

/* Takes what weft_tascell_write_lazy appended, and makes the elements readable at lazy->low.
 * of is the task, and *lazy a field of it, which the call fills. name is constant data: the
 * variable's name in messages. The task's destroy must call weft_tascell_return_lazy, also after
 * false.
 * Returns: true; false if there is no memory, or if the buffer's bytes make no sense.
 * Switches: never. Callers: unpack_in. */
WEFT_NODISCARD WEFT_API bool weft_tascell_read_lazy(weft_tascell_bytes *bytes, weft_tascell_task *of, weft_tascell_lazy *lazy,
                                                    const char *name);

/* Ends a task's use of elements that it read lazily. For a zeroed *lazy, nothing is done.
 * Switches: never. Callers: destroy. */
WEFT_API void weft_tascell_return_lazy(weft_tascell_lazy *lazy);

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif
#endif
