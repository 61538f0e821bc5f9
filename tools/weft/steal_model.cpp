// See steal_model.hpp. Each event is a worker that goes on, or an operation that arrives at its
// victim. Steps in between, such as forks, add to the worker's time and are no events.
#include "steal_model.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <queue>
#include <vector>

namespace cli {

namespace {

constexpr int none = -1;
// As dist/probe_pace.hpp has them.
constexpr unsigned probes_at_once = 16;
constexpr double first_pause_ns = 20'000, longest_pause_ns = 10'000'000;
// As dist/patience.hpp has them, with what a pause and a sched_yield take.
constexpr unsigned rounds_of_pauses = 2048, rounds_of_yields = 4096;
constexpr double pause_takes_ns = 40, yield_takes_ns = 500, sleep_takes_ns = 50'000;

enum class call_kind : std::uint8_t { pfor, rec_pfor };

// An activation of the simulated program. step: how far it is.
struct activation {
  call_kind kind;
  int step;
  std::uint32_t leaves;
  int join;  // of its fork
};

struct join_state {
  bool has_ended = false;   // the child
  bool was_stolen = false;  // the forker
  int home = none;          // the worker whose memory the record is in
  int waiting = none;       // a thread
  int waits_on = none;      // where its frames are
};

struct thread_state {
  std::vector<activation> calls;
  int join = none;  // that its end tells; none: the root
};

enum class event_kind : std::uint8_t { goes_on, leaf_ended, probes, first_operation, second_operation, third_operation };

struct event {
  double at;
  std::uint64_t order;  // of events of one time
  event_kind kind;
  int worker;
  int victim;
  std::uint64_t mark;      // of a probe: the offer that was seen; of a pause: which
  bool is_served = false;  // by the network card of the victim's node

  bool operator>(const event& other) const { return at != other.at ? at > other.at : order > other.order; }
};

struct worker_state {
  int thread = none;
  std::deque<int> forkers;  // suspended, the oldest first
  std::uint64_t offer = 1;  // changes with each claim
  double locked_until = 0;  // seven operations
  double copied_until = 0;  // its frames are being read
  double probed_at = 0;

  // ---- Weft's protocol ----

  std::size_t open = 0;     // of the forkers, the oldest: workers of the node may take them
  bool is_offered = false;  // the oldest is set aside for other nodes; then none is open
  double quiet_until = 0;   // forks before are on the fast way
  int asked_by = none;      // the last of another node that found no offer
  unsigned tries = 0;       // probes of other nodes since it became idle
  unsigned rounds = 0;      // of its search
  double pause_ns = 0, next_far_at = 0;
  std::uint64_t pause = 0;  // which; a call ends it
  bool is_paused = false;
  int called_by = none;
};

class simulation {
 public:
  explicit simulation(const steal_setting& setting)
      : set_(setting),
        workers_(static_cast<std::size_t>(setting.workers)),
        ports_(static_cast<std::size_t>((setting.workers - 1) / setting.workers_a_node + 1)),
        random_(setting.seed * 0x9e3779b97f4a7c15 + 1) {}

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
  // ---- bookkeeping ----

  worker_state& of(int worker) { return workers_[static_cast<std::size_t>(worker)]; }
  thread_state& thread(int which) { return threads_[static_cast<std::size_t>(which)]; }
  join_state& join(int which) { return joins_[static_cast<std::size_t>(which)]; }
  [[nodiscard]] int node_of(int worker) const { return worker / set_.workers_a_node; }

  void add(event what) {
    what.order = order_++;
    events_.push(what);
  }

  int new_thread(int join_of_it, activation first) {
    int which = 0;
    if (free_threads_.empty()) {
      which = static_cast<int>(threads_.size());
      threads_.emplace_back();
    } else {
      which = free_threads_.back();
      free_threads_.pop_back();
    }
    thread(which).join = join_of_it;
    thread(which).calls.assign(1, first);
    return which;
  }

  int new_join(int home) {
    int which = 0;
    if (free_joins_.empty()) {
      which = static_cast<int>(joins_.size());
      joins_.emplace_back();
    } else {
      which = free_joins_.back();
      free_joins_.pop_back();
    }
    join(which) = {};
    join(which).home = home;
    return which;
  }

  std::uint64_t draw(std::uint64_t below) {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return (random_ >> 33) % below;
  }

  // ---- operations ----

  [[nodiscard]] double latency(int from, int to) const {
    if (from == to) return set_.own_ns;
    return node_of(from) == node_of(to) ? set_.near_ns : set_.far_ns;
  }

  // Such operations wait for one another at the card of the victim's node.
  [[nodiscard]] bool uses_port(int from, int to) const { return set_.port_ns > 0 && node_of(from) != node_of(to); }
  double& port_of(int worker) { return ports_[static_cast<std::size_t>(node_of(worker))]; }

  // True: the operation has its turn later.
  bool waits_for_port(const event& what) {
    if (what.is_served || !uses_port(what.worker, what.victim)) return false;
    double& port = port_of(what.victim);
    event later = what;
    later.at = std::max(what.at, port) + set_.port_ns;
    later.is_served = true;
    port = later.at;
    add(later);
    return true;
  }

  // When the operation takes effect; the answer is there half a latency later.
  double arrival(int from, int to, double at) {
    double const arrives = at + latency(from, to) / 2;
    bool const must_wait = set_.poll_ns > 0 && node_of(from) != node_of(to) && of(to).thread != none;
    return must_wait ? (std::floor(arrives / set_.poll_ns) + 1) * set_.poll_ns : arrives;
  }
  // So many, one after the other. Each waits at the card as one would now.
  double after_operations(int from, int to, double at, int count) {
    double wait = 0;
    if (uses_port(from, to)) {
      double& port = port_of(to);
      wait = std::max(0.0, port - now_) + set_.port_ns;
      port = std::max(port, now_) + count * set_.port_ns;
    }
    for (int each = 0; each < count; ++each) at = arrival(from, to, at) + wait + latency(from, to) / 2;
    return at;
  }

  // ---- idle workers ----

  int other_worker(int worker) {
    int const node = node_of(worker);
    int const first = node * set_.workers_a_node;
    int const here = std::min(set_.workers_a_node, set_.workers - first);
    bool const is_near = here > 1 && static_cast<double>(draw(1 << 20)) < set_.near_part * (1 << 20);
    if (is_near) {
      int const chosen = first + static_cast<int>(draw(static_cast<std::uint64_t>(here - 1)));
      return chosen >= worker ? chosen + 1 : chosen;
    }
    int const chosen = static_cast<int>(draw(static_cast<std::uint64_t>(set_.workers - 1)));
    return chosen >= worker ? chosen + 1 : chosen;
  }

  void begin_idling(int worker, double at) {
    worker_state& its = of(worker);
    its.thread = none;
    if (set_.workers == 1) return;
    its.tries = 0;
    its.rounds = 0;
    its.pause_ns = first_pause_ns;
    its.called_by = none;
    set_.is_weft ? search(worker, at) : probe(worker, other_worker(worker), at);
  }

  // A worker of the own node, or none.
  int neighbour(int worker) {
    int const first = node_of(worker) * set_.workers_a_node;
    int const here = std::min(set_.workers_a_node, set_.workers - first);
    if (here <= 1 || set_.near_part == 0) return none;
    int const chosen = first + static_cast<int>(draw(static_cast<std::uint64_t>(here - 1)));
    return chosen >= worker ? chosen + 1 : chosen;
  }
  [[nodiscard]] bool has_neighbours(int worker) const {
    return set_.workers_a_node > 1 && (node_of(worker) * set_.workers_a_node + 1 < set_.workers);
  }

  static double round_takes(unsigned rounds) {
    if (rounds < rounds_of_pauses) return pause_takes_ns;
    return rounds < rounds_of_yields ? yield_takes_ns : sleep_takes_ns;
  }

  // Weft's search, after a probe that failed: other nodes at their pace, the own one always.
  void search(int worker, double at) {
    worker_state& its = of(worker);
    at += round_takes(its.rounds++);
    if (its.called_by != none) {
      int const victim = its.called_by;
      its.called_by = none;
      return probe(worker, victim, at);
    }
    if (its.tries < probes_at_once) {
      int const victim = other_worker(worker);
      its.tries += node_of(victim) == node_of(worker) ? 0 : 1;
      its.next_far_at = at + its.pause_ns;
      return probe(worker, victim, at);
    }
    int const near = neighbour(worker);
    if (at >= its.next_far_at || near == none) return probe_far(worker, std::max(at, its.next_far_at));
    probe(worker, near, at);
  }

  void probe_far(int worker, double at) {
    worker_state& its = of(worker);
    its.pause_ns = std::min(2 * its.pause_ns, longest_pause_ns);
    its.next_far_at = at + its.pause_ns;
    its.is_paused = true;
    add({at, 0, event_kind::probes, worker, none, ++its.pause});
  }

  void probe(int worker, int victim, double at) {
    of(worker).probed_at = at;
    of(worker).is_paused = false;
    add({arrival(worker, victim, at), 0, event_kind::first_operation, worker, victim, 0});
  }

  void fail(int worker, int victim, double at) {
    ++out_.failed;
    double const answered = at + latency(worker, victim) / 2 + set_.retry_ns;
    if (!set_.is_weft) return probe(worker, other_worker(worker), answered);
    if (node_of(worker) != node_of(victim)) of(victim).asked_by = worker;
    search(worker, answered);
  }

  // A worker that was asked in vain has an offer now. The thief finds the call in its next round.
  void call(int victim, double at) {
    int const thief = of(victim).asked_by;
    of(victim).asked_by = none;
    if (thief == none || of(thief).thread != none) return;
    of(thief).called_by = victim;
    if (!of(thief).is_paused) return;
    of(thief).is_paused = false;
    of(thief).called_by = none;
    add({at + latency(victim, thief) + round_takes(of(thief).rounds), 0, event_kind::probes, thief, victim, ++of(thief).pause});
  }

  // ---- Weft's queue ----

  // A fork's rare way. The worker has a forker.
  void publish(int worker, double* at) {
    worker_state& its = of(worker);
    its.quiet_until = (std::floor(*at / set_.tick_ns) + 1) * set_.tick_ns;
    if (its.is_offered) return;
    if (has_neighbours(worker) && its.asked_by == none) {
      if (its.open == 0) its.open = (its.forkers.size() + 1) / 2;
      return;
    }
    its.open = 0;
    its.is_offered = true;
    *at += set_.own_ns;
    call(worker, *at);
  }

  // The newest forker goes on, because its child has ended.
  void take_back(int worker, double* at) {
    worker_state& its = of(worker);
    if (its.is_offered && its.forkers.size() == 1) {
      its.is_offered = false;
      its.quiet_until = 0;
      *at += set_.own_ns;
    } else if (its.open == its.forkers.size()) {
      its.open = (its.open - 1) / 2;
      if (its.open == 0) its.quiet_until = 0;
    }
  }

  // The worker's stack has another thread.
  void occupy(int worker) {
    worker_state& its = of(worker);
    its.open = 0;
    its.is_offered = false;
    its.quiet_until = 0;
  }

  [[nodiscard]] bool may_take(int thief, int victim) {
    worker_state const& its = of(victim);
    if (!set_.is_weft) return !its.forkers.empty();
    return node_of(thief) == node_of(victim) ? its.open != 0 : its.is_offered;
  }
  // A thief of another node asks for the next offer, by a put that goes along with its get of the frames.
  void note_taken(int thief, int victim, double at) {
    worker_state& its = of(victim);
    if (node_of(thief) == node_of(victim)) {
      if (--its.open == 0) its.quiet_until = 0;
      return;
    }
    its.is_offered = false;
    its.quiet_until = std::min(its.quiet_until, arrival(thief, victim, at + set_.far_ns / 2));
  }

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

  steal_setting set_;
  steal_outcome out_;
  std::vector<worker_state> workers_;
  std::vector<double> ports_;
  std::deque<thread_state> threads_;
  std::deque<join_state> joins_;
  std::vector<int> free_threads_, free_joins_;
  std::priority_queue<event, std::vector<event>, std::greater<>> events_;
  std::uint64_t order_ = 0, random_;
  double now_ = 0;
  bool has_ended_ = false;
};

}  // namespace

steal_outcome simulate(const steal_setting& setting) { return simulation(setting).run(); }

}  // namespace cli
