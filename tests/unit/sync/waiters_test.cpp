#include "sync/waiters.hpp"

#include <doctest/doctest.h>
#include <pthread.h>

#include "os/clock.hpp"

namespace {

using weft::status;
using weft::queue::spinlock;
using weft::sched::waiter;
using weft::sync::wait_queue;
using weft::sync::wake_later;

TEST_CASE("a queue of waiters is ready when zero-filled") {
  alignas(wait_queue) unsigned char memory[sizeof(wait_queue)] = {};
  auto* queue = reinterpret_cast<wait_queue*>(memory);
  CHECK(queue->is_empty());
  CHECK(queue->seems_empty());
  CHECK(queue->pop_front() == nullptr);
}

TEST_CASE("waiters come out in the order of their coming, those put back before the others") {
  wait_queue queue;
  waiter one("test", nullptr), two("test", nullptr), three("test", nullptr);
  queue.push_back(&one);
  queue.push_back(&two);
  queue.push_front(&three);
  CHECK(queue.front() == &three);
  CHECK(queue.pop_front() == &three);
  CHECK(queue.pop_front() == &one);
  CHECK(queue.pop_front() == &two);
  CHECK(queue.is_empty());
}

TEST_CASE("a waiter can leave from any place and come again") {
  waiter waiters[3] = {{"test", nullptr}, {"test", nullptr}, {"test", nullptr}};
  for (int leaves = 0; leaves < 3; ++leaves) {
    wait_queue queue;
    for (waiter& each : waiters) queue.push_back(&each);
    queue.remove(&waiters[leaves]);
    CHECK_FALSE(waiters[leaves].is_linked());
    for (int left = 0; left < 3; ++left) {
      if (left != leaves) CHECK(queue.pop_front() == &waiters[left]);
    }
    CHECK(queue.is_empty());
  }
}

// An OS thread that waits until it is woken or its deadline has passed.
struct sleeper {
  spinlock lock;
  wait_queue queue;
  std::uint64_t deadline_ns;
  status end = status::again;
  pthread_t os_thread{};

  explicit sleeper(std::uint64_t deadline) : deadline_ns(deadline) {
    REQUIRE(pthread_create(&os_thread, nullptr, run, this) == 0);
  }
  static void* run(void* memory) {
    auto* self = static_cast<sleeper*>(memory);
    waiter me("test", self);
    me.deadline_ns = self->deadline_ns;
    self->lock.lock();
    self->queue.push_back(&me);
    self->end = wait_and_leave(&me, &self->queue, &self->lock);
    return nullptr;
  }
  void await_its_coming() {
    while (queue.seems_empty()) {
    }
  }
  void join() { pthread_join(os_thread, nullptr); }
};

TEST_CASE("wake_first wakes, and only those who wait") {
  for (std::uint64_t deadline : {weft::sched::forever, weft::os::now_ns() + 3'600'000'000'000}) {
    sleeper one(deadline);
    one.await_its_coming();
    wake_first(&one.queue, &one.lock);
    one.join();
    CHECK(one.end == status::ok);
    CHECK(one.queue.is_empty());
    wake_first(&one.queue, &one.lock);
  }
}

TEST_CASE("after its deadline a waiter is off the queue") {
  sleeper one(weft::os::now_ns() + 1'000'000);
  one.join();
  CHECK(one.end == status::timeout);
  CHECK(one.queue.is_empty());
}

TEST_CASE("wake_later wakes those without a deadline when it is told") {
  sleeper one(weft::sched::forever);
  one.await_its_coming();
  wake_later chosen;
  {
    const weft::queue::guard inside(one.lock);
    chosen.add_all(&one.queue);
    CHECK(one.queue.is_empty());
  }
  CHECK(one.end == status::again);
  chosen.now();
  one.join();
  CHECK(one.end == status::ok);
}

TEST_CASE("who may wait") {
  CHECK(weft::sync::may_wait(weft::sched::forever) == status::ok);
  CHECK(weft::sync::may_wait(weft::sync::immediately) == status::timeout);
  CHECK(weft::sync::may_wait(weft::os::now_ns()) == status::timeout);
}

}  // namespace
