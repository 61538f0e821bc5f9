// See tascell_model.hpp. An event is a worker that goes on, or a request, answer or result that
// arrives. A request is served when it arrives: polls are far closer to each other than frames.
#include "tascell_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>
#include <unordered_map>
#include <vector>

namespace cli {

namespace {

constexpr int none = -1;
// As lang/runtime/wait.cpp and node_take.cpp have them.
constexpr double first_pause_ns = 1000, longest_pause_ns = 1e6;
constexpr double first_delay_ns = 100e3, longest_delay_ns = 10e6, safety_ns = 200e6;

// An active choice point: a loop over children.
struct level {
  int row = 0, index = 0, end = 0;
  std::array<float, most_rows> work{};
  std::vector<int> given;  // newest last
};

struct task_state {
  level part;
  int parent = none, giver = none, runner = none;
  bool has_ended = false;
};

struct frame {
  int task = none;
  std::vector<level> levels;
};

enum class doing : std::uint8_t { nothing, computing, joining };

struct worker_state {
  std::vector<frame> frames;
  doing what = doing::nothing;
  int awaits = none;       // a task
  bool has_asked = false;  // and has no answer
  double delayed_ns = 0;   // by tasks that it made during its leaf
  double pause_ns = first_pause_ns;
  double ask_delay_ns = 0;  // of asks to another node for what it joins
  std::uint64_t turn = 0;   // ends pauses
};

struct node_state {
  double door_ns = 0;  // when the door is free
  bool has_asked = false;
  std::vector<int> inbox;
  std::vector<int> to_tell;  // nodes that found nothing here
};

// What a node knows of another.
struct acquaintance {
  double ask_at = 0, delay = 0;
  bool may_have_work = false;
};

enum class event_kind : std::uint8_t { leaf, looks, near_request, near_answer, ask, none_came, came, result, hint };

struct event {
  double at;
  std::uint64_t order;
  event_kind kind;
  int worker, other;  // which it concerns; from which
  int task = none;    // wanted, given or ended
  std::uint64_t turn = 0;

  bool operator>(const event& than) const { return at != than.at ? at > than.at : order > than.order; }
};

class simulation {
 public:
  explicit simulation(const tascell_setting& setting)
      : set_(setting),
        workers_(static_cast<std::size_t>(setting.workers)),
        nodes_(static_cast<std::size_t>((setting.workers - 1) / setting.workers_a_node + 1)),
        random_(setting.seed * 0x9e3779b97f4a7c15 + 1) {}

  tascell_outcome run() {
    int const root = new_task(none, none);
    tasks_[0].part = made_level(0, set_.work_ns);
    start(0, root, 0);
    for (int each = 1; each < set_.workers; ++each) look_later(each, 0);
    while (!has_ended_) {
      event const next = events_.top();
      events_.pop();
      now_ = next.at;
      happen(next);
    }
    return out_;
  }

 private:
  worker_state& of(int worker) { return workers_[static_cast<std::size_t>(worker)]; }
  task_state& task(int which) { return tasks_[static_cast<std::size_t>(which)]; }
  node_state& node(int which) { return nodes_[static_cast<std::size_t>(which)]; }
  [[nodiscard]] int node_of(int worker) const { return worker / set_.workers_a_node; }
  [[nodiscard]] int nodes() const { return static_cast<int>(nodes_.size()); }
  [[nodiscard]] int first_of(int which) const { return which * set_.workers_a_node; }
  [[nodiscard]] int end_of(int which) const { return std::min(set_.workers, (which + 1) * set_.workers_a_node); }

  void add(event what) {
    what.order = order_++;
    events_.push(what);
  }
  std::uint64_t draw(std::uint64_t below) {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return (random_ >> 33) % below;
  }
  double draw_unit() { return static_cast<double>(draw(1 << 30) + 1) / (1 << 30); }

  // A frame: the network, and then the receiver's door, which takes one after the other.
  double arrives(int to, double at) {
    double& door = node(to).door_ns;
    door = std::max(door, at + set_.frame_ns) + set_.door_ns;
    return door;
  }
  void say(event what, int to, double at) {
    what.at = arrives(to, at);
    add(what);
  }

  int new_task(int parent, int giver) {
    tasks_.emplace_back();
    tasks_.back().parent = parent;
    tasks_.back().giver = giver;
    return static_cast<int>(tasks_.size()) - 1;
  }

  // A row of the board: columns that are attacked have no work below them, and the others differ.
  level made_level(int row, double work) {
    level made;
    made.row = row;
    made.end = std::max(1, set_.rows - row);
    double sum = 0;
    double const is_free = 1 - 0.9 * row / set_.rows;
    for (int i = 0; i < made.end; ++i) {
      bool const has_work = row == 0 || draw_unit() < is_free || (i + 1 == made.end && sum == 0);
      double const part = has_work ? 0.5 - std::log(draw_unit()) / 2 : 0;
      made.work[static_cast<std::size_t>(i)] = static_cast<float>(part);
      sum += part;
    }
    for (float& each : made.work) each = static_cast<float>(each / sum * work);
    return made;
  }

  // ---- what a worker runs ----

  void start(int worker, int which, double at) {
    task(which).runner = worker;
    of(worker).frames.push_back({which, {task(which).part}});
    of(worker).pause_ns = first_pause_ns;
    of(worker).ask_delay_ns = 0;
    wake_one(node_of(worker), at);
    for (int const told : node(node_of(worker)).to_tell) say({0, 0, event_kind::hint, told, node_of(worker)}, told, at);
    node(node_of(worker)).to_tell.clear();
    go_on(worker, at);
  }

  void go_on(int worker, double at) {
    worker_state& self = of(worker);
    for (;;) {
      frame& top = self.frames.back();
      if (top.levels.empty()) {
        if (end_task(worker, &at)) continue;
        return;
      }
      level& newest = top.levels.back();
      if (newest.index < newest.end) {
        double const work = newest.work[static_cast<std::size_t>(newest.index)];
        if (work > set_.leaf_ns && newest.row + 1 < set_.rows) {
          level const child = made_level(newest.row + 1, work);
          top.levels.push_back(child);
          continue;
        }
        self.what = doing::computing;
        self.delayed_ns = 0;
        out_.work_ns += work;
        ++out_.leaves;
        add({at + work, 0, event_kind::leaf, worker, none});
        return;
      }
      if (!newest.given.empty()) {
        int const awaited = newest.given.back();
        if (!task(awaited).has_ended) return wait_for(worker, awaited, at);
        newest.given.pop_back();
        at += set_.join_ns;
        continue;
      }
      top.levels.pop_back();
      if (!top.levels.empty()) ++top.levels.back().index;
    }
  }

  // True: the worker goes on with the task below.
  bool end_task(int worker, double* at) {
    worker_state& self = of(worker);
    int const ended = self.frames.back().task;
    self.frames.pop_back();
    int const giver = task(ended).giver;
    if (giver == none) {
      has_ended_ = true;
      out_.ns = *at;
      return false;
    }
    event const result = {*at + set_.near_ns / 2, 0, event_kind::result, giver, worker, ended};
    if (node_of(giver) == node_of(worker))
      add(result);
    else
      say(result, node_of(giver), *at);
    if (!self.frames.empty()) return true;
    look_later(worker, *at);
    return false;
  }

  void wait_for(int worker, int awaited, double at) {
    worker_state& self = of(worker);
    self.what = doing::joining;
    self.awaits = awaited;
    self.pause_ns = first_pause_ns;
    add({at, 0, event_kind::looks, worker, none, none, ++self.turn});
  }

  // ---- requests ----

  void look_later(int worker, double at) {
    worker_state& self = of(worker);
    self.what = doing::nothing;
    self.awaits = none;
    self.pause_ns = first_pause_ns;
    add({at, 0, event_kind::looks, worker, none, none, ++self.turn});
  }

  void wake_one(int which, double at) {
    for (int each = first_of(which); each < end_of(which); ++each) {
      worker_state& sleeper = of(each);
      bool const sleeps =
          sleeper.what == doing::nothing && sleeper.frames.empty() && !sleeper.has_asked && sleeper.pause_ns >= longest_pause_ns;
      if (!sleeps) continue;
      sleeper.pause_ns = first_pause_ns;
      add({at + set_.near_ns, 0, event_kind::looks, each, none, none, ++sleeper.turn});
      return;
    }
  }

  int running_worker(int which, int but) {
    int chosen = none;
    std::uint64_t count = 0;
    for (int each = first_of(which); each < end_of(which); ++each)
      if (each != but && !of(each).frames.empty() && draw(++count) == 0) chosen = each;
    return chosen;
  }

  void pause(int worker, double at) {
    worker_state& self = of(worker);
    add({at + self.pause_ns, 0, event_kind::looks, worker, none, none, ++self.turn});
    self.pause_ns = std::min(2 * self.pause_ns, longest_pause_ns);
  }

  void look(int worker, double at) {
    worker_state& self = of(worker);
    if (self.has_asked || self.what == doing::computing) return;
    if (self.what == doing::joining) return look_for(worker, at);
    node_state& here = node(node_of(worker));
    if (!here.inbox.empty()) {
      int const taken = here.inbox.back();
      here.inbox.pop_back();
      return start(worker, taken, at);
    }
    int const victim = running_worker(node_of(worker), worker);
    if (victim != none) {
      self.has_asked = true;
      add({at + set_.near_ns / 2, 0, event_kind::near_request, victim, worker});
      if (self.pause_ns >= longest_pause_ns) ask_outside(node_of(worker), at);
      return;
    }
    ask_outside(node_of(worker), at);
    pause(worker, at);
  }

  // A joiner asks the worker that runs what it waits for.
  void look_for(int worker, double at) {
    worker_state& self = of(worker);
    if (task(self.awaits).has_ended) return joined(worker, at);
    int runner = task(self.awaits).runner;
    for (int steps = 0; runner != none && of(runner).what == doing::joining && node_of(runner) == node_of(worker) && steps < 8;
         ++steps)
      runner = task(of(runner).awaits).runner;
    if (runner == none || runner == worker) return pause(worker, at);
    if (node_of(runner) == node_of(worker)) {
      self.has_asked = true;
      add({at + set_.near_ns / 2, 0, event_kind::near_request, runner, worker, self.awaits});
      return;
    }
    self.ask_delay_ns = std::clamp(2 * self.ask_delay_ns, first_delay_ns, longest_delay_ns);
    self.has_asked = true;
    ++out_.asked;
    say({0, 0, event_kind::ask, node_of(runner), worker, self.awaits}, node_of(runner), at);
  }

  void ask_outside(int from, double at) {
    node_state& here = node(from);
    if (here.has_asked || nodes() == 1) return;
    int chosen = none;
    for (int tries = 0; tries < 8 && chosen == none; ++tries) {
      int const other = tries == 0 && from != 0 ? 0 : static_cast<int>(draw(static_cast<std::uint64_t>(nodes())));
      if (other == from) continue;
      acquaintance const& of_it = known(from, other);
      if (at >= of_it.ask_at + (of_it.may_have_work ? 0 : safety_ns)) chosen = other;
    }
    if (chosen == none) return;
    here.has_asked = true;
    ++out_.asked;
    say({0, 0, event_kind::ask, chosen, first_of(from), none}, chosen, at);
  }

  acquaintance& known(int from, int other) {
    auto const [at, is_new] = known_.try_emplace(static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(other));
    if (is_new) at->second.may_have_work = other == 0;
    return at->second;
  }

  // ---- division ----

  bool descends(int which, int from) {
    for (int each = which; each != none; each = task(each).parent)
      if (each == from) return true;
    return false;
  }

  // A new task of the oldest choice point that can divide; none: there is nothing.
  int divide(int victim, int wanted) {
    worker_state& its = of(victim);
    if (its.what != doing::computing || its.frames.empty()) return none;
    frame& top = its.frames.back();
    if (wanted != none && !descends(top.task, wanted)) return none;
    std::size_t from = top.levels.size();
    while (from > 0 && (from == top.levels.size() || top.levels[from].given.empty())) --from;
    for (std::size_t i = from; i < top.levels.size(); ++i) {
      level& each = top.levels[i];
      if (each.end - each.index < 2) continue;
      int const middle = each.index + 1 + (each.end - each.index - 1) / 2;
      int const made = new_task(top.task, victim);
      task(made).part = each;
      task(made).part.given.clear();
      task(made).part.index = middle;
      each.end = middle;
      each.given.push_back(made);
      its.delayed_ns += set_.give_ns;
      ++out_.given;
      return made;
    }
    return none;
  }

  void serve_ask(const event& what) {
    int const here = what.worker, asker = what.other;
    int victim = what.task == none ? running_worker(here, none) : task(what.task).runner;
    for (int steps = 0; what.task != none && victim != none && of(victim).what == doing::joining && steps < 8; ++steps)
      victim = task(of(victim).awaits).runner;
    bool const is_here = victim != none && node_of(victim) == here;
    int const made = is_here ? divide(victim, what.task) : none;
    if (made != none) {
      ++out_.given_away;
      say({0, 0, event_kind::came, asker, what.task, made}, node_of(asker), now_ + set_.near_ns + set_.give_ns);
      return;
    }
    ++out_.refused;
    bool const is_busy = running_worker(here, none) != none;
    if (what.task == none && !is_busy) node(here).to_tell.push_back(node_of(asker));
    say({0, 0, event_kind::none_came, asker, is_busy ? here : -2 - here, what.task}, node_of(asker), now_ + set_.near_ns);
  }

  void take_none(const event& what) {
    int const asker = what.worker;
    if (what.task != none) {
      worker_state& self = of(asker);
      self.has_asked = false;
      if (self.what == doing::joining) add({now_ + self.ask_delay_ns, 0, event_kind::looks, asker, none, none, ++self.turn});
      return;
    }
    bool const is_busy = what.other >= 0;
    acquaintance& its = known(node_of(asker), is_busy ? what.other : -2 - what.other);
    node(node_of(asker)).has_asked = false;
    its.delay = std::clamp(2 * its.delay, first_delay_ns, longest_delay_ns);
    its.ask_at = now_ + its.delay;
    its.may_have_work = is_busy;
    wake_one(node_of(asker), now_);
  }

  void take_task(const event& what) {
    int const asker = what.worker, wanted = what.other;
    if (wanted != none) {
      worker_state& self = of(asker);
      self.has_asked = false;
      if (self.what == doing::joining && self.awaits == wanted && !task(wanted).has_ended) {
        self.what = doing::nothing;
        return start(asker, what.task, now_);
      }
      if (self.what == doing::joining) add({now_, 0, event_kind::looks, asker, none, none, ++self.turn});
    } else {
      acquaintance& its = known(node_of(asker), node_of(task(what.task).giver));
      its = {0, 0, true};
      node(node_of(asker)).has_asked = false;
    }
    for (int each = first_of(node_of(asker)); each < end_of(node_of(asker)); ++each) {
      bool const is_idle = of(each).what == doing::nothing && of(each).frames.empty() && !of(each).has_asked;
      if (is_idle) return start(each, what.task, now_);
    }
    node(node_of(asker)).inbox.push_back(what.task);
  }

  void joined(int worker, double at) {
    of(worker).awaits = none;
    of(worker).what = doing::nothing;
    go_on(worker, at);
  }

  void happen(const event& what) {
    worker_state& self = of(std::clamp(what.worker, 0, set_.workers - 1));
    switch (what.kind) {
      case event_kind::leaf:
        if (self.delayed_ns > 0) {
          add({now_ + self.delayed_ns, 0, event_kind::leaf, what.worker, none});
          self.delayed_ns = 0;
          return;
        }
        ++self.frames.back().levels.back().index;
        return go_on(what.worker, now_);
      case event_kind::looks:
        if (what.turn == self.turn) look(what.worker, now_);
        return;
      case event_kind::near_request: {
        int const made = divide(what.worker, what.task);
        return add({now_ + set_.near_ns / 2 + (made == none ? 0 : set_.give_ns), 0, event_kind::near_answer, what.other,
                    what.worker, made});
      }
      case event_kind::near_answer:
        self.has_asked = false;
        if (what.task != none) {
          self.what = doing::nothing;
          return start(what.worker, what.task, now_);
        }
        if (self.what == doing::joining && task(self.awaits).has_ended) return joined(what.worker, now_);
        return pause(what.worker, now_);
      case event_kind::ask: return serve_ask(what);
      case event_kind::none_came: return take_none(what);
      case event_kind::came: return take_task(what);
      case event_kind::result:
        task(what.task).has_ended = true;
        if (self.what == doing::joining && self.awaits == what.task && !self.has_asked) joined(what.worker, now_);
        return;
      case event_kind::hint: {
        acquaintance& its = known(what.worker, what.other);
        its = {0, 0, true};
        return wake_one(what.worker, now_);
      }
    }
  }

  tascell_setting set_;
  tascell_outcome out_;
  std::vector<worker_state> workers_;
  std::vector<node_state> nodes_;
  std::vector<task_state> tasks_;
  std::unordered_map<std::uint64_t, acquaintance> known_;
  std::priority_queue<event, std::vector<event>, std::greater<>> events_;
  std::uint64_t order_ = 0, random_;
  double now_ = 0;
  bool has_ended_ = false;
};

}  // namespace

tascell_outcome simulate(const tascell_setting& setting) { return simulation(setting).run(); }

}  // namespace cli
