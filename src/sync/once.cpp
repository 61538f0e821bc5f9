// See once.hpp.
#include "sync/once.hpp"

namespace weft::sync {

status once::call_slow(void (*function)(void*), void* argument) {
  if (!is_done_.claim()) return is_done_.wait("once", sched::forever);
  function(argument);
  is_done_.set();
  return status::ok;
}

}  // namespace weft::sync
