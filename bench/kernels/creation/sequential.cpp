#include "kernels/creation/creation.hpp"

namespace bench::creation {

namespace {

// The empty asm keeps every call a call: without it compilers merge them, or turn them into a loop.
[[gnu::noinline]] void run_child(child* one) {
  asm volatile("" : "+r"(one));
  one->run();
}

[[gnu::noinline]] std::uint64_t run_chain(std::uint64_t length) {
  if (length == 0) return 0;
  std::uint64_t below = run_chain(length - 1);
  asm volatile("" : "+r"(below));
  return below + 1;
}

}  // namespace

kernel_run run_flat_sequential(const kernel_input& input, stopwatch& watch) {
  return run_flat(input, watch, [](child* first, std::size_t count) {
    for (std::size_t index = 0; index < count; ++index) run_child(first + index);
  });
}

kernel_run run_nested_sequential(const kernel_input& input, stopwatch& watch) { return run_nested(input, watch, run_chain); }

}  // namespace bench::creation
