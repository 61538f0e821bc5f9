// How a simulated worker without a thread looks for one, and what others find at a worker: as the
// peers have it, or as dist/ does (far_offer.cpp, probe_pace.hpp, steal_queue.hpp).
#pragma once

#include "steal_state.hpp"

namespace cli::stealing {

class searching : public state {
 protected:
  using state::state;

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
  // A thief of another node asks for the next offer, by a put that goes along with its get of the
  // frames.
  void note_taken(int thief, int victim, double at) {
    worker_state& its = of(victim);
    if (node_of(thief) == node_of(victim)) {
      if (--its.open == 0) its.quiet_until = 0;
      return;
    }
    its.is_offered = false;
    its.quiet_until = std::min(its.quiet_until, arrival(thief, victim, at + set_.far_ns / 2));
  }
};

}  // namespace cli::stealing
