#include "kernels/lwt/lwt.hpp"

namespace bench::lwt {

namespace {

constexpr std::uint64_t sum_to(std::uint64_t last) { return (last + 1) * last / 2; }

// Every unit runs once a round.
std::uint64_t expected_of_units(const kernel_input& input) { return input.size; }

constexpr element power(element base, std::uint64_t exponent) {
  element product = 1;
  for (; exponent > 0; exponent /= 2, base *= base) {
    if (exponent % 2 == 1) product *= base;
  }
  return product;
}

// All elements were scaled once a round.
template <std::uint64_t Elements>
std::uint64_t expected_sum(const kernel_input& input) {
  return static_cast<element>(sum_to(Elements)) * power(factor, input.size);
}

constexpr std::uint64_t most_rounds = 1'000'000'000;

constexpr kernel kernel_of(std::string_view name, std::string_view title, std::uint64_t default_size,
                           std::uint64_t (*expected)(const kernel_input&)) {
  return {.name = name,
          .title = title,
          .size_word = "rounds",
          .unit = "round",
          .default_size = default_size,
          .quick_size = 3,
          .max_size = most_rounds,
          .expected = expected,
          .is_of_experiment = true};
}

}  // namespace

const kernel create = kernel_of("lwt-create", "a unit of work for each worker: their creation", 10'000, expected_of_units);
const kernel join = kernel_of("lwt-join", "a unit of work for each worker: their join", 10'000, expected_of_units);
const kernel loop = kernel_of("lwt-for", "a parallel loop of 1000 iterations, a part a worker", 10'000, expected_sum<iterations>);
const kernel nested_loops = kernel_of("lwt-for-nested", "a parallel loop of 100 parallel loops of 100 iterations", 100,
                                      expected_sum<outer_iterations * inner_iterations>);
const kernel tasks_of_one = kernel_of("lwt-tasks-single", "1000 tasks, created by one thread", 100, expected_sum<tasks>);
const kernel tasks_of_all = kernel_of("lwt-tasks-all", "1000 tasks, created by all workers", 100, expected_sum<tasks>);
const kernel nested_tasks = kernel_of("lwt-tasks-nested", "200 tasks, each of which creates 4 and waits for them", 100,
                                      expected_sum<parents * children_per_parent>);

}  // namespace bench::lwt
