// The sequential bodies and the pieces that all bodies share. What the parallel ones answer is
// tested through the command.
#include <doctest/doctest.h>
#include <weft/ext.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "harness/bounded_channel.hpp"
#include "harness/chunks.hpp"
#include "harness/runtimes.hpp"
#include "harness/share.hpp"
#include "harness/together.hpp"
#include "kernels/chapel_quicksort/chapel_quicksort.hpp"
#include "kernels/comp/comp.hpp"
#include "kernels/fib/children.hpp"
#include "kernels/fib/fib.hpp"
#include "kernels/hash/hash.hpp"
#include "kernels/lwt/lwt.hpp"
#include "kernels/matmul/matrix.hpp"
#include "kernels/mergesort/mergesort.hpp"
#include "kernels/pentomino/pentomino.hpp"
#include "kernels/quicksort/quicksort.hpp"
#include "kernels/random_access/random_access.hpp"
#include "kernels/stream/stream.hpp"
#include "kernels/table.hpp"
#include "kernels/uts/uts.hpp"
#include "kernels/yield/children.hpp"

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

// Runs the second thread when the first one is through.
struct threads_without_yield_to {
  struct neighbours {
    template <class Record>
    void start(unsigned, Record* first, Record* second) {
      run_first = [first] { first->run(); };
      run_second = [second] { second->run(); };
    }
    void join() { run_first(); }
    void yield_to(std::size_t) {}
  };
  static void yield() {
    std::exchange(run_second, [] {})();
  }

  inline static std::function<void()> run_first;
  inline static std::function<void()> run_second;
};

}  // namespace

TEST_CASE("every kernel has a name of its own, a form for threads and sizes within bounds") {
  std::set<std::string_view> names;
  for (const bench::kernel* const each : bench::all_kernels()) {
    CAPTURE(each->name);
    CHECK(names.insert(each->name).second);
    CHECK(each->default_size <= each->max_size);
    CHECK(each->quick_size <= each->default_size);
    CHECK(each->demo_size <= each->default_size);
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
  for (const char* const name : {"fib",
                                 "fib-cutoff",
                                 "uts-t1",
                                 "uts-t3",
                                 "queens",
                                 "queens-array",
                                 "queens-board",
                                 "quicksort",
                                 "quicksort-every",
                                 "mergesort",
                                 "matmul",
                                 "strassen",
                                 "tree",
                                 "btc",
                                 "comp",
                                 "create-flat",
                                 "create-nested",
                                 "stream",
                                 "stream-ep",
                                 "random-access",
                                 "chapel-quicksort-1",
                                 "chapel-quicksort-log",
                                 "chapel-quicksort-10",
                                 "chapel-quicksort-all",
                                 "chapel-tree",
                                 "lwt-for",
                                 "lwt-for-nested",
                                 "lwt-tasks-single",
                                 "lwt-tasks-all",
                                 "lwt-tasks-nested"}) {
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

TEST_CASE("the pentomino puzzle has the published numbers of solutions") {
  std::uint64_t solutions[bench::pentomino::most_rows + 1] = {};
  for (std::uint64_t const rows : {1U, 2U, 3U, 4U, 5U}) solutions[rows] = run_sequentially("pentomino", rows);
  CHECK(solutions[1] == 0);
  CHECK(solutions[2] == 0);
  CHECK(solutions[3] == 2);
  CHECK(solutions[4] == 368);
  CHECK(solutions[5] == 1010);
}

TEST_CASE("blocks of pairs are halved without losing any, down to leaves") {
  using namespace bench::comp;
  arrays const of(23);
  std::vector<block> blocks = {of.all()};
  std::uint64_t pairs = 0;
  while (!blocks.empty()) {
    block const whole = blocks.back();
    blocks.pop_back();
    if (whole.is_leaf()) {
      pairs += std::uint64_t{whole.ones} * whole.others;
      continue;
    }
    halves const parts = halve(whole);
    CHECK(std::min({parts.first.ones, parts.first.others, parts.second.ones, parts.second.others}) > 0);
    blocks.insert(blocks.end(), {parts.first, parts.second});
  }
  CHECK(pairs == 23 * 23);
}

TEST_CASE("shares are even and add up") {
  for (std::uint64_t const total : {0U, 1U, 7U, 12U}) {
    std::uint64_t sum = 0;
    for (std::uint64_t index = 0; index < 5; ++index) {
      std::uint64_t const one = bench::share(total, 5, index);
      CHECK(one >= total / 5);
      CHECK(one <= total / 5 + 1);
      sum += one;
    }
    CHECK(sum == total);
  }
}

TEST_CASE("a bounded channel keeps order, and its sender waits for room") {
  bench::bounded_channel<std::mutex, std::condition_variable> numbers;
  std::thread sender([&] {
    for (std::uint64_t number = 1; number <= 1000; ++number) numbers.send(number);
  });
  bool are_in_order = true;
  for (std::uint64_t number = 1; number <= 1000; ++number) are_in_order = are_in_order && numbers.receive() == number;
  sender.join();
  CHECK(are_in_order);
}

TEST_CASE("a yield to a named thread that does not hand over is a wrong answer") {
  bench::stopwatch watch;
  CHECK(bench::yield::run_to_by<threads_without_yield_to>({100, 1, ""}, watch).answer == 2);
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

TEST_CASE("a round of the review of lightweight threads creates its units, loops' parts and tasks") {
  CHECK(count_created_threads("lwt-create", 3) == 3);
  CHECK(count_created_threads("lwt-for", 3) == 3);
  CHECK(count_created_threads("lwt-for-nested", 3) == 303);
  CHECK(count_created_threads("lwt-tasks-single", 3) == 3000);
  CHECK(count_created_threads("lwt-tasks-all", 3) == 3003);
  CHECK(count_created_threads("lwt-tasks-nested", 3) == 3000);
}

TEST_CASE("units that did not all run in the same rounds are told") {
  CHECK(bench::lwt::common_rounds({{3}, {3}, {3}}) == 3);
  CHECK(bench::lwt::common_rounds({{3}, {2}, {3}}) == 0);
}

TEST_CASE("the sum of a scaled vector tells an element that was left out, and one done twice") {
  std::vector<bench::lwt::element> elements = bench::lwt::make_vector(bench::lwt::iterations);
  bench::lwt::scale(elements.data(), {0, elements.size()});
  CHECK(bench::lwt::sum(elements) == expected("lwt-for", 1));
  bench::lwt::scale(elements.data(), {0, elements.size() - 1});
  CHECK(bench::lwt::sum(elements) != expected("lwt-for", 2));
  bench::lwt::scale(elements.data(), {0, 1});
  CHECK(bench::lwt::sum(elements) != expected("lwt-for", 2));
}

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

TEST_CASE("the chunks of a loop are all of it, in order, and nearly equal") {
  for (std::uint64_t const parts : {1U, 2U, 3U, 7U, 64U}) {
    for (std::uint64_t const count : {0U, 1U, 2U, 63U, 64U, 65U, 1000U}) {
      std::uint64_t behind = 0;
      for (std::uint64_t index = 0; index < parts; ++index) {
        bench::chunk const of = bench::chunk_of(index, parts, count);
        CHECK(of.first == behind);
        CHECK(of.last - of.first - count / parts <= 1);
        behind = of.last;
      }
      CHECK(behind == count);
    }
  }
}

TEST_CASE("Chapel's quicksort sorts what is hard for it") {
  constexpr std::size_t count = 1000;
  std::vector<double> const equal(count, 0.5);
  std::vector<double> rising(count);
  std::vector<double> few(count);
  for (std::size_t index = 0; index < count; ++index) {
    rising[index] = static_cast<double>(index);
    few[index] = static_cast<double>(index % 3);
  }
  std::vector<double> const falling(rising.rbegin(), rising.rend());
  for (std::vector<double> values : {equal, rising, falling, few}) {
    for (std::size_t const length : {std::size_t{1}, std::size_t{8}, std::size_t{9}, std::size_t{10}, count}) {
      values.resize(length);
      std::vector<double> sorted = values;
      std::ranges::sort(sorted);
      bench::chapel_quicksort::sort<bench::one_by_one>({values.data(), values.size()}, 3);
      CHECK(values == sorted);
    }
  }
}

TEST_CASE("the digest of Chapel's quicksort tells a wrong order and a wrong value") {
  constexpr std::size_t count = 20;
  std::unique_ptr<double[]> const values = bench::chapel_quicksort::make_values(count);
  std::uint64_t const right = expected("chapel-quicksort-1", count);
  CHECK(bench::chapel_quicksort::digest_sorted(values.get(), count) == 0);
  std::sort(values.get(), values.get() + count);
  CHECK(bench::chapel_quicksort::digest_sorted(values.get(), count) == right);
  values[3] = values[4];
  CHECK(bench::chapel_quicksort::digest_sorted(values.get(), count) != right);
}

TEST_CASE("levels of Chapel's quicksort") {
  using bench::chapel_quicksort::levels_for_workers;
  CHECK(levels_for_workers(1) == 2);
  CHECK(levels_for_workers(2) == 3);
  CHECK(levels_for_workers(3) == 4);
  CHECK(levels_for_workers(4) == 4);
}

TEST_CASE("the digest of STREAM tells a wrong element, two that changed places, and a chunk that was left out") {
  constexpr std::uint64_t count = 100;
  bench::stream::vectors const of(count);
  std::uint64_t const right = expected("stream", count);
  bench::stream::fill(of, {0, count});
  bench::stream::triad(of, {0, count - 1});
  CHECK(bench::stream::digest(of) != right);
  bench::stream::triad(of, {count - 1, count});
  CHECK(bench::stream::digest(of) == right);
  std::swap(of.a[1], of.a[2]);
  CHECK(bench::stream::digest(of) != right);
  std::swap(of.a[1], of.a[2]);
  of.a[0] = std::nextafter(of.a[0], 9);
  CHECK(bench::stream::digest(of) != right);
}

TEST_CASE("the numbers of RandomAccess have the published period, and can begin anywhere") {
  CHECK(bench::random_access::power_at(1'317'624'576'693'539'401) == 1);  // PERIOD of HPCC
  std::uint64_t power = 1;
  for (std::uint64_t exponent = 0; exponent < 200; ++exponent) {
    CHECK(bench::random_access::power_at(exponent) == power);
    power = bench::random_access::step(power);
  }
}

TEST_CASE("the verification of RandomAccess counts what a worker left out or did at the wrong place") {
  for (bench::chunk const done : {bench::chunk{0, 4096}, bench::chunk{0, 3000}, bench::chunk{1, 4097}}) {
    bench::random_access::table const of(10);
    of.fill({0, of.size()});
    of.update(done);
    bool const is_right = done.first == 0 && done.last == of.updates();
    std::uint64_t const errors = of.count_errors();
    CAPTURE(done.last);
    CHECK((is_right ? errors == 0 : errors > 0));
  }
}

TEST_CASE("a digest starts anew after it was finished") {
  bench::hash::sha256 state;
  bench::hash::digest const empty = state.finish();
  CHECK(empty[0] == 0xe3);
  state.update("abc", 3);
  CHECK(state.finish()[0] == 0xba);
  CHECK(state.finish() == empty);
}
