/* The bodies of kernels in another language: its library defines these functions,
 * foreign/cells.hpp calls them. Each runs its work on the language's own workers, the watch
 * there around it, and makes the children that kernels/<kernel>/children.hpp makes. Types are as
 * plain as cgo wants them: no const. */
#ifndef WEFT_BENCH_FOREIGN_BODIES_H
#define WEFT_BENCH_FOREIGN_BODIES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  void *of;
  void (*start)(void *of);
  void (*stop)(void *of);
} foreign_watch;

typedef struct {
  uint64_t solutions;
  uint64_t placements;
} foreign_count;

typedef struct {
  uint32_t state[5];
  uint32_t depth;
  uint32_t children; /* how many it has */
} foreign_node;

/* What threads that wait for each other or give way to each other did, and the kernel's own
 * ratio. */
typedef struct {
  uint64_t done;
  double ratio;
} foreign_turns;

/* The tree of UTS; its nodes are made by the same code for all. */
typedef struct {
  void *of;
  foreign_node (*root)(void *of);
  foreign_node (*child)(void *of, foreign_node parent, uint32_t index);
} foreign_tree;

typedef struct {
  double *first;
  size_t rows;
  size_t columns;
  size_t stride;
} foreign_matrix;

/* product += left * right, of small matrices, by the same code for all. */
typedef void (*foreign_block)(foreign_matrix product, foreign_matrix left, foreign_matrix right);

void foreign_start(unsigned workers);
void foreign_stop(void);

uint64_t foreign_fib(foreign_watch *watch, uint64_t n, uint64_t cutoff);
uint64_t foreign_uts(foreign_watch *watch, foreign_tree *tree);
foreign_count foreign_queens(foreign_watch *watch, uint64_t size);
foreign_count foreign_queens_array(foreign_watch *watch, uint64_t size);
uint64_t foreign_quicksort(foreign_watch *watch, int32_t *values, size_t count, size_t cutoff); /* its units */
void foreign_mergesort(foreign_watch *watch, int32_t *values, int32_t *scratch, size_t count);
void foreign_matmul(foreign_watch *watch, foreign_matrix product, foreign_matrix left, foreign_matrix right,
                    foreign_block multiply_add);
uint64_t foreign_tree_sum(foreign_watch *watch, uint64_t size);
uint64_t foreign_btc(foreign_watch *watch, uint64_t depth);
uint64_t foreign_create_flat(foreign_watch *watch, uint64_t size, uint64_t batch);
uint64_t foreign_create_nested(foreign_watch *watch, uint64_t size, uint64_t chain);

/* Languages with threads. */
uint64_t foreign_blocked(foreign_watch *watch, uint64_t count); /* the watch stops while all are blocked */
foreign_turns foreign_yield(foreign_watch *watch, unsigned count, uint64_t size);
foreign_turns foreign_mutex_handover(foreign_watch *watch, unsigned count, uint64_t size);
uint64_t foreign_condition_ping_pong(foreign_watch *watch, unsigned pairs, uint64_t size);
uint64_t foreign_channel_ping_pong(foreign_watch *watch, unsigned pairs, uint64_t size);
uint64_t foreign_thread_ops(foreign_watch *watch, unsigned count, uint64_t yields, uint64_t rounds);

#ifdef __cplusplus
}
#endif

#endif
