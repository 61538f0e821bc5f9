// Barriers of the Qthreads face over barrier.cpp: a caller that goes on sees what all others did
// before they came, in every round, and a barrier is freed after its last caller has left.
// Built with faces/qthreads/src/barrier.cpp
#include <qthread/barrier.h>

#include "qthread_world.hpp"

namespace {

using namespace qthread_world::words;

struct meeting {
  qt_barrier_t* at = nullptr;
  int done[3] = {};  // by each caller, before it comes

  explicit meeting(std::size_t callers) {
    qthread_world::begin();
    at = qt_barrier_create(callers, REGION_BARRIER);
    check(at != nullptr, "there is memory");
  }
  void come(int number) {
    ++done[number];
    qt_barrier_enter(at);
  }
  void check_done(int count, int times) const {
    for (int number = 0; number < count; ++number) check(done[number] == times, "what was done before");
  }
};

void two_meet() {
  meeting shared(2);
  const auto call = [&](int number) {
    shared.come(number);
    shared.check_done(2, 1);
  };
  threads(thread{"a", [&] { call(0); }}, thread{"b", [&] { call(1); }});
}

void three_meet() {
  meeting shared(3);
  const auto call = [&](int number) {
    shared.come(number);
    shared.check_done(3, 1);
  };
  threads(thread{"a", [&] { call(0); }}, thread{"b", [&] { call(1); }}, thread{"c", [&] { call(2); }});
}

// The second round keeps a caller from its next step until the other has looked.
void rounds() {
  meeting shared(2);
  const auto call = [&](int number) {
    for (int times = 1; times <= 2; ++times) {
      shared.come(number);
      shared.check_done(2, times);
      qt_barrier_enter(shared.at);
    }
  };
  threads(thread{"a", [&] { call(0); }}, thread{"b", [&] { call(1); }});
}

// By a caller, as soon as it may go on.
void goes_with_its_callers() {
  meeting shared(2);
  threads(thread{"owner",
                 [&] {
                   shared.come(0);
                   qt_barrier_destroy(shared.at);
                 }},
          thread{"caller", [&] { shared.come(1); }});
}

constexpr bounds quick{.preemptions = 3, .weak = 2, .executions = 20'000};
constexpr bounds quick_three{.preemptions = 2, .weak = 1, .executions = 20'000};
constexpr bounds deep{.preemptions = 5, .weak = 3, .spurious = 1, .executions = 300'000};

const model m1{"Q barrier: two meet", {.at_least = 10, .quick = quick, .deep = deep}, two_meet};
const model m2{"Q barrier: three meet", {.at_least = 100, .quick = quick_three, .deep = deep}, three_meet};
const model m3{"Q barrier: rounds", {.at_least = 20, .quick = quick_three, .deep = deep}, rounds};
const model m4{"Q barrier goes with its callers", {.at_least = 20, .quick = quick, .deep = deep}, goes_with_its_callers};

}  // namespace
