// High-water marks: how deep each entry function used its stack. Opt-in, WEFT_STACK_REPORT; printed
// when the runtime ends.
//
// Nothing is painted: stacks begin as zeros. Before a thread starts, what earlier ones left on the
// stack is wiped; after its end the lowest word that is not zero tells how deep it went. Pages that
// were never touched are not looked at. All guards are wide meanwhile, and what can be touched of a
// guard counts as stack: a frame that jumped there went deeper than its stack.
#pragma once

#include "base/status.hpp"

namespace weft::mem {
struct stack;
}

namespace weft::sched {

struct runtime;
struct unit;
struct worker;

status start_marks(runtime* rt);  // nothing happens unless the settings ask for it
void print_marks(runtime* rt);
void stop_marks(runtime* rt);

// On the stack itself, from a frame near its top; only when rt->inspects_stacks. Also finds
// overwritten canaries, and tells the sink of stacks.
void prepare_stack(worker* w, mem::stack* stack);
void inspect_stack(worker* w, const unit* one, const mem::stack* stack);

}  // namespace weft::sched
