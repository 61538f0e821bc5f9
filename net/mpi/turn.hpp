// Whose turn it is to call the MPI: one OS thread at a time (MPI_THREAD_SERIALIZED). The rank's own
// waits for its turn, and may keep it while it waits in the MPI, which then makes progress. An
// *assistant*, another OS thread of the rank, only makes progress, and only when it is its turn at
// once. A lock of the C library, so that the rank sleeps, should the kernel take the CPU from the
// assistant meanwhile. What an assistant has written into the rank's memory is seen by the rank in
// its next turn.
#pragma once

#include <pthread.h>

namespace weft::net {

extern pthread_mutex_t turn_lock;
extern bool is_mpi_over;  // under the lock: the rank leaves the MPI, which no assistant may call any more

class turn {
 public:
  turn() { (void)pthread_mutex_lock(&turn_lock); }
  ~turn() { (void)pthread_mutex_unlock(&turn_lock); }
  turn(const turn&) = delete;
  turn& operator=(const turn&) = delete;
};

}  // namespace weft::net
