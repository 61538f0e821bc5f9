#include "harness/must.hpp"
#include "kernels/fib/fib.hpp"

namespace bench::fib {

namespace {

struct call {
  std::uint64_t n;
  std::uint64_t result;
};

template <std::uint64_t Cutoff>
void run_call(void* argument) {
  auto* const self = static_cast<call*>(argument);
  if (self->n < Cutoff) {
    self->result = plain(self->n);
    return;
  }
  call left{self->n - 1, 0};
  call right{self->n - 2, 0};
  weft_thread* const left_thread = create(run_call<Cutoff>, &left);
  weft_thread* const right_thread = create(run_call<Cutoff>, &right);
  join(right_thread);
  join(left_thread);
  self->result = left.result + right.result;
}

template <std::uint64_t Cutoff>
kernel_run run(const kernel_input& input, stopwatch& watch) {
  call root{input.size, 0};
  watch.start();
  join(create(run_call<Cutoff>, &root));
  watch.stop();
  return {root.result, calls(input.size, Cutoff), {}};
}

}  // namespace

kernel_run run_ult(const kernel_input& input, stopwatch& watch) { return run<no_cutoff>(input, watch); }
kernel_run run_ult_cutoff(const kernel_input& input, stopwatch& watch) { return run<cutoff>(input, watch); }

}  // namespace bench::fib
