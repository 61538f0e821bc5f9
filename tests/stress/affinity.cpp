// Programs with known answers while the process's CPUs go away and come back: the affinity of all
// its OS threads is narrowed to one CPU and widened again, and, where a cgroup can be written, its
// quota of CPU time shrinks and grows. A worker that others wait for in vain is a hang. Usage:
// affinity WORKERS.
#include <dirent.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <weft/weft.hpp>

#include "stress.hpp"

namespace {

using weft::stress::dice;

// ---- programs ----

long fib(long n) {
  if (n < 2) return n;
  auto left = weft::fork([=] { return fib(n - 1); });
  const long right = fib(n - 2);
  return left.join() + right;
}

// Threads that wait for each other all the time.
void check_turns(dice from) {
  const unsigned count = 2 + from.below(8), rounds = 1 + from.below(50);
  weft::mutex mutex;
  weft::condition_variable changed;
  unsigned turns = 0;
  std::vector<weft::thread> threads;
  for (unsigned self = 0; self < count; ++self) {
    threads.emplace_back([&, self] {
      for (unsigned round = 0; round < rounds; ++round) {
        std::unique_lock hold(mutex);
        changed.wait(hold, [&] { return turns % count == self; });
        ++turns;
        changed.notify_all();
      }
    });
  }
  for (weft::thread& each : threads) each.join();
  MUST(turns == count * rounds);
}

void check_barrier(dice from) {
  const unsigned count = 2 + from.below(16);
  weft_barrier barrier;
  OK(weft_barrier_init(&barrier, count));
  std::atomic<unsigned> arrived{0};
  std::vector<weft::thread> threads;
  for (unsigned self = 0; self < count; ++self) {
    threads.emplace_back([&] {
      for (unsigned round = 1; round <= 20; ++round) {
        arrived.fetch_add(1);
        OK(weft_barrier_wait(&barrier, nullptr));
        MUST(arrived.load() >= round * count);
        OK(weft_barrier_wait(&barrier, nullptr));
      }
    });
  }
  for (weft::thread& each : threads) each.join();
}

void run_program(dice from) {
  switch (from.below(3)) {
    case 0: MUST(fib(20) == 6765); break;
    case 1: check_turns(from); break;
    default: check_barrier(from);
  }
  weft::stress::programs.fetch_add(1);
}

// ---- affinity ----

cpu_set_t mask_of_process() {
  cpu_set_t mask;
  MUST(sched_getaffinity(0, sizeof mask, &mask) == 0);
  return mask;
}

cpu_set_t one_cpu_of(const cpu_set_t& mask, dice* from) {
  std::vector<unsigned> cpus;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &mask)) cpus.push_back(cpu);
  }
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpus[from->below(static_cast<unsigned>(cpus.size()))], &one);
  return one;
}

// Of all OS threads, as taskset -ap does. One that ends meanwhile does not matter.
void set_affinity_of_all(const cpu_set_t& mask) {
  DIR* const tasks = opendir("/proc/self/task");
  MUST(tasks != nullptr);
  while (const dirent* each = readdir(tasks)) {
    const int id = std::atoi(each->d_name);
    if (id != 0) static_cast<void>(sched_setaffinity(id, sizeof mask, &mask));
  }
  closedir(tasks);
}

// ---- quota: a cgroup of our own, of version 2, or of version 1 where that has the CPUs ----

constexpr unsigned period_us = 10000;

bool write_text(const std::string& path, const std::string& text) {
  std::FILE* const file = std::fopen(path.c_str(), "r+");  // never made, only written
  if (file == nullptr) return false;
  const bool is_written = std::fputs(text.c_str(), file) >= 0;
  return std::fclose(file) == 0 && is_written;
}

// What stands behind a word such as "0::" or ":cpu:" in /proc/self/cgroup; empty: nothing.
std::string cgroup_behind(const char* word) {
  std::FILE* const file = std::fopen("/proc/self/cgroup", "r");
  if (file == nullptr) return {};
  std::array<char, 4096> line{};
  std::string found;
  while (found.empty() && std::fgets(line.data(), line.size(), file) != nullptr) {
    const std::string text(line.data());
    const std::size_t at = text.find(word);
    if (at != std::string::npos) found = text.substr(at + std::strlen(word), text.find('\n') - at - std::strlen(word));
  }
  std::fclose(file);
  return found;
}

class quota {
 public:
  quota() {
    is_there_ = make("/sys/fs/cgroup" + cgroup_behind("0::"), 2) || make("/sys/fs/cgroup/cpu" + cgroup_behind(":cpu:"), 1);
    if (!is_there_) std::printf("affinity: no quota is set: no cgroup with a limit of CPU time can be made here\n");
    std::fflush(stdout);
  }
  ~quota() {
    if (is_there_) unmake();
  }
  quota(const quota&) = delete;
  quota& operator=(const quota&) = delete;

  void shrink(unsigned hundredths_of_a_cpu) {
    if (!is_there_) return;
    MUST(set(std::to_string(hundredths_of_a_cpu * period_us / 100)));
    changes_.fetch_add(1);
  }
  unsigned changes() const { return changes_.load(); }  // 0 where no cgroup can be made: then only the affinity changes
  void lift() {
    if (is_there_) MUST(set(version_ == 2 ? "max" : "-1"));
  }

 private:
  bool make(const std::string& within, int version) {
    version_ = version;
    outer_ = within;
    inner_ = within + "/weft-stress-" + std::to_string(getpid());
    if (mkdir(inner_.c_str(), 0755) != 0) return false;
    const bool has_limit = version == 2 ? write_text(within + "/cgroup.subtree_control", "+cpu")
                                        : write_text(inner_ + "/cpu.cfs_period_us", std::to_string(period_us));
    if (has_limit && write_text(inner_ + "/cgroup.procs", "0") && set(version == 2 ? "max" : "-1")) return true;
    unmake();
    return false;
  }
  void unmake() {
    static_cast<void>(write_text(outer_ + "/cgroup.procs", "0"));
    static_cast<void>(rmdir(inner_.c_str()));
  }
  bool set(const std::string& limit) {
    if (version_ == 1) return write_text(inner_ + "/cpu.cfs_quota_us", limit);
    return write_text(inner_ + "/cpu.max", limit + " " + std::to_string(period_us));
  }

  int version_ = 0;
  std::string outer_, inner_;
  bool is_there_ = false;
  std::atomic<unsigned> changes_{0};
};

quota* limit;

// ---- what an OS thread outside changes meanwhile ----

class changes {
 public:
  explicit changes(std::uint64_t seed) : all_(mask_of_process()), thread_([this, seed] { run(dice(seed)); }) {}
  changes(const changes&) = delete;
  changes& operator=(const changes&) = delete;
  ~changes() {
    is_over_.store(true);
    thread_.join();
  }

 private:
  void run(dice from) {
    while (!is_over_.load()) {
      set_affinity_of_all(one_cpu_of(all_, &from));
      if (from.one_in(2)) limit->shrink(10 + from.below(40));
      usleep(from.below(5000));
      set_affinity_of_all(all_);
      limit->lift();
      usleep(from.below(3000));
    }
  }

  cpu_set_t all_;
  std::atomic<bool> is_over_{false};
  std::thread thread_;  // last: it uses the others
};

void live(unsigned workers, std::uint64_t seed) {
  dice from(seed);
  const weft_config config = weft::stress::some_config(workers, &from);
  {
    const changes meanwhile(from.next());
    OK(weft_init(&config));
    MUST(weft_worker_count() == workers);
    for (int program = 0; program < 10; ++program) {
      weft_event outside_ended = WEFT_EVENT_INIT;
      std::thread outside([&, inner = dice(from.next())] {
        run_program(inner);
        OK(weft_event_set(&outside_ended));
      });
      run_program(dice(from.next()));
      OK(weft_event_wait(&outside_ended));  // it may need this worker
      outside.join();
    }
    MUST(weft_worker_count() == workers);
    OK(weft_finalize());
  }
}

}  // namespace

int main(int count, char** arguments) {
  quota own;
  limit = &own;
  const int status = weft::stress::live_on("affinity", count, arguments, live);
  std::printf("figure: quota changes = %u\n", own.changes());
  return status;
}
