// Fuzzing of the core's readers of outside text: the environment, schedules and their records,
// descriptions of machines, lists of CPUs, and the files in which Linux tells CPUs, their groups,
// and the limits of control groups. Each input is a good text that was damaged or not. A reader
// answers or refuses, and what it answers is within its bounds; it neither crashes nor hangs. Built
// with AddressSanitizer and UndefinedBehaviorSanitizer it reads nothing beyond an input, either. A
// failure names the seed that repeats it.
//
// usage: text_fuzz INPUTS [SEED]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <unistd.h>

#include "../support/temp_tree.hpp"
#include "damaged_text.hpp"
#include "os/cpus.hpp"
#include "os/env.hpp"
#include "os/topology.hpp"
#include "os/topology_sources.hpp"
#include "seeded/schedule_text.hpp"
#include "seeded/schedule_trace.hpp"

namespace {

using weft::status;
using weft::test::damaged_text;
using weft::test::texts;
namespace os = weft::os;
namespace sched = weft::sched;

std::uint64_t seed = 1;
int messages = -1;  // where the refusals would go: they are not shown

[[noreturn]] void fail(const char* reader, const char* what) {
  dup2(messages, STDERR_FILENO);
  std::fprintf(stderr, "text_fuzz: %s: %s; again: text_fuzz 1 %llu\n", reader, what, static_cast<unsigned long long>(seed));
  std::exit(1);
}
void need(bool condition, const char* reader, const char* what) {
  if (!condition) fail(reader, what);
}

// A copy of exactly its size: a sanitizer sees a step beyond it.
class exact {
 public:
  explicit exact(const std::string& text) : bytes_(new char[text.size() + 1]) {
    std::memcpy(bytes_.get(), text.c_str(), text.size() + 1);
  }
  const char* text() const { return bytes_.get(); }

 private:
  std::unique_ptr<char[]> bytes_;
};

// ---- the environment ----

texts names_of_variables() {
  texts names;
  os::walk_variables([](const os::variable_info& each, void* into) { static_cast<texts*>(into)->emplace_back(each.name); },
                     &names);
  return names;
}

const texts values = {"4",      "64K",           "1G",           "hybrid",         "20us", "off", "on", "steal",
                      "marker", "numa:2 core:4", "seed:3,pct:2", "deadlock,stall", "usr1", "1ms", "2M"};

void check_settings(const os::settings& read) {
  constexpr const char* reader = "environment";
  need(read.workers <= os::most_workers, reader, "workers beyond the most");
  need(read.stack_bytes >= 16 * 1024 && read.stack_bytes <= (std::size_t{1} << 30), reader, "a stack out of range");
  need(read.spin_ns <= 1'000'000'000, reader, "a spin out of range");
  need(read.watchdog_ns == 0 || (read.watchdog_ns >= 1'000'000 && read.watchdog_ns <= 3600'000'000'000), reader,
       "a watchdog out of range");
  need(read.trace_bytes >= 64 * 1024, reader, "a trace out of range");
  need(static_cast<unsigned>(read.guard) <= static_cast<unsigned>(os::guard_choice::none), reader, "a guard that there is not");
  for (unsigned i = 0; i < os::variable_count; ++i) {
    char text[32];
    os::format_setting(read, static_cast<os::variable>(i), text, sizeof text);
    need(std::strlen(text) < sizeof text, reader, "a setting that does not end");
  }
}

void read_environment(damaged_text& by) {
  static const texts names = names_of_variables();
  std::vector<exact> kept;
  std::vector<const char*> environment;
  for (std::size_t count = 1 + by.draw(4); count != 0; --count) {
    const std::string name = by.draw(8) == 0 ? by.of(names, names) : by.one_of(names);
    kept.emplace_back(name + (by.draw(30) == 0 ? "" : "=") + by.of(values, values));
  }
  for (const exact& each : kept) environment.push_back(each.text());
  environment.push_back(nullptr);
  os::settings read;
  read.workers = 7777;
  const auto of_program = by.draw(4) == 0 ? os::privileges::raised : os::privileges::ordinary;
  const status result = os::read_settings(&read, environment.data(), of_program);
  if (result == status::ok) return check_settings(read);
  need(result == status::invalid && read.workers == 7777, "environment", "a refusal that wrote something");
}

// ---- schedules ----

const texts schedules = {"seed:1",           "seed:18446744073709551615,pct:3,length:1000",
                         "replay:/tmp/x",    "near:a,record:b",
                         "record:f",         "seed:2,pct:64",
                         "seed:3,sample:pos"};
const texts schedule_words = {"seed:", "pct:", "length:", "sample:pos", "replay:", "near:", "record:", ",", ":"};

void read_schedule(damaged_text& by) {
  const exact text(by.of(schedules, schedule_words));
  sched::schedule_wish wish;
  if (!sched::read_schedule(text.text(), &wish)) return;
  need(wish.depth <= 64, "schedule", "a depth beyond the most");
  need(std::memchr(wish.replay, 0, sizeof wish.replay) != nullptr, "schedule", "a path that does not end");
  need(std::memchr(wish.record, 0, sizeof wish.record) != nullptr, "schedule", "a path that does not end");
}

// Files are slow: a text is written once into one that is used again and again.
class file {
 public:
  explicit file(const std::string& path) : path_(path), descriptor_(open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600)) {
    if (descriptor_ < 0) fail("files", path.c_str());
  }
  ~file() { close(descriptor_); }
  file(const file&) = delete;
  file& operator=(const file&) = delete;

  const char* path() const { return path_.c_str(); }
  void write(const std::string& text) const {
    if (ftruncate(descriptor_, 0) != 0 || pwrite(descriptor_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
      fail("files", "cannot be written");
  }

 private:
  std::string path_;
  int descriptor_;
};

const texts records = {
    "weft schedule 1\nrun 1, 4 workers\n17 turn 2/4 8f3a0112\n19 yield 1/2 00000001\nend 120 5b0c9d31\n",
    "weft schedule 1\nrun 1, 4 workers\nend 0 00000000\nrun 2, 4 workers\n1 unit 1/3 12345678\n2 victim 2/3 ffffffff\n3 rest 1/4 "
    "0\n",
    "weft schedule 1\n",
};
const texts record_words = {"run ", " workers\n", "turn ", "yield ", "unit ", "end ", "/", "\n", "weft schedule 1\n"};

void read_record(damaged_text& by, const file& into) {
  into.write(by.of(records, record_words));
  sched::schedule_reader reader;
  if (reader.open(into.path(), 1 + static_cast<unsigned>(by.draw(2)), 4) != status::ok) return;
  sched::recorded_choice choice{};
  unsigned count = 0;
  while (reader.next(&choice)) {
    need(++count < 10'000, "record", "more choices than lines");
    need(choice.chosen < choice.alternatives, "record", "a choice beyond its alternatives");
  }
  std::uint64_t choices = 0;
  std::uint32_t sum = 0;
  static_cast<void>(reader.next_is_end(&choices, &sum));
  reader.close();
}

// ---- machines ----

void check_machine(const os::topology& read, const char* reader) {
  need(read.cpu_count >= 1 && read.cpu_count <= os::max_cpus, reader, "a number of CPUs out of range");
  unsigned present = 0;
  for (const os::cpu_place& each : read.cpus) {
    if (!each.present) continue;
    ++present;
    for (unsigned at = 0; at < os::level_count; ++at)
      need(each.in[at] < read.group_count[at], reader, "a group that there is not");
  }
  need(present == read.cpu_count, reader, "CPUs that are counted twice");
  for (const unsigned count : read.group_count)
    need(count >= 1 && count <= read.cpu_count, reader, "a number of groups out of range");
}

const texts machines = {"package:2 numa:2 l3:1 core:4 pu:2", "numa:2 core:4 pu:2", "core:4", "pu:1024", "socket:1,cache:8,pu:2"};
const texts machine_words = {"package:", "numa:", "l3:", "core:", "pu:", "socket:", "cache:", " ", ",", "\t", ":", "hwloc"};

void read_machine(damaged_text& by) {
  static os::topology read;
  const exact text(by.of(machines, machine_words));
  if (os::read_synthetic(&read, text.text()) == status::ok) check_machine(read, "topology");
}

const texts lists = {"0-3,8,10-11", "0", "0-1023", "", "5,4,3"};
const texts list_words = {"-", ",", "0-", "1023", "\n"};

void read_list(damaged_text& by) {
  struct {
    unsigned highest = 0;
    std::uint64_t count = 0;
  } seen;
  const exact text(by.of(lists, list_words));
  static_cast<void>(os::walk_cpu_list(
      text.text(),
      [](unsigned cpu, void* into) {
        auto* const mine = static_cast<decltype(seen)*>(into);
        if (cpu > mine->highest) mine->highest = cpu;
        ++mine->count;
      },
      &seen));
  need(seen.highest < os::max_cpus, "list of CPUs", "a CPU beyond the most");
}

// Linux's files about two CPUs; one or two of them are damaged.
class sysfs {
 public:
  sysfs() {
    for (const char* name : {"cpu/online", "cpu/cpu0/topology/core_cpus_list", "cpu/cpu1/topology/core_cpus_list",
                             "cpu/cpu0/topology/package_cpus_list", "cpu/cpu0/cache/index0/level", "cpu/cpu0/cache/index0/type",
                             "cpu/cpu0/cache/index0/shared_cpu_list", "node/online", "node/node0/cpulist"}) {
      tree_.write(name, "");
      files_.push_back(std::make_unique<file>(tree_.at(name)));
    }
  }
  void read(damaged_text& by) {
    static const texts good = {"0-1", "0", "1", "0-1", "3", "Unified", "0-1", "0", "0-1"};
    static const texts words = {"-", ",", "Instruction", "1023", "\n"};
    static os::topology found;
    for (std::size_t i = 0; i < files_.size(); ++i) files_[i]->write(by.draw(4) == 0 ? by.of({good[i]}, words) : good[i] + "\n");
    if (os::read_sysfs(&found, tree_.at("").c_str())) check_machine(found, "sysfs");
  }

 private:
  weft::test::temp_tree tree_;
  std::vector<std::unique_ptr<file>> files_;
};

// ---- control groups ----

class control_groups {
 public:
  control_groups() {
    for (const char* name : {"proc/self/cgroup", "cg/cpu.max", "cg/a/cpu.max", "cg/a/b/cpu.max", "cg/cpu/a/cpu.cfs_quota_us",
                             "cg/cpu/a/cpu.cfs_period_us"}) {
      tree_.write(name, "");
      files_.push_back(std::make_unique<file>(tree_.at(name)));
    }
    proc_ = tree_.at("proc");
    cgroups_ = tree_.at("cg");
  }
  void read(damaged_text& by) {
    static const texts groups = {"0::/a/b\n", "1:cpu,cpuacct:/a\n0::/\n", "0::/../x\n", "5:memory:/a\n4:cpu:/a/b/c\n"};
    static const texts limits = {"150000 100000\n", "max 100000\n", "1 1000000\n", "-1\n", "100000\n"};
    static const texts words = {":", "/", "..", "cpu", ",", "max", " ", "\n", "0::"};
    files_[0]->write(by.of(groups, words));
    for (std::size_t i = 1; i < files_.size(); ++i) files_[i]->write(by.of(limits, words));
    const double quota = os::cpu_quota(proc_.c_str(), cgroups_.c_str());
    need(quota >= 0 && std::isfinite(quota), "control groups", "a limit that is no number");
    const unsigned workers = os::worker_count_for(2, quota);
    need(workers >= 1 && workers <= 2, "control groups", "a number of workers beyond that of CPUs");
  }

 private:
  weft::test::temp_tree tree_;
  std::string proc_, cgroups_;
  std::vector<std::unique_ptr<file>> files_;
};

}  // namespace

int main(int count, char** words) {
  if (count < 2) return 2;
  const std::uint64_t inputs = std::strtoull(words[1], nullptr, 10);
  if (count > 2) seed = std::strtoull(words[2], nullptr, 10);
  messages = dup(STDERR_FILENO);
  if (messages < 0 || dup2(open("/dev/null", O_WRONLY), STDERR_FILENO) < 0) return 2;
  const weft::test::temp_tree tree;
  const file record(tree.at("record"));
  sysfs machine;
  control_groups groups;
  for (std::uint64_t made = 0; made < inputs; ++made, ++seed) {
    damaged_text by(seed);
    switch (by.draw(100)) {  // files take twenty times as long as texts
      case 0: machine.read(by); break;
      case 1: groups.read(by); break;
      case 2:
      case 3: read_record(by, record); break;
      default:
        switch (by.draw(4)) {
          case 0: read_environment(by); break;
          case 1: read_schedule(by); break;
          case 2: read_machine(by); break;
          default: read_list(by);
        }
    }
  }
  std::printf("figure: fuzzed texts = %llu\n", static_cast<unsigned long long>(inputs));
  return 0;
}
