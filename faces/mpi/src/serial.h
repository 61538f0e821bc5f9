/* One call of MPI at a time, where the MPI provides less than MPI_THREAD_MULTIPLE. Every function
 * of MPI then goes through one lock, so that Weft threads and OS threads may call MPI as with
 * MPI_THREAD_MULTIPLE. The lock belongs to a ULT, or to an OS thread outside, and nests: a callback
 * of the program, such as an error handler, may call MPI inside a call. A call that waits takes it
 * for each of its tests alone. */
#ifndef WEFT_MPI_SERIAL_H
#define WEFT_MPI_SERIAL_H

#include <stdbool.h>

#include "real.h"

extern bool mpi_is_serial; /* atomic */

/* Called once, when this library is loaded. */
void prepare_turns(void);

/* From now on calls go one at a time. is_funneled: and come from the OS thread of MPI_Init: a ULT
 * is taken to it for each call. warn: for a call that comes from another one. */
void serialize_calls(bool is_funneled, void (*warn)(void));

/* Whether the calling OS thread may call MPI: it is that of MPI_Init, or the MPI permits others. */
bool may_call_here(void);

/* Warns, where the calling OS thread may not call MPI. */
void warn_if_elsewhere(void);

/* Calls come from the OS thread of MPI_Init. */
bool is_funneled(void);

static inline bool is_serial(void) { return __builtin_expect(__atomic_load_n(&mpi_is_serial, __ATOMIC_RELAXED), 0); }

/* The caller has the lock: it is in a callback that an MPI call makes. */
bool is_in_call(void);

/* May let other threads run before it has the lock. */
void take_turn(void);
void end_turn(void);

/* For the engine, which must not wait. Returns whether the caller has its turn. */
bool try_turn(void);

static inline bool begin_turn(void) {
  if (!is_serial()) return false;
  take_turn();
  return true;
}

/* is_taken: what begin_turn returned. */
static inline void leave_turn(bool is_taken) {
  if (__builtin_expect(is_taken, 0)) end_turn();
}

/* CALL(Isend, arguments...): PMPI_Isend in a turn of its own. */
#define CALL(NAME, ...)                                  \
  (__extension__({                                       \
    const bool is_taken_ = begin_turn();                 \
    const __auto_type result_ = PMPI(NAME)(__VA_ARGS__); \
    leave_turn(is_taken_);                               \
    result_;                                             \
  }))

#endif
