// What a speed-up below 1 means. Some programs cannot gain much by what they are; of others the
// units are so small that their threads and forks take more times as long as plain calls than there
// are workers. The rest has no such reason, and is called unexpected.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "demo.hpp"

namespace cli {

namespace {

struct reason {
  std::string_view program;
  std::string_view text;
};

constexpr std::string_view for_memory = "All CPUs share the memory, whose bandwidth one of them may use up alone.";
constexpr std::string_view for_pairs =
    "The two threads of a pair take turns. On one worker they hand over within that worker, by a switch; on several, a turn may "
    "have to wake another CPU.";

constexpr std::string_view for_yields =
    "On one worker a yield is a switch and nothing else; on several, workers also steal the threads that yield.";

// Of programs that may be slower on more workers.
constexpr std::array reasons = {
    reason{"stream", for_memory},
    reason{"stream-ep", for_memory},
    reason{"random-access", for_memory},
    reason{"yield", for_yields},
    reason{"yield-to", for_yields},
    reason{"mutex-handover",
           "Only one thread at a time holds the one mutex. On one worker the threads hand it over within that "
           "worker, by a switch; on several, from CPU to CPU."},
    reason{"condition-ping-pong", for_pairs},
    reason{"channel-ping-pong", for_pairs},
    reason{"blocked",
           "The time is the kernel's, which gives each stack its first page and its guard and takes them back, and which "
           "changes the page tables of one process for one CPU at a time."},
    reason{"hash", "The time is the kernel's and the disk's as much as the CPUs': files are opened and read."},
};

std::string_view find_reason(std::string_view program) {
  auto const found = std::ranges::find(reasons, program, &reason::program);
  return found == reasons.end() ? std::string_view() : found->text;
}

// How many times as long as sequentially the cheaper of threads and forks takes on one worker. 0:
// unknown.
double overhead(const demo_row& of) {
  const cell_result* const plain = find_run(of, sequential);
  if (plain == nullptr || plain->seconds.median <= 0) return 0;
  double least = 0;
  for (std::size_t const column : {threads_on_one_worker, forks_on_one_worker}) {
    const cell_result* const run = find_run(of, column);
    if (run != nullptr && (least == 0 || run->seconds.median < least)) least = run->seconds.median;
  }
  return least / plain->seconds.median;
}

// Workers that share an idle machine are at least so many times as fast as one, for each of them.
constexpr double least_efficiency = 0.8;

std::string explain(const demo_result& result, const demo_row& of) {
  std::string_view const why = find_reason(of.what->name);
  if (!why.empty()) return std::string(why);
  unsigned const workers = result.columns.back().workers;
  if (overhead(of) < least_efficiency * workers) return "";
  return fmt::format(
      "A unit is hardly more than a call, so that as a thread or fork it takes about {} times as long as plain, or "
      "longer, as the second table shows; {} workers do not make up for that.",
      workers, workers);
}

// Programs of one explanation.
struct group {
  std::string why;  // empty: there is none
  std::vector<std::string> members;
};

void add_to(std::vector<group>& groups, const std::string& why, std::string member) {
  auto found = std::ranges::find(groups, why, &group::why);
  if (found == groups.end()) found = groups.insert(groups.end(), {why, {}});
  found->members.push_back(std::move(member));
}

std::string describe(const group& of) {
  std::string const members = fmt::format("{}", fmt::join(of.members, ", "));
  if (of.why.empty()) return fmt::format("Below 1, which is not expected where no other program uses the CPUs: {}.", members);
  return fmt::format("Below 1, as expected: {}. {}", members, of.why);
}

constexpr double times_that_stand_out = 10;

// The programs that take that many times as long in a column of all workers as they do plainly.
std::string name_slow_programs(const demo_result& result, std::size_t column) {
  std::vector<std::string> found;
  for (const demo_row& each : result.rows) {
    const cell_result* const plain = find_run(each, sequential);
    const cell_result* const run = find_run(each, column);
    if (plain == nullptr || run == nullptr || plain->seconds.median <= 0) continue;
    double const times = run->seconds.median / plain->seconds.median;
    if (times >= times_that_stand_out) found.push_back(fmt::format("{} {:.0f}", each.what->name, times));
  }
  return fmt::format("{}", fmt::join(found, ", "));
}

}  // namespace

std::vector<std::string> explain_slow_columns(const demo_result& result) {
  std::vector<std::string> lines;
  if (result.options.is_quick) return lines;
  for (std::size_t column = result.columns.size() - 2; column < result.columns.size(); ++column) {
    std::string const programs = name_slow_programs(result, column);
    if (programs.empty()) continue;
    bool const is_of_threads = column == result.columns.size() - 2;
    lines.push_back(fmt::format(
        "{} {} take ten times as long as plain calls, or longer: {}. A unit does less there than it costs to make and join {}.",
        is_of_threads ? "Threads on" : "Forks on", name_workers(result.columns[column].workers), programs,
        is_of_threads ? "a thread; forks are for such units" : "a fork"));
  }
  return lines;
}

double speed_up(const demo_result& result, const demo_row& of) {
  const cell_result* const base = find_run(of, of.cells[sequential].has_value() ? sequential : threads_on_one_worker);
  const cell_result* const best = find_fastest(result, of);
  if (base == nullptr || best == nullptr || best->seconds.median <= 0) return 0;
  return base->seconds.median / best->seconds.median;
}

std::vector<std::string> explain_speed_ups(const demo_result& result) {
  if (result.columns.back().workers <= 1)
    return {
        "With one worker nothing runs at the same time: a speed-up below 1 is expected, and shows what threads and forks cost."};
  if (result.options.is_quick) return {"The sizes of --quick are too small for several workers: a speed-up below 1 is expected."};
  std::vector<group> groups;
  for (const demo_row& each : result.rows) {
    double const ratio = speed_up(result, each);
    if (ratio <= 0 || ratio >= 0.995) continue;  // what is shown as 1.00
    add_to(groups, explain(result, each), fmt::format("{} {:.2f}", each.what->name, ratio));
  }
  std::ranges::stable_partition(groups, [](const group& each) { return !each.why.empty(); });
  std::vector<std::string> lines;
  for (const group& each : groups) lines.push_back(describe(each));
  return lines;
}

}  // namespace cli
