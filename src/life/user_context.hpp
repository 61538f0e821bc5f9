// Contexts that programs switch to by themselves (context.h): generators, coroutines. A context is
// a stack and a saved stack pointer; it is in no queue, and no unit's. The unit that switches to it
// runs on its stack from then on, and everything else about that unit stays as it is.
//
//      unit A on its own stack --switch--> context on stack C      A is current, w->standing is C
//                              <-switch--  (suspended)             any unit may switch to it next
//
// A suspended flow of control is a record at the low end of the frame that the switch left
// (arch/user_context.hpp). The record's address is the handle, and travels to the side that goes
// on. The switch itself is a call from the program's code, in assembly, and asks here what it may
// do.
//
// The frames on the stack where a unit began belong to that unit: it alone may go on there, since
// its end returns to its carrier. mem::stack::resumer tells the two kinds apart: it names the unit
// that switched to a context on that stack. Another unit that runs there stands on its joiner's
// stack (join.cpp), and what it suspends are its own frames.
//
// No lock is held at a switch, and no other worker looks: a context is handed from thread to thread
// by the program's own synchronisation (docs/decisions/0048-contexts-are-no-units.md).
#pragma once

#include <weft/context.h>

#include "base/status.hpp"
#include "worker/context_record.hpp"

namespace weft::sched {

// Errors: invalid, nomem, not_initialized, cannot_block.
status create_context(weft_context_function function, const weft_context_attr& wanted, const void* made_at, user_context** out,
                      void** room);

weft_context_arrival switch_context(user_context* to, void* pass);

void destroy_context(user_context* one);

// ---- for pair.cpp ----

struct worker;

// The handle of a context that goes on without it.
void use_up_context(user_context* one);
// Of a context that has ended, on which the worker no longer stands.
void release_context_stack(worker* w, mem::stack* stack);

}  // namespace weft::sched
