// The heavy half of an asymmetric fence pair (the light half is base::light_fence): makes every
// other running OS thread of the process execute a full fence. About a microsecond, so for the rare
// side only. Callers on several CPUs share fences: protocol X, shared_fence.hpp. Callable from any
// OS thread.
#pragma once

namespace weft::os {

// Once per process before the first heavy_fence(); repeating it is harmless. False: this kernel
// cannot, both sides must use full fences.
bool register_asymmetric_fence();

// After a successful registration only. A kernel that then refuses ends the program with a message:
// there is no safe way on.
void heavy_fence();

// In a child of fork(2), before its first heavy_fence().
void forget_fences_of_others();

// The heavy half between processes that share memory: makes every running OS thread of each process
// that has registered execute a full fence. A process registers for the light halves that it runs;
// a registration ends at exec(2). False: this kernel cannot.
bool register_fence_between_processes();
void heavy_fence_between_processes();

}  // namespace weft::os
