// See process.hpp.
#include "os/process.hpp"

#include <pthread.h>
#include <sys/auxv.h>

#include "os/fault.hpp"

namespace weft::os {

status call_in_children(void (*function)()) {
  if (fault::fails(call::callback)) return status::nomem;
  return pthread_atfork(nullptr, nullptr, function) == 0 ? status::ok : status::nomem;
}

status call_before_forks(void (*function)()) {
  if (fault::fails(call::callback)) return status::nomem;
  return pthread_atfork(function, nullptr, nullptr) == 0 ? status::ok : status::nomem;
}

privileges privileges_of_program() { return getauxval(AT_SECURE) != 0 ? privileges::raised : privileges::ordinary; }

}  // namespace weft::os
