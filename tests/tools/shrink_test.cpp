#include "shrink.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using cli::recorded_choice;
using cli::schedule_lines;

namespace {

schedule_lines numbered(int count) {
  schedule_lines lines;
  for (int number = 0; number < count; ++number) lines.push_back({"run 1, 4 workers", std::to_string(number)});
  return lines;
}

bool has(const schedule_lines& lines, const char* line) {
  return std::any_of(lines.begin(), lines.end(), [&](const recorded_choice& each) { return each.line == line; });
}

// Fails while all of the culprits are there.
cli::schedule_trial failing_with(std::vector<const char*> culprits, int* runs) {
  return [=](const schedule_lines& lines) -> std::optional<schedule_lines> {
    ++*runs;
    bool const fails = std::all_of(culprits.begin(), culprits.end(), [&](const char* each) { return has(lines, each); });
    return fails ? std::optional(lines) : std::nullopt;
  };
}

bool always() { return true; }

}  // namespace

TEST_CASE("what matters is left, and nothing else") {
  int runs = 0;
  schedule_lines const left = cli::shrink(numbered(200), failing_with({"3", "77", "199"}, &runs), always);
  REQUIRE(left.size() == 3);
  CHECK((has(left, "3") && has(left, "77") && has(left, "199")));
  CHECK(runs < 200);
}

TEST_CASE("a failure that needs no choice needs one run") {
  int runs = 0;
  CHECK(cli::shrink(numbered(50), failing_with({}, &runs), always).empty());
  CHECK(runs == 1);
}

TEST_CASE("a run that fails with more choices than it was given is no step") {
  auto const grows = [](const schedule_lines& lines) -> std::optional<schedule_lines> {
    schedule_lines more = lines;
    more.insert(more.end(), 20, {"run 1, 4 workers", "more"});
    return more;
  };
  CHECK(cli::shrink(numbered(10), grows, always).size() == 10);
}

TEST_CASE("it ends when it must") {
  int runs = 0;
  schedule_lines const left = cli::shrink(numbered(100), failing_with({"5"}, &runs), [&runs] { return runs < 4; });
  CHECK(runs == 4);
  CHECK(has(left, "5"));
}
