// Sincs of the Qthreads face over sinc.cpp: a waiter goes on after the last submit, and sees what
// all did before theirs; the value is made up of all parts; and a sinc is freed after its last
// waiter has left.
#include "qthread_world.hpp"

// For the count of those that wait, which tells a thread of the program nothing.
#include "sinc.cpp"

namespace {

using namespace qthread_world::words;

void add(void* to, const void* from) { *static_cast<aligned_t*>(to) += *static_cast<const aligned_t*>(from); }

struct awaited {
  unit tasks[3];
  qt_sinc_t* handle = nullptr;
  int done[2] = {};  // by each submitter, before it submits

  awaited(std::size_t bytes, std::size_t expected) {
    qthread_world::begin();
    for (int number = 0; number < 3; ++number) tasks[number].worker = number % 2;
    const aligned_t none = 0;
    handle = qt_sinc_create(bytes, &none, add, expected);
    check(handle != nullptr, "there is memory");
  }
  void run_as(int number) { qthread_world::run_as(tasks[number]); }
  void submit(int number, const aligned_t* value = nullptr) {
    run_as(number);
    done[number] = 1;
    qt_sinc_submit(handle, value);
  }
  // By the means of the program: another caller is in its wait, and knows that it must wait.
  void await_waiter() const {
    while (sinc_of(handle)->parked.load(base::relaxed) == 0) weft::arch::pause();
  }
};

void awaited_by_one() {
  awaited shared(0, 2);
  threads(thread{"a", [&] { shared.submit(0); }}, thread{"b", [&] { shared.submit(1); }},
          thread{"waiter", [&] {
                   shared.run_as(2);
                   qt_sinc_wait(shared.handle, nullptr);
                   check(shared.done[0] == 1 && shared.done[1] == 1, "what was done before");
                 }});
}

void awaited_by_two() {
  awaited shared(0, 1);
  const auto wait = [&](int number) {
    shared.run_as(number);
    qt_sinc_wait(shared.handle, nullptr);
    check(shared.done[0] == 1, "what was done before");
  };
  threads(thread{"submitter", [&] { shared.submit(0); }}, thread{"a", [&] { wait(1); }}, thread{"b", [&] { wait(2); }});
}

// A submitter may count further submits that are to come.
void grows() {
  awaited shared(0, 1);
  flag is_made;
  threads(thread{"first",
                 [&] {
                   shared.run_as(0);
                   qt_sinc_expect(shared.handle, 1);
                   is_made.raise();
                   shared.submit(0);
                 }},
          thread{"second",
                 [&] {
                   is_made.await();
                   shared.submit(1);
                 }},
          thread{"waiter", [&] {
                   shared.run_as(2);
                   qt_sinc_wait(shared.handle, nullptr);
                   check(shared.done[0] == 1 && shared.done[1] == 1, "what was done before");
                 }});
}

void value_of_two_parts() {
  awaited shared(sizeof(aligned_t), 2);
  const aligned_t values[] = {1, 2};
  threads(thread{"a", [&] { shared.submit(0, &values[0]); }}, thread{"b", [&] { shared.submit(1, &values[1]); }},
          thread{"waiter", [&] {
                   shared.run_as(2);
                   aligned_t sum = 0;
                   qt_sinc_wait(shared.handle, &sum);
                   check(sum == 3, "the values of all");
                 }});
}

// Two tasks on one worker share a part.
void value_of_one_part() {
  awaited shared(sizeof(aligned_t), 2);
  shared.tasks[1].worker = 0;
  const aligned_t values[] = {1, 2};
  threads(thread{"a", [&] { shared.submit(0, &values[0]); }}, thread{"b", [&] { shared.submit(1, &values[1]); }});
  aligned_t sum = 0;
  qt_sinc_wait(shared.handle, &sum);
  check(sum == 3, "the values of all");
}

// By the last submitter, which knows that another caller waits.
void goes_with_its_waiters() {
  awaited shared(sizeof(aligned_t), 1);
  const aligned_t one = 1;
  threads(thread{"owner",
                 [&] {
                   shared.await_waiter();
                   shared.submit(0, &one);
                   qt_sinc_destroy(shared.handle);
                 }},
          thread{"waiter", [&] {
                   shared.run_as(1);
                   aligned_t sum = 0;
                   qt_sinc_wait(shared.handle, &sum);
                   check(sum == 1, "the value");
                 }});
}

// Its end lets waiters go, whatever was expected.
void ends_before_its_submits() {
  awaited shared(0, 1);
  threads(thread{"owner",
                 [&] {
                   shared.run_as(0);
                   shared.await_waiter();
                   qt_sinc_destroy(shared.handle);
                 }},
          thread{"waiter", [&] {
                   shared.run_as(1);
                   qt_sinc_wait(shared.handle, nullptr);
                 }});
}

constexpr bounds quick{.preemptions = 2, .weak = 2, .executions = 20'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .spurious = 1, .executions = 300'000};

const model m1{"Q sinc: awaited by one", {.at_least = 50, .quick = quick, .deep = deep}, awaited_by_one};
const model m2{"Q sinc: awaited by two", {.at_least = 50, .quick = quick, .deep = deep}, awaited_by_two};
const model m3{"Q sinc that grows", {.at_least = 50, .quick = quick, .deep = deep}, grows};
const model m4{"Q sinc: value of two parts", {.at_least = 50, .quick = quick, .deep = deep}, value_of_two_parts};
const model m5{"Q sinc: value of one part", {.at_least = 10, .quick = quick, .deep = deep}, value_of_one_part};
const model m6{"Q sinc goes with its waiters", {.at_least = 5, .quick = quick, .deep = deep}, goes_with_its_waiters};
const model m7{"Q sinc ends before its submits", {.at_least = 5, .quick = quick, .deep = deep}, ends_before_its_submits};

}  // namespace
