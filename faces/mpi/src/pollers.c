/* See pollers.h. */
#include "pollers.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <weft/weft.h>

#include "describe.h"

static struct {
  pthread_mutex_t lock; /* the holder of the engine may take it */
  mpi_wait *first;
  unsigned count;
} pollers = {PTHREAD_MUTEX_INITIALIZER, NULL, 0};

void add_poller(mpi_wait *wait) {
  wait->thread = weft_self();
  wait->os_thread = (int)syscall(SYS_gettid);
  pthread_mutex_lock(&pollers.lock);
  wait->link.next = (mpi_link *)pollers.first;
  pollers.first = wait;
  ++pollers.count;
  pthread_mutex_unlock(&pollers.lock);
}

void remove_poller(mpi_wait *wait) {
  pthread_mutex_lock(&pollers.lock);
  if (pollers.first == wait) {
    pollers.first = next_of(wait);
  } else {
    mpi_wait *before = pollers.first;
    while (next_of(before) != wait) before = next_of(before);
    before->link.next = wait->link.next;
  }
  --pollers.count;
  pthread_mutex_unlock(&pollers.lock);
}

void report_poller(mpi_wait *wait, uint64_t now) {
  pthread_mutex_lock(&pollers.lock);
  report_long_call(wait, now);
  pthread_mutex_unlock(&pollers.lock);
}

void report_pollers(uint64_t now) {
  pthread_mutex_lock(&pollers.lock);
  report_calls(pollers.first, pollers.count, now);
  pthread_mutex_unlock(&pollers.lock);
}

void describe_pollers_on(MPI_Comm comm) {
  pthread_mutex_lock(&pollers.lock);
  describe_waits_on(pollers.first, comm);
  pthread_mutex_unlock(&pollers.lock);
}
