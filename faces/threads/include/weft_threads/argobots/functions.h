/* Weft: all functions of the generic threads interface on Argobots, inlined. */
#ifndef WEFT_THREADS_ARGOBOTS_FUNCTIONS_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_ARGOBOTS_FUNCTIONS_H

#include <weft_threads/argobots/key.h>
#include <weft_threads/argobots/list.h>
#include <weft_threads/argobots/mutex.h>
#include <weft_threads/argobots/sync.h>
#include <weft_threads/argobots/thread.h>
#include <weft_threads/manage.h>

#endif
