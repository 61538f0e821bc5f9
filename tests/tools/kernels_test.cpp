// The sequential bodies and the pieces that all bodies share. What the parallel ones answer is tested through the command.
#include <doctest/doctest.h>
#include <weft/ext.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "harness/runtimes.hpp"
#include "harness/together.hpp"
#include "kernels/fib/children.hpp"
#include "kernels/fib/fib.hpp"
#include "kernels/hash/hash.hpp"
#include "kernels/matmul/matrix.hpp"
#include "kernels/mergesort/mergesort.hpp"
#include "kernels/quicksort/quicksort.hpp"
#include "kernels/table.hpp"
#include "kernels/uts/uts.hpp"

namespace {

std::uint64_t run_sequentially(const char* name, std::uint64_t size) {
  const bench::cell* const cell = bench::find_cell("sequential", *bench::find_kernel(name));
  bench::stopwatch watch;
  return cell->body({size, 1, ""}, watch).answer;
}

std::uint64_t expected(const char* name, std::uint64_t size) { return bench::find_kernel(name)->expected({size, 1, ""}); }

void check_sorting(std::vector<bench::sorting::value> values) {
  std::vector<bench::sorting::value> sorted = values;
  std::ranges::sort(sorted);
  std::vector<bench::sorting::value> merged = values;
  std::vector<bench::sorting::value> scratch(values.size());
  bench::mergesort::sort<bench::one_by_one>({merged.data(), merged.size()}, scratch.data(), false);
  CHECK(merged == sorted);
  bench::quicksort::sort_small({values.data(), values.size()});
  CHECK(values == sorted);
}

// Children that run where they are made, and are counted.
struct at_once {
  static inline std::uint64_t children = 0;

  template <class... Parts>
  static void spawn_all(const Parts&... parts) {
    children += sizeof...(parts);
    (parts(), ...);
  }
};

void count_creation(void* count, weft_event_kind kind, weft_thread*) {
  if (kind == WEFT_ON_CREATE) ++*static_cast<std::uint64_t*>(count);
}

std::uint64_t count_created_threads(const char* name, std::uint64_t size) {
  const bench::runtime* const ult = bench::find_runtime("ult");
  const bench::cell* const cell = bench::find_cell(*ult, *bench::find_kernel(name));
  bench::stopwatch watch;
  std::uint64_t count = 0;
  REQUIRE(weft_ext_set_event_sink(count_creation, &count) == WEFT_OK);
  ult->start(1);
  CHECK(cell->body({size, 1, ""}, watch).answer == expected(name, size));
  ult->stop();
  REQUIRE(weft_ext_set_event_sink(nullptr, nullptr) == WEFT_OK);
  return count;
}

}  // namespace

TEST_CASE("every kernel has a name of its own, a form for threads and sizes within bounds") {
  std::set<std::string_view> names;
  for (const bench::kernel* const each : bench::all_kernels()) {
    CAPTURE(each->name);
    CHECK(names.insert(each->name).second);
    CHECK(each->default_size <= each->max_size);
    CHECK(each->quick_size <= each->default_size);
    CHECK(bench::find_cell("ult", *each) != nullptr);
  }
  CHECK(bench::find_kernel("no such kernel") == nullptr);
}

TEST_CASE("a runtime runs a kernel or says why not") {
  for (const bench::runtime& runtime : bench::all_runtimes()) {
    for (const bench::kernel* const each : bench::all_kernels()) {
      CAPTURE(runtime.name);
      CAPTURE(each->name);
      const bench::cell* const cell = bench::find_cell(runtime, *each);
      REQUIRE(cell != nullptr);
      CHECK((cell->body == nullptr) != cell->why_not.empty());
    }
  }
}

TEST_CASE("sequential answers are right at many sizes") {
  for (const char* const name : {"fib", "fib-cutoff", "uts-t1", "uts-t3", "queens", "queens-array", "quicksort",
                                 "quicksort-every", "mergesort", "matmul", "strassen", "tree"}) {
    for (std::uint64_t const size : {1U, 2U, 3U, 5U, 8U, 9U}) {
      CAPTURE(name);
      CAPTURE(size);
      CHECK(run_sequentially(name, size) == expected(name, size));
    }
  }
}

TEST_CASE("products of uneven extents are right") {
  for (const char* const name : {"matmul", "strassen"}) {
    for (std::uint64_t const size : {33U, 65U, 100U, 130U, 132U}) {
      CAPTURE(name);
      CAPTURE(size);
      CHECK(run_sequentially(name, size) == expected(name, size));
    }
  }
}

TEST_CASE("the weight of a product tells a wrong element, and two that changed places") {
  constexpr std::size_t size = 3;
  bench::matmul::factors const of(size);
  bench::matmul::owned_matrix const product(size, size);
  bench::matmul::clear(product.all());
  bench::matmul::multiply_add_block(product.all(), of.left.all(), of.right.all());
  std::uint64_t const right = expected("matmul", size);
  CHECK(bench::matmul::weigh(product.all()) == right);
  REQUIRE(product.all().row(0)[0] != product.all().row(2)[1]);
  std::swap(product.all().row(0)[0], product.all().row(2)[1]);
  CHECK(bench::matmul::weigh(product.all()) != right);
  std::swap(product.all().row(0)[0], product.all().row(2)[1]);
  product.all().row(1)[2] += 1;
  CHECK(bench::matmul::weigh(product.all()) != right);
}

TEST_CASE("UTS T1 and T3 have the published numbers of nodes") {
  CHECK(bench::uts::count_sequential(bench::uts::make_t1(10)) == 4'130'071);
  CHECK(bench::uts::count_sequential(bench::uts::make_t3(2000)) == 4'112'897);
}

TEST_CASE("the calls of fib are counted as the recursion makes them") {
  CHECK(bench::fib::calls(0, bench::fib::no_cutoff) == 1);
  CHECK(bench::fib::calls(2, bench::fib::no_cutoff) == 3);
  CHECK(bench::fib::calls(9, bench::fib::cutoff) == 1);
  CHECK(bench::fib::calls(10, bench::fib::cutoff) == 3);
}

TEST_CASE("both children of a call of fib-cutoff are children, as many as were published") {
  bench::stopwatch watch;
  at_once::children = 0;
  CHECK(bench::fib::run_cutoff_by<at_once>({30, 1, ""}, watch).answer == 832'040);
  CHECK(at_once::children + 1 == 57'313);
  CHECK(count_created_threads("fib-cutoff", 30) == 57'313);
}

TEST_CASE("ThreadOpsBench creates 16 threads a round") { CHECK(count_created_threads("thread-ops", 3) == 48); }

TEST_CASE("quicksort and mergesort sort what is hard for them") {
  using bench::quicksort::value;
  constexpr std::size_t count = 5000;
  std::vector<value> equal(count, 7);
  std::vector<value> rising(count);
  std::vector<value> few(count);
  for (std::size_t index = 0; index < count; ++index) {
    rising[index] = static_cast<value>(index);
    few[index] = static_cast<value>(index % 3);
  }
  std::vector<value> const falling(rising.rbegin(), rising.rend());
  for (const auto& values : {equal, rising, falling, few}) check_sorting(values);
  check_sorting({});
  check_sorting({1});
  check_sorting({2, 1});
}

TEST_CASE("neither part of a partition is empty") {
  for (std::vector<bench::quicksort::value> values :
       {std::vector{1, 1}, std::vector{2, 1}, std::vector{1, 2, 3}, std::vector{3, 3, 1}}) {
    bench::quicksort::halves const parts = bench::quicksort::partition({values.data(), values.size()});
    CHECK(parts.low.count > 0);
    CHECK(parts.high.count > 0);
    CHECK(parts.low.count + parts.high.count == values.size());
    CHECK(*std::max_element(values.data(), parts.high.first) <=
          *std::min_element(parts.high.first, values.data() + values.size()));
  }
}

TEST_CASE("the digest of an unsorted sequence is zero") {
  std::vector<bench::quicksort::value> const values = {1, 3, 2};
  CHECK(bench::sorting::digest_sorted(values.data(), values.size()) == 0);
}

TEST_CASE("a digest starts anew after it was finished") {
  bench::hash::sha256 state;
  bench::hash::digest const empty = state.finish();
  CHECK(empty[0] == 0xe3);
  state.update("abc", 3);
  CHECK(state.finish()[0] == 0xba);
  CHECK(state.finish() == empty);
}
