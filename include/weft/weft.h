/* Weft: lightweight threads for C and C++. The interface for users: this header includes one header
 * for each topic. Forks are in hot.h and loops in loops.h; builders of runtimes also want ext.h.
 *
 * Words
 *   ULT         A thread with a stack of its own.
 *   Tasklet     A thread that runs to completion on a worker's stack, and must not block.
 *   Unit        A ULT or a tasklet.
 *   Worker      An OS thread that runs units: one that Weft made, or one that weft_init or
 *               weft_worker_adopt made a worker. Its index names it.
 *   Outside     On an OS thread that is no worker.
 *   Callback    A function that the library calls outside of any unit: see ext.h.
 *
 * Conventions
 *   Status      A call that can fail returns weft_status. It stores its result through its last
 *               pointer, which it leaves untouched on failure. A call that cannot fail returns its
 *               result. In a child of fork(2) that was made while the runtime ran, a call with a
 *               status may return WEFT_UNSUPPORTED: weft_init says which.
 *   Arguments   A pointer must not be null, unless the comment or its Errors name null. Pointers
 *               that a call only hands on to a function (argument, state) may be null. The memory
 *               of other arguments is not used after the call, unless the comment says so.
 *   Time        Times are in nanoseconds. A deadline is absolute, on the clock of weft_now_ns();
 *               WEFT_FOREVER never passes.
 *   Text        The comment of each call says, in this order: what the call does; what it takes;
 *               what it returns and fails with; whether it may switch; where it may be called from;
 *               what is undefined.
 *   Switching   A call that may switch may let other ULTs run on the caller's worker. Afterwards a
 *               ULT may continue on another OS thread: do not carry errno, addresses of
 *               thread_local objects, or locks that belong to an OS thread across such a call. The
 *               FP control words (rounding, exception masks) belong to the worker, unless the ULT
 *               was created with keep_fp.
 *   Exceptions  The C++ run time keeps the exceptions that are being handled for each OS thread.
 *               They follow a ULT across a switch only if they were registered before weft_init.
 *               weft::runtime registers them. A C++ program that starts by weft_init calls
 *               weft::carry_exceptions (runtime.hpp) first; another language's run time uses
 *               weft_ext_carry. Otherwise do not switch in a catch block, nor in a destructor that
 *               runs while an exception is in flight: "throw;" would find another ULT's exception.
 *   Callers     "Any" means a ULT, a tasklet, or an OS thread outside.
 *   Handlers    A signal handler may make only the calls that say "signal handlers included". All
 *               other calls may wait there for ever, for a lock that the interrupted code holds.
 *               To wake a thread from a handler, call weft_semaphore_release_from_handler.
 *   Undefined   What is undefined with the release library aborts in the library with checks
 *               (weft::weft_checked, pkg-config weft-checked) with a line that names it, as far as
 *               that library can know.
 *               The library cannot know when the memory of a thread or an object already serves
 *               another one.
 */
#ifndef WEFT_WEFT_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_WEFT_H

#include <weft/base.h>
#include <weft/blocking.h>
#include <weft/feb.h>
#include <weft/key.h>
#include <weft/polled.h>
#include <weft/pool.h>
#include <weft/report.h>
#include <weft/runtime.h>
#include <weft/sync.h>
#include <weft/syncvar.h>
#include <weft/thread.h>
#include <weft/word.h>

#endif
