// See process.hpp.
#include "os/process.hpp"

#include <pthread.h>

namespace weft::os {

status call_in_children(void (*function)()) {
  return pthread_atfork(nullptr, nullptr, function) == 0 ? status::ok : status::nomem;
}

}  // namespace weft::os
