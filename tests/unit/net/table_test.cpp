// The table of ranks: what its numbers look like, and that no line is wider than 100 columns.
#include <doctest/doctest.h>

#include <cstdint>
#include <sstream>
#include <string>

#include "net/table.hpp"

using namespace weft;
using net::unit_of_value;

namespace {

std::string show(int ranks, const net::table_column* columns, int count) {
  net::job all;
  all.ranks = ranks;
  char text[4096];
  net::format_table(all, columns, count, text, sizeof text);
  return text;
}

template <std::uint64_t Value>
std::uint64_t always(const net::job&, int) {
  return Value;
}

std::uint64_t rank_itself(const net::job&, int rank) { return static_cast<std::uint64_t>(rank); }

// The one value of a table of one rank and one column.
std::string show_value(unit_of_value unit, std::uint64_t (*value)(const net::job&, int)) {
  const net::table_column column = {"x", unit, value};
  std::istringstream lines(show(1, &column, 1));
  std::string line;
  std::getline(lines, line);
  std::getline(lines, line);
  return line.substr(line.find_first_not_of(' ', 1));
}

}  // namespace

TEST_CASE("values have three digits that count, and a unit") {
  CHECK(show_value(unit_of_value::count, always<0>) == "0");
  CHECK(show_value(unit_of_value::count, always<999>) == "999");
  CHECK(show_value(unit_of_value::count, always<1'000>) == "1,000");
  CHECK(show_value(unit_of_value::count, always<987'654'321>) == "987,654,321");
  CHECK(show_value(unit_of_value::count, always<1'234'567'890>) == "1.23 G");
  CHECK(show_value(unit_of_value::bytes, always<1023>) == "1023 B");
  CHECK(show_value(unit_of_value::bytes, always<1536>) == "1.50 KiB");
  CHECK(show_value(unit_of_value::bytes, always<150'000'000>) == "143 MiB");
  CHECK(show_value(unit_of_value::ns, always<12'345>) == "12.3 us");
  CHECK(show_value(unit_of_value::ns, always<5'000'000'000'000>) == "5000 s");
  CHECK(show_value(unit_of_value::permille, always<125>) == "12.5 %");
}

TEST_CASE("columns stand right, in the order in which they were given") {
  const net::table_column columns[] = {{"steals", unit_of_value::count, rank_itself},
                                       {"in place", unit_of_value::count, always<7>}};
  CHECK(show(2, columns, 2) ==
        "rank   steals  in place\n"
        "0           0         7\n"
        "1           1         7\n"
        "all 2       1        14\n");
}

TEST_CASE("the widest values of most columns fit into 100 columns") {
  net::table_column columns[net::most_columns + 3];
  for (net::table_column& each : columns) each = {"a name that is too long", unit_of_value::count, always<999'999'999>};
  for (const int ranks : {16, 17, 1024}) {
    std::istringstream lines(show(ranks, columns, net::most_columns + 3));
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) CHECK(line.size() <= 100);
    CHECK(count == (ranks > 16 ? 5 : 18));
  }
}
