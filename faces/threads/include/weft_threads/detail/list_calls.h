/* Weft: the calls on lists that no implementation has of its own, inlined. */
#ifndef WEFT_THREADS_DETAIL_LIST_CALLS_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_DETAIL_LIST_CALLS_H

#include <weft_threads/detail/list_storage.h>

THREADS_NODISCARD static inline threads_status threads_list_add(threads_list *list, threads_function function, void *argument) {
  return threads_list_append("threads_list_add", list, function, argument, 0, 1);
}

THREADS_NODISCARD static inline threads_status threads_list_add_many(threads_list *list, threads_function function,
                                                                     void *arguments, size_t stride, size_t count) {
  return threads_list_append("threads_list_add_many", list, function, arguments, stride, count);
}

static inline threads_status threads_list_destroy(threads_list *list) { return threads_list_free(list); }

#endif
