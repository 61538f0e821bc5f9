#include <doctest/doctest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "harness/machine.hpp"
#include "harness/measure.hpp"
#include "harness/memory.hpp"
#include "harness/record.hpp"
#include "harness/statistics.hpp"
#include "kernels/table.hpp"

namespace {

bench::order sequential(const char* program, std::uint64_t size) {
  const bench::kernel* const what = bench::find_kernel(program);
  REQUIRE(what != nullptr);
  const bench::runtime* const with = bench::find_runtime("sequential");
  return {.what = what,
          .with = with,
          .body = bench::find_cell(*with, *what)->body,
          .size = size,
          .expected = {},
          .repetitions = 3,
          .directory = ""};
}

bench::kernel_run answer_wrongly(const bench::kernel_input&, bench::stopwatch& watch) {
  watch.start();
  watch.stop();
  return {1, 1, {}};
}

}  // namespace

TEST_CASE("the median of an odd number of samples is one of them, of an even number the middle of two") {
  constexpr std::array odd = {3.0, 1.0, 9.0};
  constexpr std::array even = {4.0, 1.0, 2.0, 100.0};
  CHECK(bench::summarise(odd).median == 3.0);
  CHECK(bench::summarise(even).median == 3.0);
  CHECK(bench::summarise(even).least == 1.0);
  CHECK(bench::summarise(even).most == 100.0);
  CHECK(bench::summarise({}).median == 0.0);
}

TEST_CASE("a ratio of medians lies in its interval, which is the same in every run and narrow where the samples agree") {
  constexpr std::array ours = {1.0, 1.1, 0.9, 1.05, 0.95};
  constexpr std::array theirs = {2.0, 2.2, 1.9, 2.1, 1.8};
  constexpr std::array steady = {2.0, 2.0, 2.0, 2.0, 2.0};
  bench::ratio const found = bench::ratio_of_medians(ours, theirs);
  CHECK(found.value == 0.5);
  CHECK((0.4 < found.low && found.low < 0.5 && 0.5 < found.high && found.high < 0.62));
  CHECK(bench::ratio_of_medians(ours, theirs).low == found.low);
  CHECK(bench::ratio_of_medians(steady, steady).low == 1.0);
  CHECK(bench::ratio_of_medians(steady, steady).high == 1.0);
}

TEST_CASE("no repetition begins when those before it took long enough, but one is run") {
  bench::order order = sequential("fib", 20);
  order.enough_seconds = 1e-9;
  CHECK(bench::measure(order).seconds.size() == 1);
  CHECK(bench::make_record(order, bench::measure(order))["repetitions"] == 1);
  order.enough_seconds = 1e9;
  CHECK(bench::measure(order).seconds.size() == 3);
}

TEST_CASE("a measurement has a sample a repetition, and its answer is checked") {
  bench::measurement const result = bench::measure(sequential("fib", 20));
  CHECK(result.answer == 6765);
  CHECK(result.is_correct);
  CHECK(result.units == 21891);
  CHECK(result.seconds.size() == 3);
  CHECK(result.peak_resident_bytes > 0);
}

TEST_CASE("a wrong answer is noticed, and stays noticed") {
  bench::order order = sequential("fib", 20);
  order.body = answer_wrongly;
  bench::measurement const result = bench::measure(order);
  CHECK_FALSE(result.is_correct);
  CHECK(result.answer == 1);
  CHECK(result.expected == 6765);
}

TEST_CASE("an expected answer that is given is the one that counts") {
  bench::order order = sequential("fib", 20);
  order.expected = 1;
  CHECK_FALSE(bench::measure(order).is_correct);
}

TEST_CASE("a record names what was run and what came out") {
  bench::order const order = sequential("queens", 6);
  nlohmann::ordered_json const record = bench::make_record(order, bench::measure(order));
  CHECK(record["format"] == bench::record_format);
  CHECK(record["program"] == "queens");
  CHECK(record["runtime"] == "sequential");
  CHECK(record["size"] == 6);
  CHECK(record["answer"] == 4);
  CHECK(record["correct"] == true);
  CHECK(record["seconds"]["samples"].size() == 3);
  CHECK(record["seconds"]["min"] <= record["seconds"]["median"]);
  CHECK(record["machine"]["processors_usable"] >= 1);
}

TEST_CASE("memory of the process and of the machine is found") {
  CHECK(bench::read_process_memory().resident_bytes > 0);
  CHECK(bench::read_process_memory().peak_resident_bytes >= bench::read_process_memory().resident_bytes / 2);
  CHECK(bench::machine_memory_bytes() >= bench::available_memory_bytes());
  CHECK(bench::available_memory_bytes() > 0);
}

TEST_CASE("the machine is described") {
  bench::machine const here = bench::read_machine();
  CHECK(here.processors_online >= 1);
  CHECK(here.processors_usable >= 1);
  CHECK(here.system.starts_with("Linux "));
  CHECK_FALSE(here.compiler.empty());
}
