/* Weft: threads_list_* on OS threads. */
#ifndef WEFT_THREADS_OS_LIST_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_OS_LIST_H

#include <weft_threads/detail/list_calls.h>

#ifdef __cplusplus
extern "C" {
#endif
THREADS_NODISCARD THREADS_API threads_status threads_os_list_start(threads_list *list);
THREADS_NODISCARD THREADS_API threads_status threads_os_list_wait(threads_list *list);
#ifdef __cplusplus
}
#endif

THREADS_NODISCARD static inline threads_status threads_list_start(threads_list *list) { return threads_os_list_start(list); }
THREADS_NODISCARD static inline threads_status threads_list_wait(threads_list *list) { return threads_os_list_wait(list); }

#endif
