/* Lists of tasks: calls through the table. */
#include <weft_threads/threads.h>

#include <weft_threads/detail/list_storage.h>

#include "builtin.h"

threads_status threads_list_add(threads_list *list, threads_function function, void *argument) {
  return threads_list_append("threads_list_add", list, function, argument, 0, 1);
}

threads_status threads_list_add_many(threads_list *list, threads_function function, void *arguments, size_t stride,
                                     size_t count) {
  return threads_list_append("threads_list_add_many", list, function, arguments, stride, count);
}

threads_status threads_list_start(threads_list *list) { return threads_component_now->list_start(list); }

threads_status threads_list_wait(threads_list *list) { return threads_component_now->list_wait(list); }

threads_status threads_list_destroy(threads_list *list) { return threads_list_free(list); }
