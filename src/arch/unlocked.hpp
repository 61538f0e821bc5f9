// A compare-exchange for words that only this OS thread changes, and signal handlers that interrupt
// it: one instruction where the processor has one, which needs no lock on the bus for that. It
// orders nothing.
//
// replace_unlocked(word, seen, wanted): true: *word was *seen and is wanted now. False: *seen is
// what it was.
#pragma once

#if defined(__x86_64__)
#include "arch/x86_64/unlocked.hpp"
#else
#include "arch/aarch64/unlocked.hpp"
#endif
