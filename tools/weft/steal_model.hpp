// A simulation of work stealing between nodes by discrete events: workers that run a fork-join
// program child first, steal the oldest continuation of another worker by one-sided operations, and
// join. Time is simulated, so the figures are the same on every machine.
#pragma once

#include <cstdint>

namespace cli {

enum class forked_program : std::uint8_t {
  pfor,     // blocks one after the other, each a parallel loop over n leaves that halves its range
  rec_pfor  // the same blocks, then twice the program of half the size, in parallel
};

struct steal_setting {
  int workers = 1;
  int workers_a_node = 1;
  forked_program program = forked_program::pfor;
  std::uint32_t leaves = 1;  // of a block; a power of two
  int blocks = 5;
  double leaf_ns = 10'000;
  double fork_ns = 10;

  int operations = 3;    // of a successful steal that wait for one another: 7, 3 or 2
  double near_ns = 100;  // an operation within a node
  double far_ns = 2000;  // between nodes
  double port_ns = 0;    // in which a node's network card serves one operation from outside
  double copy_ns = 200;  // of frames, beside the operation that gets them
  double own_ns = 50;    // an operation of a worker on its own words
  double retry_ns = 0;   // between the answer to a failed probe and the next one
  double near_part = 0;  // of all probes: those that go to workers of the own node
  double poll_ns = 0;    // a worker that computes lets operations on its memory go on so often; 0: the network does
  // Weft's own protocol, as dist/ has it: what is public, offers, the pace of idle workers, calls.
  // Else all forkers are public, and idle workers probe without a pause.
  bool is_weft = false;
  double tick_ns = 200'000;  // WEFT_DIST_POLL: a fork looks so often what is to be offered
  std::uint64_t seed = 1;
};

struct steal_outcome {
  double ns = 0;       // until the program has ended
  double work_ns = 0;  // of all leaves
  std::uint64_t steals = 0;
  std::uint64_t failed = 0;  // probes
  std::uint64_t waited = 0;  // joins that found their child running
  double steal_ns = 0;       // from a successful probe to the continuation, on average
  std::uint64_t events = 0;

  [[nodiscard]] double efficiency(int workers) const { return work_ns / (ns * workers); }
};

steal_outcome simulate(const steal_setting& setting);

}  // namespace cli
