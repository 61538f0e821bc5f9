// What the demonstration says of runs that are made up: whether it fits, and whether it explains
// low ratios.
#include <doctest/doctest.h>

#include <limits>
#include <regex>
#include <sstream>

#include "demo.hpp"
#include "kernels/table.hpp"

namespace {

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

bench::kernel name_kernel(std::string_view name) {
  const bench::kernel* const found = bench::find_kernel(name);
  if (found != nullptr) return *found;
  bench::kernel made = *bench::find_kernel("fib");
  made.name = name;
  return made;
}

cli::cell_result ran(double seconds, std::uint64_t number) {
  cli::cell_result cell;
  cell.has_run = cell.is_correct = true;
  cell.seconds = {seconds, seconds, seconds};
  cell.size = cell.units = cell.answer = cell.expected = number;
  cell.record = {{"cpu_seconds", {{"median", seconds}}}};
  return cell;
}

// Seconds in the columns; below 0: no such form.
cli::demo_row make_row(const bench::kernel& what, const std::vector<double>& seconds, std::uint64_t number = 1000) {
  cli::demo_row made{&what, {}};
  for (double const each : seconds) {
    made.cells.emplace_back();
    if (each >= 0) made.cells.back() = ran(each, number);
  }
  return made;
}

cli::demo_result make_result(unsigned workers, const std::vector<cli::demo_row>& rows) {
  return {{}, cli::choose_columns(workers), rows};
}

std::string explain(const char* name, const std::vector<double>& seconds) {
  bench::kernel const what = name_kernel(name);
  std::string all;
  for (const std::string& line : cli::explain_speed_ups(make_result(2, {make_row(what, seconds)}))) all += line + "\n";
  return all;
}

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

}  // namespace

TEST_CASE("what people read fits in 100 columns, whatever the names and numbers are, and times up to a day") {
  std::string const name(70, 'n');
  std::string const unit(50, 'u');
  bench::kernel what = name_kernel(name);
  what.unit = unit;
  for (unsigned const workers : {1U, 2U, 1024U}) {
    cli::demo_result result = make_result(workers, {});
    cli::demo_row const right = make_row(what, std::vector<double>(result.columns.size(), 86400.0), largest);
    cli::demo_row failed = right;
    failed.cells[1]->has_run = false;
    failed.cells[1]->failure =
        "ended by signal 11 (Segmentation fault): one word and another and so on, as programs say on their end";
    result.rows = {right, failed};
    std::string const text = cli::show_for_people(result);
    CAPTURE(text);
    CHECK(longest_line(text) <= 100);
    CHECK(text.find("nnnnnnnnn..nnnnnnnnn") != std::string::npos);
  }
}

TEST_CASE("a speed-up below 1 is explained, any other is not") {
  CHECK(explain("condition-ping-pong", {-1, 1, -1, 0.8, -1}).empty());
  std::string const low = explain("condition-ping-pong", {-1, 1, -1, 2, -1});
  CHECK(low.find("Below 1, as expected: condition-ping-pong 0.50. The two threads of a pair") == 0);
  CHECK(low.find("within that worker") != std::string::npos);
  CHECK(explain("mutex-handover", {-1, 1, -1, 2, -1}).find("within that worker") != std::string::npos);
  CHECK(explain("some", {1, 2, 2, 1.004, 2}).empty());  // is shown as 1.00
  CHECK(explain("some", {1, 2, 2, 1.01, 2}).find("some 0.99.") != std::string::npos);
}

TEST_CASE("where threads and forks cost about as many plain calls as there are workers, they cannot make up for it") {
  CHECK(explain("some", {1, 9, 3, 5, 2})
            .find("Below 1, as expected: some 0.50. A unit is hardly more than a call, so that as a thread or fork it takes "
                  "about 2 times as long as plain, or longer") == 0);
  CHECK(explain("some", {1, 9, 1.7, 5, 1.2}).find("2 workers do not make up for that.") != std::string::npos);
  CHECK(explain("some", {1, 9, 1.5, 5, 2}) ==
        "Below 1, which is not expected where no other program uses the CPUs: some 0.50.\n");
}

TEST_CASE("a column that is ten times as slow as plain calls is explained") {
  bench::kernel const one = name_kernel("fib");
  bench::kernel const other = name_kernel("some");
  cli::demo_result result = make_result(2, {make_row(one, {1, 20, 1.5, 12.9, 0.9}), make_row(other, {1, 9, 9, 31, 12}),
                                            make_row(other, {1, 99, 99, 9.9, 9.9}), make_row(other, {-1, 1, -1, 99, -1})});
  std::vector<std::string> const lines = cli::explain_slow_columns(result);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] ==
        "Threads on 2 workers take ten times as long as plain calls, or longer: fib 13, some 31. A unit does less there "
        "than it costs to make and join a thread; forks are for such units.");
  CHECK(lines[1].find("Forks on 2 workers take ten times as long as plain calls, or longer: some 12. A unit") == 0);
  CHECK(cli::show_for_people(result).find("Threads on 2 workers take ten times") != std::string::npos);
  CHECK(cli::explain_slow_columns(make_result(2, {make_row(one, {1, 20, 1.5, 9, 0.9})})).empty());
  result.options.is_quick = true;
  CHECK(cli::explain_slow_columns(result).empty());
}

TEST_CASE("programs of one reason share a line; those without one come last") {
  bench::kernel const odd = name_kernel("some");
  bench::kernel const one = name_kernel("stream");
  bench::kernel const other = name_kernel("stream-ep");
  std::vector<double> const seconds = {1, 2, 2, 2, 2};
  std::vector<cli::demo_row> const rows = {make_row(odd, {1, 9, 1.5, 5, 2}), make_row(one, seconds), make_row(other, seconds)};
  std::vector<std::string> const lines = cli::explain_speed_ups(make_result(2, rows));
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].find("Below 1, as expected: stream 0.50, stream-ep 0.50. All CPUs share the memory") == 0);
  CHECK(lines[1].find("some 0.50") != std::string::npos);
}

TEST_CASE("each program with a reason of its own is there") {
  for (const char* const name : {"stream", "stream-ep", "random-access", "yield", "mutex-handover", "condition-ping-pong",
                                 "channel-ping-pong", "blocked", "hash"}) {
    CAPTURE(name);
    CHECK(bench::find_kernel(name) != nullptr);
    CHECK(explain(name, {1, 2, 2, 2, 2}).find("Below 1, as expected") == 0);
  }
}

TEST_CASE("one worker, and small sizes, are said once") {
  bench::kernel const what = name_kernel("fib");
  cli::demo_result result = make_result(1, {make_row(what, {1, 2, 2})});
  CHECK(cli::explain_speed_ups(result).size() == 1);
  CHECK(cli::explain_speed_ups(result)[0].find("With one worker") == 0);
  result = make_result(2, {make_row(what, {1, 2, 2, 2, 2})});
  result.options.is_quick = true;
  CHECK(cli::explain_speed_ups(result)[0].find("The sizes of --quick") == 0);
}

// As of programs that have threads alone.
TEST_CASE("a bar has the colour that the legend has for its column, also where other columns are empty") {
  bench::kernel const what = name_kernel("fib");
  std::string const page = cli::show_as_picture(make_result(2, {make_row(what, {-1, 1, -1, 2, -1})}));
  std::regex const colour("<(rect|path) class=\"bar-([0-9])\"");
  std::string bars;
  std::string legend;
  for (std::sregex_iterator at(page.begin(), page.end(), colour), end; at != end; ++at) {
    ((*at)[1] == "rect" ? bars : legend) += (*at)[2];
  }
  CHECK(legend == "01234");
  CHECK(bars == "13");
  CHECK(page.find("sequential: no such form") != std::string::npos);
}

TEST_CASE("long names, titles, remarks and legends stay inside the picture") {
  std::string const name(70, 'n');
  std::string const title = std::string(90, 't') + " and some words that need another line or two of those left of the bars";
  bench::kernel what = name_kernel(name);
  what.title = title;
  cli::demo_row failed = make_row(what, std::vector<double>(5, 86400.0));
  failed.cells[1]->has_run = false;
  std::string const page = cli::show_as_picture(make_result(1024, {failed}));
  std::smatch box;
  REQUIRE(std::regex_search(page, box, std::regex("viewBox=\"0 0 ([0-9.]+) ([0-9.]+)\"")));
  std::regex const text(
      "<text class=\"?[^>]*x=\"([0-9.]+)\" y=\"([0-9.]+)\">([^<]*)<|<text x=\"([0-9.]+)\" y=\"([0-9.]+)\">([^<]*)<");
  std::size_t count = 0;
  for (std::sregex_iterator at(page.begin(), page.end(), text), end; at != end; ++at, ++count) {
    std::size_t const first = (*at)[1].matched ? 1 : 4;
    std::string const words = (*at)[first + 2];
    CAPTURE(words);
    double const right = std::stod((*at)[first]) + 7 * static_cast<double>(words.size());
    bool const is_left_of_bars = std::stod((*at)[first]) == 0 && at->str().find("legend") == std::string::npos;
    CHECK(right <= (is_left_of_bars ? 230 : std::stod(box[1])));
    CHECK(std::stod((*at)[first + 1]) < std::stod(box[2]));
  }
  CHECK(count >= 5 + 1 + 5);  // legend, name, bars; and lines of the title
}
