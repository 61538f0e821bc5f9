// Boost.Context's fiber, continuation and callcc as Weft has them.
#include <weft/context.hpp>

#include <doctest/doctest.h>

#include <exception>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "callers.hpp"

#include <weft/mutex.hpp>
#include <weft/runtime.hpp>
#include <weft/thread.hpp>

namespace context = weft::context;

namespace {

void in_main_and_threads(const std::function<void()>& body) {
  for (const unsigned workers : {1U, 2U}) {
    CAPTURE(workers);
    const weft::runtime runtime(config_of(workers));
    body();
    weft::thread(body).join();
  }
}

struct notes_end {
  std::string* where;
  ~notes_end() { *where += "unwound "; }
};

// An allocator of the program's own, which counts what it handed out.
struct counting_allocator {
  int* out;
  context::stack_context allocate() {
    ++*out;
    constexpr std::size_t bytes = 1 << 18;
    auto* const memory = static_cast<char*>(std::malloc(bytes));
    if (memory == nullptr) throw std::bad_alloc();
    return {bytes, memory + bytes};
  }
  void deallocate(context::stack_context& one) {
    --*out;
    std::free(static_cast<char*>(one.sp) - one.size);
  }
};

}  // namespace

TEST_CASE("a fiber goes on where it was left") {
  in_main_and_threads([] {
    std::vector<int> seen;
    context::fiber other([&seen](context::fiber&& caller) {
      for (int step = 0; step < 3; ++step) {
        seen.push_back(step);
        caller = std::move(caller).resume();
      }
      return std::move(caller);
    });
    CHECK(bool(other));
    CHECK(seen.empty());
    for (int step = 0; step < 3; ++step) {
      other = std::move(other).resume();
      CHECK(bool(other));
    }
    other = std::move(other).resume();
    CHECK(!other);
    CHECK(seen == std::vector<int>{0, 1, 2});
  });
}

TEST_CASE("three fibers, of which one ends into another") {
  in_main_and_threads([] {
    std::string way;
    context::fiber main_side, first, second;
    first = context::fiber([&](context::fiber&& caller) {
      way += "first ";
      main_side = std::move(caller);
      return std::move(second);
    });
    second = context::fiber([&](context::fiber&& ended) {
      CHECK(!ended);
      way += "second ";
      return std::move(main_side);
    });
    const context::fiber left = std::move(first).resume();
    CHECK(!left);
    CHECK(way == "first second ");
  });
}

TEST_CASE("resume_with runs on top of the fiber that goes on") {
  in_main_and_threads([] {
    int data = 0;
    context::fiber other([&data](context::fiber&& caller) {
      data = 1;
      caller = std::move(caller).resume();
      data += 10;  // after 5
      return std::move(caller);
    });
    other = std::move(other).resume();
    CHECK(data == 1);
    other = std::move(other).resume_with([&data](context::fiber&& caller) {
      data = 5;
      return std::move(caller);
    });
    CHECK(data == 15);
    CHECK(!other);
    context::fiber fresh([&data](context::fiber&& caller) {
      data *= 2;
      return std::move(caller);
    });
    fresh = std::move(fresh).resume_with([&data](context::fiber&& caller) {
      data = 4;
      return std::move(caller);
    });
    CHECK(data == 8);
    context::fiber catches([&data](context::fiber&& caller) {
      for (;;) {
        try {
          caller = std::move(caller).resume();
        } catch (const std::pair<int, context::fiber*>& thrown) {
          data = thrown.first;
          return std::move(*thrown.second);
        }
      }
      return std::move(caller);
    });
    catches = std::move(catches).resume();
    context::fiber back;
    catches = std::move(catches).resume_with([&back](context::fiber&& caller) -> context::fiber {
      back = std::move(caller);
      throw std::pair<int, context::fiber*>(77, &back);
    });
    CHECK(data == 77);
    CHECK(!catches);
  });
}

namespace {

std::string text_of_handled() {
  try {
    throw;
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("fibers are left inside of handlers, and each goes on with its own exception") {
  in_main_and_threads([] {
    std::string of_fiber;
    context::fiber other([&of_fiber](context::fiber&& caller) {
      CHECK(std::current_exception() == nullptr);
      try {
        throw std::runtime_error("of the fiber");
      } catch (const std::runtime_error&) {
        caller = std::move(caller).resume();
        of_fiber = text_of_handled();
      }
      CHECK(std::current_exception() == nullptr);
      caller = std::move(caller).resume();
      return std::move(caller);
    });
    try {
      throw std::runtime_error("of the thread");
    } catch (const std::runtime_error&) {
      other = std::move(other).resume();
      CHECK(text_of_handled() == "of the thread");
      other = std::move(other).resume();
      CHECK(text_of_handled() == "of the thread");
    }
    CHECK(std::current_exception() == nullptr);
    CHECK(of_fiber == "of the fiber");
    other = std::move(other).resume();
    CHECK(!other);
  });
}

TEST_CASE("a suspended fiber is unwound by its end") {
  in_main_and_threads([] {
    std::string way;
    {
      context::fiber other([&way](context::fiber&& caller) {
        const notes_end end{&way};
        caller = std::move(caller).resume();
        way += "wrong ";
        return std::move(caller);
      });
      other = std::move(other).resume();
      context::fiber never([&way](context::fiber&& caller) {
        way += "never ";
        return std::move(caller);
      });
      other = std::move(never);
      CHECK(way == "unwound ");
    }
    CHECK(way == "unwound ");
    {
      context::fiber catching([&way](context::fiber&& caller) {
        try {
          caller = std::move(caller).resume();
        } catch (const context::forced_unwind&) {
          way += "caught";
          throw;
        }
        return std::move(caller);
      });
      catching = std::move(catching).resume();
    }
    CHECK(way == "unwound caught");
  });
}

TEST_CASE("continuations, which begin at once") {
  in_main_and_threads([] {
    int value = 0;
    context::continuation other = context::callcc([&value](context::continuation&& caller) {
      int next = 1;
      for (int a = 0; value < 20; a = std::exchange(next, next + a)) {
        value = next;
        caller = caller.resume();
      }
      return std::move(caller);
    });
    CHECK(value == 1);
    other = other.resume();
    CHECK(value == 1);
    other = other.resume();
    CHECK(value == 2);
    while (other) other = other.resume();
    CHECK(value == 21);
    context::continuation sized = context::callcc(std::allocator_arg, context::protected_fixedsize_stack(1 << 16),
                                                  [&value](context::continuation&& caller) {
                                                    value = 5;
                                                    caller = caller.resume_with([&value](context::continuation&& from) {
                                                      value = 6;
                                                      return std::move(from);
                                                    });
                                                    return std::move(caller);
                                                  });
    CHECK(value == 6);
    CHECK(!sized.resume());
  });
}

TEST_CASE("stacks of the program's own") {
  in_main_and_threads([] {
    int out = 0;
    {
      context::fiber other(std::allocator_arg, counting_allocator{&out}, [](context::fiber&& caller) {
        caller = std::move(caller).resume();
        return std::move(caller);
      });
      CHECK(out == 1);
      other = std::move(other).resume();
      CHECK(out == 1);
      other = std::move(other).resume();
      CHECK(out == 0);
      context::fiber unwound(std::allocator_arg, counting_allocator{&out}, [](context::fiber&& caller) {
        for (;;) caller = std::move(caller).resume();
        return std::move(caller);
      });
      unwound = std::move(unwound).resume();
      CHECK(out == 1);
    }
    CHECK(out == 0);
    counting_allocator allocator{&out};
    context::stack_context all = allocator.allocate();
    struct control {
      int number;
    };
    auto* const high = static_cast<char*>(all.sp) - 64;
    auto* const own = new (high) control{3};
    context::fiber placed(std::allocator_arg, context::preallocated(high, all.size - 64, all), allocator,
                          [own](context::fiber&& caller) {
                            own->number = 4;
                            return std::move(caller);
                          });
    CHECK(own->number == 3);
    placed = std::move(placed).resume();
    CHECK(!placed);
    CHECK(out == 0);
    context::fiber pooled(std::allocator_arg, context::pooled_fixedsize_stack(1 << 16, 8),
                          [](context::fiber&& c) { return std::move(c); });
    CHECK(!std::move(pooled).resume());
  });
}

TEST_CASE("a context that cannot be made gives its stack back") {
  struct small_allocator : counting_allocator {
    context::stack_context allocate() {
      context::stack_context whole = counting_allocator::allocate();
      whole.size = 256;  // too little, at the high end
      return whole;
    }
    void deallocate(context::stack_context& one) {
      one.size = std::size_t{1} << 18;
      counting_allocator::deallocate(one);
    }
  };
  struct not_copied {
    not_copied() = default;
    not_copied(const not_copied&) { throw std::runtime_error("copied"); }
    context::fiber operator()(context::fiber&& caller) const { return std::move(caller); }
  };
  in_main_and_threads([] {
    int out = 0;
    const auto go_back = [](context::fiber&& caller) { return std::move(caller); };
    CHECK_THROWS_AS(context::fiber(std::allocator_arg, small_allocator{{&out}}, go_back), weft::error);
    CHECK(out == 0);
    const not_copied function;
    CHECK_THROWS_AS(context::fiber(std::allocator_arg, counting_allocator{&out}, function), std::runtime_error);
    CHECK(out == 0);
  });
}

TEST_CASE("handles compare, print and swap") {
  in_main_and_threads([] {
    const auto end = [](context::fiber&& caller) { return std::move(caller); };
    context::fiber one(end), other(end), none;
    CHECK((one < other) != (other < one));
    std::ostringstream out;
    out << none;
    CHECK(out.str() == "{not-a-context}");
    out << one;
    CHECK(out.str().size() > 15);
    swap(one, none);
    CHECK(!one);
    CHECK(bool(none));
    other.swap(one);
    CHECK(bool(one));
  });
}

TEST_CASE("sizes of stacks") {
  CHECK_FALSE(context::stack_traits::is_unbounded());
  CHECK(context::stack_traits::minimum_size() == WEFT_STACK_MIN);
  CHECK(context::stack_traits::minimum_size() < context::stack_traits::default_size());
  CHECK(context::stack_traits::default_size() < context::stack_traits::maximum_size());
  CHECK(context::stack_traits::page_size() >= 4096);
}

TEST_CASE("fibers of contexts change threads and workers") {
  constexpr int rounds = 100;
  const weft::runtime runtime(config_of(2));
  int steps = 0;
  context::fiber shared([&steps](context::fiber&& caller) {
    for (;;) {
      ++steps;
      weft::this_thread::yield();  // on whichever worker
      caller = std::move(caller).resume();
    }
    return std::move(caller);
  });
  weft::mutex turn;
  const auto use = [&](int worker) {
    weft::this_thread::pin(worker);
    for (int round = 0; round < rounds; ++round) {
      const std::lock_guard hold(turn);
      shared = std::move(shared).resume();
    }
  };
  weft::thread first([&use] { use(0); });
  weft::thread second([&use] { use(1); });
  first.join();
  second.join();
  CHECK(steps == 2 * rounds);
}
