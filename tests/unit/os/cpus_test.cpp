#include "os/cpus.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "../../support/temp_tree.hpp"

using namespace weft;

namespace {

// A process whose /proc/self/cgroup holds lines, beneath a cgroup tree that the test fills.
class machine {
 public:
  explicit machine(const std::string& lines) { tree_.write("proc/self/cgroup", lines); }
  machine& with(const std::string& file, const std::string& text) {
    tree_.write("cgroup/" + file, text);
    return *this;
  }
  double quota() const { return os::cpu_quota(tree_.at("proc").c_str(), tree_.at("cgroup").c_str()); }
  unsigned workers() const { return os::default_worker_count(tree_.at("proc").c_str(), tree_.at("cgroup").c_str()); }

 private:
  test::temp_tree tree_;
};

constexpr double unlimited = 0;

}  // namespace

TEST_CASE("version 2: the process's own cgroup limits") {
  machine own("0::/user/job");
  CHECK(own.with("user/job/cpu.max", "150000 100000").quota() == doctest::Approx(1.5));
}

TEST_CASE("version 2: each ancestor limits, the least holds") {
  machine nested("0::/a/b/c");
  nested.with("a/cpu.max", "400000 100000").with("a/b/cpu.max", "max 100000").with("a/b/c/cpu.max", "800000 100000");
  CHECK(nested.quota() == doctest::Approx(4));
  CHECK(nested.with("a/b/cpu.max", "50000 100000").quota() == doctest::Approx(0.5));
}

TEST_CASE("version 2: max, a missing file and nonsense do not limit") {
  CHECK(machine("0::/a").with("a/cpu.max", "max 100000").quota() == unlimited);
  CHECK(machine("0::/a").quota() == unlimited);
  CHECK(machine("0::/a").with("a/cpu.max", "what").quota() == unlimited);
  CHECK(machine("0::/a").with("a/cpu.max", "100 0").quota() == unlimited);
  CHECK(machine("0::/a").with("a/cpu.max", "").quota() == unlimited);
  CHECK(machine("nonsense").quota() == unlimited);
  CHECK(machine("").quota() == unlimited);
}

TEST_CASE("version 2 in a container: its own cgroup is the root that it sees") {
  CHECK(machine("0::/").with("cpu.max", "200000 100000").quota() == doctest::Approx(2));
  CHECK(machine("0::/docker/0123").with("cpu.max", "200000 100000").quota() == doctest::Approx(2));
  CHECK(machine("0::/../../other").with("cpu.max", "200000 100000").quota() == doctest::Approx(2));
}

TEST_CASE("version 1: quota and period in two files, -1 for no limit, ancestors too") {
  const char* lines = "4:memory:/job\n3:cpu,cpuacct:/job/step\n1:name=systemd:/x";
  machine limited(lines);
  limited.with("cpu,cpuacct/job/step/cpu.cfs_quota_us", "-1").with("cpu,cpuacct/job/step/cpu.cfs_period_us", "100000");
  CHECK(limited.quota() == unlimited);
  limited.with("cpu,cpuacct/job/cpu.cfs_quota_us", "250000").with("cpu,cpuacct/job/cpu.cfs_period_us", "100000");
  CHECK(limited.quota() == doctest::Approx(2.5));
}

TEST_CASE("version 1 under the short name of the controller, and cpuset is not cpu") {
  machine limited("2:cpuset:/a\n1:cpu:/a");
  limited.with("cpuset/a/cpu.cfs_quota_us", "1").with("cpuset/a/cpu.cfs_period_us", "100000");
  CHECK(limited.quota() == unlimited);
  limited.with("cpu/a/cpu.cfs_quota_us", "300000").with("cpu/a/cpu.cfs_period_us", "100000");
  CHECK(limited.quota() == doctest::Approx(3));
}

TEST_CASE("version 1: cpu is found wherever it stands in the list of controllers") {
  machine last("4:memory:/a\n3:cpuacct,cpu:/a");
  last.with("cpuacct,cpu/a/cpu.cfs_quota_us", "150000").with("cpuacct,cpu/a/cpu.cfs_period_us", "100000");
  CHECK(last.quota() == doctest::Approx(1.5));
  machine between("3:cpuset,cpu,cpuacct:/a");
  between.with("cpuset,cpu,cpuacct/a/cpu.cfs_quota_us", "250000").with("cpuset,cpu,cpuacct/a/cpu.cfs_period_us", "100000");
  CHECK(between.quota() == doctest::Approx(2.5));
}

TEST_CASE("both versions at once: the least holds") {
  machine both("1:cpu:/a\n0::/b");
  both.with("cpu/a/cpu.cfs_quota_us", "300000")
      .with("cpu/a/cpu.cfs_period_us", "100000")
      .with("unified/b/cpu.max", "100000 100000");
  CHECK(both.quota() == doctest::Approx(1));
}

TEST_CASE("no /proc does not limit") { CHECK(os::cpu_quota("/nowhere", "/nowhere") == unlimited); }

TEST_CASE("a path that is too long is not followed, and not overrun") {
  CHECK(machine("0::/" + std::string(2000, 'x')).with("cpu.max", "200000 100000").quota() == doctest::Approx(2));
}

TEST_CASE("workers: the mask, the quota rounded up, at least one") {
  CHECK(os::worker_count_for(8, unlimited) == 8);
  CHECK(os::worker_count_for(8, 1.5) == 2);
  CHECK(os::worker_count_for(8, 2.0) == 2);
  CHECK(os::worker_count_for(8, 0.1) == 1);
  CHECK(os::worker_count_for(2, 100) == 2);
  CHECK(os::worker_count_for(0, unlimited) == 1);
}

TEST_CASE("this process may use a CPU, and the list is ascending") {
  std::uint16_t cpus[os::max_cpus];
  const unsigned count = os::allowed_cpus(cpus, os::max_cpus);
  REQUIRE(count >= 1);
  for (unsigned i = 1; i < count; ++i) CHECK(cpus[i - 1] < cpus[i]);
  CHECK(os::allowed_cpus(cpus, 1) == 1);
}

TEST_CASE("the default number of workers: a worker a CPU of the mask, or fewer where the quota says so") {
  std::uint16_t cpus[os::max_cpus];
  const unsigned count = os::allowed_cpus(cpus, os::max_cpus);
  CHECK(machine("0::/a").workers() == count);
  CHECK(machine("0::/a").with("a/cpu.max", "max 100000").workers() == count);
  CHECK(machine("0::/a").with("a/cpu.max", "50000 100000").workers() == 1);
  CHECK(machine("0::/a").with("a/cpu.max", "150000 100000").workers() == std::min(count, 2u));
  CHECK(os::default_worker_count() == os::worker_count_for(count, os::cpu_quota("/proc", "/sys/fs/cgroup")));
}
