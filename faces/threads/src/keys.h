/* Keys for implementations that have none, or none that notice a key that is gone: one table of
 * keys, and an array of values for each thread that sets one. Where a thread's array is kept is
 * the implementation's affair; a destructor may set values of the thread that ends, so it must
 * be found until key_values_end returned. */
#ifndef WEFT_THREADS_SRC_KEYS_H
#define WEFT_THREADS_SRC_KEYS_H

#include <weft_threads/types.h>

struct key_values;

threads_status keys_create(void (*destructor)(void *value), threads_key *out);
threads_status keys_delete(threads_key key);
void keys_clear(void); /* all are gone */

bool key_is_living(threads_key key);
struct key_values *key_values_new(void);                                      /* null: no memory */
void key_values_set(struct key_values *values, threads_key key, void *value); /* of a living key */
void *key_values_get(const struct key_values *values, threads_key key);       /* values may be null */
void key_values_end(struct key_values *values);                               /* calls destructors and frees */

#endif
