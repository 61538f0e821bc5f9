// What Boost.Fiber's users do most, beside the same text on Boost.Fiber, in turns in one process:
// channels, create and join, yield, and a tree of a million threads that pass their sums up through
// channels (skynet). One worker.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <type_traits>
#include <vector>

#include <boost/fiber/all.hpp>

#include <weft/channel.hpp>
#include <weft/weft.hpp>

namespace {

constexpr int repetitions = 15;
constexpr int rounds = 2000;
constexpr long leaves = 1'000'000;

double now_ns() { return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void must(bool is_right, const char* what) {
  if (is_right) return;
  std::fprintf(stderr, "channels: wrong: %s\n", what);
  std::abort();
}

struct on_weft {
  using thread = weft::thread;
  template <class T>
  using unbuffered = weft::unbuffered_channel<T>;
  template <class T>
  using buffered = weft::buffered_channel<T>;
  static constexpr std::size_t room(std::size_t capacity) { return capacity; }
  static void yield() { weft::this_thread::yield(); }
};

// Its channels leave one place empty, and need a power of two.
struct on_boost {
  using thread = boost::fibers::fiber;
  template <class T>
  using unbuffered = boost::fibers::unbuffered_channel<T>;
  template <class T>
  using buffered = boost::fibers::buffered_channel<T>;
  static constexpr std::size_t room(std::size_t capacity) { return capacity * 2; }
  static void yield() { boost::this_fiber::yield(); }
};

template <class On>
double ping_pong() {
  typename On::template unbuffered<int> there;
  typename On::template unbuffered<int> back;
  typename On::thread other([&] {
    for (int i = 0; i < rounds; ++i) back.push(there.value_pop() + 1);
  });
  const double begun = now_ns();
  for (int i = 0; i < rounds; ++i) {
    there.push(i);
    must(back.value_pop() == i + 1, "ping-pong");
  }
  const double result = (now_ns() - begun) / rounds;
  other.join();
  return result;
}

// As ping_pong, neither of the two being main.
template <class On>
double ping_pong_of_threads() {
  double result = 0;
  typename On::thread([&] { result = ping_pong<On>(); }).join();
  return result;
}

template <class On>
double stream() {
  typename On::template buffered<int> numbers(On::room(64));
  long sum = 0;
  const double begun = now_ns();
  typename On::thread reader([&] {
    for (const int each : numbers) sum += each;
  });
  for (int i = 0; i < 10 * rounds; ++i) numbers.push(i);
  numbers.close();
  reader.join();
  const double result = (now_ns() - begun) / (10 * rounds);
  must(sum == 10L * rounds * (10L * rounds - 1) / 2, "stream");
  return result;
}

template <class On>
double create_join() {
  std::vector<typename On::thread> all(100);
  long count = 0;
  const double begun = now_ns();
  for (int i = 0; i < rounds; i += 100) {
    for (auto& each : all) each = typename On::thread([&count] { ++count; });
    for (auto& each : all) each.join();
  }
  must(count == rounds, "create and join");
  return (now_ns() - begun) / rounds;
}

template <class On>
double create_join_48() {
  std::vector<typename On::thread> all(100);
  long count = 0;
  struct payload {
    long* count;
    long more[5];
  } const bytes{&count, {1, 0, 0, 0, 0}};
  const double begun = now_ns();
  for (int i = 0; i < rounds; i += 100) {
    for (auto& each : all) each = typename On::thread([bytes] { *bytes.count += bytes.more[0]; });
    for (auto& each : all) each.join();
  }
  must(count == rounds, "create and join with 48 bytes");
  return (now_ns() - begun) / rounds;
}

template <class On>
double yields() {
  const auto loop = [] {
    for (int i = 0; i < rounds; ++i) On::yield();
  };
  typename On::thread first(loop);
  typename On::thread second(loop);
  const double begun = now_ns();
  first.join();
  second.join();
  return (now_ns() - begun) / (2 * rounds);
}

// Boost's fibers begin at once: by the default policy all would be there before the first one ends,
// with a stack each.
template <class On, class Body>
typename On::thread child_of(Body body) {
  if constexpr (std::is_same_v<On, on_boost>) {
    return boost::fibers::fiber(boost::fibers::launch::dispatch, body);
  } else {
    return weft::thread(body);
  }
}

template <class On>
void skynet(typename On::template buffered<long>& sums, long number, long size) {
  if (size == 1) return static_cast<void>(sums.push(number));
  typename On::template buffered<long> parts(16);
  std::array<typename On::thread, 10> children;
  for (long i = 0; i < 10; ++i) {
    const long part = size / 10;
    children[static_cast<std::size_t>(i)] =
        child_of<On>([&parts, number, i, part] { skynet<On>(parts, number + i * part, part); });
  }
  long sum = 0;
  for (int i = 0; i < 10; ++i) sum += parts.value_pop();
  for (auto& each : children) each.join();
  sums.push(sum);
}

template <class On>
double skynet() {
  typename On::template buffered<long> result(2);
  const double begun = now_ns();
  typename On::thread top([&] { skynet<On>(result, 0, leaves); });
  must(result.value_pop() == leaves * (leaves - 1) / 2, "skynet");
  top.join();
  return (now_ns() - begun) / 1e6;
}

struct cell {
  const char* name;
  const char* unit;
  int repetitions;
  double (*weft)();
  double (*boost)();
};

double at(std::vector<double>& values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

void compare(const cell& one) {
  std::vector<double> ours;
  std::vector<double> theirs;
  std::vector<double> ratios;
  for (int i = 0; i < one.repetitions; ++i) {
    ours.push_back(one.weft());
    theirs.push_back(one.boost());
    ratios.push_back(ours.back() / theirs.back());
  }
  std::printf("%-24s %9.1f %9.1f %s  %.3f (quartiles %.3f to %.3f)\n", one.name, at(ours, 0.5), at(theirs, 0.5), one.unit,
              at(ratios, 0.5), at(ratios, 0.25), at(ratios, 0.75));
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  const weft::runtime runtime({.workers = 1});
  const std::array<cell, 7> cells{{
      {"unbuffered, main", "ns", repetitions, ping_pong<on_weft>, ping_pong<on_boost>},
      {"unbuffered, threads", "ns", repetitions, ping_pong_of_threads<on_weft>, ping_pong_of_threads<on_boost>},
      {"buffered 64", "ns", repetitions, stream<on_weft>, stream<on_boost>},
      {"create, join", "ns", repetitions, create_join<on_weft>, create_join<on_boost>},
      {"create, join, 48 bytes", "ns", repetitions, create_join_48<on_weft>, create_join_48<on_boost>},
      {"yield", "ns", repetitions, yields<on_weft>, yields<on_boost>},
      {"skynet, 10^6", "ms", 1, skynet<on_weft>, skynet<on_boost>},
  }};
  std::printf("%-24s %9s %9s     ratio\n", "", "weft", "boost");
  for (const cell& each : cells) {
    if (count > 1 && each.name[0] != arguments[1][0]) continue;
    compare(each);
  }
  return 0;
}
