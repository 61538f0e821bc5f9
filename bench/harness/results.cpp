#include "harness/results.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/record.hpp"

namespace bench {

namespace {

using json = nlohmann::json;

constexpr const char* cure = "measure anew: `weft bench NAME --repetitions 7 --json FILE`, or `make bench` for all";

struct damage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

json parse(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) throw bad_results(fmt::format("{} is a folder, not a file", file));
  std::ifstream in(file);
  if (!in) throw bad_results(fmt::format("{} cannot be read: {}\n{}", file, std::strerror(errno), cure));
  try {
    return json::parse(in);
  } catch (const json::parse_error& error) {
    throw bad_results(fmt::format("{} is not JSON: broken at byte {}\n{}", file, error.byte, cure));
  }
}

double positive(const json& value) {
  double const number = value.get<double>();
  if (!std::isfinite(number) || number <= 0) throw damage(fmt::format("a time is {}", number));
  return number;
}

void add(results& into, const series_key& key, series found) {
  if (into.all.emplace(key, std::move(found)).second) return;
  throw damage(fmt::format("{} on {}, workers: {}, is in it twice", key.program, key.runtime, key.workers));
}

std::string describe_setting(const std::string& version, const std::string& settings) {
  return version.empty() || settings.empty() ? version + settings : version + ", " + settings;
}

void read_machine_facts(results& into, const json& here, std::size_t usable) {
  into.facts["processor"] = here.at("processor").get<std::string>();
  into.facts["system"] = here.at("system").get<std::string>();
  into.facts["usable CPUs"] = std::to_string(usable);
}

void read_record(results& into, const json& record) {
  const json& here = record.at("machine");
  read_machine_facts(into, here, here.at("processors_usable").get<std::size_t>());
  into.facts["compiler"] = describe_setting(here.at("compiler"), here.value("flags", ""));
  series found;
  if (!record.at("correct").get<bool>()) found.status = "wrong answer";
  for (const json& each : record.at("seconds").at("samples")) found.seconds.push_back(positive(each));
  if (found.seconds.empty()) throw damage("there are no times");
  found.setting = describe_setting(record.at("runtime_version"), record.at("settings"));
  add(into,
      {record.at("program"), record.value("size", std::uint64_t{0}), record.value("directory", ""), record.at("runtime"),
       record.at("workers")},
      std::move(found));
}

void read_cell(results& into, const json& cell) {
  std::string const status = cell.at("status");
  if (status == "to run" || status == "cannot" || status == "not written" || status == "not installed") return;
  series found;
  found.status = status;
  for (const json& sample : cell.at("samples")) found.seconds.push_back(positive(sample.at("seconds")));
  if (!found.seconds.empty()) {
    found.setting = describe_setting(cell.at("version"), cell.at("settings"));
    if (cell.contains("compiler")) into.facts["compiler"] = cell["compiler"];
  }
  add(into, {cell.at("kernel"), cell.at("size"), "", cell.at("runtime"), cell.at("workers")}, std::move(found));
}

void read_matrix(results& into, const json& matrix) {
  into.is_matrix = true;
  const json& here = matrix.at("machine");
  read_machine_facts(into, here, here.at("usable_cpus").size());
  for (const json& cell : matrix.at("cells")) read_cell(into, cell);
  for (const json& each : matrix.at("calibration")) into.calibration.push_back(positive(each.at("seconds")));
}

void read_either(results& into, const json& whole) {
  std::string const format = whole.is_object() && whole.contains("format") ? whole["format"].dump() : "missing";
  if (format == fmt::format("\"{}\"", record_format)) return read_record(into, whole);
  if (format == fmt::format("\"{}\"", matrix_format)) return read_matrix(into, whole);
  throw bad_results(fmt::format(
      "{} is neither a record of `weft bench --json` nor a comparison of bench/matrix/matrix.py: 'format' is {}, not {} or {}",
      into.file, format, record_format, matrix_format));
}

}  // namespace

results read_results(const std::string& file) {
  json const whole = parse(file);
  results found;
  found.file = file;
  try {
    read_either(found, whole);
  } catch (const damage& what) {
    throw bad_results(fmt::format("{} is damaged: {}\n{}", file, what.what(), cure));
  } catch (const json::exception& error) {  // its text begins with a number for programmers: "[json.exception...] what"
    std::string const text = error.what();
    throw bad_results(fmt::format("{} is damaged: {}\n{}", file, text.substr(text.find("] ") + 2), cure));
  }
  return found;
}

}  // namespace bench
