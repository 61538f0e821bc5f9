/* How long a steal takes while the victim computes: `weft launch -n 2 uni-steal`. A child that
 * spins is forked again and again. Its forker's continuation is stolen meanwhile, joins, waits, and
 * is resumed by the child's end. Under WEFT_DIST_POLICY=child the forker spins for half as long,
 * its child is taken meanwhile, and then it joins and waits. Two times are taken: from the fork to
 * what the other rank runs, and from the child's end to the forker that goes on. Each sample stays
 * on the rank that took it; at the end rank 0 prints a line for each. Clocks of the ranks are one:
 * the counter is the machine's.
 *
 * `uni-steal polls` is for ranks of two nodes whose network needs the target's help: the child does
 * not spin, but forks children that do nothing, in each of which its rank answers
 * (WEFT_DIST_POLL=0). The phases of each steal are taken, too: the claim, the copy, and until the
 * thread can go on.
 *
 * Then small trees of forks are run, and the page faults of all ranks are counted. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <weft/dist.h>
#include <weft/global.h>
#include <weft/hot.h>

#include "micro/cycles.h"

enum { most_text = 1 << 18, most_forks = 2000, trees = 100, tree_depth = 8, leaf_ns = 5000 };

static int forks = most_forks, spin_ns = 40000;
static bool polls;

static double starts_ns[most_forks], resumes_ns[most_forks]; /* this rank's samples */
static int starts, resumes;
static double claims_ns[most_forks], copies_ns[most_forks], take_ups_ns[most_forks]; /* of steals, one by one */
static int phases;
static bool forkers_go_on; /* WEFT_DIST_POLICY=child */

struct child {
  double ticks_per_ns;
  uint64_t begin, end;
  int rank; /* where it ran */
};

/* On the rank that has just stolen: the phases of this steal, if it is the only one since the
 * last call here. */
static void note_phases(double ticks_per_ns) {
  static weft_dist_counts before;
  weft_dist_counts now;
  weft_dist_read_counts(&now);
  if (now.steals == before.steals + 1 && phases < forks) {
    claims_ns[phases] = (double)(now.claim_ticks - before.claim_ticks) / ticks_per_ns;
    copies_ns[phases] = (double)(now.copy_ticks - before.copy_ticks) / ticks_per_ns;
    take_ups_ns[phases++] = (double)(now.take_up_ticks - before.take_up_ticks) / ticks_per_ns;
  }
  before = now;
}

static uint64_t spin_for(double ticks) {
  const uint64_t until = cycles_ticks() + (uint64_t)ticks;
  uint64_t now;
  do {
    now = cycles_ticks();
  } while (now < until);
  return now;
}

static void nothing(void *work) { (void)work; }

static void fork_for(double ticks) {
  const uint64_t until = cycles_ticks() + (uint64_t)ticks;
  do {
    long none = 0;
    weft_fork_join(weft_fork(nothing, &none, sizeof none), nothing, &none, sizeof none);
  } while (cycles_ticks() < until);
}

static void spin(void *work) {
  struct child *const own = work;
  own->begin = cycles_ticks();
  own->rank = weft_dist_rank();
  if (forkers_go_on) note_phases(own->ticks_per_ns);
  if (polls) fork_for(spin_ns * own->ticks_per_ns);
  own->end = polls ? cycles_ticks() : spin_for(spin_ns * own->ticks_per_ns);
}

static void fork_one(double ticks_per_ns) {
  struct child one = {ticks_per_ns, 0, 0, -1};
  const int rank = weft_dist_rank();
  const uint64_t start = cycles_ticks();
  weft_forked *const forked = weft_fork(spin, &one, sizeof one);
  const uint64_t running = cycles_ticks();
  const bool has_moved = weft_dist_rank() != rank;
  if (has_moved) note_phases(ticks_per_ns);
  if (forkers_go_on) polls ? fork_for(spin_ns * ticks_per_ns / 2) : (void)spin_for(spin_ns * ticks_per_ns / 2);
  weft_fork_join(forked, spin, &one, sizeof one);
  const uint64_t resumed = cycles_ticks();
  const bool is_stolen = has_moved || one.rank != rank;
  const uint64_t goes_on = has_moved ? running : one.begin;
  if (is_stolen && starts < forks) starts_ns[starts++] = (double)(goes_on - start) / ticks_per_ns;
  if (is_stolen && resumes < forks) resumes_ns[resumes++] = (double)(resumed - one.end) / ticks_per_ns;
}

static void fork_many(void *work) {
  const double ticks_per_ns = *(double *)work;
  for (int i = 0; i < forks; ++i) fork_one(ticks_per_ns);
}

static void print(FILE *out, const char *name, const double *samples, int count) {
  fprintf(out, ", \"%s\": [", name);
  for (int i = 0; i < count; ++i) fprintf(out, "%s%.0f", i == 0 ? "" : ", ", samples[i]);
  fprintf(out, "]");
}

/* ---- trees ---- */

struct node {
  double leaf_ticks;
  int depth;
};

static void run_tree(void *work) {
  const struct node own = *(struct node *)work;
  if (own.depth == 0) {
    spin_for(own.leaf_ticks);
    return;
  }
  struct node left = {own.leaf_ticks, own.depth - 1}, right = left;
  weft_forked *const forked = weft_fork(run_tree, &left, sizeof left);
  run_tree(&right);
  weft_fork_join(forked, run_tree, &left, sizeof left);
}

static unsigned long long steals_so_far(void) {
  weft_dist_counts counts;
  weft_dist_read_counts(&counts);
  return counts.steals;
}

static long faults_so_far(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_minflt : 0;
}

static void run_trees(double ticks_per_ns) {
  struct node root = {leaf_ns * ticks_per_ns, tree_depth};
  for (int i = 0; i < trees; ++i) {
    if (weft_dist_root(run_tree, &root, sizeof root) != WEFT_OK) exit(1);
  }
}

static void rest(void *work) { (void)work; }

/* Rank 0 prints for all: an MPI's launcher may mix what processes of several nodes print. The
 * program's exit status. */
static int print_all(char *text) {
  weft_global texts;
  const int ranks = weft_dist_ranks();
  if (weft_global_array((size_t)ranks, most_text, &texts) != WEFT_OK) return 1;
  weft_global_put(texts + (weft_global)weft_dist_rank() * most_text, text, most_text);
  if (weft_dist_root(rest, NULL, 0) != WEFT_OK) return 1;
  for (int rank = 0; rank < ranks && weft_dist_rank() == 0; ++rank) {
    weft_global_get(text, texts + (weft_global)rank * most_text, most_text);
    printf("%s\n", text);
  }
  fflush(stdout);
  return weft_dist_root(rest, NULL, 0) != WEFT_OK; /* no rank leaves before */
}

int main(int argc, char **argv) {
  polls = argc == 2 && strcmp(argv[1], "polls") == 0;
  if (polls) {
    forks = 500;
    spin_ns = 400000; /* a steal over TCP takes a part of it */
  }
  if (weft_dist_ranks() != 2 || argc > 2 || (argc == 2 && !polls)) {
    fprintf(stderr, "usage: weft launch -n 2 uni-steal [polls]\n");
    return 2;
  }
  const char *const policy = getenv("WEFT_DIST_POLICY");
  forkers_go_on = policy != NULL && (strcmp(policy, "child") == 0 || strcmp(policy, "run-to-completion") == 0);
  double ticks_per_ns = cycles_find_rates().ticks_per_ns;
  if (weft_dist_root(fork_many, &ticks_per_ns, sizeof ticks_per_ns) != WEFT_OK) return 1;
  weft_dist_counts counts;
  weft_dist_read_counts(&counts);
  const long faults = faults_so_far();
  run_trees(ticks_per_ns);
  const long tree_faults = faults_so_far() - faults;
  const unsigned long long tree_steals = steals_so_far() - counts.steals;
  char *const text = malloc(most_text);
  FILE *const out = text != NULL ? fmemopen(text, most_text, "w") : NULL;
  if (out == NULL) return 1;
  fprintf(out, "{\"forks\": %d, \"steals\": %llu, \"stolen_bytes\": %llu, ", forks, (unsigned long long)counts.steals,
          (unsigned long long)counts.stolen_bytes);
  fprintf(out, "\"claim_ns\": %.0f, \"copy_ns\": %.0f, \"take_up_ns\": %.0f, ", (double)counts.claim_ticks / ticks_per_ns,
          (double)counts.copy_ticks / ticks_per_ns, (double)counts.take_up_ticks / ticks_per_ns);
  fprintf(out, "\"tree_steals\": %llu, \"tree_faults\": %ld", tree_steals, tree_faults);
  print(out, "starts_ns", starts_ns, starts);
  print(out, "resumes_ns", resumes_ns, resumes);
  print(out, "claims_ns", claims_ns, phases);
  print(out, "copies_ns", copies_ns, phases);
  print(out, "take_ups_ns", take_ups_ns, phases);
  fprintf(out, "}");
  if (fclose(out) != 0) return 1;
  return print_all(text);
}
