// A wait for what other ranks do next, without taking the CPU from them for long.
#pragma once

#include <sched.h>

#include "arch/cpu.hpp"
#include "os/clock.hpp"

namespace weft::dist {

class patience {
 public:
  void wait() {
    ++rounds_;
    if (rounds_ < 2048) {
      arch::pause();
    } else if (rounds_ < 4096) {
      sched_yield();
    } else {
      os::sleep_until(os::now_ns() + 50'000);
    }
  }

 private:
  unsigned rounds_ = 0;
};

}  // namespace weft::dist
