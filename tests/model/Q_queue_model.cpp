// Queues of the Qthreads face over qswsrqueue.cpp, qlfqueue.cpp and queue.cpp: each element is taken
// once, with what was done before it was put in, and no caller that waits is left behind.
// Built with faces/qthreads/src/qswsrqueue.cpp faces/qthreads/src/qlfqueue.cpp
// Built with faces/qthreads/src/queue.cpp
#include <qthread/qlfqueue.h>
#include <qthread/qswsrqueue.h>

#include "qthread_world.hpp"

namespace {

using namespace qthread_world::words;

// ---- rings --------------------------------------------------------------------------------------

constexpr int ring_size = 8;  // the smallest

// Its elements are numbers, from 1 on.
struct ring {
  qswsrqueue_t* queue = nullptr;
  int numbers[ring_size + 3] = {};
  int put = 0;

  ring() {
    qthread_world::begin();
    queue = qswsrqueue_create(ring_size);
    check(queue != nullptr, "there is memory");
  }
  ~ring() { qswsrqueue_destroy(queue); }
  int* next() {
    int* const one = &numbers[put++];
    *one = put;
    return one;
  }
  void fill() {
    while (put < ring_size) check(qswsrqueue_enqueue(queue, next()) == QTHREAD_SUCCESS, "there is room");
  }
  void put_next() { check(qswsrqueue_enqueue_blocking(queue, next()) == QTHREAD_SUCCESS, "always"); }
  int take() const { return *static_cast<int*>(qswsrqueue_dequeue_blocking(queue)); }
};

void a_reader_waits() {
  ring shared;
  threads(thread{"writer",
                 [&] {
                   shared.put_next();
                   shared.put_next();
                 }},
          thread{"reader", [&] {
                   check(shared.take() == 1, "the first one");
                   check(shared.take() == 2, "the next one");
                 }});
}

void two_readers_wait() {
  ring shared;
  int sum[2] = {};
  threads(thread{"writer",
                 [&] {
                   shared.put_next();
                   shared.put_next();
                 }},
          thread{"a", [&] { sum[0] = shared.take(); }}, thread{"b", [&] { sum[1] = shared.take(); }});
  check(sum[0] + sum[1] == 3, "each once");
}

void a_writer_waits() {
  ring shared;
  shared.fill();
  threads(thread{"writer",
                 [&] {
                   shared.put_next();
                   shared.put_next();
                 }},
          thread{"reader", [&] {
                   for (int number = 1; number <= 3; ++number) check(shared.take() == number, "in their order");
                 }});
}

// ---- queues without a limit ---------------------------------------------------------------------

void two_producers() {
  qthread_world::begin();
  qlfqueue_t* const queue = qlfqueue_create();
  int numbers[2] = {};
  const auto put = [&](int index) {
    numbers[index] = index + 1;
    check(qlfqueue_enqueue(queue, &numbers[index]) == QTHREAD_SUCCESS, "there is memory");
  };
  threads(thread{"a", [&] { put(0); }}, thread{"b", [&] { put(1); }}, thread{"takes", [&] {
                                                                               int sum = 0;
                                                                               while (sum != 3) {
                                                                                 const void* const one = qlfqueue_dequeue(queue);
                                                                                 if (one != nullptr)
                                                                                   sum += *static_cast<const int*>(one);
                                                                                 if (one == nullptr) weft::arch::pause();
                                                                               }
                                                                             }});
  check(qlfqueue_empty(queue) != 0, "each once");
  qlfqueue_destroy(queue);
  check(face_heap::live() == 0, "nothing is left");
}

// ---- queues of parked tasks ---------------------------------------------------------------------

struct parking {
  unit tasks[2];
  qthread_queue_t queue = nullptr;
  int joined[2] = {QTHREAD_BADARGS, QTHREAD_BADARGS};

  explicit parking(aligned_t most = 0) {
    qthread_world::begin();
    queue = qthread_queue_create(most != 0 ? QTHREAD_QUEUE_CAPPED : 0, most);
    check(queue != nullptr, "there is memory");
  }
  void join(int number) {
    qthread_world::run_as(tasks[number]);
    joined[number] = qthread_queue_join(queue);
  }
  void await(aligned_t length) const {
    while (qthread_queue_length(queue) < length) weft::arch::pause();
  }
};

void released_one_by_one() {
  parking shared;
  threads(thread{"a", [&] { shared.join(0); }}, thread{"b", [&] { shared.join(1); }},
          thread{"releases", [&] {
                   for (int each = 0; each < 2; ++each) {
                     shared.await(1);
                     qthread_queue_release_one(shared.queue);
                   }
                 }});
  check(shared.joined[0] == QTHREAD_SUCCESS && shared.joined[1] == QTHREAD_SUCCESS, "both");
  check(qthread_queue_destroy(shared.queue) == QTHREAD_SUCCESS, "it is empty");
}

void released_together() {
  parking shared;
  threads(thread{"a", [&] { shared.join(0); }}, thread{"b", [&] { shared.join(1); }},
          thread{"releases", [&] {
                   shared.await(2);
                   qthread_queue_release_all(shared.queue);
                 }});
  check(qthread_queue_destroy(shared.queue) == QTHREAD_SUCCESS, "it is empty");
}

// It has one place: the task that comes second does not park.
void full() {
  parking shared(1);
  flag is_refused;
  const auto join = [&](int number) {
    shared.join(number);
    if (shared.joined[number] == QTHREAD_OPFAIL) is_refused.raise();
  };
  threads(thread{"a", [&] { join(0); }}, thread{"b", [&] { join(1); }}, thread{"releases", [&] {
                                                                                 is_refused.await();
                                                                                 qthread_queue_release_one(shared.queue);
                                                                               }});
  check(shared.joined[0] + shared.joined[1] == QTHREAD_SUCCESS + QTHREAD_OPFAIL, "one of them");
}

constexpr bounds quick{.preemptions = 2, .weak = 1, .executions = 20'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 300'000};

const model m1{"Q ring: a reader waits", {.at_least = 50, .quick = quick, .deep = deep}, a_reader_waits};
const model m2{"Q ring: two readers wait", {.at_least = 50, .quick = quick, .deep = deep}, two_readers_wait};
const model m3{"Q ring: a writer waits", {.at_least = 50, .quick = quick, .deep = deep}, a_writer_waits};
const model m4{"Q queue: two producers", {.at_least = 50, .quick = quick, .deep = deep}, two_producers};
const model m5{"Q parked tasks are released one by one", {.at_least = 50, .quick = quick, .deep = deep}, released_one_by_one};
const model m6{"Q parked tasks are released together", {.at_least = 20, .quick = quick, .deep = deep}, released_together};
const model m7{"Q a full queue of parked tasks", {.at_least = 20, .quick = quick, .deep = deep}, full};

}  // namespace
