#include "analysis.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

namespace cli {

namespace {

constexpr std::size_t parts_of_time = 240;

// What happens, in the order in which it counts when times are equal.
enum class step : std::uint8_t {
  leaves,
  returns_from_fork,
  comes,
  calls_fork,
  makes_ready,
  forks,
  joins,
  leaves_at_once,
  returns_at_once
};

struct event {
  std::int64_t at;
  step what;
  std::size_t index;      // among turns, forks or joins
  std::size_t place = 0;  // in the trace, when all else is equal
};

// The thread's own code, or a fork that it runs in a join.
struct frame {
  const std::string* name;
  std::int64_t depth = 0;  // the longest chain up to here
  std::int64_t own = 0;
  std::int64_t inner = 0;  // of forks that it ran
};

struct thread_state {
  std::vector<frame> frames;
  std::int64_t last = 0;
  bool runs = false;
};

class walk {
 public:
  walk(const trace& of, analysis& into) : of_(of), into_(into), turn_edges_(of.turns.size()), fork_edges_(of.forks.size()) {}

  void run() {
    for (const event& each : in_order()) take(each);
    for (auto& [thread, state] : threads_) {
      while (!state.frames.empty()) pop(state);
    }
    for (auto& [name, cost] : costs_) into_.names.push_back(cost);
    std::ranges::sort(into_.names, [](const name_cost& one, const name_cost& other) {
      return one.own != other.own ? one.own > other.own : one.name < other.name;
    });
  }

 private:
  std::vector<event> in_order() const {
    std::vector<event> all;
    for (std::size_t index = 0; index < of_.turns.size(); ++index) {
      const traced_turn& turn = of_.turns[index];
      all.push_back({turn.begin, step::comes, index});
      all.push_back({turn.end, turn.end > turn.begin ? step::leaves : step::leaves_at_once, index});
      if (turn.since >= 0 && turn.by != 0 && turn.why != "yield") all.push_back({turn.since, step::makes_ready, index});
    }
    for (std::size_t index = 0; index < of_.forks.size(); ++index) {
      const traced_fork& fork = of_.forks[index];
      all.push_back({fork.since, step::forks, index});
      all.push_back({fork.begin, step::calls_fork, index});
      all.push_back({fork.end, fork.end > fork.begin ? step::returns_from_fork : step::returns_at_once, index});
    }
    for (std::size_t index = 0; index < of_.joins.size(); ++index) all.push_back({of_.joins[index].at, step::joins, index});
    for (std::size_t place = 0; place < all.size(); ++place) all[place].place = place;
    std::ranges::sort(all, [](const event& one, const event& other) {
      return std::tie(one.at, one.what, one.place) < std::tie(other.at, other.what, other.place);
    });
    return all;
  }

  thread_state& state_of(std::uint64_t thread) {
    thread_state& found = threads_[thread];
    if (found.frames.empty()) found.frames.push_back({&names_.emplace(of_.name_of(thread)).first.operator*()});
    return found;
  }

  // The thread's innermost frame, brought up to a time.
  frame& at(std::uint64_t thread, std::int64_t now) {
    thread_state& state = state_of(thread);
    frame& top = state.frames.back();
    if (state.runs) {
      top.depth += now - state.last;
      top.own += now - state.last;
      into_.span = std::max(into_.span, top.depth);
    }
    state.last = now;
    return top;
  }

  // The innermost frame has ended; returns how long its chain was.
  std::int64_t pop(thread_state& state) {
    frame const ended = state.frames.back();
    state.frames.pop_back();
    name_cost& cost = costs_[*ended.name];
    cost.name = *ended.name;
    ++cost.count;
    cost.own += ended.own;
    cost.longest = std::max(cost.longest, ended.own + ended.inner);
    if (!state.frames.empty()) state.frames.back().inner += ended.own + ended.inner;
    return ended.depth;
  }

  void wait_for(frame& one, std::int64_t depth) { one.depth = std::max(one.depth, depth); }

  void come(std::size_t index, std::int64_t now) {
    const traced_turn& turn = of_.turns[index];
    wait_for(at(turn.thread, now), turn_edges_[index]);
    threads_[turn.thread].runs = true;
  }

  void leave(std::size_t index, std::int64_t now) {
    const traced_turn& turn = of_.turns[index];
    std::int64_t const depth = at(turn.thread, now).depth;
    threads_[turn.thread].runs = false;
    if (turn.ends) ends_[turn.thread] = depth;
  }

  void call_fork(std::size_t index, std::int64_t now) {
    const traced_fork& fork = of_.forks[index];
    static_cast<void>(at(fork.thread, now));
    threads_[fork.thread].frames.push_back({&fork.name, fork_edges_[index]});
  }

  void return_from_fork(std::size_t index, std::int64_t now) {
    static_cast<void>(at(of_.forks[index].thread, now));
    thread_state& state = threads_[of_.forks[index].thread];
    if (state.frames.size() < 2) return;  // its begin was lost
    std::int64_t const depth = pop(state);
    wait_for(state.frames.back(), depth);
  }

  void join(std::size_t index, std::int64_t now) {
    const traced_join& join = of_.joins[index];
    if (auto const end = ends_.find(join.thread); join.by != 0 && end != ends_.end()) wait_for(at(join.by, now), end->second);
  }

  void take(const event& one) {
    switch (one.what) {
      case step::comes: return come(one.index, one.at);
      case step::leaves:
      case step::leaves_at_once: return leave(one.index, one.at);
      case step::calls_fork: return call_fork(one.index, one.at);
      case step::returns_from_fork:
      case step::returns_at_once: return return_from_fork(one.index, one.at);
      case step::makes_ready: turn_edges_[one.index] = at(of_.turns[one.index].by, one.at).depth; return;
      case step::forks: fork_edges_[one.index] = at(of_.forks[one.index].thread, one.at).depth; return;
      case step::joins: return join(one.index, one.at);
    }
  }

  const trace& of_;
  analysis& into_;
  std::vector<std::int64_t> turn_edges_;  // how deep the chain was that made each ready
  std::vector<std::int64_t> fork_edges_;
  std::unordered_map<std::uint64_t, thread_state> threads_;
  std::unordered_map<std::uint64_t, std::int64_t> ends_;
  std::unordered_map<std::string, name_cost> costs_;
  std::set<std::string> names_;
};

void add_to_parts(std::vector<double>& parts, std::int64_t begin, std::int64_t end, std::int64_t wall) {
  double const part = static_cast<double>(wall) / parts_of_time;
  if (part <= 0) return;
  auto const first = std::min(static_cast<std::size_t>(static_cast<double>(begin) / part), parts_of_time - 1);
  auto const last = std::min(static_cast<std::size_t>(static_cast<double>(end) / part), parts_of_time - 1);
  for (std::size_t index = first; index <= last; ++index) {
    double const from = std::max(static_cast<double>(begin), part * static_cast<double>(index));
    double const to = std::min(static_cast<double>(end), part * static_cast<double>(index + 1));
    if (to > from) parts[index] += (to - from) / part;
  }
}

// first: when the first turn begins.
void measure_steals(const trace& of, std::int64_t first, analysis& into) {
  if (of.steals.empty()) return;
  for (worker_use& use : into.workers) std::ranges::fill(use.stealing_parts, std::vector<double>(parts_of_time));
  for (const traced_steal& steal : of.steals) {
    if (steal.worker >= into.workers.size()) continue;  // which has no turns
    auto const phase = static_cast<std::size_t>(steal.phase);
    std::int64_t const took = steal.end - steal.begin;
    worker_use& use = into.workers[steal.worker];
    use.stealing[phase] += took;
    add_to_parts(use.stealing_parts[phase], std::max(steal.begin, first) - first, std::max(steal.end, first) - first, into.wall);
    phase_cost& cost = into.steals[phase];
    ++cost.count;
    cost.sum += took;
    cost.most = std::max(cost.most, took);
  }
}

void measure_clocks(const trace& of, analysis& into) {
  std::set<std::string> nodes;
  for (const traced_clock& each : of.clocks) {
    nodes.insert(each.node);
    into.clock_error = std::max(into.clock_error, each.error);
  }
  into.nodes = std::max(nodes.size(), std::size_t{1});
}

void measure_workers(const trace& of, analysis& into) {
  std::int64_t first = of.turns.front().begin, last = 0;
  unsigned workers = of.workers;
  for (const traced_turn& turn : of.turns) {
    first = std::min(first, turn.begin);
    last = std::max(last, turn.end);
    workers = std::max(workers, turn.worker + 1);
  }
  into.wall = last - first;
  for (unsigned index = 0; index < workers; ++index)
    into.workers.push_back(
        {.worker = index, .busy = 0, .turns = 0, .stolen = 0, .busy_parts = std::vector<double>(parts_of_time)});
  for (const traced_turn& turn : of.turns) {
    worker_use& use = into.workers[turn.worker];
    use.busy += turn.end - turn.begin;
    ++use.turns;
    use.stolen += turn.is_stolen ? 1 : 0;
    add_to_parts(use.busy_parts, turn.begin - first, turn.end - first, into.wall);
  }
  measure_steals(of, first, into);
  for (std::size_t index = 0; index < std::min(of.clocks.size(), into.workers.size()); ++index)
    into.workers[index].node = of.clocks[index].node;
}

std::vector<note_sum> add_up(const std::vector<traced_note>& notes) {
  std::map<std::string, note_sum> sums;
  for (const traced_note& note : notes) {
    note_sum& sum = sums[note.name];
    ++sum.count;
    sum.sum += static_cast<double>(note.value);
    sum.most = std::max(sum.most, note.value);
  }
  std::vector<note_sum> found;
  for (auto& [name, sum] : sums) {
    sum.name = name;
    found.push_back(sum);
  }
  return found;
}

}  // namespace

analysis analyse(const trace& of) {
  analysis found;
  measure_workers(of, found);
  measure_clocks(of, found);
  found.notes = add_up(of.notes);
  std::set<std::uint64_t> threads;
  for (const traced_turn& turn : of.turns) {
    found.work += turn.end - turn.begin;
    found.thefts += turn.is_stolen ? 1 : 0;
    found.forks_taken += turn.why == "fork" ? 1 : 0;
    threads.insert(turn.thread);
  }
  found.threads = threads.size() - std::min(threads.size(), found.forks_taken);
  found.forks = of.forks.size() + found.forks_taken;
  walk(of, found).run();
  return found;
}

}  // namespace cli
