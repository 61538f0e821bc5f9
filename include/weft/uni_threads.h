/* Weft: threads of the uni-address scheme, with the names of its paper (Akiyama, Taura, HPDC'15,
 * doi:10.1145/2749246.2749272). The conventions of weft.h hold.
 *
 *   int fib(int n) {
 *     if (n < 2) {
 *       return n;
 *     } else {
 *       thread_t t = thread_create(fib, n - 1);
 *       int y = fib(n - 2);
 *       int x = thread_join(t);
 *       return x + y;
 *     }
 *   }
 *
 * A thread is a fork (hot.h) of a function of one word that returns a word. Its creator joins it,
 * before the function that the creator was started with returns. The function may do whatever a
 * fork may, and has the identity of the creator.
 *
 * In a program that is linked with libweft, threads are forks of one process, which other workers
 * may run. In a root (dist.h) of a program that is linked with libweft-dist, thread_create runs the
 * thread at once, and what the creator does next may move to another process. There a thread whose
 * argument is an address of a stack stays with its creator, and runs in its join. */
#ifndef WEFT_UNI_THREADS_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_UNI_THREADS_H

#include <weft/detail/platform.h>

#include <string.h>

#include <weft/hot.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* A thread that was created and not yet joined. Its creator may copy it, and joins one of the
 * copies. */
typedef struct thread_t {
  weft_forked *forked;     /* its fork; null: it runs in thread_join */
  void (*run)(void *work); /* what the fork calls */
  weft_small_work work;    /* the function, and its argument; afterwards what it returned */
} thread_t;

/* Calls the function whose address is work's first word, a long (*)(long), with work's second word,
 * and stores the result in the first word. work is the copy that belongs to a fork of
 * thread_create.
 * Switches: may. Callers: the library, for a fork of thread_create. */
static inline void weft_uni_run_long(void *work) {
  unsigned long words[2];
  memcpy(words, work, sizeof words);
  words[0] = (unsigned long)((long (*)(long))words[0])((long)words[1]);
  memcpy(work, words, sizeof words[0]);
}
/* Calls the function whose address is work's first word, an int (*)(int), with work's second word,
 * and stores the result in the first word. work is the copy that belongs to a fork of
 * thread_create.
 * Switches: may. Callers: the library, for a fork of thread_create. */
static inline void weft_uni_run_int(void *work) {
  unsigned long words[2];
  memcpy(words, work, sizeof words);
  words[0] = (unsigned long)((int (*)(int))words[0])((int)words[1]);
  memcpy(work, words, sizeof words[0]);
}

/* Creates a thread by a fork that runs run(copy of work). For thread_create alone.
 * Returns: the thread.
 * Switches: may; only in a root of libweft-dist, where the caller may go on in another process.
 * Callers: thread_create. */
WEFT_HOT_INLINE thread_t weft_uni_create(void (*run)(void *work), weft_small_work work) {
  const thread_t made = {weft_fork(run, &work, sizeof work), run, work};
  return made;
}
/* Creates a thread that calls function(argument), with a long. Only thread_create calls this.
 * Returns: the thread.
 * Switches: may; only in a root of libweft-dist, where the caller may go on in another process.
 * Callers: thread_create. */
WEFT_HOT_INLINE thread_t weft_uni_create_long(long (*function)(long), long argument) {
  const weft_small_work work = {{(unsigned long)function, (unsigned long)argument}};
  return weft_uni_create(weft_uni_run_long, work);
}
/* Creates a thread that calls function(argument), with an int. Only thread_create calls this.
 * Returns: the thread.
 * Switches: may; only in a root of libweft-dist, where the caller may go on in another process.
 * Callers: thread_create. */
WEFT_HOT_INLINE thread_t weft_uni_create_int(int (*function)(int), int argument) {
  const weft_small_work work = {{(unsigned long)function, (unsigned long)argument}};
  return weft_uni_create(weft_uni_run_int, work);
}

/* Creates a thread that runs function(argument): a function of an int that returns an int, or of a
 * long that returns a long.
 * Returns: the thread, which its creator joins once. The call never fails: where no thread can be
 * made, as on an OS thread outside or in a tasklet, the function runs in thread_join.
 * Switches: may; only in a root of libweft-dist, where the caller may go on in another process.
 * Callers: any.
 * Undefined: a function that is null; a thread that is not joined before the function that its
 * creator was started with returns. */
#if defined(__cplusplus)
}
/* As thread_create of C, which is described above. */
WEFT_HOT_INLINE thread_t thread_create(long (*function)(long), long argument) { return weft_uni_create_long(function, argument); }
/* As thread_create of C, which is described above. */
WEFT_HOT_INLINE thread_t thread_create(int (*function)(int), int argument) { return weft_uni_create_int(function, argument); }
extern "C" {
#else
#define thread_create(function, argument) \
  _Generic((function), int (*)(int): weft_uni_create_int, long (*)(long): weft_uni_create_long)((function), (argument))
#endif

/* Joins a thread: waits until its function has returned, or runs the function, if no other worker
 * has taken the thread. thread is what thread_create returned.
 * Returns: what the function returned; an int is widened to long.
 * Switches: may. Callers: the thread's creator.
 * Undefined: a thread that was joined, or that another caller created. */
WEFT_HOT_INLINE long thread_join(thread_t thread) {
  weft_fork_join(thread.forked, thread.run, &thread.work, sizeof thread.work.words[0]);
  return (long)thread.work.words[0];
}

#if defined(__cplusplus)
}
#endif

#endif
