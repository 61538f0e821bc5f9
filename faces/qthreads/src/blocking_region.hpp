// A block of code that may wait in the kernel, without keeping the worker.
#pragma once

#include <weft/weft.h>

namespace weft::qthreads {

// Its end keeps errno. A caller that may not block waits with its worker.
class blocking_region {
 public:
  blocking_region() : has_begun_(weft_blocking_begin() == WEFT_OK) {}
  ~blocking_region() {
    if (has_begun_) static_cast<void>(weft_blocking_end());
  }
  blocking_region(const blocking_region&) = delete;
  blocking_region& operator=(const blocking_region&) = delete;

 private:
  bool has_begun_;
};

}  // namespace weft::qthreads
