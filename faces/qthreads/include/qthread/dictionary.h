/* Qthreads on Weft: dictionaries, which map keys to values. */
#ifndef WEFT_QTHREADS_DICTIONARY_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_QTHREADS_DICTIONARY_H

#include <inttypes.h>
#include <stdlib.h>

#include "macros.h"

Q_STARTCXX

/* A call may switch while it waits for a caller that changes the same dictionary; any caller may
 * make it. The program's functions run inside of the calls: they may not call back into the same
 * dictionary. */

/* qt_dictionary_delete is there. */
#define DELETE_SUPPORT
/* What calls about iterators return for a null iterator or dictionary. */
#define ERROR ((void *)(-1))
/* The number of buckets that some dictionaries of Qthreads have. These grow as entries come. */
#define BKT_POW 20
#define NO_BUCKETS (1 << BKT_POW)

/* Returns: not 0 if the keys are equal. */
typedef int (*qt_dict_key_equals_f)(void *, void *);
/* Returns: any number, the same one for keys that are equal. */
typedef int (*qt_dict_hash_f)(void *);
/* Is told a key whose entry goes, and its value; qt_dictionary_delete passes null for the value,
 * which it returns. */
typedef void (*qt_dict_cleanup_f)(void *, void *);

/* A key with its value. The program may change the value. */
struct list_entry {
  void *value;             /* as it was put */
  void *key;               /* as it was put */
  uint64_t hashed_key;     /* what the hash function returned */
  struct list_entry *next; /* the library's own */
};

typedef struct list_entry list_entry;
typedef struct qt_dictionary qt_dictionary;
typedef struct qt_dictionary_iterator qt_dictionary_iterator;

/* Creates a dictionary. eq and hash are called for every key, cleanup, which may be null, for each
 * that goes.
 * Returns: the dictionary, for qt_dictionary_destroy; null without memory, or if eq or hash is
 * null. */
qt_dictionary *qt_dictionary_create(qt_dict_key_equals_f eq, qt_dict_hash_f hash, qt_dict_cleanup_f cleanup);
/* Frees a dictionary that no call uses, after a call of its cleanup function for each entry. Null
 * is ignored. */
void qt_dictionary_destroy(qt_dictionary *d);

/* Puts a value under a key. An entry with an equal key gets this key and this value; cleanup is not
 * called for the old ones.
 * Returns: value; null without memory. */
void *qt_dictionary_put(qt_dictionary *dict, void *key, void *value);
/* Puts a value under a key, unless the dictionary has an equal one.
 * Returns: the value that is there afterwards; null without memory. */
void *qt_dictionary_put_if_absent(qt_dictionary *dict, void *key, void *value);
/* Returns: the value under a key, or null. */
void *qt_dictionary_get(qt_dictionary *dict, void *key);
/* Removes the entry of a key, and calls cleanup for the key.
 * Returns: its value; null if there was none. */
void *qt_dictionary_delete(qt_dictionary *dict, void *key);

/* Iterators walk the entries from the oldest key to the newest. They belong to one caller. An entry
 * that is put meanwhile is seen, too. Undefined: to use an iterator at an entry that was deleted, or
 * after qt_dictionary_destroy. */

/* Creates an iterator before the first entry.
 * Returns: the iterator, for qt_dictionary_iterator_destroy; ERROR if dict is null, or without
 * memory. */
qt_dictionary_iterator *qt_dictionary_iterator_create(qt_dictionary *dict);
/* Frees an iterator. Null is ignored. */
void qt_dictionary_iterator_destroy(qt_dictionary_iterator *it);
/* Goes on to the next entry.
 * Returns: that entry; null after the last one; ERROR if it is null. */
list_entry *qt_dictionary_iterator_next(qt_dictionary_iterator *it);
/* Returns: the entry at which an iterator is; null before the first and after the last one; ERROR
 * if it is null. */
list_entry *qt_dictionary_iterator_get(qt_dictionary_iterator const *it);
/* Creates an iterator after the last entry, as qt_dictionary_iterator_next leaves one there.
 * Returns: the iterator; null if dict is null, or without memory. */
qt_dictionary_iterator *qt_dictionary_end(qt_dictionary *dict);
/* Returns: 1 if both are at the same place of the same dictionary, or both are null; else 0. */
int qt_dictionary_iterator_equals(qt_dictionary_iterator *a, qt_dictionary_iterator *b);
/* Creates an iterator at the place of another one.
 * Returns: the iterator; null if b is null, or without memory. */
qt_dictionary_iterator *qt_dictionary_iterator_copy(qt_dictionary_iterator *b);

/* Prints how many buckets and entries there are, a line on stdout. */
void qt_dictionary_printbuckets(qt_dictionary *dict);

Q_ENDCXX

#endif
