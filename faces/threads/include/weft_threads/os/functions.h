/* Weft: all functions of the generic threads interface on OS threads, for fifo and pool. */
#ifndef WEFT_THREADS_OS_FUNCTIONS_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_OS_FUNCTIONS_H

#include <weft_threads/manage.h>
#include <weft_threads/os/key.h>
#include <weft_threads/os/list.h>
#include <weft_threads/os/mutex.h>
#include <weft_threads/os/sync.h>
#include <weft_threads/os/thread.h>

#endif
