// A body on a context's stack and the side that resumes it, in turns (weft/detail/pair.h): what
// generators and coroutines are made of. As two user contexts (user_context.hpp) that switch to
// each other, with one record for both, which remembers the unit of the last turn and its worker: a
// turn of the same unit, on the same worker, from the same stack, needs nothing but the exchange of
// the stack pointers and of what the worker stands on. Assembly takes such turns
// (arch/x86_64/pair.S); all others are taken here.
//
//      resumer --resume--> body ... suspend --> resumer --resume--> body ... end --> resumer
//
// As with user contexts no lock is held and no atomic is used.
#pragma once

#include <weft/detail/pair.h>

#include <cstddef>
#include <cstdint>

#include "arch/pair.hpp"
#include "mem/stack.hpp"

namespace weft::sched {

struct unit;
struct user_context;
struct worker;

struct pair_frames {
  arch::pair_side at;
  mem::stack* stack;    // null: the adopted caller's
  const unit* base_of;  // as user_context's
};

struct pair {
  pair_frames body;     // at.sp null: the body runs, or has ended
  pair_frames resumer;  // while the body runs
  // The unit that took the last turn, and its worker; both of the stacks above know this unit as
  // theirs. No worker but never null: each turn is taken by a function.
  const void* w;
  const unit* self;
  mem::stack* own;  // the context's
};
static_assert(sizeof(pair) <= sizeof(weft_pair));
static_assert(offsetof(pair, body) == 0 && offsetof(weft_pair, body) == 0);

void begin_pair(pair* one, user_context* fresh);
void resume_body(pair* one);
void suspend_body(pair* one);
[[noreturn]] void end_body(pair* one);
void destroy_pair(pair* one);

}  // namespace weft::sched
