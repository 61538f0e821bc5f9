// Stack overflows that say whose they are: a handler of SIGSEGV and SIGBUS, on an alternate stack
// of each worker. And of SIGABRT, SIGFPE and SIGILL, so that other deaths are told by a line, too,
// if no handler of the program's takes them.
//
// A fault in the guard of the stack on which the worker stands is an overflow, and so is one whose
// stack pointer lies beneath the stack from which it came: it is reported, and the program dies of
// the signal where it stands, so that a core shows the frames. Every other fault goes to the
// handler that was there before, with the arguments and the signal mask that the kernel would have
// given it; it runs on the alternate stack then, whether it asked for that or not.
//
// A handler that the program installs later stays in front; it calls weft_fault_filter. Signal
// dispositions belong to the process, and a later handler may keep ours for ever: so what was there
// before is remembered beyond weft_finalize.
#pragma once

#include "base/status.hpp"

namespace weft::mem {
struct stack;
}

namespace weft::sched {

struct runtime;
struct signal_stack;
struct unit;
struct worker;

void install_fault_handlers();
// Puts back what was there before, if no other handler came in between.
void restore_fault_handlers();

// On the OS thread that is to run workers. An alternate stack that is there already and large
// enough is kept.
void start_fault_stack(signal_stack* out);
void stop_fault_stack(signal_stack* ours);

// True: the fault was an overflow, and was reported. Arguments as of a handler; context may be
// null.
bool filter_fault(int signal, void* info, const void* context);

// Ends the program when something wrote over the canary beneath a stack. Nothing happens with other
// guards.
void check_canary(worker* w, const unit* one, const mem::stack* stack);

}  // namespace weft::sched
