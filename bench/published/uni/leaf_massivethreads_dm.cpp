// The smallest leaf (leaf.h) of MassiveThreads/DM's threads: mpirun -n 2 uni-leaf-massivethreads-dm
// tree|steps, with MADM_RUN__=1 and addresses that are not chosen at random (setarch -R). Its first
// process decides on the runs; the others steal in a barrier until the sweep is over.
#include <uth.h>

#include "leaf.h"

namespace {

namespace uth = madm::uth;

int run_node(long turns, int depth) {
  if (depth == 0) {
    leaf_work(turns);
    return 1;
  }
  uth::thread<int> left(run_node, turns, depth - 1);
  const int right = run_node(turns, depth - 1);
  return left.join() + right;
}

int run_root(long turns, int depth) { return run_node(turns, depth); }

void run(leaf_run* now) {
  now->leaf_seconds = leaf_time_alone(now->turns);
  const double began = leaf_now();
  for (int i = 0; i < now->steps; ++i) {
    uth::thread<int> root(run_root, now->turns, now->depth);
    (void)root.join();
  }
  now->seconds = leaf_now() - began;
}

int status = 0;

void real_main(int argc, char** argv) {
  uth::barrier();
  if (uth::get_pid() == 0) {
    const bool is_known = argc == 2 && leaf_sweep(argv[1], static_cast<int>(uth::get_n_procs()), true, "MassiveThreads/DM", run);
    if (!is_known) std::fprintf(stderr, "usage: uni-leaf-massivethreads-dm tree|steps\n");
    status = is_known ? 0 : 2;
  }
  uth::barrier();
}

}  // namespace

int main(int argc, char** argv) {
  uth::start(real_main, argc, argv);
  return status;
}
