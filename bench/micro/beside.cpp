// Operations of Weft beside the same ones of the C++ library, of pthreads and of oneTBB, in one
// process.
//
//     beside [NAME]    all of them, or one; the names stand in the table below
//
// Printed are the nanoseconds of one operation of both, and the median ratio of neighbouring rounds
// with the interval that holds all of them. There are two workers, since a process with one OS
// thread is a special case of locks that no parallel program is in.
#include <pthread.h>
#include <weft/weft.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>
#ifdef WITH_TBB
#include <tbb/global_control.h>
#include <tbb/task_group.h>
#endif

namespace {

using timer = std::chrono::steady_clock;

constexpr unsigned workers = 2;
constexpr long rounds = 9;

void must(weft_status status) {
  if (status == WEFT_OK) return;
  std::fprintf(stderr, "beside: %s\n", weft_status_name(status));
  std::exit(1);
}

// Nanoseconds of one of `count` operations.
template <class Operation>
double ns_of_one(long count, const Operation& operation) {
  const auto start = timer::now();
  for (long i = 0; i < count; ++i) operation();
  return std::chrono::duration<double, std::nano>(timer::now() - start).count() / static_cast<double>(count);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <class Ours, class Theirs>
void compare(const char* name, const char* rival, long count, const Ours& ours, const Theirs& theirs) {
  std::vector<double> our_ns, their_ns, ratios;
  for (long round = -1; round < rounds; ++round) {  // the first one warms up
    const double our_one = ns_of_one(count, ours), their_one = ns_of_one(count, theirs);
    if (round < 0) continue;
    our_ns.push_back(our_one);
    their_ns.push_back(their_one);
    ratios.push_back(our_one / their_one);
  }
  std::printf("%-16s %10.1f ns  %-22s %10.1f ns  %6.2f  %.2f - %.2f\n", name, median(our_ns), rival, median(their_ns),
              median(ratios), *std::ranges::min_element(ratios), *std::ranges::max_element(ratios));
}

template <class Ours, class Theirs>
void compare_locks(const char* name, const char* rival, Ours& ours, Theirs& theirs) {
  const auto pair = [](auto& mutex) {
    return [&mutex] {
      mutex.lock();
      mutex.unlock();
    };
  };
  compare(name, rival, 1'000'000, pair(ours), pair(theirs));
}

void plain_mutex() {
  weft::mutex ours;
  std::mutex theirs;
  compare_locks("mutex", "std::mutex", ours, theirs);
}

void recursive_mutex() {
  weft::recursive_mutex ours;
  std::recursive_mutex theirs;
  compare_locks("recursive-mutex", "std::recursive_mutex", ours, theirs);
}

void key() {
  weft_key ours;
  pthread_key_t theirs;
  must(weft_key_create(nullptr, &ours));
  if (pthread_key_create(&theirs, nullptr) != 0) std::exit(1);
  compare(
      "key", "pthread key, set + get", 1'000'000,
      [&] {
        must(weft_key_set(ours, &ours));
        if (weft_key_get(ours) != &ours) std::exit(1);
      },
      [&] {
        if (pthread_setspecific(theirs, &theirs) != 0 || pthread_getspecific(theirs) != &theirs) std::exit(1);
      });
  must(weft_key_delete(ours));
  pthread_key_delete(theirs);
}

constexpr std::size_t batch = 1000;

void nothing(void*) {}

void join(std::vector<weft_thread*>& threads) {
  for (weft_thread* each : threads) must(weft_thread_join(each));
}

// A call for each thread is the rival.
void create_many() {
  std::vector<weft_thread*> threads(batch);
  std::vector<char> arguments(batch);
  compare(
      "create-many", "single, 1000 threads", 300,
      [&] {
        must(weft_thread_create_many(nothing, arguments.data(), 1, batch, nullptr, threads.data()));
        join(threads);
      },
      [&] {
        for (std::size_t i = 0; i < batch; ++i) must(weft_thread_create(nothing, &arguments[i], nullptr, &threads[i]));
        join(threads);
      });
}

// The same, joined by one call, too. By main, which waits, and by a thread, on whose stack the
// others run.
void create_join_many(const char* name) {
  std::vector<weft_thread*> threads(batch);
  std::vector<char> arguments(batch);
  compare(
      name, "single, 1000 threads", 300,
      [&] {
        must(weft_thread_create_many(nothing, arguments.data(), 1, batch, nullptr, threads.data()));
        must(weft_thread_join_many(threads.data(), batch));
      },
      [&] {
        for (std::size_t i = 0; i < batch; ++i) must(weft_thread_create(nothing, &arguments[i], nullptr, &threads[i]));
        join(threads);
      });
}

void join_many() {
  create_join_many("join-many");
  weft::thread([] { create_join_many("join-many-inside"); }).join();
}

// An OS thread outside creates a thread and joins it; the rival joins an OS thread that it creates.
void outside() {
  std::thread([] {
    compare("outside", "std::thread, and join", 2000, [] { weft::thread([] {}).join(); }, [] { std::thread([] {}).join(); });
  }).join();
}

void sort(const char* name, bool is_reversed) {
  std::vector<int> input(2'000'000), values;
  std::iota(input.rbegin(), input.rend(), 0);
  if (!is_reversed) {
    std::uint64_t state = 1;
    for (std::size_t i = input.size(); i > 1; --i) {
      state = state * 0x5851f42d4c957f2d + 1;
      std::swap(input[i - 1], input[(state >> 33) % i]);
    }
  }
  const auto check = [&] {
    if (!std::ranges::is_sorted(values)) std::exit(1);
  };
  compare(
      name, "std::sort", 1,
      [&] {
        values = input;
        weft::parallel_sort(values);
        check();
      },
      [&] {
        values = input;
        std::ranges::sort(values);
        check();
      });
}

void sort_reversed() { sort("sort-reversed", true); }
void sort_random() { sort("sort-random", false); }

#ifdef WITH_TBB
template <class Group>
void run_tasks(long tasks) {
  Group group;
  for (long i = 0; i < tasks; ++i) {
    group.run([i] {
      long value = i;
      asm volatile("" : "+r"(value));
    });
  }
  group.wait();
}

template <class Group>
void run_tree(Group& group, int depth) {
  if (depth == 0) return;
  for (int child = 0; child < 2; ++child) group.run([&group, depth] { run_tree(group, depth - 1); });
}

template <class Group>
void run_tasks_of_tasks() {
  Group group;
  run_tree(group, 13);
  group.wait();
}

void task_group() {
  compare(
      "task-group", "oneTBB, 1000 tasks", 50, [] { run_tasks<weft::task_group>(1000); },
      [] { run_tasks<tbb::task_group>(1000); });
}

void task_tree() {
  compare(
      "task-tree", "oneTBB, 16382 tasks", 5, [] { run_tasks_of_tasks<weft::task_group>(); },
      [] { run_tasks_of_tasks<tbb::task_group>(); });
}
#endif

struct operation {
  const char* name;
  void (*run)();
};
constexpr operation operations[] = {
    {"mutex", plain_mutex},
    {"recursive-mutex", recursive_mutex},
    {"key", key},
    {"create-many", create_many},
    {"join-many", join_many},
    {"outside", outside},
    {"sort-reversed", sort_reversed},
    {"sort-random", sort_random},
#ifdef WITH_TBB
    {"task-group", task_group},
    {"task-tree", task_tree},
#endif
};

int refuse() {
  std::fprintf(stderr, "usage: beside [NAME]; names:");
  for (const operation& each : operations) std::fprintf(stderr, " %s", each.name);
  std::fprintf(stderr, "\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const char* const only = argc > 1 ? argv[1] : nullptr;
  const auto is_wanted = [=](const operation& one) { return only == nullptr || std::strcmp(one.name, only) == 0; };
  if (argc > 2 || std::ranges::none_of(operations, is_wanted)) return refuse();
#ifdef WITH_TBB
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, workers);
#endif
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  must(weft_init(&config));
  for (const operation& each : operations) {
    if (is_wanted(each)) each.run();
  }
  must(weft_finalize());
  return 0;
}
