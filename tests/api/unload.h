/* What unload.c calls of the library that it loads. */
#pragma once

#include <weft/weft.h>

struct unload_calls {
  weft_status (*init)(const weft_config *config);
  weft_status (*finalize)(void);
  weft_status (*create)(weft_function function, void *argument, const weft_thread_attr *attr, weft_thread **out);
  weft_status (*join)(weft_thread *thread);
};
