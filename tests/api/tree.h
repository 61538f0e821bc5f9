/* Work for several workers: a tree of threads, three to each, that counts its leaves. */
#ifndef WEFT_TEST_TREE_H
#define WEFT_TEST_TREE_H

#include "check.h"

struct tree {
  int depth;
  long leaves;
};

static void grow(void *argument) {
  struct tree *self = argument;
  if (self->depth == 0) {
    self->leaves = 1;
    return;
  }
  struct tree children[3];
  weft_thread *threads[3];
  for (int i = 0; i < 3; ++i) {
    children[i] = (struct tree){self->depth - 1, 0};
    threads[i] = start(grow, &children[i]);
  }
  if (self->depth % 2 == 0) weft_yield();
  OK(weft_thread_join_many(threads, 3));
  for (int i = 0; i < 3; ++i) self->leaves += children[i].leaves;
}

#endif
