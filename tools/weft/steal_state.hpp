// What the simulation of steals (steal_model.cpp) knows of each worker, thread and join, and what
// an operation on another worker's memory takes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <vector>

#include "steal_model.hpp"

namespace cli::stealing {

inline constexpr int none = -1;
// As dist/words/probe_pace.hpp has them.
inline constexpr unsigned probes_at_once = 16;
inline constexpr double first_pause_ns = 20'000, longest_pause_ns = 10'000'000;
// As dist/words/patience.hpp has them, with what a pause and a sched_yield take.
inline constexpr unsigned rounds_of_pauses = 2048, rounds_of_yields = 4096;
inline constexpr double pause_takes_ns = 40, yield_takes_ns = 500, sleep_takes_ns = 50'000;

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

class state {
 protected:
  explicit state(const steal_setting& setting)
      : set_(setting),
        workers_(static_cast<std::size_t>(setting.workers)),
        ports_(static_cast<std::size_t>((setting.workers - 1) / setting.workers_a_node + 1)),
        random_(setting.seed * 0x9e3779b97f4a7c15 + 1) {}

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

}  // namespace cli::stealing
