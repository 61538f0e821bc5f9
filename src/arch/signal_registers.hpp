// The registers of what a signal interrupted, from the third argument of its handler.
#pragma once

#include "arch/registers.hpp"

#if defined(__x86_64__)
#include "arch/x86_64/signal_registers.hpp"
#else
#include "arch/aarch64/signal_registers.hpp"
#endif
