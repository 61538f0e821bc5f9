#include "kernels/uts/uts.hpp"

#include <algorithm>
#include <cmath>

namespace bench::uts {

namespace {

constexpr std::uint32_t max_children = 100;  // of the specification, for all nodes but a binomial root
constexpr std::uint32_t probability_mask = 0x7fffffffU;
constexpr double probability_scale = 2147483648.0;

double probability(const node& node) { return (node.state[4] & probability_mask) / probability_scale; }

std::uint32_t count_children_geometric(const tree& tree, const node& node) {
  if (node.depth >= tree.depth) return 0;
  double const success = 1.0 / (1.0 + tree.root_branching);
  double const children = std::floor(std::log(1.0 - probability(node)) / std::log(1.0 - success));
  return std::min(static_cast<std::uint32_t>(children), max_children);
}

std::uint32_t count_children_binomial(const tree& tree, const node& node) {
  if (node.depth == 0) return static_cast<std::uint32_t>(tree.root_branching);
  return probability(node) < tree.child_probability ? std::min(tree.child_count, max_children) : 0;
}

}  // namespace

node root(const tree& tree) { return {sha1({0, 0, 0, 0, tree.seed}, 20), 0}; }

node child(const node& parent, std::uint32_t index) {
  digest const& s = parent.state;
  return {sha1({s[0], s[1], s[2], s[3], s[4], index}, 24), parent.depth + 1};
}

std::uint32_t count_children(const tree& tree, const node& node) {
  return tree.is_binomial ? count_children_binomial(tree, node) : count_children_geometric(tree, node);
}

tree make_t1(std::uint64_t size) { return {false, 4, 0, 0, static_cast<std::uint32_t>(size), 19}; }
tree make_t3(std::uint64_t size) { return {true, static_cast<double>(size), 0.124875, 8, 0, 42}; }
tree make_t1l(std::uint64_t size) { return {false, 4, 0, 0, static_cast<std::uint32_t>(size), 29}; }

namespace {

// The published count at the published size; at other sizes a sequential count.
template <tree_maker Make, std::uint64_t PublishedSize, std::uint64_t PublishedNodes>
std::uint64_t expected(const kernel_input& input) {
  return input.size == PublishedSize ? PublishedNodes : count_sequential(Make(input.size));
}

}  // namespace

const kernel t1 = {
    .name = "uts-t1",
    .title = "UTS T1, a geometric tree; each node a thread or fork",
    .size_word = "depth",
    .unit = "node",
    .default_size = 10,
    .quick_size = 6,
    .max_size = 20,
    .expected = expected<make_t1, 10, 4'130'071>,
};

const kernel t3 = {
    .name = "uts-t3",
    .title = "UTS T3, a binomial tree, deep and narrow; each node a thread or fork",
    .size_word = "root branching",
    .unit = "node",
    .default_size = 2000,
    .quick_size = 20,
    .max_size = 1'000'000,
    .expected = expected<make_t3, 2000, 4'112'897>,
};

const kernel t1l = {
    .name = "uts-t1l",
    .title = "UTS T1L, a large geometric tree; each node a thread or fork",
    .size_word = "depth",
    .unit = "node",
    .default_size = 13,
    .quick_size = 5,
    .max_size = 20,
    .expected = expected<make_t1l, 13, 102'181'082>,
    .is_long = true,
};

}  // namespace bench::uts
