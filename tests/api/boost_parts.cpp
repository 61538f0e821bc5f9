// Parts of Boost.Fiber, Context and Coroutine2 that programs take beside the fibers themselves:
// values of fibers, the members of stack allocators, begin and end, OS threads and NUMA nodes. The
// text has no name of Weft's; where Boost is installed it may be compiled with that.
#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <boost/context/stack_traits.hpp>
#include <boost/coroutine2/all.hpp>
#include <boost/fiber/all.hpp>
#include <boost/fiber/detail/thread_barrier.hpp>
#include <boost/fiber/future/future_status.hpp>
#include <boost/fiber/numa/pin_thread.hpp>
#include <boost/fiber/numa/topology.hpp>
#include <boost/fiber/type.hpp>

#include <doctest/doctest.h>

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

namespace fibers = boost::fibers;

namespace {

int cleaned = 0;
void count_cleaned(int* value) {
  cleaned += *value;
  delete value;
}

}  // namespace

TEST_CASE("there may be any number of fiber_specific_ptr") {
  constexpr int count = 5000;  // Weft has 1024 keys
  std::vector<std::unique_ptr<fibers::fiber_specific_ptr<int>>> all;
  for (int index = 0; index < count; ++index) all.push_back(std::make_unique<fibers::fiber_specific_ptr<int>>(count_cleaned));
  for (int index = 0; index < count; ++index) all[static_cast<std::size_t>(index)]->reset(new int(1));
  cleaned = 0;
  fibers::fiber([&all] {
    for (auto& each : all) {
      CHECK(each->get() == nullptr);
      each->reset(new int(10));
      boost::this_fiber::yield();
    }
    delete all[0]->release();
    all[1]->reset();
    CHECK(cleaned == 10);
  }).join();
  CHECK(cleaned == 10 * (count - 1));
  CHECK(**all[0] == 1);
  cleaned = 0;
  all.clear();
  CHECK(cleaned == count);
}

TEST_CASE("a fiber's value outlives its pointer until the fiber ends, and a cleanup may set values") {
  cleaned = 0;
  auto gone = std::make_unique<fibers::fiber_specific_ptr<int>>(count_cleaned);
  fibers::fiber_specific_ptr<int> plain(nullptr);
  static fibers::fiber_specific_ptr<int>* last = nullptr;
  fibers::fiber_specific_ptr<int> sets_another([](int* value) {
    delete value;
    last->reset(new int(100));
  });
  fibers::fiber_specific_ptr<int> counted(count_cleaned);
  last = &counted;
  int own = 3;
  fibers::fiber holder([&] {
    gone->reset(new int(7));
    plain.reset(&own);
    sets_another.reset(new int(1));
    boost::this_fiber::yield();
  });
  boost::this_fiber::yield();
  gone.reset();
  CHECK(cleaned == 0);
  holder.join();
  CHECK(cleaned == 107);
  CHECK(own == 3);
}

TEST_CASE("stack allocators give memory") {
  namespace context = boost::context;
  static_assert(std::is_same_v<context::fixedsize_stack::traits_type, context::stack_traits>);
  CHECK(context::stack_traits::page_size() == static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  int to_kernel[2];
  REQUIRE(pipe(to_kernel) == 0);
  const auto fill = [&to_kernel](auto allocator, std::size_t least) {
    context::stack_context memory = allocator.allocate();
    CHECK(memory.size >= least);
    char* const low = static_cast<char*>(memory.sp) - memory.size;
    std::memset(low, 1, memory.size);
    const std::size_t page = context::stack_traits::page_size();
    CHECK(write(to_kernel[1], low - page, 1) == -1);  // the guard, which cannot be read
    CHECK(msync(low - page, page, MS_ASYNC) == 0);    // and is memory
    allocator.deallocate(memory);
    const int is_left = msync(low - page, page, MS_ASYNC);
    CHECK(is_left == -1);
  };
  fill(context::fixedsize_stack(), context::stack_traits::default_size());
  fill(context::fixedsize_stack(100'000), 100'000);
  fill(context::protected_fixedsize_stack(65536), 65536);
  fill(context::pooled_fixedsize_stack(65536, 4), 65536);
  for (const int each : to_kernel) close(each);
  CHECK_THROWS_AS(context::fixedsize_stack(~std::size_t{0}).allocate(), std::bad_alloc);
}

TEST_CASE("coroutines have begin and end") {
  using coroutine = boost::coroutines2::coroutine<int>;
  coroutine::pull_type source([](coroutine::push_type& sink) {
    for (int value = 1; value < 5; ++value) sink(value);
  });
  CHECK(std::accumulate(std::begin(source), std::end(source), 0) == 10);
  coroutine::pull_type another([](coroutine::push_type& sink) { sink(1)(2); });
  coroutine::pull_type::iterator first = another.begin();
  CHECK(*first == 1);
  CHECK(first != another.end());
  std::vector<int> seen;
  const std::vector<int> given{4, 5, 6};
  {
    coroutine::push_type sink([&seen](coroutine::pull_type& from) {
      for (; from; from()) seen.push_back(from.get());
    });
    std::copy(given.begin(), given.end(), std::begin(sink));
  }
  CHECK(seen == given);
}

TEST_CASE("OS threads that made no context resume and destroy those of others") {
  struct counter {
    int* ended;
    ~counter() { ++*ended; }
  };
  int turns = 0, ended = 0;
  const auto count = [&](boost::context::fiber&& caller) {
    const counter at_end{&ended};
    for (;;) {
      ++turns;
      caller = std::move(caller).resume();
    }
    return std::move(caller);
  };
  boost::context::fiber counting(count);
  counting = std::move(counting).resume();
  std::thread([&] { counting = std::move(counting).resume(); }).join();
  std::thread([&] {
    counting = std::move(counting).resume();
    const boost::context::fiber gone = std::move(counting);
  }).join();
  CHECK(turns == 3);
  CHECK(ended == 1);
  std::thread([&] { counting = boost::context::fiber(count).resume(); }).join();
  counting = std::move(counting).resume();
  CHECK(turns == 5);
  std::thread([&] { const boost::context::fiber gone = std::move(counting); }).join();
  CHECK(ended == 2);
  auto numbers = std::make_unique<boost::coroutines2::coroutine<int>::pull_type>([&](auto& sink) {
    const counter at_end{&ended};
    for (int i = 0;; ++i) sink(i);
  });
  std::thread([&] { (*numbers)(); }).join();
  CHECK(numbers->get() == 1);
  std::thread([&] { numbers.reset(); }).join();
  CHECK(ended == 3);
  using coroutine = boost::coroutines2::coroutine<int>;
  auto none_left = std::make_unique<coroutine::pull_type>([](coroutine::push_type& sink) { sink(1); });
  (*none_left)();
  CHECK(!*none_left);
  std::thread([&] { none_left.reset(); }).join();  // which resumes nothing
}

namespace {

std::atomic<int> ended_late = 0;

// What an OS thread destroys after all that Weft made for it.
struct kept_by_os_thread {
  boost::context::fiber context;
  bool makes_fiber = false;
  ~kept_by_os_thread() {
    if (makes_fiber) {
      fibers::fiber([] {
        boost::this_fiber::yield();
        ++ended_late;
      }).join();
    }
  }
};
thread_local kept_by_os_thread kept;

}  // namespace

TEST_CASE("an OS thread destroys a thread_local context, and makes a fiber, after its queue of fibers") {
  struct counter {
    ~counter() { ++ended_late; }
  };
  for (const bool makes_fiber : {false, true, true}) {
    ended_late = 0;
    std::thread([makes_fiber] {
      kept.makes_fiber = makes_fiber;  // it is older than what the next line makes
      kept.context = boost::context::fiber([](boost::context::fiber&& caller) {
        const counter at_end;
        caller = std::move(caller).resume();
        return std::move(caller);
      });
      kept.context = std::move(kept.context).resume();
    }).join();
    CHECK(ended_late == (makes_fiber ? 2 : 1));
  }
}

TEST_CASE("OS threads meet, and are pinned") {
  fibers::detail::thread_barrier barrier(3);
  std::atomic<int> last = 0;
  const auto meet = [&] {
    for (int round = 0; round < 10; ++round) last += barrier.wait() ? 1 : 0;
  };
  std::thread one(meet);
  std::thread other(meet);
  meet();
  one.join();
  other.join();
  CHECK(last == 10);
  const std::vector<fibers::numa::node> nodes = fibers::numa::topology();
  CHECK(!nodes.empty());
  std::size_t cpus = 0;
  for (const fibers::numa::node& each : nodes) {
    cpus += each.logical_cpus.size();
    CHECK(each.distance.size() >= nodes.size());
  }
  CHECK(cpus >= 1);
  CHECK(std::is_sorted(nodes.begin(), nodes.end()));
  std::thread([] {
    cpu_set_t mine;
    CPU_ZERO(&mine);
    REQUIRE(sched_getaffinity(0, sizeof mine, &mine) == 0);
    std::uint32_t cpu = 0;
    while (!CPU_ISSET(cpu, &mine)) ++cpu;
    fibers::numa::pin_thread(cpu);
    CHECK(sched_getcpu() == static_cast<int>(cpu));
    CHECK_THROWS_AS(fibers::numa::pin_thread(1'000'000), fibers::fiber_error);
  }).join();
}

TEST_CASE("types of contexts are bits") {
  static_assert((fibers::type::pinned_context & fibers::type::main_context) == fibers::type::main_context);
  static_assert((fibers::type::worker_context & fibers::type::pinned_context) == fibers::type::none);
  CHECK(fibers::future_status::ready != fibers::future_status::timeout);
}
