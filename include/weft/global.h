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
 * What a thread has put is there when the call returns. A thread that joins it, is forked by it, or
 * has read a word that it has added to or swapped afterwards, gets it. Two threads that use the
 * same bytes at once, of which one puts, must both use weft_global_add, weft_global_swap, or
 * futures.
 *
 * No call switches, so none moves the thread, except weft_global_future_get.
 *
 * Undefined, unless said otherwise: an address whose array or memory was freed. Bytes that are no
 * part of an array, or of any heap, end the job with a line. */
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

/* An address in the global heap; 0: none. Of an array's bytes, and of those of one object, a + n
 * is the address n bytes behind a. */
typedef uint64_t weft_global;

/* Makes an array of count elements of so many bytes each, divided into blocks: rank 0 has the
 * first elements, and so on, each rank as many, and the last ones what is left. The elements'
 * bytes are not set. Collective: each rank calls it with the same numbers; ranks whose calls
 * differ end the job with a line.
 * Errors: WEFT_INVALID (0, or more than 2^47 bytes; a call in a root, or from another OS thread
 * than the one that runs main), WEFT_NOMEM (a rank's heap has no room: WEFT_DIST_HEAP; 1023
 * arrays), on all ranks alike.
 * Switches: never. Callers: the OS thread that runs main, outside a root. */
WEFT_NODISCARD WEFT_API weft_status weft_global_array(size_t count, size_t bytes, weft_global *out);

/* Frees an array. Collective, as weft_global_array.
 * Errors: WEFT_INVALID (array is not the address of a first element; the caller).
 * Switches: never. Callers: the OS thread that runs main, outside a root. */
WEFT_API weft_status weft_global_array_free(weft_global array);

/* Takes memory for an object on that rank, aligned to 64 bytes and not set.
 * Errors: WEFT_INVALID (there is no such rank; 0, or more than 2^31 bytes), WEFT_NOMEM (the rank's
 * heap has no room: WEFT_DIST_HEAP).
 * Switches: never. Callers: the OS thread that runs main; on one node, any. */
WEFT_NODISCARD WEFT_API weft_status weft_global_make(int rank, size_t bytes, weft_global *out);

/* Frees an object's memory, on whatever rank it lies. bytes: as it was made.
 * Switches: never. Callers: as weft_global_make. */
WEFT_API void weft_global_free(weft_global object, size_t bytes);

/* Returns which rank's memory the byte is.
 * Returns: the rank.
 * Switches: never. Callers: any. */
WEFT_API int weft_global_rank(weft_global at);

/* Returns how many bytes from here on lie one behind the other in one rank's memory: up to the end
 * of the rank's block of an array.
 * Returns: the number, at least 1.
 * Switches: never. Callers: any. */
WEFT_API size_t weft_global_run(weft_global at);

/* Returns the bytes as an address of this process, for weft_global_run bytes, if their rank shares
 * memory with the calling one. It means nothing on other ranks: do not keep it across a fork or
 * join.
 * Returns: the address; null: the rank is on another node.
 * Switches: never. Callers: any. */
WEFT_API void *weft_global_local(weft_global at);

/* Copies bytes from the heap; they have arrived when the call returns. They may be on several
 * ranks.
 * Switches: never. Callers: as weft_global_make. */
WEFT_API void weft_global_get(void *into, weft_global from, size_t bytes);

/* Copies bytes into the heap; they are there when the call returns. They may be on several ranks.
 * Switches: never. Callers: as weft_global_make. */
WEFT_API void weft_global_put(weft_global into, const void *from, size_t bytes);

/* Copies bytes from one part of the heap to another that does not overlap it.
 * Switches: never. Callers: as weft_global_make. */
WEFT_API void weft_global_copy(weft_global into, weft_global from, size_t bytes);

/* Adds to a word of 8 aligned bytes at once (acquires and releases).
 * Returns: what the word held before.
 * Switches: never. Callers: as weft_global_make. */
WEFT_API uint64_t weft_global_add(weft_global word, uint64_t by);

/* Sets a word of 8 aligned bytes to desired if it holds expected, at once (acquires; releases if
 * it sets).
 * Returns: what the word held before.
 * Switches: never. Callers: as weft_global_make. */
WEFT_API uint64_t weft_global_swap(weft_global word, uint64_t expected, uint64_t desired);

/* Makes a future on that rank: a value of so many bytes that one thread sets once, and that
 * threads read on whatever ranks. To be freed by weft_global_future_free.
 * Errors: as weft_global_make.
 * Switches: never. Callers: the OS thread that runs main. */
WEFT_NODISCARD WEFT_API weft_status weft_global_future_make(int rank, size_t bytes, weft_global *out);

/* Frees a future that no thread uses any more. bytes: as it was made.
 * Switches: never. Callers: the OS thread that runs main. */
WEFT_API void weft_global_future_free(weft_global future, size_t bytes);

/* Sets a future.
 * Switches: never. Callers: the OS thread that runs main.
 * Undefined: a second call for the same future. */
WEFT_API void weft_global_future_set(weft_global future, const void *value, size_t bytes);

/* Returns whether a future is set.
 * Returns: true once it is.
 * Switches: never. Callers: the OS thread that runs main. */
WEFT_API bool weft_global_future_is_set(weft_global future);

/* Waits until a future is set, and reads it. In a root the rank runs other threads meanwhile: the
 * caller's frames leave its stack, its forker goes on, and the caller is resumed on the same rank
 * once that has no other thread to run. A wait in a catch block, one for which there is no memory,
 * one under a WEFT_DIST_POLICY other than optimised, and one that would last for ever on the only
 * rank end the job with a line. A future that no thread sets keeps several ranks waiting.
 * Switches: may. Callers: the OS thread that runs main. */
WEFT_API void weft_global_future_get(weft_global future, void *into, size_t bytes);

#if defined(__cplusplus)
}
#endif

#endif
