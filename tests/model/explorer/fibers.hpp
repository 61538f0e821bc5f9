// Fibers that logical threads switch between, for models that ask for them: one stands on some
// fiber, its own at first. A fiber is known by an address, that of the stack which it is made on.
#pragma once

#include <cstdint>

namespace explorer {

using fiber_entry = void (*)(void* transfer, void* argument);

void reset_fibers();  // by the body of a model with fibers, before all else

// What a switch to it resumes: entry(transfer, argument), on a stack of the explorer's.
void* make_fiber(const void* stack, fiber_entry entry, void* argument);

// Leaves the fiber on which the calling thread stands, of which *save is to know, for another one.
// Returns what the side that resumes it transfers. Fails where another thread stands on `to`.
void* switch_fiber(void** save, void* to, void* transfer);
[[noreturn]] void jump_to_fiber(void* to, void* transfer);

}  // namespace explorer
