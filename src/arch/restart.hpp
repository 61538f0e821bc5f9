// A compare and a store that no other thread can come between, without a locked instruction:
// Linux's restartable sequences. A thread that is preempted, interrupted by a signal, or reached by
// os::restart_fence() between the two does not go on with the store. The other side therefore
// changes the word by an atomic operation, then fences: afterwards every store that did not see the
// change has happened, and no other will.
//
// replace_restartably<expected, wanted>(word, area): true: *word was expected and is wanted now,
// which also publishes (release) what the caller wrote before. False: it was not, or something came
// between. area: os/restart.hpp.
#pragma once

#if defined(__x86_64__)
#include "arch/x86_64/restart.hpp"
#else
#include "arch/aarch64/restart.hpp"
#endif
