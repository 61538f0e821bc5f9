/* Yields of tasks that wait for tasks which they started.
 *
 * Chapel waits for the tasks of a statement by reading a count again and again, with a yield between.
 * A yield that only lets others run keeps each such parent in its worker's queue, where it takes its
 * turn to find nothing. Here it parks until the tasks that the statement started have ended, and the
 * worker starts the newest of them: so a tree of tasks is walked depth first. Chapel may wait for
 * something else, of which the layer does not learn: a task that yields or waits wakes its parent
 * first, but for its own first wait for tasks of its own, and no parent parks beyond a pause, from 50
 * microseconds to a millisecond. After a pause in which no task has ended its yields only let others
 * run, for as long as the pause was.
 *
 * A parent and its children share one word, which lives until the last of them has ended:
 *
 *   bits 33 to 63   how many children have ended, modulo 2^31; each child adds one as its last step
 *   bit 32          the parent has ended
 *   bit 31          the parent parks, or is about to
 *   bits 0 to 30    the count at which it is to be woken; once it has ended, the one at which the word
 *                   is freed
 *
 * The parent alone writes the lower 33 bits. The child whose step reaches the count wakes the parent
 * by the word's address, which it does not read again. */
#include "chplrt.h" /* Chapel's build looks for it here */

#include "weft-layer.h"

#ifndef CHPL_WEFT_2011

#include <stdlib.h>

#undef free /* Chapel's headers put its own memory layer before libc's calls */
#undef malloc

#define ENDED_SHIFT 33
#define ONE_ENDED ((uint64_t)1 << ENDED_SHIFT)
#define PARENT_ENDED ((uint64_t)1 << 32)
#define PARENT_PARKS ((uint64_t)1 << 31)
#define COUNT_MASK ((uint64_t)0x7fffffff)
#define LOWER_MASK (ONE_ENDED - 1)

struct chpl_weft_children {
  uint64_t word;
};

uint64_t chpl_weft_least_pause_ns = 50000;
uint64_t chpl_weft_most_pause_ns = 1000000;

static uint32_t ended_in(uint64_t word) { return (uint32_t)(word >> ENDED_SHIFT); }
static uint32_t count_of(uint64_t word) { return (uint32_t)(word & COUNT_MASK); }

/* Whether as many children have ended, or more. */
static bool have_ended(uint64_t word, uint32_t count) {
  return ((ended_in(word) - count) & (uint32_t)COUNT_MASK) <= (uint32_t)COUNT_MASK / 2;
}

/* Acquire: the parent sees what the children that have ended did; pairs with end_as_child. */
static uint64_t load(const chpl_weft_children *children) { return __atomic_load_n(&children->word, __ATOMIC_ACQUIRE); }

/* ---- the child ----------------------------------------------------------------------------------- */

static void end_as_child(chpl_weft_children *of) {
  /* Acquire and release: what this child did, for its parent; all that others did to the word, before
   * it is freed. */
  const uint64_t word = __atomic_add_fetch(&of->word, ONE_ENDED, __ATOMIC_ACQ_REL);
  if (ended_in(word) != count_of(word)) {
    return;
  }
  if ((word & PARENT_ENDED) != 0) {
    free(of);
  } else if ((word & PARENT_PARKS) != 0) {
    (void)weft_word_wake(&of->word, 1);
  }
}

void chpl_weft_wake_parent(const chpl_weft_task *task) {
  /* This child has not ended, so that the word is there. */
  chpl_weft_children *of = task->parent;
  if (of != NULL && (__atomic_load_n(&of->word, __ATOMIC_RELAXED) & PARENT_PARKS) != 0) {
    (void)weft_word_wake(&of->word, 1);
  }
}

/* ---- the parent ---------------------------------------------------------------------------------- */

chpl_weft_children *chpl_weft_add_child(chpl_weft_task *task) {
  if (task->children == NULL) {
    task->children = malloc(sizeof *task->children);
    if (task->children == NULL) {
      return NULL; /* the child is not counted: its parent polls */
    }
    task->children->word = 0;
    task->started = 0;
    task->seen = 0;
    task->pause_ns = 0;
    task->yields_until = 0;
    task->has_parked = true;
  }
  if (task->has_parked) { /* a new statement */
    task->has_parked = false;
    task->kept = (task->started - ended_in(load(task->children))) & (uint32_t)COUNT_MASK;
  }
  task->started = (task->started + 1) & (uint32_t)COUNT_MASK;
  return task->children;
}

void chpl_weft_end_family(chpl_weft_task *task) {
  chpl_weft_children *mine = task->children;
  if (mine != NULL) {
    const uint64_t lower = __atomic_load_n(&mine->word, __ATOMIC_RELAXED) & LOWER_MASK;
    /* Acquire and release: as in end_as_child. No sum of lower bits reaches the count of ends. */
    const uint64_t word = __atomic_add_fetch(&mine->word, (PARENT_ENDED | task->started) - lower, __ATOMIC_ACQ_REL);
    if (ended_in(word) == count_of(word)) {
      free(mine);
    }
  }
  if (task->parent != NULL) {
    end_as_child(task->parent);
  }
}

/* Parks until as many children have ended in all, or a pause has passed, or a child wakes the
 * caller. */
static weft_status park_until(chpl_weft_children *mine, uint64_t word, uint32_t count, uint64_t pause_ns) {
  const uint64_t deadline = weft_deadline_in(pause_ns);
  uint64_t with;
  do { /* children may end meanwhile */
    if (have_ended(word, count)) {
      return WEFT_OK;
    }
    with = (word & ~LOWER_MASK) | PARENT_PARKS | count;
  } while (!__atomic_compare_exchange_n(&mine->word, &word, with, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  weft_status status = WEFT_AGAIN;
  while (status == WEFT_AGAIN && !have_ended(with, count)) {
    status = weft_word_wait(&mine->word, sizeof mine->word, with, deadline);
    with = load(mine);
  }
  (void)__atomic_fetch_and(&mine->word, ~PARENT_PARKS, __ATOMIC_RELAXED);
  return status == WEFT_AGAIN ? WEFT_OK : status;
}

bool chpl_weft_wait_for_children(chpl_weft_task *task) {
  chpl_weft_children *mine = task->children;
  if (mine == NULL) {
    return false;
  }
  const uint64_t word = load(mine);
  const uint32_t ended = ended_in(word);
  const uint32_t left = (task->started - ended) & (uint32_t)COUNT_MASK;
  if (ended != task->seen) { /* since the caller's last look */
    task->seen = ended;
    task->pause_ns = 0;
    return false;
  }
  if (left == 0 || weft_deadline_in(0) < task->yields_until) {
    return false;
  }
  /* At first all children of the statement; after a wake-up that did not end the wait, each child. */
  const uint32_t awaited = !task->has_parked && left > task->kept ? left - task->kept : 1;
  if (task->has_parked) { /* it has looked in vain: its parent may wait for what it did before */
    chpl_weft_wake_parent(task);
  }
  task->has_parked = true;
  const uint64_t pause = task->pause_ns == 0                            ? chpl_weft_least_pause_ns
                         : task->pause_ns < chpl_weft_most_pause_ns / 2 ? 2 * task->pause_ns
                                                                        : chpl_weft_most_pause_ns;
  const weft_status status = park_until(mine, word, (ended + awaited) & (uint32_t)COUNT_MASK, pause);
  if (status != WEFT_OK && status != WEFT_TIMEOUT) {
    return false;
  }
  task->seen = ended_in(load(mine));
  const bool is_in_vain = status == WEFT_TIMEOUT && task->seen == ended;
  task->pause_ns = is_in_vain ? pause : 0;
  /* It may wait for something else: it looks for that as long as it has not looked. */
  task->yields_until = is_in_vain ? weft_deadline_in(pause) : 0;
  return true;
}

#endif
