/* Mutexes: calls through the table. */
#include <weft_threads/threads.h>

#include "builtin.h"

threads_status threads_mutex_lock(threads_mutex *mutex) { return threads_component_now->mutex_lock(mutex); }

threads_status threads_mutex_try_lock(threads_mutex *mutex) { return threads_component_now->mutex_try_lock(mutex); }

threads_status threads_mutex_unlock(threads_mutex *mutex) { return threads_component_now->mutex_unlock(mutex); }

threads_status threads_mutex_destroy(threads_mutex *mutex) { return threads_component_now->mutex_destroy(mutex); }
