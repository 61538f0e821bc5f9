/* Qthreads on Weft: memory in mapped files, which a later process finds as it was left. */
#ifndef WEFT_QTHREADS_QALLOC_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_QTHREADS_QALLOC_H

#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif

#include <sys/types.h>
#include <unistd.h>

#include "macros.h"

Q_STARTCXX

/* A map is a file of a fixed length in memory. A static map has items of one size, a dynamic one
 * pieces of any size. Pointers within a map stay right, as a file is always mapped at the address
 * at which it was first. Two processes at one file at a time are undefined. The format of the files
 * is not that of Qthreads. Any caller may make each call, also before qthread_initialize. */
typedef struct mapinfo_s mapinfo_t;
typedef struct dynmapinfo_s dynmapinfo_t;

/* Maps a file. One that does not exist, or is empty, becomes a map of filesize bytes: static, with
 * items of itemsize bytes, or dynamic. addr is where the new map should be; with null, it is where
 * little else is. streams, of which 1.23 makes so many parts, is kept in the file, and has no other
 * meaning.
 * Returns: a mapinfo_t * or dynmapinfo_t *, which qalloc_cleanup frees. Null: errno is EINVAL if
 * the file is no such map or of another length, a size does not fit, or addr is not where the file
 * was first; EEXIST if its place is taken; else it says what failed.
 * Switches: may. */
void *qalloc_makestatmap(off_t const filesize, void *addr, char const *filename, size_t itemsize, size_t const streams);
void *qalloc_makedynmap(off_t const filesize, void *addr, char const *filename, size_t const streams);
/* Maps a file that one of these functions has made, of either kind.
 * Returns: as those functions.
 * Switches: may. */
void *qalloc_loadmap(char const *filename);

/* Writes all maps to their files.
 * Switches: may. */
void qalloc_checkpoint(void);
/* Writes all maps to their files, and unmaps them. No call may use them meanwhile and afterwards.
 * Switches: may. */
void qalloc_cleanup(void);

/* Take an item of a static map, or at least size bytes of a dynamic one, aligned to 16 bytes; of a
 * static map, to 8. qalloc_malloc takes either kind of map, and ignores size for a static one.
 * Returns: the memory; null if there is no such piece left. */
void *qalloc_statmalloc(mapinfo_t *map);
void *qalloc_dynmalloc(dynmapinfo_t *map, size_t size);
void *qalloc_malloc(void *map, size_t size);
/* Give a piece of memory back to its map. A null piece is ignored. */
void qalloc_statfree(void *block, mapinfo_t *map);
void qalloc_dynfree(void *block, dynmapinfo_t *map);
void qalloc_free(void *block, void *map);

Q_ENDCXX

#endif
