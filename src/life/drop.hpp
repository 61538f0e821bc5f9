// WEFT_DROP: the end of a runtime that does not wait for units that are ready or blocked. No worker
// comes or goes any more; each worker ends where its unit switches next; then what lives is
// dropped: its stacks, its place in pools and in the tables of waits are given back, and those that
// join it from outside are told. docs/decisions/0095-an-end-that-drops.md
#pragma once

#include <cstdint>

#include "base/list.hpp"
#include "base/status.hpp"
#include "unit/waiter.hpp"

namespace weft::mem {
struct stack;
}

namespace weft::sched {

struct runtime;
struct unit;

// May switch. Errors: busy (OS threads are adopted; nothing was done).
status begin_drop(runtime* rt);

// Until each worker has ended where its unit switched, and each OS thread that was in a blocking
// region has left it. The adopted caller does not switch any more.
void await_switches(runtime* rt);

// The units that are left once no worker lives. Says so on stderr.
class dropped_units {
 public:
  explicit dropped_units(runtime* rt);

  // Their own, and those whose records lie on their stacks.
  dropped_waits waits() const;

  // Once no record of theirs is in any table. Those that the program may have a handle of are kept
  // by leave_unjoined (worker/outlived.hpp).
  void leave_all();
  // After leave_unjoined: tells those that wait for them, and gives their stacks back.
  void end_joins();

 private:
  void drop(unit* one);
  void collect_stack(unit* one);
  bool is_dropped(const waiter* one) const;
  void give_stacks_back();

  runtime* rt_;
  mem::stack* stacks_ = nullptr;
  unit* kept_ = nullptr;
  base::list<waiter> joiners_;  // OS threads outside, and awaiters
};

}  // namespace weft::sched
