/* Qthreads on Weft: values that each task has for itself, as pthread_key_t has them for each OS
 * thread. In Qthreads 1.23 these functions are declared, and not in the library. */
#ifndef WEFT_QTHREADS_TLS_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_QTHREADS_TLS_H

#include "macros.h"

Q_STARTCXX

/* Names a value. A key outlives qthread_finalize. No call switches. Any caller may make it: an OS
 * thread outside has values of its own. */
typedef void **qthread_key_t;

/* Creates a key, under which every caller's value is null. When a task or an OS thread ends,
 * destructor, unless it is null, is called with its value, unless that is null. A task's values end
 * before its return word is filled, and those of the main task in qthread_finalize. In a blocking
 * action a task has its own values.
 * Returns: 0; EINVAL (key is null); EAGAIN (there are 1024 keys). */
int qthread_key_create(qthread_key_t *key, void (*destructor)(void *));
/* Deletes a key. No destructor runs.
 * Returns: 0; EINVAL (there is no such key). */
int qthread_key_delete(qthread_key_t key);
/* Returns: the caller's value; null if it never set one, or there is no such key. */
void *qthread_getspecific(qthread_key_t key);
/* Sets the caller's value.
 * Returns: 0; EINVAL (there is no such key); ENOMEM. */
int qthread_setspecific(qthread_key_t key, void const *value);

Q_ENDCXX

#endif
