// Runs a function exactly once; a caller that comes meanwhile waits until it returned.
#pragma once

#include "base/status.hpp"
#include "sync/event.hpp"

namespace weft::sync {

class once {
 public:
  // Errors: cannot_block (it is running, and the caller may not wait).
  status call(void (*function)(void*), void* argument) {
    if (is_done_.is_set()) [[likely]]
      return status::ok;
    return call_slow(function, argument);
  }

 private:
  status call_slow(void (*function)(void*), void* argument);

  event is_done_;
};

}  // namespace weft::sync
