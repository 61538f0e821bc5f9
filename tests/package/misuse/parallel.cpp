// Calls that must not compile. Behind each: the concept that the compiler's one error for it begins
// with.
#include <weft/algorithm.hpp>
#include <weft/numeric.hpp>
#include <weft/weft.hpp>

#include <list>
#include <string>
#include <utility>
#include <vector>

namespace {

const auto one = [](int) {};
const auto two = [](int, int) {};
const auto half = [](int i) { return i / 2.0; };
const weft::range numbers(0, 10);

void loops(std::vector<int>& values) {
  weft::parallel_for(one, numbers);                                           // weft::divisible_range
  weft::parallel_for(numbers, [](std::string&) {});                           // weft::loop_body
  weft::parallel_for(numbers, two);                                           // weft::loop_body
  weft::parallel_for(weft::blocked_range(numbers, numbers), one);             // weft::loop_body
  weft::parallel_for(0, 10, two);                                             // weft::index_body
  weft::parallel_for(0, 10, [n = 0](int i) mutable { n = i; });               // weft::index_body
  weft::parallel_for(0, one, 10);                                             // weft::loop_ends
  weft::parallel_for(std::list<int>().begin(), std::list<int>().end(), one);  // weft::loop_ends
  weft::parallel_for(0, 10, 2, two);                                          // weft::index_body
  weft::parallel_for(0, 10, one, 2);                                          // weft::loop_steps
  weft::parallel_for(values.begin(), values.end(), 2, one);                   // weft::loop_steps
  weft::for_each(values, two);                                                // weft::element_function
  weft::for_each(std::list<int>(), two);                                      // weft::element_function
  weft::for_each(one, values);                                                // weft::element_range
  weft::for_each(one, values.begin(), values.end());                          // weft::element_ends
  weft::for_each(values.begin(), one, values.end());                          // weft::element_ends
  weft::for_each(numbers, two);                                               // weft::index_body
  weft::for_each(weft::range(values.begin(), values.end()), two);             // weft::element_function
  weft::for_each(weft::blocked_range(numbers, numbers), one);                 // weft::index_body
}

void reductions(std::vector<int>& values) {
  static_cast<void>(weft::parallel_reduce(0L, 10L, 0.0, std::plus<>(), half));                    // weft::combine_function
  static_cast<void>(weft::parallel_reduce(numbers, 0.0, std::plus<>(), half));                    // weft::combine_function
  static_cast<void>(weft::parallel_reduce(0, 10, std::string(), half, std::plus<>()));            // weft::reduction_body
  static_cast<void>(weft::parallel_reduce(one, 0.0, half, std::plus<>()));                        // weft::divisible_range
  static_cast<void>(weft::parallel_reduce(half, 10, 0.0, 0, std::plus<>()));                      // weft::loop_ends
  const int total = weft::parallel_reduce(0, 10, one, 0, std::plus<>());                          // weft::combine_function
  const int whole = weft::parallel_reduce(numbers, half, 0, std::plus<>());                       // weft::combine_function
  const int scanned = weft::parallel_scan(numbers, one, 0, std::plus<>());                        // weft::combine_function
  weft::parallel_scan(numbers, 0, std::plus<>(), [](auto, int before, bool) { return before; });  // weft::combine_function
  weft::parallel_scan(numbers, 0, half, std::plus<>());                                           // weft::scan_body
  weft::parallel_inclusive_scan(values.begin(), values.end(), values.begin(), half);              // weft::scan_function
  weft::parallel_exclusive_scan(values.begin(), values.end(), values.begin(), 0, half);           // weft::scan_function
  weft::parallel_sort(values.data(), values.data() + 9, half);                                    // weft::sort_function
  weft::parallel_sort(values, half);                                                              // weft::sort_function
}

void algorithms(std::vector<int>& values, std::list<int>& list, std::vector<bool>& bits) {
  weft::for_each(weft::par, list, one);                                                   // weft::parallel_input
  weft::sort(weft::par, list.begin(), list.end());                                        // weft::parallel_output
  weft::fill(weft::par, bits, true);                                                      // weft::parallel_output
  weft::fill(weft::par, std::as_const(values), 1);                                        // weft::parallel_output
  weft::fill(weft::par, values, std::string());                                           // std::assignable_from
  weft::transform(weft::par, values, values.begin(), [](int) { return std::string(); });  // std::assignable_from
  static_cast<void>(weft::find(weft::par, values, std::string()));                        // std::equality_comparable_with
  weft::for_each(weft::par, values, two);                                                 // std::invocable
  weft::for_each(weft::par, values, [n = 0](int i) mutable { n = i; });                   // std::invocable
  static_cast<void>(weft::find_if(weft::par, values, two));                               // std::predicate
  weft::stable_sort(weft::par, values, half);                                             // weft::sort_function
  static_cast<void>(weft::reduce(weft::par, values, 0, half));                            // weft::combine_function
}

void threads() {
  weft::task_group group;
  group.run(one);                                      // weft::child_function
  weft::invoke([] {}, one);                            // weft::child_function
  auto left = weft::fork(one);                         // child_function
  auto later = weft::async(4, one);                    // thread_function
  auto named = weft::async({.name = "four"}, 4, one);  // thread_function
  weft::thread swapped(4, one);                        // weft::thread_function
  weft::thread missing(one);                           // weft::thread_function
  weft::thread other({.name = "four"}, one, "four");   // weft::thread_function
  left.join();
  later.get();
  named.get();
}

}  // namespace

int main() {
  std::vector<int> values(10);
  loops(values);
  reductions(values);
  threads();
}
