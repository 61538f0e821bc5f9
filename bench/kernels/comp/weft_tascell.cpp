#include "harness/weft_tascell.hpp"
#include "kernels/comp/comp.hpp"

// comp.tc
extern "C" std::uint64_t bench_tascell_comp(weft_tascell_worker*, weft_tascell_record*, const bench::comp::element* one,
                                            const bench::comp::element* other, bench::comp::number_of_elements ones,
                                            bench::comp::number_of_elements others);

namespace bench::comp {

namespace {

std::uint64_t count_in_halves(tascell::context c, const block& of);

inline std::uint64_t count(tascell::context c, const block& of) { return of.is_leaf() ? count_leaf(of) : count_in_halves(c, of); }

[[gnu::noinline]] std::uint64_t count_in_halves(tascell::context c, const block& of) {
  halves const parts = halve(of);
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  tascell::do_two(
      c, [&](tascell::context inner) { first = count(inner, parts.first); },
      [&](tascell::context inner) { second = count(inner, parts.second); });
  return first + second;
}

}  // namespace

kernel_run run_tascell(const kernel_input& input, stopwatch& watch) {
  arrays const of(input.size);
  block const all = of.all();
  return {run_compiled(watch, bench_tascell_comp, all.one, all.other, all.ones, all.others), input.size * input.size, {}};
}

kernel_run run_tascell_library(const kernel_input& input, stopwatch& watch) {
  arrays const of(input.size);
  std::uint64_t const found = bench::run_tascell(watch, [&](tascell::context c) { return count(c, of.all()); });
  return {found, input.size * input.size, {}};
}

}  // namespace bench::comp
