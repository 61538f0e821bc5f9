#include "harness/must.hpp"
#include "kernels/creation/creation.hpp"

namespace bench::creation {

namespace {

void run_child(void* argument) { static_cast<child*>(argument)->run(); }

void run_batch(child* first, std::size_t count) {
  std::array<weft_thread*, batch> threads;
  must(weft_thread_create_many(run_child, first, sizeof *first, count, nullptr, threads.data()), "weft_thread_create_many");
  must(weft_thread_join_many(threads.data(), count), "weft_thread_join_many");
}

struct link {
  std::uint64_t length;
  std::uint64_t made;
};

void run_link(void* argument) {
  auto* const self = static_cast<link*>(argument);
  link next{self->length - 1, 0};
  if (next.length > 0) join(create(run_link, &next));
  self->made = next.made + 1;
}

std::uint64_t run_chain(std::uint64_t length) {
  link first{length, 0};
  join(create(run_link, &first));
  return first.made;
}

}  // namespace

kernel_run run_flat_ult(const kernel_input& input, stopwatch& watch) { return run_flat(input, watch, run_batch); }
kernel_run run_nested_ult(const kernel_input& input, stopwatch& watch) { return run_nested(input, watch, run_chain); }

}  // namespace bench::creation
