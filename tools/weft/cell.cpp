#include "cell.hpp"

#include <fmt/format.h>

#include "child.hpp"

namespace cli {

namespace {

std::vector<std::string> arguments_for(const cell_order& order, std::optional<std::uint64_t> expected) {
  std::vector<std::string> arguments = {"bench", std::string(order.what->name), "--runtime", order.runtime, "--json", "-"};
  auto const add = [&](const char* option, const std::string& value) {
    arguments.emplace_back(option);
    arguments.push_back(value);
  };
  add("--repetitions", std::to_string(order.repetitions));
  add("--enough", fmt::format("{}", order.enough_seconds));
  if (order.workers != 0) add("--workers", std::to_string(order.workers));
  if (order.size.has_value()) add("--size", std::to_string(*order.size));
  if (order.what->size_word.empty()) add("--dir", order.directory);
  if (expected.has_value()) add("--expect", std::to_string(*expected));
  return arguments;
}

std::string last_lines(const std::string& text) {
  std::size_t const end = text.find_last_not_of('\n');
  if (end == std::string::npos) return "";
  constexpr std::size_t most = 400;
  std::size_t const begin = end > most ? end - most : 0;
  return ": " + text.substr(begin, end + 1 - begin);
}

void read_record(cell_result& into) {
  const nlohmann::ordered_json& record = into.record;
  into.workers = record.at("workers");
  into.size = record.value("size", std::uint64_t{0});
  into.answer = record.at("answer");
  into.expected = record.at("expected");
  into.units = record.at("units");
  into.repetitions = record.at("repetitions");
  into.is_correct = record.at("correct");
  into.note = record.at("note");
  const nlohmann::ordered_json& seconds = record.at("seconds");
  into.seconds = {seconds.at("median"), seconds.at("min"), seconds.at("max")};
  into.has_run = true;
  if (!into.is_correct) into.failure = fmt::format("the answer is {}, but {} is right", into.answer, into.expected);
}

}  // namespace

double cell_result::metric(const char* name) const {
  return record.contains("metrics") ? record["metrics"].value(name, 0.0) : 0.0;
}

cell_result run_cell(const cell_order& order, std::optional<std::uint64_t> expected, const std::function<void(double)>& tick) {
  child_result const child = run_self(arguments_for(order, expected), order.limit_seconds, tick);
  cell_result result;
  result.record = nlohmann::ordered_json::parse(child.output, nullptr, false);
  try {
    read_record(result);  // also of a child that says that its answer is wrong
  } catch (const nlohmann::json::exception&) {
    result.has_run = false;
  }
  std::string const failure = child.failure(order.limit_seconds);
  if (!result.has_run || (result.is_correct && !failure.empty())) {
    result.has_run = false;
    result.failure = (failure.empty() ? "no result" : failure) + last_lines(child.errors);
  }
  return result;
}

}  // namespace cli
