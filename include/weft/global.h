/* Weft: a heap that all ranks share (dist.h), whether they share memory or not.
 *
 *   weft_global squares;                                  // in main, on each rank
 *   if (weft_global_array(n, sizeof(long), &squares) != WEFT_OK) return 1;
 *   ...                                                   // in a root, on whatever rank
 *   weft_global_put(squares + i * sizeof(long), &square, sizeof square);
 *   weft_global_get(&square, squares + i * sizeof(long), sizeof square);
 *
 * A weft_global names a byte of the heap on all ranks: it is a number, and no address of a process,
 * so it may be a fork's argument, lie in a frame, and be put into the heap. What malloc returns may
 * not. Each rank has WEFT_DIST_HEAP bytes of the heap.
 *
 * Words
 *   Root         What weft_dist_root runs on all ranks together, with all its forks.
 *   Collective   Each rank makes a collective call, with the same arguments. If the ranks' calls
 *                differ, the job ends.
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
 * Undefined, unless said otherwise: an address whose array or memory was freed. A call for bytes
 * outside every array and heap ends the job. */
#ifndef WEFT_GLOBAL_H
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
 * The call is collective. Rank 0 holds the first block of elements, rank 1 the next, and so on.
 * The blocks have the same number of elements, but the last ranks hold what is left. The elements
 * are not initialised.
 * Errors: WEFT_INVALID (0, or more than 2^47 bytes; a call in a root, or from another OS thread
 * than the one that runs main), WEFT_NOMEM (a rank's heap of WEFT_DIST_HEAP bytes has no room, or
 * there are 1023 arrays). Every rank receives the same error.
 * Switches: never. Callers: the OS thread that runs main, outside a root. */
WEFT_NODISCARD WEFT_API weft_status weft_global_array(size_t count, size_t bytes, weft_global *out);

/* Frees an array. The call is collective.
 * Errors: WEFT_INVALID (array is not the address of an array's first element; a call in a root, or
 * from another OS thread than the one that runs main).
 * Switches: never. Callers: the OS thread that runs main, outside a root. */
WEFT_API weft_status weft_global_array_free(weft_global array);

/* Allocates memory for an object in the heap of a rank. The memory is aligned to 64 bytes, and not
 * initialised.
 * Errors: WEFT_INVALID (there is no such rank; 0, or more than 2^31 bytes), WEFT_NOMEM (the rank's
 * heap of WEFT_DIST_HEAP bytes has no room).
 * Switches: never. Callers: the OS thread that runs main; on one node, any. */
WEFT_NODISCARD WEFT_API weft_status weft_global_make(int rank, size_t bytes, weft_global *out);

/* Frees an object's memory, on whichever rank it lies. bytes is the size that the object was made
 * with.
 * Switches: never. Callers: those of weft_global_make. */
WEFT_API void weft_global_free(weft_global object, size_t bytes);

/* Returns the rank whose heap holds a byte.
 * Returns: the rank, from 0.
 * Switches: never. Callers: any. */
WEFT_API int weft_global_rank(weft_global at);

/* Returns how many bytes lie one behind the other in one rank's memory, beginning with the byte at.
 * In an array, they end with the rank's block, or with the array. In memory of weft_global_make,
 * they end with the rank's heap, not with the object.
 * Returns: the number, at least 1.
 * Switches: never. Callers: any. */
WEFT_API size_t weft_global_run(weft_global at);

/* Returns where a byte of the heap lies in the calling process.
 *
 * The address can be used for weft_global_run(at) bytes. It is valid on the calling rank only: do
 * not keep it across a fork or join, at which the thread may move.
 * Returns: the address; null if the byte's rank is on another node, and so shares no memory with
 * the calling rank.
 * Switches: never. Callers: any. */
WEFT_API void *weft_global_local(weft_global at);

/* Copies bytes from the heap to memory of the caller. The copy is complete when the call returns.
 * The bytes of the heap may lie on several ranks.
 * Switches: never. Callers: those of weft_global_make. */
WEFT_API void weft_global_get(void *into, weft_global from, size_t bytes);

/* Copies bytes from memory of the caller into the heap. The copy is complete when the call returns.
 * The bytes of the heap may lie on several ranks.
 * Switches: never. Callers: those of weft_global_make. */
WEFT_API void weft_global_put(weft_global into, const void *from, size_t bytes);

/* Copies bytes from one part of the heap to another. The two parts must not overlap.
 * Switches: never. Callers: those of weft_global_make. */
WEFT_API void weft_global_copy(weft_global into, weft_global from, size_t bytes);

/* Atomically adds to a word, with acquire and release order.
 * Returns: what the word held before.
 * Switches: never. Callers: those of weft_global_make. */
WEFT_API uint64_t weft_global_add(weft_global word, uint64_t by);

/* Atomically sets a word to desired if it holds expected (compare and swap). The call has acquire
 * order, and also release order if it sets the word.
 * Returns: what the word held before.
 * Switches: never. Callers: those of weft_global_make. */
WEFT_API uint64_t weft_global_swap(weft_global word, uint64_t expected, uint64_t desired);

/* Makes a future in the heap of a rank: a value that one thread sets once, and that threads on all
 * ranks can wait for and read. bytes is the size of the value. weft_global_future_free frees the
 * future.
 * Errors: those of weft_global_make.
 * Switches: never. Callers: the OS thread that runs main. */
WEFT_NODISCARD WEFT_API weft_status weft_global_future_make(int rank, size_t bytes, weft_global *out);

/* Frees a future that no thread uses any more. bytes is the size that the future was made with.
 * Switches: never. Callers: the OS thread that runs main. */
WEFT_API void weft_global_future_free(weft_global future, size_t bytes);

/* Sets a future to the bytes at value.
 * Switches: never. Callers: the OS thread that runs main.
 * Undefined: a second call for the same future. */
WEFT_API void weft_global_future_set(weft_global future, const void *value, size_t bytes);

/* Tells whether a future is set.
 * Returns: true from the moment on at which the future was set.
 * Switches: never. Callers: the OS thread that runs main. */
WEFT_API bool weft_global_future_is_set(weft_global future);

/* Waits until a future is set, and copies its value.
 *
 * In a root, the rank runs other threads while the caller waits: the frames of the caller are moved
 * off the stack, and the thread that forked the caller goes on. The caller is resumed on the same
 * rank, once that rank has no other thread to run. A wait ends the job
 * - in a catch block;
 * - if there is no memory for it;
 * - under a WEFT_DIST_POLICY other than optimised;
 * - if there is only one rank, and the wait would never end.
 *
 * With several ranks, a wait for a future that no thread sets never ends.
 * Switches: may. Callers: the OS thread that runs main. */
WEFT_API void weft_global_future_get(weft_global future, void *into, size_t bytes);

#if defined(__cplusplus)
}
#endif

#endif
