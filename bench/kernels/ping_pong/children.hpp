// Threads that wait for each other over harness/threads.hpp.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

#include "harness/share.hpp"
#include "harness/threads.hpp"
#include "kernels/ping_pong/ping_pong.hpp"

namespace bench::ping_pong {

// Runs all members as threads and waits for them.
template <class Threads, class Member>
void run_all(Member* members, std::size_t count, stopwatch& watch) {
  auto const threads = std::make_unique<typename Threads::thread[]>(count);
  watch.start();
  for (std::size_t index = 0; index < count; ++index) threads[index].start_record(&members[index]);
  for (std::size_t index = 0; index < count; ++index) threads[index].join();
  watch.stop();
}

template <class Threads>
struct counter_by {
  typename Threads::mutex mutex;
  std::uint64_t locks = 0;
  std::uint64_t handovers = 0;
  const void* last_holder = nullptr;
};

template <class Threads>
struct holder_by {
  counter_by<Threads>* of;
  std::uint64_t times;

  void run() {
    for (; times > 0; --times) {
      hold();
      Threads::yield();
    }
  }

 private:
  void hold() {
    std::lock_guard<typename Threads::mutex> const lock(of->mutex);
    ++of->locks;
    if (of->last_holder != this) ++of->handovers;
    of->last_holder = this;
    Threads::yield();
  }
};

template <class Threads>
kernel_run run_mutex_by(const kernel_input& input, stopwatch& watch) {
  std::size_t const count = std::size_t{2} * input.workers;
  counter_by<Threads> counter;
  auto const holders = std::make_unique<holder_by<Threads>[]>(count);
  for (std::size_t index = 0; index < count; ++index) holders[index] = {&counter, share(input.size, count, index)};
  run_all<Threads>(holders.get(), count, watch);
  double const ratio = static_cast<double>(counter.handovers) / static_cast<double>(counter.locks);
  return {counter.locks, counter.locks, {{"handovers_ratio", ratio}}};
}

// What two players share: pass(own) waits for the turn, or the ball, and gives it to the other one.
template <class Threads>
class table_with_conditions {
 public:
  void pass(std::size_t own) {
    {
      std::unique_lock<typename Threads::mutex> lock(mutex_);
      while (turn_ != own) has_turn_[own].wait(lock);
      turn_ = 1 - own;
      ++passes_;
    }
    has_turn_[1 - own].notify_one();
  }
  void end(std::size_t) {}
  [[nodiscard]] std::uint64_t passes() const { return passes_; }

 private:
  typename Threads::mutex mutex_;
  typename Threads::condition has_turn_[2];
  std::size_t turn_ = 0;
  std::uint64_t passes_ = 0;
};

template <class Threads>
class table_with_channels {
 public:
  void pass(std::size_t own) {
    bool const is_serve = own == 0 && !was_served_;
    if (is_serve) was_served_ = true;
    std::uint64_t const ball = is_serve ? 0 : to_[own].receive();
    to_[1 - own].send(ball + 1);
  }
  // The first player catches the last ball.
  void end(std::size_t own) {
    if (own == 0 && was_served_) passes_ = to_[0].receive();
  }
  [[nodiscard]] std::uint64_t passes() const { return passes_; }

 private:
  typename Threads::channel to_[2];
  bool was_served_ = false;  // the first player's, as is the next
  std::uint64_t passes_ = 0;
};

template <class Table>
struct player_at {
  Table* table;
  std::size_t own;
  std::uint64_t times;

  void run() {
    for (; times > 0; --times) table->pass(own);
    table->end(own);
  }
};

template <class Threads, template <class> class Table>
kernel_run run_pairs_by(const kernel_input& input, stopwatch& watch) {
  using table = Table<Threads>;
  std::size_t const count = input.workers;
  auto const tables = std::make_unique<table[]>(count);
  auto const players = std::make_unique<player_at<table>[]>(2 * count);
  for (std::size_t index = 0; index < 2 * count; ++index)
    players[index] = {&tables[index / 2], index % 2, share(input.size, count, index / 2)};
  run_all<Threads>(players.get(), 2 * count, watch);
  std::uint64_t passes = 0;
  for (std::size_t index = 0; index < count; ++index) passes += tables[index].passes();
  return {passes, 2 * input.size, {}};
}

template <class Threads>
kernel_run run_condition_by(const kernel_input& input, stopwatch& watch) {
  return run_pairs_by<Threads, table_with_conditions>(input, watch);
}

template <class Threads>
kernel_run run_channel_by(const kernel_input& input, stopwatch& watch) {
  return run_pairs_by<Threads, table_with_channels>(input, watch);
}

}  // namespace bench::ping_pong
