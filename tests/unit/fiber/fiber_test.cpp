// Fibers on stacks of the depot: under a sanitizer the same switches, announced to it.
#include "fiber/fiber.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "os/thread.hpp"

namespace {

namespace fiber = weft::fiber;
namespace mem = weft::mem;

constexpr std::size_t slot_bytes = 256 * 1024;

struct world {
  mem::stack_depot depot;
  fiber::context here;
  fiber::sanitizer::side here_side;
  world() {
    depot.start({slot_bytes, weft::os::best_guard_kind(), 4 * slot_bytes, {}});
    void* low = nullptr;
    std::size_t bytes = 0;
    weft::os::stack_bounds(&low, &bytes);
    here_side = fiber::sanitizer::of_os_thread(low, bytes);
  }
  ~world() { depot.stop(); }
  mem::stack* take() {
    mem::stack* one = nullptr;
    REQUIRE(depot.take(&one, 1) == 1);
    return one;
  }
  void give(mem::stack* one) { depot.give(&one, 1); }
};

struct counter {
  world* home;
  mem::stack* stack;
  fiber::context self;
  int rounds = 0;
  int wanted = 0;
};

[[gnu::noinline]] int use_some_stack(int depth) {
  volatile char frame[512];
  std::memset(const_cast<char*>(frame), depth, sizeof frame);
  return depth == 0 ? frame[0] : use_some_stack(depth - 1) + frame[sizeof frame - 1] * 0;
}

[[noreturn]] void count_rounds(void* transfer, void* argument) {
  fiber::started();
  auto* self = static_cast<counter*>(argument);
  CHECK(transfer == self);
  while (self->rounds < self->wanted) {
    ++self->rounds;
    use_some_stack(50);
    CHECK(fiber::switch_to(&self->self.sp, self->home->here, self->home->here_side, nullptr) == self);
  }
  fiber::jump_to(self->home->here, self->home->here_side, self);
}

void run(world* home, int count, int wanted) {
  std::vector<counter> counters(static_cast<std::size_t>(count));
  for (counter& each : counters) {
    each = counter{home, home->take(), {}, 0, wanted};
    each.self = fiber::make(each.stack, count_rounds, &each);
  }
  for (int round = 0; round <= wanted; ++round) {
    for (counter& each : counters) {
      void* back = fiber::switch_to(&home->here.sp, each.self, fiber::sanitizer::of(each.stack), &each);
      CHECK(back == (round == wanted ? &each : nullptr));
    }
  }
  for (counter& each : counters) {
    CHECK(each.rounds == wanted);
    home->give(each.stack);
  }
}

TEST_CASE("fibers go to and fro, end, and leave their stacks to others") {
  world home;
  for (int round = 0; round < 20; ++round) run(&home, 10, 30);
}

TEST_CASE("a fiber goes on on another OS thread") {
  world home;
  counter one{&home, home.take(), {}, 0, 2};
  one.self = fiber::make(one.stack, count_rounds, &one);
  fiber::switch_to(&home.here.sp, one.self, fiber::sanitizer::of(one.stack), &one);
  CHECK(one.rounds == 1);
  std::thread other([&] {
    void* low = nullptr;
    std::size_t bytes = 0;
    weft::os::stack_bounds(&low, &bytes);
    home.here_side = fiber::sanitizer::of_os_thread(low, bytes);
    fiber::switch_to(&home.here.sp, one.self, fiber::sanitizer::of(one.stack), &one);
    fiber::switch_to(&home.here.sp, one.self, fiber::sanitizer::of(one.stack), &one);
  });
  other.join();
  CHECK(one.rounds == 2);
  home.give(one.stack);
}

}  // namespace
