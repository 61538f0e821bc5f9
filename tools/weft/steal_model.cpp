// See steal_model.hpp. Each event is a worker that goes on, or an operation that arrives at its
// victim. Steps in between, such as forks, add to the worker's time and are no events.
#include "steal_model.hpp"

#include <algorithm>
#include <limits>

#include "steal_search.hpp"

namespace cli {

namespace {

using namespace stealing;

class simulation : searching {
 public:
  explicit simulation(const steal_setting& setting) : searching(setting) {}

  steal_outcome run() {
    int const root = new_thread(none, {call_kind::rec_pfor, 0, set_.leaves, none});
    workers_[0].thread = root;
    add({0, 0, event_kind::goes_on, 0, none, 0});
    for (int each = 1; each < set_.workers; ++each) begin_idling(each, 0);
    while (!has_ended_) {
      event const next = events_.top();
      events_.pop();
      ++out_.events;
      now_ = next.at;
      happen(next);
    }
    out_.steal_ns = out_.steals == 0 ? 0 : out_.steal_ns / static_cast<double>(out_.steals);
    return out_;
  }

 private:
  // ---- steals ----

  void happen(const event& what) {
    switch (what.kind) {
      case event_kind::goes_on: return go_on(what.worker, what.at);
      case event_kind::leaf_ended: thread(of(what.worker).thread).calls.pop_back(); return go_on(what.worker, what.at);
      case event_kind::probes:
        if (what.mark != of(what.worker).pause) return;
        return probe(what.worker, what.victim == none ? other_worker(what.worker) : what.victim, what.at);
      case event_kind::first_operation:
        if (waits_for_port(what)) return;
        return look(what.worker, what.victim, what.at);
      case event_kind::second_operation:
        if (waits_for_port(what)) return;
        return claim(what);
      case event_kind::third_operation:
        if (waits_for_port(what)) return;
        return reserve(what.worker, what.victim, what.at);
    }
  }

  void look(int thief, int victim, double at) {
    if (!may_take(thief, victim)) return fail(thief, victim, at);
    if (set_.operations == 2) return take(thief, victim, at, 1);
    double const answered = at + latency(thief, victim) / 2;
    add({arrival(thief, victim, answered), 0, event_kind::second_operation, thief, victim, of(victim).offer});
  }

  void claim(const event& what) {
    worker_state& its = of(what.victim);
    if (set_.operations == 3) {
      if (its.offer != what.mark || !may_take(what.worker, what.victim)) return fail(what.worker, what.victim, what.at);
      return take(what.worker, what.victim, what.at, 1);
    }
    if (its.locked_until > what.at) return fail(what.worker, what.victim, what.at);
    double const answered = what.at + latency(what.worker, what.victim) / 2;
    double const next = arrival(what.worker, what.victim, answered);
    its.locked_until = std::numeric_limits<double>::infinity();  // until the third operation
    add({next, 0, event_kind::third_operation, what.worker, what.victim, 0});
  }

  // Seven operations: the third takes the oldest entry, the fourth checks, the fifth and sixth get
  // entry and frames, the last unlocks.
  void reserve(int thief, int victim, double at) {
    if (of(victim).forkers.empty()) {
      double const unlocked = after_operations(thief, victim, at + latency(thief, victim) / 2, 3);
      of(victim).locked_until = unlocked;
      return fail(thief, victim, unlocked);
    }
    take(thief, victim, at, 4);
  }

  // more: operations behind the one that took it.
  void take(int thief, int victim, double at, int more) {
    worker_state& its = of(victim);
    int const stolen = its.forkers.front();
    its.forkers.pop_front();
    ++its.offer;
    if (set_.is_weft) note_taken(thief, victim, at);
    join(thread(stolen).calls.back().join).was_stolen = true;
    double const begins = after_operations(thief, victim, at + latency(thief, victim) / 2, more) + set_.copy_ns;
    its.copied_until = std::max(its.copied_until, begins - latency(thief, victim) / 2);
    if (more > 1) its.locked_until = begins;
    ++out_.steals;
    out_.steal_ns += begins - of(thief).probed_at;
    of(thief).thread = stolen;
    occupy(thief);
    add({begins, 0, event_kind::goes_on, thief, none, 0});
  }

  // ---- the program ----

  // Until the worker computes a leaf, or has nothing to run.
  void go_on(int worker, double at) {
    for (bool runs = true; runs;) {
      if (thread(of(worker).thread).calls.empty())
        runs = end_thread(worker, &at);
      else
        runs = step(worker, &at);
    }
  }

  // A program's call: its blocks, and behind them its halves.
  bool step(int worker, double* at) {
    thread_state& its = thread(of(worker).thread);
    activation& top = its.calls.back();
    int const blocks = top.kind == call_kind::rec_pfor ? set_.blocks : 0;
    bool const has_halves = top.kind == call_kind::pfor || set_.program == forked_program::rec_pfor;
    if (top.leaves == 1 && (top.kind == call_kind::pfor || set_.program == forked_program::rec_pfor)) return compute(worker, *at);
    int const done = top.step++;
    if (done < blocks) {
      its.calls.push_back({call_kind::pfor, 0, top.leaves, none});
      return true;
    }
    if (!has_halves) {
      its.calls.pop_back();
      return true;
    }
    if (done == blocks) return fork(worker, at);
    if (done == blocks + 1) {
      its.calls.push_back({top.kind, 0, top.leaves - top.leaves / 2, none});
      return true;
    }
    return join_child(worker, at);
  }

  bool compute(int worker, double at) {
    out_.work_ns += set_.leaf_ns;
    add({at + set_.leaf_ns, 0, event_kind::leaf_ended, worker, none, 0});
    return false;
  }

  bool fork(int worker, double* at) {
    int const forker = of(worker).thread;
    int const record = new_join(worker);
    activation& top = thread(forker).calls.back();
    top.join = record;
    activation const child{top.kind, 0, top.leaves / 2, none};
    int const made = new_thread(record, child);  // moves activations
    of(worker).thread = made;
    of(worker).forkers.push_back(forker);
    *at += set_.fork_ns;
    if (set_.is_weft && *at >= of(worker).quiet_until) publish(worker, at);
    return true;
  }

  // False: the worker waits for the rest of a leaf, or is idle.
  bool join_child(int worker, double* at) {
    int const waiter = of(worker).thread;
    int const record = thread(waiter).calls.back().join;
    join_state& its = join(record);
    if (its.has_ended) {
      if (its.was_stolen) *at = after_operations(worker, its.home, *at, 1);
      thread(waiter).calls.pop_back();
      free_joins_.push_back(record);
      return true;
    }
    its.waiting = waiter;
    its.waits_on = worker;
    ++out_.waited;
    int const operations = set_.operations == 7 ? 3 : 1;
    begin_idling(worker, after_operations(worker, its.home, *at, operations));
    return false;
  }

  bool end_thread(int worker, double* at) {
    worker_state& its = of(worker);
    int const ended = its.thread;
    int const record = thread(ended).join;
    free_threads_.push_back(ended);
    if (record == none) {
      has_ended_ = true;
      out_.ns = *at;
      return false;
    }
    join_state& told = join(record);
    told.has_ended = true;
    if (!its.forkers.empty()) {  // the newest is its forker
      if (set_.is_weft) take_back(worker, at);
      its.thread = its.forkers.back();
      its.forkers.pop_back();
      ++its.offer;
      return true;
    }
    *at = after_operations(worker, told.home, std::max(*at, its.copied_until), 2);
    if (told.waiting == none) {
      begin_idling(worker, *at);
      return false;
    }
    *at = after_operations(worker, told.waits_on, *at, set_.operations == 7 ? 2 : 1) + set_.copy_ns;
    its.thread = told.waiting;
    occupy(worker);
    thread(its.thread).calls.pop_back();
    free_joins_.push_back(record);
    add({*at, 0, event_kind::goes_on, worker, none, 0});
    return false;
  }
};

}  // namespace

steal_outcome simulate(const steal_setting& setting) { return simulation(setting).run(); }

}  // namespace cli
