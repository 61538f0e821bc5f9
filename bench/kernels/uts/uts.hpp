// Unbalanced Tree Search: counts the nodes of a tree that exists only as a random-number generator,
// so that no part of it can be foreseen. Olivier, Huan, Liu, Prins, Dinan, Sadayappan, Tseng
// (2006), doi:10.1007/978-3-540-72521-3_18. The trees are the sample trees of the UTS distribution;
// their node counts are published with it.
//   uts-t1   geometric, fixed branching, -t 1 -a 3 -d 10 -b 4 -r 19           4,130,071 nodes
//   uts-t3   binomial, -t 0 -b 2000 -q 0.124875 -m 8 -r 42                     4,112,897 nodes
//   uts-t1l  geometric, fixed branching, -t 1 -a 3 -d 13 -b 4 -r 29         102,181,082 nodes
// units: nodes; each is a thread in the ult variants. With forks, the last child of a node is a
// plain call.
#pragma once

#include "harness/kernel.hpp"
#include "kernels/uts/sha1.hpp"

namespace bench::uts {

struct tree {
  bool is_binomial;
  double root_branching;      // geometric: the mean at every depth below the last; binomial: the root's children
  double child_probability;   // binomial: that a node has children
  std::uint32_t child_count;  // binomial: how many it then has
  std::uint32_t depth;        // geometric: nodes at this depth have no children
  std::uint32_t seed;
};

struct node {
  digest state;
  std::uint32_t depth;
};

node root(const tree& tree);
node child(const node& parent, std::uint32_t index);
std::uint32_t count_children(const tree& tree, const node& node);

// size: the depth of a geometric tree, the root's branching of a binomial one.
tree make_t1(std::uint64_t size);
tree make_t3(std::uint64_t size);
tree make_t1l(std::uint64_t size);

std::uint64_t count_sequential(const tree& tree);
std::uint64_t count_ult(const tree& tree);
std::uint64_t count_fork(const tree& tree);

using tree_maker = tree (*)(std::uint64_t size);

// Count: counts the nodes of a tree.
template <tree_maker Make, std::uint64_t (*Count)(const tree& tree)>
kernel_run run(const kernel_input& input, stopwatch& watch) {
  tree const tree = Make(input.size);
  watch.start();
  std::uint64_t const nodes = Count(tree);
  watch.stop();
  return {nodes, nodes, {}};
}

extern const kernel t1;
extern const kernel t3;
extern const kernel t1l;

}  // namespace bench::uts
