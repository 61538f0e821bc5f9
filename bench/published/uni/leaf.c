/* The smallest leaf of forks (leaf.h), on ranks (uni-leaf) and on threads (uni-leaf-threads):
 *
 *   weft launch -n 2 uni-leaf tree|steps
 *   uni-leaf-threads tree|steps WORKERS
 *
 * All ranks decide by the times that the root brings to each. */
#include <weft/hot.h>
#include <weft/version.h>

#include "leaf.h"
#include "root.h"

static unsigned workers = 1;
static bool is_first;

struct node {
  long turns;
  int depth;
};

static void run_node(void *work) {
  const struct node own = *(struct node *)work;
  if (own.depth == 0) {
    leaf_work(own.turns);
    return;
  }
  struct node left = {own.turns, own.depth - 1}, right = left;
  weft_forked *const forked = weft_fork(run_node, &left, sizeof left);
  run_node(&right);
  weft_fork_join(forked, run_node, &left, sizeof left);
}

static void time_run(void *work) {
  struct leaf_run *const own = (struct leaf_run *)work;
  const int steps = own->steps;
  const double alone = leaf_time_alone(own->turns), began = leaf_now();
  for (int i = 0; i < steps; ++i) {
    struct node root = {own->turns, own->depth};
    run_node(&root);
  }
  own->seconds = leaf_now() - began;
  own->leaf_seconds = alone;
}

static void run(struct leaf_run *now) { is_first = run_root(workers, time_run, now, sizeof *now); }

int main(int argc, char **argv) {
  if (argc >= 3) workers = (unsigned)atoi(argv[2]);
  const int ranks = root_ranks(workers);
  struct leaf_run first = {1, 0, 1, 0, 0};
  run(&first);
  if (argc >= 2 && leaf_sweep(argv[1], ranks, is_first, "Weft " WEFT_VERSION, run)) return 0;
  fprintf(stderr, "usage: uni-leaf tree|steps [WORKERS]\n");
  return 2;
}
