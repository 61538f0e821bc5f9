/* Weft for builders: what a layer sets for its users: the start, bytes in each unit, what reports
 * show. Included by ext.h, whose conventions hold here. */
#ifndef WEFT_EXT_LAYER_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_EXT_LAYER_H

#include <weft/weft.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* ---- starting the runtime for a layer -------------------------------------------------------- */

/* Starts the runtime, or nests in the one that runs, on behalf of a layer rather than a program.
 * The call does what weft_init does, and takes one weft_finalize, too. If it starts the runtime,
 * the first weft_init that follows is not ignored: it adds workers until there are as many as it
 * asks for, and if its locality is WEFT_LOCALITY_STEAL, all workers steal from then on, even if
 * config had another locality. So a library that brings a layer, as MPI may, and a program on
 * weft.h start in any order.
 * Errors: those of weft_init.
 * Switches: never. Callers: those of weft_init.
 * Undefined: what is undefined for weft_init. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_init(const weft_config *config);

/* Starts the runtime on behalf of a layer, as weft_ext_init does, unless one runs.
 * On an OS thread outside, the call first waits until a start or an end of the runtime on another
 * OS thread is over. So after WEFT_BUSY a runtime has started wholly, and the OS thread can become
 * a worker of it (weft_worker_adopt), unless it ends meanwhile.
 * Errors: WEFT_BUSY (a runtime runs, in which nothing has changed), those of weft_init.
 * Switches: never. Callers: those of weft_init.
 * Undefined: what is undefined for weft_init. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_start(const weft_config *config);

/* Returns the size of the stack of a ULT that asks for no size of its own (weft_config).
 * Returns: the size in bytes; 0 while the runtime does not run.
 * Switches: never. Callers: any. */
WEFT_API size_t weft_ext_stack_bytes(void);

/* ---- extension bytes and carried state ------------------------------------------------------- */

/* Reserves extension bytes in every unit, for the life of the process.
 * bytes is how many. Up to 256 bytes can be reserved altogether, in steps of 16, to which they are
 * aligned. They are zero in a new unit. *offset receives the offset for weft_ext_bytes.
 * Errors: WEFT_BUSY (the runtime runs), WEFT_INVALID (offset is null; bytes is 0 or too many).
 * Switches: never. Callers: any, before weft_init. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_reserve(size_t bytes, size_t *offset);

/* Returns the address of extension bytes of a unit; offset is one that weft_ext_reserve gave.
 * Returns: the address, valid as long as the handle is good; null for null.
 * Switches: never. Callers: any.
 * Undefined: another offset. */
WEFT_API void *weft_ext_bytes(weft_thread *thread, size_t offset);

/* Tells dumps, reports and traces which function a builder's thread runs for its user.
 * For a thread that was created with the function bottom, they show another function: the
 * weft_function whose address lies at offset of the thread's extension bytes (weft_ext_bytes),
 * unless null lies there. The process has one bottom, which the last call sets; null removes it.
 * Switches: never. Callers: any, before weft_init. */
WEFT_API void weft_ext_show_function(weft_function bottom, size_t offset);

/* Tells reports of a stack overflow what sets the stack size of a builder's threads.
 * For a thread that was created with the function bottom, the report says "raise", and then
 * setting: constant data, such as the name of a variable; null stands for no setting. added_bytes
 * is what the builder adds to the usual size that its user asks for: the report does not count it.
 * bottom null stands for all threads whose bottom has no setting: a layer that starts the runtime
 * for programs of another interface names that interface's words so.
 * Up to 8 bottoms have settings; further ones are ignored. The last call for a bottom counts.
 * Switches: never. Callers: any. */
WEFT_API void weft_ext_name_stack_setting(weft_function bottom, const char *setting, size_t added_bytes);

/* Leaves the signals to the program: from now on weft_init does not handle SIGQUIT unless
 * WEFT_DUMP_SIGNAL asks for it. A layer calls this if it starts the runtime for a program that may
 * not know of Weft.
 * Switches: never. Callers: any, before weft_init. */
WEFT_API void weft_ext_leave_signals(void);

/* What weft_ext_frames calls, on its caller's stack: code is the address at which the frame goes
 * on, and name a line that names it, valid during the call. */
typedef void (*weft_frame_visitor)(void *state, const void *code, const char *name);

/* Calls visit(state, code, name) for up to 32 frames of a thread that waits or is ready.
 * The innermost frame comes first. If there are more frames, a last call has a null code, and a
 * name that says why they are not shown. A thread that has not started, or has ended, has no
 * frames. If the thread is resumed during the call, the call fails; but if the thread waits in the
 * same place again by then, the frames may be those of the earlier wait. The call starts an OS
 * thread for a moment, and blocks the calling one: it is for dumps, not for walks and callbacks
 * that must be short. Under WEFT_SCHEDULE, waits for a deadline take real time from then on.
 * Errors: WEFT_BUSY (the thread runs, was resumed meanwhile, is a scheduler ULT inside
 * weft_ext_dispatch, or runs another thread on its stack), WEFT_INVALID (thread or visit is null),
 * WEFT_NOMEM, WEFT_NOT_INITIALIZED, WEFT_UNSUPPORTED (no OS thread, or the system forbids
 * process_vm_readv of the own process). On failure visit was not called.
 * Switches: never. Callers: any.
 * Undefined: a thread that may be freed meanwhile; a call from an OS thread outside while
 * weft_finalize runs. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_frames(const weft_thread *thread, weft_frame_visitor visit, void *state);

/* Registers state of the OS thread that must follow a ULT across switches, such as a language's
 * exception globals.
 * The library calls address() on each worker's OS thread. It returns that OS thread's copy of the
 * state: bytes bytes (8, 16, 24 or 32), aligned to 8, all zero while there is nothing to carry, as
 * when a ULT starts and when it ends. The registration holds from the next weft_init on, for the
 * process's life. Only one layer may register; it may repeat the call.
 * Errors: WEFT_INVALID (address is null; another size), WEFT_BUSY (another layer has registered).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_carry(void *(*address)(void), size_t bytes);

#if defined(__cplusplus)
}
#endif
#endif
