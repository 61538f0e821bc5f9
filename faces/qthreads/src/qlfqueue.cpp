// qlfqueue_*: queues for any number of callers.
#include <qthread/qlfqueue.h>
#include <qthread/qthread.h>

#include "fifo.hpp"

using namespace weft;

struct qlfqueue_s : qthreads::fifo {};

qlfqueue_t* qlfqueue_create(void) { return face::make_object<qlfqueue_s>(0); }

int qlfqueue_destroy(qlfqueue_t* q) {
  if (q == nullptr) return QTHREAD_BADARGS;
  face::free_object(q);
  return QTHREAD_SUCCESS;
}

int qlfqueue_enqueue(qlfqueue_t* q, void* elem) {
  if (q == nullptr || elem == nullptr) return QTHREAD_BADARGS;
  return q->put(elem) ? QTHREAD_SUCCESS : QTHREAD_MALLOC_ERROR;
}

void* qlfqueue_dequeue(qlfqueue_t* q) { return q != nullptr ? q->take() : nullptr; }

int qlfqueue_empty(qlfqueue_t* q) { return q != nullptr ? q->is_empty() : QTHREAD_BADARGS; }
