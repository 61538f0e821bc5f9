// qswsrqueue_*: rings. A caller that waits parks at a word that counts the changes it waits for.
#include <qthread/qswsrqueue.h>
#include <qthread/qthread.h>

#include <sched.h>

#include <weft/weft.h>

#include "base/atomic.hpp"
#include "faces/common/object.hpp"
#include "faces/common/spinlock.hpp"

using namespace weft;

namespace {

// Where one side waits for the other; all but the word belongs to the holder of the ring's lock.
struct side {
  base::atomic<std::uint32_t> changes{0};
  bool is_waiting = false;

  // Returns: the word to wake at, or null.
  const void* tell() {
    if (!is_waiting) return nullptr;
    is_waiting = false;
    changes.fetch_add(1, base::relaxed);
    return &changes;
  }

  std::uint32_t begin_to_wait() {
    is_waiting = true;
    return changes.load(base::relaxed);
  }

  void wait(std::uint32_t seen) {
    const weft_status status = weft_word_wait(&changes, sizeof(changes), seen, WEFT_FOREVER);
    if (status == WEFT_CANNOT_BLOCK) sched_yield();
  }
};

}  // namespace

// The elements lie behind it.
struct qswsrqueue_s {
  face::spinlock lock;
  std::size_t size = 0;
  std::size_t first = 0;
  base::atomic<std::size_t> count{0};
  side writer;
  side reader;

  void** elements() { return reinterpret_cast<void**>(this + 1); }

  void put(void* element) {
    const std::size_t there = count.load(base::relaxed);
    elements()[(first + there) % size] = element;
    count.store(there + 1, base::relaxed);
  }

  void* take() {
    void* const element = elements()[first];
    first = (first + 1) % size;
    count.store(count.load(base::relaxed) - 1, base::relaxed);
    return element;
  }
};

namespace {

// False: no room. Where may_wait, *seen is what to wait with.
bool try_put(qswsrqueue_t* q, void* element, bool may_wait, std::uint32_t* seen) {
  const void* to_wake = nullptr;
  {
    const face::guard held{q->lock};
    if (q->count.load(base::relaxed) == q->size) {
      if (may_wait) *seen = q->writer.begin_to_wait();
      return false;
    }
    q->put(element);
    to_wake = q->reader.tell();
  }
  weft_word_wake(to_wake, SIZE_MAX);
  return true;
}

// False: no element.
bool try_take(qswsrqueue_t* q, void** element, bool may_wait, std::uint32_t* seen) {
  const void* to_wake = nullptr;
  {
    const face::guard held{q->lock};
    if (q->count.load(base::relaxed) == 0) {
      if (may_wait) *seen = q->reader.begin_to_wait();
      return false;
    }
    *element = q->take();
    to_wake = q->writer.tell();
  }
  weft_word_wake(to_wake, SIZE_MAX);
  return true;
}

}  // namespace

qswsrqueue_t* qswsrqueue_create(size_t elements) {
  if (elements > UINT32_MAX) return nullptr;
  constexpr std::size_t least = 8;
  const std::size_t size = elements < least ? least : elements;
  qswsrqueue_t* const made = face::make_object<qswsrqueue_s>(size * sizeof(void*));
  if (made != nullptr) made->size = size;
  return made;
}

int qswsrqueue_destroy(qswsrqueue_t* q) {
  if (q == nullptr) return QTHREAD_BADARGS;
  face::free_object(q);
  return QTHREAD_SUCCESS;
}

int qswsrqueue_enqueue(qswsrqueue_t* q, void* elem) {
  return try_put(q, elem, false, nullptr) ? QTHREAD_SUCCESS : QTHREAD_OPFAIL;
}

int qswsrqueue_enqueue_blocking(qswsrqueue_t* q, void* elem) {
  std::uint32_t seen = 0;
  while (!try_put(q, elem, true, &seen)) q->writer.wait(seen);
  return QTHREAD_SUCCESS;
}

void* qswsrqueue_dequeue(qswsrqueue_t* q) {
  if (q->count.load(base::relaxed) == 0) return nullptr;  // a reader that polls leaves the lock to the writer
  void* element = nullptr;
  try_take(q, &element, false, nullptr);
  return element;
}

void* qswsrqueue_dequeue_blocking(qswsrqueue_t* q) {
  void* element = nullptr;
  std::uint32_t seen = 0;
  while (!try_take(q, &element, true, &seen)) q->reader.wait(seen);
  return element;
}

int qswsrqueue_empty(qswsrqueue_t* q) { return q->count.load(base::relaxed) == 0; }
