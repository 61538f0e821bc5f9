// qdqueue_*: a queue for each shepherd, behind one handle.
#include <qthread/qdqueue.h>

#include <new>

#include "fifo.hpp"
#include "shepherds.hpp"

using namespace weft;

// The parts lie behind it.
struct qdqueue_s {
  struct alignas(64) part : qthreads::fifo {};

  qthread_shepherd_id_t count;
  part* parts;
};

namespace {

qthread_shepherd_id_t part_of_caller(const qdqueue_t* q) {
  const qthread_shepherd_id_t shepherd = qthread_shep();
  return shepherd < q->count ? shepherd : 0;
}

}  // namespace

qdqueue_t* qdqueue_create(void) {
  const qthread_shepherd_id_t count = qthreads::total_shepherds();
  if (count == 0) return nullptr;
  qdqueue_t* const made = face::make_object<qdqueue_s>(0);
  if (made == nullptr) return nullptr;
  made->count = count;
  made->parts = static_cast<qdqueue_s::part*>(std::aligned_alloc(alignof(qdqueue_s::part), count * sizeof(qdqueue_s::part)));
  if (made->parts == nullptr) {
    face::free_object(made);
    return nullptr;
  }
  for (qthread_shepherd_id_t i = 0; i < count; ++i) new (&made->parts[i]) qdqueue_s::part;
  return made;
}

int qdqueue_destroy(qdqueue_t* q) {
  if (q == nullptr) return QTHREAD_BADARGS;
  for (qthread_shepherd_id_t i = 0; i < q->count; ++i) q->parts[i].~part();
  std::free(q->parts);
  face::free_object(q);
  return QTHREAD_SUCCESS;
}

int qdqueue_enqueue(qdqueue_t* q, void* elem) {
  return q != nullptr ? qdqueue_enqueue_there(q, elem, part_of_caller(q)) : QTHREAD_BADARGS;
}

int qdqueue_enqueue_there(qdqueue_t* q, void* elem, qthread_shepherd_id_t there) {
  if (q == nullptr || elem == nullptr || there >= q->count) return QTHREAD_BADARGS;
  return q->parts[there].put(elem) ? QTHREAD_SUCCESS : QTHREAD_MALLOC_ERROR;
}

void* qdqueue_dequeue(qdqueue_t* q) {
  if (q == nullptr) return nullptr;
  const qthread_shepherd_id_t own = part_of_caller(q);
  void* element = q->parts[own].take();
  const qthread_shepherd_id_t* const others = element == nullptr ? qthread_sorted_sheps_remote(own) : nullptr;
  for (qthread_shepherd_id_t i = 0; element == nullptr && i + 1 < q->count; ++i) {
    const int other = others != nullptr ? others[i] : (own + 1 + i) % q->count;
    if (other < q->count) element = q->parts[other].take();
  }
  return element;
}

int qdqueue_empty(qdqueue_t* q) {
  if (q == nullptr) return 0;
  for (qthread_shepherd_id_t i = 0; i < q->count; ++i) {
    if (!q->parts[i].is_empty()) return 0;
  }
  return 1;
}
