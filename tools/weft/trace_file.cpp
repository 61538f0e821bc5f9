#include "trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace cli {

namespace {

using json = nlohmann::json;

constexpr unsigned most_workers_of_trace = 1024;

std::int64_t as_ns(const json& microseconds) { return std::llround(microseconds.get<double>() * 1000); }

void read_turn(const json& event, trace& into) {
  const json& said = event.at("args");
  traced_turn turn;
  turn.thread = said.at("thread");
  turn.worker = event.at("tid");
  if (turn.worker >= most_workers_of_trace) throw trace_error("it has too many workers");
  turn.begin = as_ns(event.at("ts"));
  turn.end = turn.begin + as_ns(event.at("dur"));
  turn.why = said.at("why");
  turn.ends = said.at("left") == "end";
  turn.is_stolen = said.value("stolen", false);
  turn.by = said.value("by", std::uint64_t{0});
  if (said.contains("since")) turn.since = as_ns(said["since"]);
  if (turn.end < turn.begin || turn.since > turn.begin) throw trace_error("it goes back in time");
  into.turns.push_back(turn);
}

void read_fork(const json& event, trace& into) {
  traced_fork fork;
  fork.thread = event.at("args").at("thread");
  fork.name = event.at("name");
  fork.begin = as_ns(event.at("ts"));
  fork.end = fork.begin + as_ns(event.at("dur"));
  fork.since = as_ns(event.at("args").at("since"));
  if (fork.end < fork.begin || fork.since > fork.begin) throw trace_error("it goes back in time");
  into.forks.push_back(fork);
}

void read_steal(const json& event, trace& into) {
  traced_steal steal;
  std::string const name = event.at("name");
  auto const* const found = std::ranges::find(names_of_phases, name);
  if (found == std::end(names_of_phases)) throw trace_error(fmt::format("it has an unknown phase of steals, {}", name));
  steal.phase = static_cast<steal_phase>(found - std::begin(names_of_phases));
  steal.worker = event.at("tid");
  if (steal.worker >= most_workers_of_trace) throw trace_error("it has too many workers");
  steal.begin = as_ns(event.at("ts"));
  steal.end = steal.begin + as_ns(event.at("dur"));
  if (steal.end < steal.begin) throw trace_error("it goes back in time");
  into.steals.push_back(steal);
}

void read_clocks(const json& about, trace& into) {
  if (!about.contains("clocks")) return;
  for (const json& each : about["clocks"]) into.clocks.push_back({each.at("node"), as_ns(each.at("error_us"))});
}

void read_name(const json& event, trace& into) {
  constexpr int workers = 1, threads = 2;  // the processes of their tracks
  const json& said = event.at("args");
  if (event.at("pid") == workers && said.at("name").get<std::string>().starts_with("worker ")) {
    into.workers = std::max(into.workers, std::min(event.at("tid").get<unsigned>() + 1, most_workers_of_trace));
  }
  if (event.at("pid") != threads || !said.contains("function")) return;
  std::string const label = said.value("label", "");
  std::string const name = label.empty() ? said.at("function").get<std::string>() : label;
  if (!name.empty()) into.names[event.at("tid")] = name;
}

void read_event(const json& event, trace& into) {
  if (!event.contains("ph")) return;
  if (event["ph"] == "M" && event.at("name") == "thread_name") return read_name(event, into);
  std::string const category = event.value("cat", "");
  if (category == "turn") return read_turn(event, into);
  if (category == "fork") return read_fork(event, into);
  if (category == "steal") return read_steal(event, into);
  if (category == "note") into.notes.push_back({event.at("name"), event.at("args").at("value")});
  if (category == "join") into.joins.push_back({as_ns(event.at("ts")), event.at("args").at("thread"), event.at("args").at("by")});
}

}  // namespace

std::string trace::name_of(std::uint64_t thread) const {
  auto const found = names.find(thread);
  return found != names.end() ? found->second : "thread";
}

trace read_trace(std::istream& from) {
  constexpr int depth_of_events = 2;
  trace into;
  // Each event is read as it comes, and forgotten: a trace may be larger than memory is as a tree.
  auto const take = [&](int depth, json::parse_event_t what, json& parsed) {
    if (what != json::parse_event_t::object_end || depth != depth_of_events) return true;
    read_event(parsed, into);
    return false;
  };
  try {
    json const whole = json::parse(from, take);
    if (!whole.is_object() || !whole.contains("traceEvents")) throw trace_error("it has no traceEvents");
    if (const json about = whole.value("otherData", json::object()); about.is_object()) {
      into.ended = about.value("ended", "");
      into.lost = about.value("records_lost", std::uint64_t{0});
      into.lost_without_memory = about.value("lost_without_memory", std::uint64_t{0});
      read_clocks(about, into);
    }
  } catch (const json::parse_error& error) {
    throw trace_error(fmt::format("it is no JSON, or was cut off: {}", error.what()));
  } catch (const json::exception& error) {
    throw trace_error(fmt::format("it is none of Weft's: {}", error.what()));
  }
  if (into.turns.empty()) throw trace_error("no thread runs in it; WEFT_TRACE=FILE of a program that uses Weft writes one");
  return into;
}

}  // namespace cli
