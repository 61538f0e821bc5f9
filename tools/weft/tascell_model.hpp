// A simulation of a Tascell search between nodes by discrete events, as docs/protocols/N.md has it:
// workers that search a tree of n-queens' shape ask inside their node first; one of a node without
// work asks other nodes; a choice point gives the upper half of its iterations, the oldest first; a
// joiner runs descendants of the task that it waits for. Time is simulated.
#pragma once

#include <cstdint>

namespace cli {

inline constexpr int most_rows = 32;

struct tascell_setting {
  int workers = 1;
  int workers_a_node = 8;
  int rows = 19;             // of the board: a node of the tree in row r has up to rows - r children
  double work_ns = 1e12;     // of the search on one worker
  double leaf_ns = 2e6;      // what is not divided any more
  double near_ns = 2000;     // a request within a node and its answer
  double frame_ns = 45'000;  // a frame from one node to another
  double door_ns = 2000;     // a node's door for a frame
  double give_ns = 3000;     // a walk and a task that is made
  double join_ns = 500;
  std::uint64_t seed = 1;
};

struct tascell_outcome {
  double ns = 0;                            // until the search has ended
  double work_ns = 0;                       // of all leaves
  std::uint64_t given = 0, given_away = 0;  // tasks; of them to other nodes
  std::uint64_t asked = 0, refused = 0;     // between nodes
  std::uint64_t leaves = 0;

  [[nodiscard]] double efficiency(int workers) const { return work_ns / (ns * workers); }
};

tascell_outcome simulate(const tascell_setting& setting);

}  // namespace cli
