/* Weft: a heap that all ranks share (dist.h), whether they share memory or not. The conventions of
 * weft.h hold.
 *
 *   weft_global squares;                                  // in main, on each rank
 *   if (weft_global_array(n, sizeof(long), &squares) != WEFT_OK) return 1;
 *   ...                                                   // in a root, on whatever rank
 *   weft_global_put(squares + i * sizeof(long), &square, sizeof square);
 *   weft_global_get(&square, squares + i * sizeof(long), sizeof square);
 *
 * A weft_global names a byte of the heap on all ranks: it is a number, and no address of a process,
 * so it may be a fork's argument, lie in a frame, and be put into the heap. An address that malloc
 * returns may not. Each rank has WEFT_DIST_HEAP bytes of the heap.
 *
 * Words
 *   Array        Elements that weft_global_array divides among all ranks.
 *   Object       Memory of weft_global_make, which lies on one rank.
 *   Future       A value of weft_global_future_make. It lies on one rank.
 *   Root         What weft_dist_root runs on all ranks together, with all its forks.
 *   Main thread  The OS thread of a rank that runs main. It also runs the threads of a root.
 *   Collective   Each rank makes a collective call, with the same arguments. The calls return after
 *                all ranks have made theirs. If the ranks' calls differ, the job ends.
 *   Job ends     All ranks end, and a line on stderr says why.
 *   Node         The ranks that share memory, as those of one machine do.
 *   Word         8 bytes, aligned to 8.
 *
 * Bytes that weft_global_put has copied lie in the heap when the call returns. Another thread reads
 * them if it joins the writing thread, is forked by it, or reads a word to which the writing thread
 * applied weft_global_add or weft_global_swap after the put. If two threads use the same bytes at
 * once, and one of them writes, both must use weft_global_add, weft_global_swap or futures.
 *
 * Only weft_global_future_get switches, and it resumes its caller on the same rank. So no call of
 * this header moves a thread to another rank.
 *
 * A call for bytes outside every array and heap, such as those of address 0, ends the job. A call
 * from an OS thread that its Callers exclude may end the job, unless its Errors name that.
 * Undefined, unless said otherwise: an address whose array, object or future was freed; bytes
 * behind the end of an object. */
#ifndef WEFT_GLOBAL_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_GLOBAL_H

#include <weft/detail/platform.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/weft.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* An address in the global heap; 0 is no address. Within one array or one object, a + n is the
 * address of the byte that lies n bytes behind a. */
typedef uint64_t weft_global;

/* Makes an array of count elements, each of a size of bytes, which is divided among the ranks.
 *
 * The call is collective. Rank 0 holds the first block of elements, rank 1 the next, and so on. The
 * blocks have the same number of elements, but the last ranks hold what is left, which may be none.
 * Each block begins at a multiple of 64 bytes. The elements are not initialised. *out receives the
 * address of the first element, which is the same on all ranks. weft_global_array_free frees the
 * array.
 * Errors: WEFT_INVALID (count or bytes is 0, or the array would have more than 2^47 bytes; a call
 * in a root, or from another OS thread than the main thread), WEFT_NOMEM (a rank's heap of
 * WEFT_DIST_HEAP bytes has no room, or there are 1023 arrays). Every rank receives the same error.
 * Switches: never. Callers: the main thread, outside a root. */
WEFT_NODISCARD WEFT_API weft_status weft_global_array(size_t count, size_t bytes, weft_global *out);

/* Frees an array. The call is collective. array is the address of its first element, which every
 * rank has from weft_global_array.
 * Errors: WEFT_INVALID (array is not the address of an array's first element; a call in a root, or
 * from another OS thread than the main thread).
 * Switches: never. Callers: the main thread, outside a root. */
WEFT_API weft_status weft_global_array_free(weft_global array);

/* Allocates memory for an object in the heap of a rank, which need not be the caller's.
 *
 * The memory is aligned to 64 bytes, and not initialised. It takes the next power of two of bytes,
 * at least 64. *out receives the address of its first byte. A thread on any rank may use the
 * object. weft_global_free frees it.
 * Errors: WEFT_INVALID (there is no such rank; bytes is 0, or more than 2^31), WEFT_NOMEM (the
 * rank's heap of WEFT_DIST_HEAP bytes has no room).
 * Switches: never. Callers: the main thread; if all ranks are on one node, any. */
WEFT_NODISCARD WEFT_API weft_status weft_global_make(int rank, size_t bytes, weft_global *out);

/* Frees an object's memory, on whichever rank it lies. object is the address that weft_global_make
 * stored, and bytes is the size that the object was made with.
 * Switches: never. Callers: those of weft_global_make.
 * Undefined: an address that weft_global_make did not store; another size. */
WEFT_API void weft_global_free(weft_global object, size_t bytes);

/* Returns the rank whose heap holds the byte at an address.
 * Returns: the rank, from 0.
 * Switches: never. Callers: any. */
WEFT_API int weft_global_rank(weft_global at);

/* Returns how many bytes lie one behind the other in one rank's memory, beginning with the byte at
 * an address. In an array, they end with the rank's block, or with the array. In an object or a
 * future, they end with the rank's heap, not with the object.
 * Returns: the number, at least 1.
 * Switches: never. Callers: any. */
WEFT_API size_t weft_global_run(weft_global at);

/* Returns where a byte of the heap lies in the calling process.
 *
 * The caller may load and store the weft_global_run(at) bytes that begin there, but none behind the
 * end of an object. Other threads see such a store as they see what weft_global_put has copied.
 * The address is valid on the calling rank only: do not keep it across a fork or join, at which the
 * thread may move.
 * Returns: the address; null if the byte's rank is on another node, and so shares no memory with
 * the calling rank.
 * Switches: never. Callers: any. */
WEFT_API void *weft_global_local(weft_global at);

/* Copies bytes from the heap, at from, to memory of the caller, at into. The copy is complete when
 * the call returns. The bytes of the heap may lie on several ranks. For 0 bytes, nothing is done.
 * Switches: never. Callers: those of weft_global_make. */
WEFT_API void weft_global_get(void *into, weft_global from, size_t bytes);

/* Copies bytes from memory of the caller, at from, into the heap, at into. The copy is complete
 * when the call returns. The bytes of the heap may lie on several ranks. For 0 bytes, nothing is
 * done.
 * Switches: never. Callers: those of weft_global_make. */
WEFT_API void weft_global_put(weft_global into, const void *from, size_t bytes);

/* Copies bytes from one part of the heap, at from, to another, at into. The copy is complete when
 * the call returns. The bytes of each part may lie on several ranks, of which none need be the
 * caller's.
 * Switches: never. Callers: those of weft_global_make.
 * Undefined: two parts that overlap. */
WEFT_API void weft_global_copy(weft_global into, weft_global from, size_t bytes);

/* Atomically adds to a word, modulo 2^64, with acquire and release order. If the address is not a
 * multiple of 8, the job ends.
 * Returns: what the word held before.
 * Switches: never. Callers: those of weft_global_make. */
WEFT_API uint64_t weft_global_add(weft_global word, uint64_t by);

/* Atomically sets a word to desired if it holds expected (compare and swap).
 *
 * The call has acquire order, and also release order if it sets the word. If the address is not a
 * multiple of 8, the job ends.
 * Returns: what the word held before. It has set the word if that is expected.
 * Switches: never. Callers: those of weft_global_make. */
WEFT_API uint64_t weft_global_swap(weft_global word, uint64_t expected, uint64_t desired);

/* Makes a future in the heap of a rank: a value that one thread sets once, and that threads on all
 * ranks can wait for and read.
 *
 * bytes is the size of the value. The future takes 8 bytes more, which count for the limit of
 * weft_global_make. *out receives its address, which only the calls of futures take.
 * weft_global_future_free frees the future.
 * Errors: those of weft_global_make.
 * Switches: never. Callers: the main thread. */
WEFT_NODISCARD WEFT_API weft_status weft_global_future_make(int rank, size_t bytes, weft_global *out);

/* Frees a future, set or not, that no thread uses any more. bytes is the size that the future was
 * made with.
 * Switches: never. Callers: the main thread.
 * Undefined: another size; a thread that waits for the future. */
WEFT_API void weft_global_future_free(weft_global future, size_t bytes);

/* Sets a future to the bytes at value, which the call copies. bytes is the size that the future was
 * made with. Threads that wait for the future are resumed later, by their own ranks.
 * Switches: never. Callers: the main thread.
 * Undefined: a second call for the same future; another size. */
WEFT_API void weft_global_future_set(weft_global future, const void *value, size_t bytes);

/* Tells whether a future is set.
 * Returns: true if it is. The caller then sees what the setting thread put into the heap before.
 * Switches: never. Callers: the main thread. */
WEFT_API bool weft_global_future_is_set(weft_global future);

/* Waits until a future is set, and copies its value to the memory at into. bytes is the size that
 * the future was made with.
 *
 * In a root, the rank runs other threads while the caller waits: the frames of the caller are moved
 * off the stack, and the thread that forked the caller goes on. The caller is resumed on the same
 * rank, once that rank has no other thread to run. Outside a root, the main thread looks at the
 * future again and again. A wait in a root ends the job
 * - in a catch block, or in a destructor during unwinding;
 * - if there is no memory for the caller's frames;
 * - under a WEFT_DIST_POLICY other than optimised;
 * - if the library finds that all threads of all ranks wait, and none is left to set a future.
 * Any other wait for a future that no thread sets never ends.
 * Switches: may. Callers: the main thread.
 * Undefined: another size. */
WEFT_API void weft_global_future_get(weft_global future, void *into, size_t bytes);

#if defined(__cplusplus)
}
#endif

#endif
