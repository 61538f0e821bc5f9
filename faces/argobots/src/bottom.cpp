// Where every unit starts and ends.

#include "self.hpp"
#include "stream.hpp"
#include "tool.hpp"
#include "unit.hpp"

namespace weft::abt {

namespace {

constexpr int words_of_exit_point = 5;  // as __builtin_setjmp wants

// A frame of its own, to which exit_unit comes back: nothing that it holds is used afterwards.
[[gnu::noinline]] void call_function(unit_fields* mine) {
  void* point[words_of_exit_point];
  mine->exit_point = point;
  if (__builtin_setjmp(point) == 0) mine->function(mine->argument);
}

[[gnu::noinline]] void finish(weft_thread* self) {
  unit_fields* const mine = fields_of(self);
  if (!is_requested(mine, is_cancelled)) tell_tool(ABT_TOOL_EVENT_THREAD_FINISH, self);
  if (mine->is(is_main_scheduler)) end_main_scheduler(mine->last_stream.load(std::memory_order_relaxed));
  if (!mine->is(is_named)) free_fields(self);
}

}  // namespace

void run_bottom(void*) {
  weft_thread* const self = weft_self();
  unit_fields* const mine = fields_of(self);
  if (!is_requested(mine, is_cancelled)) {
    if (mine->is(is_yieldable)) {
      call_function(mine);
    } else {
      mine->function(mine->argument);
    }
  }
  finish(self);
}

void exit_unit(unit_fields* mine) { __builtin_longjmp(mine->exit_point, 1); }

}  // namespace weft::abt
