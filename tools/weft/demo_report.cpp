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

constexpr std::size_t sequential = 0;
constexpr std::size_t threads_on_one_worker = 1;
constexpr std::size_t forks_on_one_worker = 2;

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

std::string name_workers(unsigned count) { return count == 1 ? "1 worker" : fmt::format("{} workers", count); }

const cell_result* find_run(const row& of, std::size_t place) {
  bool const is_there = place < of.cells.size() && of.cells[place].has_value() && of.cells[place]->has_run;
  return is_there ? &*of.cells[place] : nullptr;
}

const cell_result* first_run(const row& of) {
  for (std::size_t place = 0; place < of.cells.size(); ++place) {
    if (const cell_result* const run = find_run(of, place)) return run;
  }
  return nullptr;
}

// The faster one of the threads and the forks on all workers.
const cell_result* find_fastest(const demo_result& result, const row& of) {
  const cell_result* fastest = nullptr;
  for (std::size_t place = 0; place < of.cells.size(); ++place) {
    const cell_result* const run = find_run(of, place);
    if (run == nullptr || result.columns[place].workers != result.columns.back().workers) continue;
    if (fastest == nullptr || run->seconds.median < fastest->seconds.median) fastest = run;
  }
  return fastest;
}

std::string show_time(const std::optional<cell_result>& cell) {
  if (!cell.has_value()) return "-";
  return cell->has_run ? show_seconds(cell->seconds.median) : "FAILED";
}

// Against sequential where there is such a form, otherwise one worker.
std::string show_speed_up(const demo_result& result, const row& of) {
  const cell_result* const base = find_run(of, of.cells[sequential].has_value() ? sequential : threads_on_one_worker);
  const cell_result* const best = find_fastest(result, of);
  if (base == nullptr || best == nullptr || best->seconds.median <= 0) return "-";
  return fmt::format("{:.2f}", base->seconds.median / best->seconds.median);
}

std::string show_per_unit(const row& of, std::size_t place) {
  const cell_result* const run = find_run(of, place);
  if (run == nullptr || run->units == 0) return "-";
  return show_seconds(run->seconds.median / static_cast<double>(run->units));
}

std::string show_answer(const row& of) {
  for (const std::optional<cell_result>& cell : of.cells) {
    if (cell.has_value() && !cell->is_right()) return cell->has_run ? "WRONG" : "FAILED";
  }
  const cell_result* const run = first_run(of);
  if (run == nullptr) return "FAILED";
  return of.what->is_digest ? fmt::format("{:.8}... right", fmt::format("{:016x}", run->answer))
                            : fmt::format("{} right", run->answer);
}

std::vector<std::string> make_head(const demo_result& result) {
  std::vector<std::string> head = {"program", "size", "units"};
  for (const column& each : result.columns) head.push_back(each.head);
  head.insert(head.end(), {"speed-up", "a thread", "a fork", "answer"});
  return head;
}

std::vector<std::string> make_row(const demo_result& result, const row& of) {
  const cell_result* const run = first_run(of);
  bool const has_size = run != nullptr && !of.what->size_word.empty();
  std::vector<std::string> cells = {std::string(of.what->name), has_size ? std::to_string(run->size) : "-",
                                    run == nullptr ? "-" : fmt::format("{} {}s", show_count(run->units), of.what->unit)};
  for (const std::optional<cell_result>& cell : of.cells) cells.push_back(show_time(cell));
  cells.insert(cells.end(), {show_speed_up(result, of), show_per_unit(of, threads_on_one_worker),
                             show_per_unit(of, forks_on_one_worker), show_answer(of)});
  return cells;
}

std::vector<std::vector<std::string>> make_rows(const demo_result& result) {
  std::vector<std::vector<std::string>> rows = {make_head(result)};
  for (const row& each : result.rows) rows.push_back(make_row(result, each));
  return rows;
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

void add_notes(const demo_result& result, const row& of, std::vector<std::string>& to) {
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

// A sequential program computes all the time; CPU time below its wall-clock time is time that other programs took.
std::string describe_busy_cpus(const demo_result& result) {
  double wall = 0;
  double cpu = 0;
  for (const row& each : result.rows) {
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

std::vector<std::string> make_notes(const demo_result& result) {
  std::vector<std::string> notes = {fmt::format(
      "threads {0}, forks {0}: on {1}. speed-up: the faster of both against sequential (or one worker, where there is no "
      "sequential form). a thread, a fork: time per unit on one worker. fib's sequential calls do nothing but call: what its "
      "threads and forks cost is the difference.",
      result.columns.back().workers, name_workers(result.columns.back().workers))};
  for (const row& each : result.rows) add_notes(result, each, notes);
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

bar_group make_group(const demo_result& result, const row& of) {
  bar_group group{std::string(of.what->name), std::string(of.what->title), {}};
  for (std::size_t place = 0; place < of.cells.size(); ++place) {
    group.bars.push_back(make_bar(result.columns[place], of.cells[place]));
  }
  return group;
}

}  // namespace

std::vector<column> choose_columns(unsigned workers) {
  unsigned const all = workers != 0 ? workers : offered_workers();
  std::vector<column> columns = {{"sequential", "sequential", "sequential", 0}};
  for (unsigned const count : all > 1 ? std::vector{1U, all} : std::vector{1U}) {
    columns.push_back({fmt::format("threads {}", count), "threads on " + name_workers(count), "ult", count});
    columns.push_back({fmt::format("forks {}", count), "forks on " + name_workers(count), "fork", count});
  }
  return columns;
}

std::string show_for_people(const demo_result& result) {
  std::vector<std::vector<std::string>> rows = make_rows(result);
  table shown(rows[0]);
  for (std::size_t index = 1; index < rows.size(); ++index) shown.add(rows[index]);
  std::string text = describe_machine() + "\n\n" + shown.show() + "\n";
  for (const std::string& note : make_notes(result)) text += note + "\n";
  text += result.is_all_right() ? "All answers are right.\n" : "NOT all answers are right.\n";
  return text;
}

std::string show_as_picture(const demo_result& result) {
  picture shown{result.is_all_right() ? "Weft: all answers are right" : "Weft: NOT all answers are right",
                describe_machine(),
                {},
                make_rows(result),
                make_notes(result)};
  for (const row& each : result.rows) shown.groups.push_back(make_group(result, each));
  return draw(shown);
}

std::string show_as_json(const demo_result& result) {
  nlohmann::ordered_json records = nlohmann::ordered_json::array();
  for (const row& each : result.rows) {
    for (const std::optional<cell_result>& cell : each.cells) {
      if (cell.has_value() && cell->has_run) records.push_back(cell->record);
    }
  }
  return records.dump(2) + "\n";
}

}  // namespace cli
