/* Weft: all functions of the generic threads interface on libweft, inlined. */
#ifndef WEFT_THREADS_WEFT_FUNCTIONS_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_WEFT_FUNCTIONS_H

#include <weft_threads/manage.h>
#include <weft_threads/weft/key.h>
#include <weft_threads/weft/list.h>
#include <weft_threads/weft/mutex.h>
#include <weft_threads/weft/sync.h>
#include <weft_threads/weft/thread.h>

#endif
