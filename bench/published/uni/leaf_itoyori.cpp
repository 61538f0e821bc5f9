// The smallest leaf (leaf.h) of Itoyori's tasks: mpirun -n 2 uni-leaf-itoyori tree|steps. Addresses
// must not be chosen at random: setarch -R.
#include <ityr/ityr.hpp>

#include "leaf.h"

namespace {

void run_node(long turns, int depth) {
  if (depth == 0) return leaf_work(turns);
  ityr::parallel_invoke([=] { run_node(turns, depth - 1); }, [=] { run_node(turns, depth - 1); });
}

struct times {
  double seconds, leaf_seconds;
};

void run(leaf_run* now) {
  const leaf_run own = *now;
  const times took = ityr::root_exec([=] {
    const double alone = leaf_time_alone(own.turns), began = leaf_now();
    for (int i = 0; i < own.steps; ++i) run_node(own.turns, own.depth);
    return times{leaf_now() - began, alone};
  });
  now->seconds = took.seconds;
  now->leaf_seconds = took.leaf_seconds;
}

}  // namespace

int main(int argc, char** argv) {
  ityr::init();
  const bool is_known = argc == 2 && leaf_sweep(argv[1], ityr::n_ranks(), ityr::is_master(), "Itoyori", run);
  if (!is_known && ityr::is_master()) std::fprintf(stderr, "usage: uni-leaf-itoyori tree|steps\n");
  ityr::fini();
  return is_known ? 0 : 2;
}
