// Pause in a spin loop, a hint to fetch, an address in the own stack, and a counter that grows at a
// constant rate (its unit is the machine's own).
#pragma once

#if defined(__x86_64__)
#include "arch/x86_64/cpu.hpp"
#else
#include "arch/aarch64/cpu.hpp"
#endif
