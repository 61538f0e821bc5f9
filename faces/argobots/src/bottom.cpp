// Where every unit starts and ends.

#include <setjmp.h>
#include <sys/mman.h>
#include <unistd.h>

#include "environment.hpp"
#include "self.hpp"
#include "stream.hpp"
#include "tool.hpp"
#include "unit.hpp"
#include "unit_end.hpp"

namespace weft::abt {

namespace {

// ABT_STACK_OVERFLOW_CHECK=mprotect_strict: the lowest page of the stack cannot be written while
// the unit runs, be it the user's memory.
class page_guard {
 public:
  explicit page_guard(const weft_thread* self) {
    if (!current_settings().is_strict_about_stacks) [[likely]]
      return;
    const placed_stack stack = stack_of(self);
    bytes_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    page_ = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(stack.low) + bytes_ - 1) & ~(bytes_ - 1));
    if (stack.low == nullptr || stack.bytes < least_pages * bytes_ || mprotect(page_, bytes_, PROT_READ) != 0) page_ = nullptr;
  }
  ~page_guard() {
    if (page_ != nullptr) static_cast<void>(mprotect(page_, bytes_, PROT_READ | PROT_WRITE));
  }
  page_guard(const page_guard&) = delete;
  page_guard& operator=(const page_guard&) = delete;

 private:
  static constexpr std::size_t least_pages = 4;

  void* page_ = nullptr;
  std::size_t bytes_ = 0;
};

#if defined(__clang__) && defined(__aarch64__)  // for which clang has no __builtin_setjmp
using exit_point = jmp_buf;
#define WEFT_SET_EXIT_POINT(point) _setjmp(point)
#define WEFT_GO_TO_EXIT_POINT(words) _longjmp(*reinterpret_cast<jmp_buf*>(words), 1)
#else
using exit_point = void* [5];  // as __builtin_setjmp wants
#define WEFT_SET_EXIT_POINT(point) __builtin_setjmp(point)
#define WEFT_GO_TO_EXIT_POINT(words) __builtin_longjmp(words, 1)
#endif

// The unit that was named to run instead of one that ends: its turn comes after destructors and the
// tool's callbacks, which may yield and wait, and come back on another stream.
class successor {
 public:
  explicit successor(const unit_fields* ending) : ending_(ending), named_(here()->next) { here()->next = nullptr; }
  ~successor() { here()->next = named_; }
  successor(const successor&) = delete;
  successor& operator=(const successor&) = delete;

 private:
  stream* here() const { return ending_->last_stream.load(std::memory_order_relaxed); }

  const unit_fields* ending_;
  weft_thread* named_;
};

[[gnu::noinline]] void finish_elaborately(weft_thread* self, unit_fields* mine) {
  const successor named(mine);
  if (mine->is_any(has_belongings | is_pool_scheduler) || tool_wants(ABT_TOOL_EVENT_THREAD_FINISH)) request(mine, is_ending);
  if (!is_requested(mine, is_cancelled)) tell_tool(ABT_TOOL_EVENT_THREAD_FINISH, self);
  if (!mine->is(is_named)) free_fields(self);
}

void finish(weft_thread* self, unit_fields* mine) {
  if (!mine->is(is_named) || tool_wants(ABT_TOOL_EVENT_THREAD_FINISH)) [[unlikely]]
    finish_elaborately(self, mine);
}

// Calls the function from a frame of its own, to which exit_unit comes back.
[[gnu::noinline]] void run_ult(unit_fields* mine) {
  exit_point point;
  mine->exit_point = reinterpret_cast<void**>(&point);
  if (WEFT_SET_EXIT_POINT(point) == 0) mine->function(mine->argument);
  finish(thread_of(mine), mine);
}

void run_tasklet(weft_thread* self, unit_fields* mine) {
  if (!is_requested(mine, is_cancelled)) mine->function(mine->argument);
  finish(self, mine);
}

// Main schedulers, ULTs that were cancelled before they started, and those with guards.
[[gnu::noinline]] void run_elaborately(weft_thread* self, unit_fields* mine) {
  const bool is_main = mine->is(is_main_scheduler);
  if (is_main) tell_tool(ABT_TOOL_EVENT_THREAD_RUN, self);  // of others their schedulers tell it
  if (is_requested(mine, is_cancelled)) return finish(self, mine);
  {
    const page_guard guard(self);
    run_ult(mine);
  }
  if (is_main) end_main_scheduler(mine->last_stream.load(std::memory_order_relaxed));
}

}  // namespace

void run_bottom(void* known_self) {
  auto* const self = known_self != nullptr ? static_cast<weft_thread*>(known_self) : weft_self();
  unit_fields* const mine = fields_of(self);
  if (!mine->is(is_yieldable)) return run_tasklet(self, mine);
  if (mine->is(is_main_scheduler) || has_requests(mine) || current_settings().is_strict_about_stacks) [[unlikely]]
    return run_elaborately(self, mine);
  run_ult(mine);
}

void exit_unit(unit_fields* mine) { WEFT_GO_TO_EXIT_POINT(mine->exit_point); }

}  // namespace weft::abt
