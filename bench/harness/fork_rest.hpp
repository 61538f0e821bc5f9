// Forks for many children of one parent: what is forked is the rest of them, while the first one
// runs. When no worker has taken the rest, the loop goes on with it. So every child but the last
// costs a fork, as if it were one itself; but a parent has one frame and one fork at a time,
// however many children it has, and a thief gets the children that have not begun.
//
// Tried: forks of the children themselves, in an array (two loops, each of which ends where no
// processor foresees it) or by a recursion over the children (so many calls deep that processors
// lose track of the returns); and sums that are returned. All of that costs more.
#pragma once

#include <cstring>

#include <weft/hot.h>

namespace bench {

// Children: not none, in order. add_first(sum) runs the first and adds its result, is_one() and
// drop_first() are about the others; take_half() takes half of more than one out, and returns them.
template <class Children, class Sum>
struct errand {
  Children rest;
  Sum sum;

  // The fork carries an address: a few bytes that were written one by one are slow to copy.
  [[gnu::always_inline]] weft_forked* fork() {
    errand* self = this;
    return weft_fork(run, &self, sizeof self);
  }

  // Only a thief comes here.
  static void run(void* work) noexcept {
    errand* self = nullptr;
    std::memcpy(&self, work, sizeof self);
    self->sum = {};
    self->add_halves();
  }
  void add_halves() noexcept;
};

template <class Children, class Sum>
void fork_children(Children children, Sum& sum) noexcept {
  errand<Children, Sum> others;
  others.rest = children;
  while (!children.is_one()) {
    others.rest.drop_first();
    weft_forked* const forked = others.fork();
    children.add_first(sum);
    if (!weft_fork_take_back(forked)) [[unlikely]] {
      sum += others.sum;
      return;
    }
    children.drop_first();
  }
  children.add_first(sum);
}

template <class Children, class Sum>
void errand<Children, Sum>::add_halves() noexcept {
  if (rest.is_one()) return fork_children(rest, sum);
  errand half;
  half.rest = rest.take_half();
  weft_forked* const forked = half.fork();
  fork_children(rest, sum);
  if (weft_fork_take_back(forked)) {
    fork_children(half.rest, sum);
  } else {
    sum += half.sum;
  }
}

}  // namespace bench
