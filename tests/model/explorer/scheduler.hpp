// Which logical thread performs the next operation. Threads stop before every operation on an
// atomic; the scheduler then asks the path of choices which thread goes on. See
// docs/protocols/explorer.md for what pausing, sleeping and the bounds mean.
#pragma once

#include <string>
#include <vector>

#include "explorer/choices.hpp"
#include "explorer/coroutine.hpp"
#include "explorer/execution.hpp"
#include "explorer/memory.hpp"

namespace explorer {

enum class operation_kind { none, read, write, futex, fence, light_fence, heavy_fence };

struct operation {
  operation_kind kind = operation_kind::none;
  int location = -1;
  bool seq_cst = false;
};

// Whether two operations of different threads may swap places without any thread noticing.
bool independent(const operation& a, const operation& b);

inline constexpr std::uint64_t clock_step_ns = 10'000;  // so large that patience measured in time ends after a few looks

class scheduler {
 public:
  scheduler(choices& path, memory& mem) : path_(path), memory_(mem) {}

  // ---- the driver's side ----

  // Runs body as thread 0 until it returns or a thread abandons the execution.
  void run(void (*body)(), const bounds& limits);

  // ---- the threads' side ----

  void fork(const start* first, int count);          // thread 0: runs them all to their ends
  void before(operation next);                       // returns when the caller is to perform it
  void saw(int location, timestamp at, word value);  // for loops that pause: what this iteration depends on
  timestamp same_as(int location) const;             // a thread that goes on without news reads what it read before
  void pause();
  bool sleep(int location, std::uint64_t deadline_ns);  // false: timed out
  int wake(int location, int count);                    // how many
  [[noreturn]] void abandon(ending end);                // leaves the execution for good
  bool has_timed_out() const { return thread(self_).timeouts != 0; }
  std::uint64_t read_clock() { return thread(self_).clock_ns += clock_step_ns; }
  bool spurious_left() const { return left_.spurious > 0; }
  void spend_spurious() { --left_.spurious; }

  int self() const { return self_; }
  ending end() const { return end_; }
  const std::string& name(int i) const { return thread(i).name; }
  std::string describe_stuck() const;

 private:
  enum class state { absent, ready, asleep, finished };
  enum class how { goes_on, without_news, forced, early_timeout, late_timeout, spurious };
  struct spin_read {
    int location;
    timestamp at;
    word value;
    bool operator==(const spin_read& other) const { return location == other.location && at == other.at; }
  };
  struct logical_thread {
    coroutine context;
    start begin{};
    std::string name;
    state is = state::absent;
    operation pending;
    bool paused = false;
    bool alone = false;  // goes round its loop without news, see bounds::impatience
    how resumed = how::goes_on;
    int fruitless = 0;
    std::vector<spin_read> reads;     // since the last pause
    std::vector<spin_read> previous;  // between the last two pauses
    int sleeps_on = -1;
    std::uint64_t deadline_ns = no_deadline;
    std::uint64_t clock_ns = 0;
    bool has_deadline() const { return deadline_ns < never_ns; }
    bool timed_out = false;
    int timeouts = 0;
  };
  struct option {
    int thread;
    how way;
  };

  logical_thread& thread(int i) { return threads_[i]; }
  const logical_thread& thread(int i) const { return threads_[i]; }

  static void enter();
  void jump(int to);
  void switch_to_next();
  void collect_options();
  void collect_budgeted();
  void collect_forced();
  void drop_sleeping();
  option choose();
  void put_to_sleep(int chosen_index);
  void resume(option chosen);
  bool has_news(const logical_thread& thread) const;
  bool reduces() const;

  choices& path_;
  memory& memory_;
  bounds left_;
  coroutine driver_;
  logical_thread threads_[max_threads];
  void (*body_)() = nullptr;
  int count_ = 0;  // of threads beside thread 0
  int self_ = -1;
  bool priming_ = false;
  bool preempts_ = false;  // the choice at hand: the caller could go on, another thread would cost a preemption
  ending end_ = ending::finished;
  int steps_ = 0;
  int forced_ = 0;
  std::vector<option> options_;
  unsigned sleep_set_ = 0;
};

}  // namespace explorer
