// Protocol X: heavy fences of several OS threads at once. The kernel makes the fences of a process
// one after the other, and each interrupts every CPU that runs one of its OS threads, so that
// thieves on many CPUs would wait for as many fences as there are thieves. Here a caller that finds
// another caller's fence under way waits for its end, and then one caller makes one fence for all
// that wait.
#pragma once

#include <cstdint>

#include "base/align.hpp"
#include "base/atomic.hpp"
#include "base/test_and_set_lock.hpp"

namespace weft::os {

class shared_fence {
 public:
  // Returns once a fence has ended that began after the call: `fence` makes one. The caller passes
  // the time by pass() while another caller's fence is under way, `patience` times at most: then it
  // makes one of its own, as the other may have lost its CPU.
  template <class Fence, class Pass>
  void run(unsigned patience, Fence fence, Pass pass) {
    // [X1] release: the caller's stores are before each fence that is counted later; pairs with [X3]
    const std::uint64_t begun_before = begun_.fetch_add(0, base::release);
    for (; patience != 0; --patience) {
      // [X2] acquire: what was before that fence is seen; pairs with [X4]
      if (ended_.load(base::acquire) > begun_before) return;
      if (!is_under_way_.seems_held() && is_under_way_.try_lock()) return run_alone(begun_before, fence);
      pass();
    }
    fence();
  }

  // In a child of fork(2), where the OS thread whose fence was under way is not there.
  void forget_others() { is_under_way_.unlock(); }

 private:
  template <class Fence>
  void run_alone(std::uint64_t begun_before, Fence fence) {
    if (ended_.load(base::relaxed) <= begun_before) {
      // [X3] acquire: the stores of all callers that were counted before; pairs with [X1]
      const std::uint64_t number = begun_.fetch_add(1, base::acquire) + 1;
      fence();
      // [X4] release: what the fence has made visible; pairs with [X2]
      ended_.store(number, base::release);
    }
    is_under_way_.unlock();
  }

  alignas(base::cache_line) base::atomic<std::uint64_t> begun_{0};  // fences, the one under way too
  alignas(base::cache_line) base::atomic<std::uint64_t> ended_{0};  // the last one's number
  base::test_and_set_lock is_under_way_;
};

}  // namespace weft::os
