// Forks for many children of one parent: what is forked is the rest of them, while the first one runs. When nobody has taken the rest,
// the loop goes on with it. So every child but the last costs a fork, as if it were one itself; but a parent has one frame and one fork
// at a time, however many children it has, and a thief gets the children that nobody has begun.
//
// Tried: forks of the children themselves, in an array (two loops, each of which ends where nobody foresees it) or by a recursion over the
// children (so many calls deep that processors lose track of the returns); both cost more.
#pragma once

#include <cstring>
#include <utility>

#include <weft/hot.h>

namespace bench {

template <class Children>
using result_of_child = decltype(std::declval<const Children&>().run_first());

// Children: not none, in order. run_first() runs the first, is_one() and without_first() tell of the others. Returns the sum of the
// results, which start at {}.
template <class Children>
result_of_child<Children> fork_children(Children children) noexcept {
  struct errand {
    Children rest;
    result_of_child<Children> results;

    // The fork carries an address: a few bytes that were written one by one are slow to copy.
    [[gnu::always_inline]] weft_forked* fork() {
      errand* self = this;
      return weft_fork(run, &self, sizeof self);
    }
    static void run(void* work) noexcept {
      errand* self = nullptr;
      std::memcpy(&self, work, sizeof self);
      self->results = fork_children(self->rest);
    }
  };

  result_of_child<Children> sum{};
  while (!children.is_one()) {
    errand others;
    others.rest = children.without_first();
    weft_forked* const forked = others.fork();
    sum = sum + children.run_first();
    if (!weft_fork_take_back(forked)) [[unlikely]]
      return sum + others.results;
    children = others.rest;
  }
  return sum + children.run_first();
}

}  // namespace bench
