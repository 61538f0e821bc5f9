// Guards that are mappings of their own, of all depots of a runtime. The kernel grants a process so
// many mappings (vm.max_map_count); a part of them is left to the program. A depot that gets no
// guard here finds overflows by a pattern, late but still. Any OS thread, any time.
//
// Everything is relaxed. The count publishes nothing: the guard that it counts is made by its own
// system call, and its slot is handed on under the depot's lock. Only the number matters, and each
// fetch_add and fetch_sub finds the newest. Between the two of a refused take the count is one too
// high for each OS thread there, so that another take may be refused although one is free: a stack
// more with a pattern. It is never granted beyond `most`. A `fail` at the same time as another may
// store the larger of their counts: the next guard fails then and lowers it again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/assert.hpp"
#include "base/atomic.hpp"

namespace weft::mem {

class mapped_guards {
 public:
  void start(std::size_t most) { most_.store(most, base::relaxed); }

  bool take() {
    const std::size_t before = count_.fetch_add(1, base::relaxed);
    if (before < most_.load(base::relaxed)) return true;
    count_.fetch_sub(1, base::relaxed);
    tell_once(before);
    return false;
  }
  void give_back() { count_.fetch_sub(1, base::relaxed); }

  // One that was taken could not be made: the program holds the other mappings.
  void fail() {
    const std::size_t held = count_.fetch_sub(1, base::relaxed) - 1;
    most_.store(held, base::relaxed);
    tell_once(held);
  }

 private:
  void tell_once(std::size_t held) {
    if (has_told_.exchange(true, base::relaxed)) return;
    base::report(
        "no more guard pages: those of %zu stacks hold the half of vm.max_map_count that they may "
        "have, or the program holds the rest. Further stacks are guarded by a pattern that is "
        "checked when their threads end; raise vm.max_map_count, or use Linux 6.13 or later, where "
        "guards take no mappings",
        held);
  }

  base::atomic<std::size_t> count_{0};
  base::atomic<std::size_t> most_{SIZE_MAX};
  base::atomic<bool> has_told_{false};
};

}  // namespace weft::mem
