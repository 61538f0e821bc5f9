#include <fmt/format.h>
#include <weft/weft.h>

#include <cstdlib>
#include <cstring>

#include "cli/text.hpp"
#include "demo.hpp"
#include "harness/machine.hpp"
#include "picture.hpp"

namespace cli {

namespace {

unsigned offered_workers() {
  unsigned workers = 1;
  weft_info_walk(
      [](void* state, const char* key, const char* value) {
        if (std::strcmp(key, "setting.WEFT_WORKERS") == 0)
          *static_cast<unsigned*>(state) = static_cast<unsigned>(std::atoi(value));
      },
      &workers);
  return workers;
}

std::string describe_memory(const cell_result& of) {
  double const bytes = of.metric("bytes_per_thread");
  if (bytes <= 0) return "";
  auto const threads = static_cast<double>(of.units);
  return fmt::format(
      "{} threads were blocked at the same time: {:.0f} bytes of memory each; {} each to create and block, {} each to wake and "
      "join",
      show_count(of.units), bytes, show_seconds(of.metric("create_seconds") / threads),
      show_seconds(of.metric("release_and_join_seconds") / threads));
}

std::string describe_rate(const cell_result& of) {
  double const rate = of.metric("bytes_per_second");
  if (rate <= 0) return "";
  if (of.metric("bytes") <= 0) return fmt::format("{} a second", show_bytes(rate));
  return fmt::format("{} files, {}, at {} a second on all workers, equal to what sha256sum says; unreadable: {:.0f}",
                     show_count(of.units), show_bytes(of.metric("bytes")), show_bytes(rate), of.metric("unreadable"));
}

void add_notes(const demo_result& result, const demo_row& of, std::vector<std::string>& to) {
  for (std::size_t place = 0; place < of.cells.size(); ++place) {
    const std::optional<cell_result>& cell = of.cells[place];
    if (!cell.has_value() || cell->is_right()) continue;
    to.push_back(fmt::format("{}, {}: {}", of.what->name, result.columns[place].label, cell->failure));
  }
  const cell_result* const best = find_fastest(result, of);
  if (best == nullptr) return;
  for (const std::string& note : {best->note, describe_memory(*best), describe_rate(*best)}) {
    if (!note.empty()) to.push_back(fmt::format("{}: {}", of.what->name, note));
  }
}

// A sequential program computes all the time; CPU time below its wall-clock time is time that other
// programs took.
std::string describe_busy_cpus(const demo_result& result) {
  double wall = 0;
  double cpu = 0;
  for (const demo_row& each : result.rows) {
    const cell_result* const run = find_run(each, sequential);
    if (run == nullptr || each.what->size_word.empty()) continue;
    wall += run->seconds.median;
    cpu += run->record["cpu_seconds"].value("median", 0.0);
  }
  if (wall <= 0 || cpu >= 0.9 * wall) return "";
  return fmt::format(
      "Other programs were using the CPUs: the sequential programs had one for {:.0f} % of their time. On an idle machine "
      "all figures are better.",
      100 * cpu / wall);
}

std::string describe_repetitions(const demo_options& options) {
  if (options.is_quick || options.repetitions == 1) return "Times: of one run each.";
  std::string const fewer =
      options.enough_seconds > 0 ? fmt::format(", fewer where they took {:g} s together", options.enough_seconds) : "";
  return fmt::format("Times: the median of {} runs each{}.", options.repetitions, fewer);
}

std::vector<std::string> make_notes(const demo_result& result) {
  std::vector<std::string> notes = {
      describe_repetitions(result.options),
      fmt::format("speed-up: how many times as fast as the sequential program the faster of threads and forks is on {}; where "
                  "there is no sequential form, as threads on 1 worker.",
                  name_workers(result.columns.back().workers))};
  std::vector<std::string> const why = explain_speed_ups(result);
  notes.insert(notes.end(), why.begin(), why.end());
  std::vector<std::string> const slow = explain_slow_columns(result);
  notes.insert(notes.end(), slow.begin(), slow.end());
  for (const demo_row& each : result.rows) add_notes(result, each, notes);
  std::string const busy = describe_busy_cpus(result);
  if (!busy.empty()) notes.push_back(busy);
  return notes;
}

std::string describe_machine() {
  bench::machine const here = bench::read_machine();
  return fmt::format("weft {}, {}, {} usable CPUs of {} {}, {} of memory, {}", WEFT_VERSION, here.compiler,
                     here.processors_usable, here.processor.empty() ? "type" : here.processor, here.architecture,
                     show_bytes(static_cast<double>(here.memory_bytes)), here.system);
}

bar make_bar(const column& in, const std::optional<cell_result>& cell) {
  if (!cell.has_value()) return {in.label, 0, "no such form", false};
  if (!cell->has_run) return {in.label, 0, "failed", true};
  return {in.label, cell->seconds.median, "wrong answer", !cell->is_correct};
}

bar_group make_group(const demo_result& result, const demo_row& of) {
  bar_group group{std::string(of.what->name), std::string(of.what->title), {}};
  for (std::size_t place = 0; place < of.cells.size(); ++place) {
    group.bars.push_back(make_bar(result.columns[place], of.cells[place]));
  }
  return group;
}

}  // namespace

bool demo_result::is_all_right() const {
  for (const demo_row& each : rows) {
    for (const std::optional<cell_result>& cell : each.cells) {
      if (cell.has_value() && !cell->is_right()) return false;
    }
  }
  return true;
}

std::string name_workers(unsigned count) { return count == 1 ? "1 worker" : fmt::format("{} workers", count); }

const cell_result* find_run(const demo_row& of, std::size_t column) {
  bool const is_there = column < of.cells.size() && of.cells[column].has_value() && of.cells[column]->has_run;
  return is_there ? &*of.cells[column] : nullptr;
}

const cell_result* first_run(const demo_row& of) {
  for (std::size_t column = 0; column < of.cells.size(); ++column) {
    if (const cell_result* const run = find_run(of, column)) return run;
  }
  return nullptr;
}

const cell_result* find_fastest(const demo_result& result, const demo_row& of) {
  const cell_result* fastest = nullptr;
  for (std::size_t column = 0; column < of.cells.size(); ++column) {
    const cell_result* const run = find_run(of, column);
    if (run == nullptr || result.columns[column].workers != result.columns.back().workers) continue;
    if (fastest == nullptr || run->seconds.median < fastest->seconds.median) fastest = run;
  }
  return fastest;
}

std::vector<column> choose_columns(unsigned workers) {
  unsigned const all = workers != 0 ? workers : offered_workers();
  std::vector<column> columns = {{"sequential", "sequential", "sequential", 0}};
  for (unsigned const count : all > 1 ? std::vector{1U, all} : std::vector{1U}) {
    columns.push_back({"threads", "threads on " + name_workers(count), "ult", count});
    columns.push_back({"forks", "forks on " + name_workers(count), "fork", count});
  }
  return columns;
}

std::string show_for_people(const demo_result& result) {
  std::string text = wrap(describe_machine(), columns_for_people) + "\n" + show_tables(result) + "\n";
  for (const std::string& note : make_notes(result)) text += wrap(note, columns_for_people);
  text += result.is_all_right() ? "All answers are right.\n" : "NOT all answers are right.\n";
  return text;
}

std::string show_as_picture(const demo_result& result) {
  picture shown{result.is_all_right() ? "Weft: all answers are right" : "Weft: NOT all answers are right",
                describe_machine(),
                {},
                make_wide_table(result),
                make_notes(result),
                {}};
  for (const column& each : result.columns) shown.legend.push_back(each.label);
  for (const demo_row& each : result.rows) shown.groups.push_back(make_group(result, each));
  return draw(shown);
}

std::string show_as_json(const demo_result& result) {
  nlohmann::ordered_json records = nlohmann::ordered_json::array();
  for (const demo_row& each : result.rows) {
    for (const std::optional<cell_result>& cell : each.cells) {
      if (cell.has_value() && cell->has_run) records.push_back(cell->record);
    }
  }
  return records.dump(2) + "\n";
}

}  // namespace cli
