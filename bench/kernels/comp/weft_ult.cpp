#include "harness/must.hpp"
#include "kernels/comp/comp.hpp"

namespace bench::comp {

namespace {

struct half {
  block of;
  std::uint64_t found;
};

void run_half(void* argument);

std::uint64_t count(const block& of) {
  if (of.is_leaf()) return count_leaf(of);
  auto const [first_block, second_block] = halve(of);
  half first{first_block, 0};
  half second{second_block, 0};
  weft_thread* const second_thread = create(run_half, &second);
  weft_thread* const first_thread = create(run_half, &first);
  join(first_thread);
  join(second_thread);
  return first.found + second.found;
}

void run_half(void* argument) {
  auto* const self = static_cast<half*>(argument);
  self->found = count(self->of);
}

}  // namespace

kernel_run run_ult(const kernel_input& input, stopwatch& watch) { return run(input, watch, count); }

}  // namespace bench::comp
