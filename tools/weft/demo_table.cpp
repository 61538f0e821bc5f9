#include <fmt/format.h>

#include "cli/text.hpp"
#include "demo.hpp"

namespace cli {

namespace {

constexpr std::size_t name_letters = 20;
constexpr std::size_t unit_letters = 24;
constexpr std::size_t answer_digits = 12;
constexpr std::uint64_t long_number = 1'000'000'000'000;

std::string show_time(const std::optional<cell_result>& cell) {
  if (!cell.has_value()) return "-";
  return cell->has_run ? show_seconds(cell->seconds.median) : "FAILED";
}

std::string show_speed_up(const demo_result& result, const demo_row& of) {
  double const ratio = speed_up(result, of);
  if (ratio <= 0) return "-";
  return ratio < 100 ? fmt::format("{:.2f}", ratio) : fmt::format("{:.0f}", ratio);
}

std::string show_per_unit(const demo_row& of, std::size_t column) {
  const cell_result* const run = find_run(of, column);
  if (run == nullptr || run->units == 0) return "-";
  return show_seconds(run->seconds.median / static_cast<double>(run->units));
}

std::string show_number(std::uint64_t number) {
  return number < long_number ? show_count(number) : fmt::format("{:.2e}", static_cast<double>(number));
}

std::string show_units(const demo_row& of) {
  const cell_result* const run = first_run(of);
  return run == nullptr ? "-" : fmt::format("{} {}s", show_number(run->units), of.what->unit);
}

std::string show_size(const demo_row& of) {
  const cell_result* const run = first_run(of);
  return run == nullptr || of.what->size_word.empty() ? "-" : show_number(run->size);
}

std::string show_answer(const demo_row& of) {
  for (const std::optional<cell_result>& cell : of.cells) {
    if (cell.has_value() && !cell->is_right()) return cell->has_run ? "WRONG" : "FAILED";
  }
  const cell_result* const run = first_run(of);
  if (run == nullptr) return "FAILED";
  std::string const digits = of.what->is_digest ? fmt::format("{:016x}", run->answer) : std::to_string(run->answer);
  bool const is_short = !of.what->is_digest && digits.size() <= answer_digits;
  return is_short ? digits + " right" : fmt::format("{:.8}... right", digits);
}

std::vector<std::string> make_times_row(const demo_result& result, const demo_row& of) {
  std::vector<std::string> cells = {shorten(std::string(of.what->name), name_letters)};
  for (const std::optional<cell_result>& cell : of.cells) cells.push_back(show_time(cell));
  cells.insert(cells.end(), {show_speed_up(result, of), show_answer(of)});
  return cells;
}

std::string show_times(const demo_result& result) {
  std::vector<std::string> head = {"program"};
  for (const column& each : result.columns) head.push_back(each.short_head);
  head.insert(head.end(), {"speed-up", "answer"});
  table shown(head);
  for (std::size_t place = 1; place < result.columns.size(); place += 2) {
    shown.span(1 + place, 2 + place, name_workers(result.columns[place].workers));
  }
  for (const demo_row& each : result.rows) shown.add(make_times_row(result, each));
  return shown.show();
}

std::string show_costs(const demo_result& result) {
  table shown({"program", "size", "units", "a plain one", "a thread", "a fork"});
  shown.align_left(2);
  shown.span(3, 5, "time of a unit on 1 worker");
  for (const demo_row& each : result.rows) {
    shown.add({shorten(std::string(each.what->name), name_letters), show_size(each), shorten(show_units(each), unit_letters),
               show_per_unit(each, sequential), show_per_unit(each, threads_on_one_worker),
               show_per_unit(each, forks_on_one_worker)});
  }
  return shown.show();
}

std::vector<std::string> make_wide_row(const demo_result& result, const demo_row& of) {
  std::vector<std::string> cells = {std::string(of.what->name), show_size(of), show_units(of)};
  for (const std::optional<cell_result>& cell : of.cells) cells.push_back(show_time(cell));
  cells.insert(cells.end(), {show_speed_up(result, of), show_per_unit(of, threads_on_one_worker),
                             show_per_unit(of, forks_on_one_worker), show_answer(of)});
  return cells;
}

}  // namespace

std::string show_tables(const demo_result& result) { return show_times(result) + "\n" + show_costs(result); }

std::vector<std::vector<std::string>> make_wide_table(const demo_result& result) {
  std::vector<std::string> head = {"program", "size", "units"};
  for (const column& each : result.columns) head.push_back(each.label);
  head.insert(head.end(), {"speed-up", "a thread", "a fork", "answer"});
  std::vector<std::vector<std::string>> rows = {head};
  for (const demo_row& each : result.rows) rows.push_back(make_wide_row(result, each));
  return rows;
}

}  // namespace cli
