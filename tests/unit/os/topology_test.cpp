#include "os/topology.hpp"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "../../support/child.hpp"
#include "../../support/temp_tree.hpp"
#include "os/fault.hpp"
#include "os/topology_sources.hpp"

using namespace weft;
using os::level;

namespace {

std::unique_ptr<os::topology> synthetic(const char* text) {
  auto machine = std::make_unique<os::topology>();
  REQUIRE(os::read_topology(machine.get(), text) == status::ok);
  CHECK(machine->source == os::topology_source::synthetic);
  return machine;
}

void check_counts(const os::topology& of, unsigned cpus, unsigned cores, unsigned caches, unsigned nodes, unsigned packages) {
  CHECK(of.cpu_count == cpus);
  CHECK(of.groups(level::core) == cores);
  CHECK(of.groups(level::cache) == caches);
  CHECK(of.groups(level::numa) == nodes);
  CHECK(of.groups(level::package) == packages);
}

void write_cpu(test::temp_tree* tree, unsigned cpu, const std::string& core, const std::string& package,
               const std::string& cache) {
  const std::string at = "cpu/cpu" + std::to_string(cpu);
  tree->write(at + "/topology/core_cpus_list", core);
  tree->write(at + "/topology/package_cpus_list", package);
  tree->write(at + "/cache/index0/type", "Data");
  tree->write(at + "/cache/index0/level", "1");
  tree->write(at + "/cache/index0/shared_cpu_list", core);
  tree->write(at + "/cache/index1/type", "Instruction");
  tree->write(at + "/cache/index1/level", "9");
  tree->write(at + "/cache/index2/type", "Unified");
  tree->write(at + "/cache/index2/level", "3");
  tree->write(at + "/cache/index2/shared_cpu_list", cache);
}

// Two packages of two cores with two CPUs each, numbered as Linux does: siblings are n and n + 4.
// CPU 3 is offline.
void write_machine(test::temp_tree* tree) {
  tree->write("cpu/online", "0-2,4-7");
  const char* cores[] = {"0,4", "1,5", "2,6", "7"};
  const char* packages[] = {"0-1,4-5", "2,6-7"};
  for (unsigned cpu : {0u, 1u, 2u, 4u, 5u, 6u, 7u})
    write_cpu(tree, cpu, cores[cpu % 4], packages[cpu % 4 / 2], packages[cpu % 4 / 2]);
  tree->write("node/online", "0-1,3");
  tree->write("node/node0/cpulist", "0-1,4-5");
  tree->write("node/node1/cpulist", "");  // memory alone
  tree->write("node/node3/cpulist", "2,6-7");
}

std::vector<unsigned> listed(const char* text, bool good) {
  std::vector<unsigned> cpus;
  const auto add = [](unsigned cpu, void* to) { static_cast<std::vector<unsigned>*>(to)->push_back(cpu); };
  CHECK(os::walk_cpu_list(text, add, &cpus) == good);
  return cpus;
}

}  // namespace

TEST_CASE("a synthetic machine with every level") {
  const auto machine = synthetic("package:2 numa:2 l3:2 core:4 pu:2");
  check_counts(*machine, 64, 32, 8, 4, 2);
  CHECK(os::distance(*machine, 0, 0) == 0);
  CHECK(os::distance(*machine, 0, 1) == 0);
  CHECK(os::distance(*machine, 0, 2) == 1);
  CHECK(os::distance(*machine, 0, 8) == 2);
  CHECK(os::distance(*machine, 0, 16) == 3);
  CHECK(os::distance(*machine, 0, 32) == 4);
  CHECK(os::distance(*machine, 63, 0) == 4);
  CHECK(os::distance(*machine, 0, 64) == 4);
  CHECK(os::distance(*machine, 5000, 0) == 4);
  CHECK(machine->group(63, level::cache) == 7);
}

TEST_CASE("levels that nest in another order: near is what the innermost of them holds") {
  const auto clusters = synthetic("package:2 l3:1 numa:2 core:4");  // sub-NUMA clusters
  check_counts(*clusters, 16, 16, 2, 4, 2);
  CHECK(os::distance(*clusters, 0, 0) == 0);
  CHECK(os::distance(*clusters, 0, 3) == 1);
  CHECK(os::distance(*clusters, 0, 4) == 2);
  CHECK(os::distance(*clusters, 0, 8) == 4);

  const auto one_node = synthetic("numa:1 package:2 l3:2 core:2");  // NPS0, or a kernel with numa=off
  check_counts(*one_node, 8, 8, 4, 1, 2);
  CHECK(os::distance(*one_node, 0, 1) == 1);
  CHECK(os::distance(*one_node, 0, 2) == 2);
  CHECK(os::distance(*one_node, 0, 4) == 3);

  check_counts(*synthetic("numa:2 package:2 core:2"), 8, 8, 4, 2, 4);  // a cache a package, which is the inner one
  check_counts(*synthetic("l3:2 package:2 core:2"), 8, 8, 2, 4, 4);
  check_counts(*synthetic("package:1 l3:1 numa:2 core:4"), 8, 8, 1, 2, 1);
}

TEST_CASE("levels may be left out, and have other names and separators") {
  check_counts(*synthetic("core:4"), 4, 4, 1, 1, 1);
  check_counts(*synthetic("pu:6"), 6, 6, 1, 1, 1);
  check_counts(*synthetic("  numa:2,core:4,pu:2 "), 16, 8, 2, 2, 1);
  check_counts(*synthetic("socket:2 cache:2 core:2"), 8, 8, 4, 2, 2);
  check_counts(*synthetic("core:1024"), 1024, 1024, 1, 1, 1);
}

TEST_CASE("a bad synthetic machine is one line that names the bad part") {
  struct {
    const char* text;
    const char* part;
    const char* why;
  } const bad[] = {
      {"numa:2 l4:2", "\"l4:2\"", "no such level"},
      {"core", "\"core\"", "a level and a number"},
      {"core:", "\"core:\"", "number from 1"},
      {"core:0", "\"core:0\"", "number from 1"},
      {"core:-1", "\"core:-1\"", "number from 1"},
      {"core:4x pu:2", "\"core:4x\"", "number from 1"},
      {"core:99999999999", "\"core:99999999999\"", "number"},
      {"core:33 pu:32", "\"pu:32\"", "1024 CPUs"},
      {"core:1025", "\"core:1025\"", "1024 CPUs"},
      {"pu:2 core:2", "\"core:2\"", "outside in"},
      {"core:2 numa:2", "\"numa:2\"", "outside in"},
      {"core:2 core:2", "\"core:2\"", "twice"},
      {":2", "\":2\"", "no such level"},
      {"", "\"\"", "want levels"},
      {" , ", "\"\"", "want levels"},
  };
  for (const auto& each : bad) {
    CAPTURE(each.text);
    const auto end = test::run_in_child([&] {
      auto machine = std::make_unique<os::topology>();
      return static_cast<int>(os::read_topology(machine.get(), each.text));
    });
    CHECK(end.exit_code == WEFT_INVALID);
    CHECK(end.lines() == 1);
    CHECK(end.says(each.part));
    CHECK(end.says(each.why));
  }
}

TEST_CASE("sysfs: two packages, siblings, a node without CPUs, an offline CPU") {
  test::temp_tree tree;
  write_machine(&tree);
  auto machine = std::make_unique<os::topology>();
  REQUIRE(os::read_sysfs(machine.get(), tree.at("").c_str()));
  check_counts(*machine, 7, 4, 2, 2, 2);
  CHECK_FALSE(machine->cpus[3].present);
  CHECK(os::distance(*machine, 0, 4) == 0);
  CHECK(os::distance(*machine, 0, 5) == 1);
  CHECK(os::distance(*machine, 0, 2) == 4);
  CHECK(os::distance(*machine, 0, 3) == 4);
  CHECK(machine->source == os::topology_source::sysfs);
}

TEST_CASE("sysfs: a package with one cache and two nodes, as sub-NUMA clusters make it") {
  test::temp_tree tree;
  tree.write("cpu/online", "0-15");
  for (unsigned cpu = 0; cpu < 16; ++cpu) {
    const char* const package = cpu < 8 ? "0-7" : "8-15";
    write_cpu(&tree, cpu, std::to_string(cpu), package, package);
  }
  tree.write("node/online", "0-3");
  const char* const nodes[] = {"0-3", "4-7", "8-11", "12-15"};
  for (unsigned node = 0; node < 4; ++node) tree.write("node/node" + std::to_string(node) + "/cpulist", nodes[node]);
  auto machine = std::make_unique<os::topology>();
  REQUIRE(os::read_sysfs(machine.get(), tree.at("").c_str()));
  check_counts(*machine, 16, 16, 2, 4, 2);
  CHECK(os::distance(*machine, 0, 3) < os::distance(*machine, 0, 4));
  CHECK(os::distance(*machine, 0, 4) < os::distance(*machine, 0, 8));
}

TEST_CASE("sysfs: two packages in one node, and caches that are smaller than both") {
  test::temp_tree tree;
  tree.write("cpu/online", "0-7");
  const char* const caches[] = {"0-1", "2-3", "4-5", "6-7"};
  for (unsigned cpu = 0; cpu < 8; ++cpu) write_cpu(&tree, cpu, std::to_string(cpu), cpu < 4 ? "0-3" : "4-7", caches[cpu / 2]);
  tree.write("node/online", "0");
  tree.write("node/node0/cpulist", "0-7");
  auto machine = std::make_unique<os::topology>();
  REQUIRE(os::read_sysfs(machine.get(), tree.at("").c_str()));
  check_counts(*machine, 8, 8, 4, 1, 2);
  CHECK(os::distance(*machine, 0, 1) == 1);
  CHECK(os::distance(*machine, 0, 2) == 2);
  CHECK(os::distance(*machine, 0, 4) == 3);
}

TEST_CASE("sysfs: levels that overlap have their usual order") {
  test::temp_tree tree;
  tree.write("cpu/online", "0-3");
  for (unsigned cpu = 0; cpu < 4; ++cpu) write_cpu(&tree, cpu, std::to_string(cpu), "0-3", cpu % 2 == 0 ? "0,2" : "1,3");
  tree.write("node/online", "0-1");
  tree.write("node/node0/cpulist", "0-1");
  tree.write("node/node1/cpulist", "2-3");
  auto machine = std::make_unique<os::topology>();
  REQUIRE(os::read_sysfs(machine.get(), tree.at("").c_str()));
  CHECK(os::distance(*machine, 0, 2) == 1);
  CHECK(os::distance(*machine, 0, 1) == 2);
  CHECK(os::distance(*machine, 0, 3) == 3);
}

TEST_CASE("sysfs: lists that end in NUL, as some of Linux 5.15 do, behind a newline or not") {
  test::temp_tree tree;
  const auto nul = [](const char* list) { return std::string(list) + '\0'; };
  tree.write("cpu/online", nul("0-3\n"));
  for (unsigned cpu = 0; cpu < 4; ++cpu) {
    const std::string pair = nul(cpu < 2 ? "0-1\n" : "2-3\n");
    write_cpu(&tree, cpu, nul(std::to_string(cpu).c_str()), pair, pair);
  }
  tree.write("node/online", nul("0-1\n"));
  tree.write("node/node0/cpulist", nul("0-1"));
  tree.write("node/node1/cpulist", nul("2-3\n"));
  auto machine = std::make_unique<os::topology>();
  REQUIRE(os::read_sysfs(machine.get(), tree.at("").c_str()));
  check_counts(*machine, 4, 4, 2, 2, 2);
}

TEST_CASE("sysfs of an old kernel, and one that tells nothing but which CPUs there are") {
  test::temp_tree old;
  old.write("cpu/online", "0-1");
  for (const char* cpu : {"cpu/cpu0", "cpu/cpu1"}) {
    old.write(std::string(cpu) + "/topology/thread_siblings_list", "0-1");
    old.write(std::string(cpu) + "/topology/core_siblings_list", "0-1");
  }
  auto machine = std::make_unique<os::topology>();
  REQUIRE(os::read_sysfs(machine.get(), old.at("").c_str()));
  check_counts(*machine, 2, 1, 1, 1, 1);

  test::temp_tree bare;
  bare.write("cpu/online", "0-3");
  REQUIRE(os::read_sysfs(machine.get(), bare.at("").c_str()));
  check_counts(*machine, 4, 4, 1, 1, 1);
  CHECK(os::distance(*machine, 0, 3) == 1);
}

TEST_CASE("no sysfs, or one that is nonsense, is a no") {
  test::temp_tree tree;
  auto machine = std::make_unique<os::topology>();
  CHECK_FALSE(os::read_sysfs(machine.get(), tree.at("").c_str()));
  tree.write("cpu/online", "what?");
  CHECK_FALSE(os::read_sysfs(machine.get(), tree.at("").c_str()));
  tree.write("cpu/online", "");
  CHECK_FALSE(os::read_sysfs(machine.get(), tree.at("").c_str()));
}

TEST_CASE("lists of CPUs") {
  CHECK(listed("0-2,5", true) == std::vector<unsigned>{0, 1, 2, 5});
  CHECK(listed("7", true) == std::vector<unsigned>{7});
  CHECK(listed("", true).empty());
  CHECK(listed("1022-4000000", true) == std::vector<unsigned>{1022, 1023});
  listed("0-", false);
  listed("a", false);
  listed("1;2", false);
  listed("1,,2", false);
}

TEST_CASE("this machine: whatever the source, every CPU of the mask is there") {
  std::uint16_t cpus[os::max_cpus];
  const unsigned count = os::allowed_cpus(cpus, os::max_cpus);
  auto machine = std::make_unique<os::topology>();
  REQUIRE(os::read_topology(machine.get(), nullptr) == status::ok);
  MESSAGE("source: " << std::string(os::source_name(machine->source)));
  for (unsigned i = 0; i < count; ++i) {
    CHECK(machine->cpus[cpus[i]].present);
    CHECK(os::distance(*machine, cpus[i], cpus[i]) == 0);
  }
  os::read_flat(machine.get());
  check_counts(*machine, count, count, 1, 1, 1);
}

TEST_CASE("hwloc, where it is installed, describes what it is told") {
  setenv("HWLOC_SYNTHETIC", "pack:2 numa:2 l3:2 core:3 pu:2", 1);
  auto machine = std::make_unique<os::topology>();
  const bool there = os::read_hwloc(machine.get());
  unsetenv("HWLOC_SYNTHETIC");
  void* const library = dlopen("libhwloc.so.15", RTLD_LAZY | RTLD_LOCAL);
  CHECK(there == (library != nullptr));
  if (library == nullptr) {
    MESSAGE("libhwloc.so.15 is not here");
    return;
  }
  dlclose(library);
  check_counts(*machine, 48, 24, 8, 4, 2);
  CHECK(os::distance(*machine, 0, 1) == 0);
  CHECK(os::distance(*machine, 0, 2) == 1);
  CHECK(os::distance(*machine, 0, 6) == 2);
  CHECK(os::distance(*machine, 0, 12) == 3);
  CHECK(os::distance(*machine, 0, 24) == 4);
  CHECK(machine->source == os::topology_source::hwloc);
}

TEST_CASE("hwloc: a node of memory alone, which has the CPUs of a package with two nodes") {
  setenv("HWLOC_SYNTHETIC", "pack:2 [numa] group:2 [numa] core:2 pu:1", 1);
  auto machine = std::make_unique<os::topology>();
  const bool there = os::read_hwloc(machine.get());
  unsetenv("HWLOC_SYNTHETIC");
  if (!there) return;
  CHECK(machine->groups(level::numa) == 4);
  CHECK(os::distance(*machine, 0, 1) < os::distance(*machine, 0, 2));
}

TEST_CASE("hwloc is loaded when it is asked for, and not otherwise") {
  auto machine = std::make_unique<os::topology>();
  REQUIRE(os::read_topology(machine.get(), nullptr) == status::ok);
  CHECK(machine->source != os::topology_source::hwloc);
  if (std::filesystem::exists("/sys/devices/system/cpu/online")) CHECK(machine->source == os::topology_source::sysfs);
  const unsigned by_default = machine->cpu_count;
  if (!os::read_hwloc(machine.get())) return;
  REQUIRE(os::read_topology(machine.get(), "hwloc") == status::ok);
  CHECK(machine->source == os::topology_source::hwloc);
  CHECK(machine->cpu_count == by_default);
}

TEST_CASE("where hwloc cannot be had, asking for it is refused in one line with the cure") {
  const auto end = test::run_in_child([] {
    os::fault::plan plan;
    plan.which = os::call::load_library;
    plan.nth = 1;
    plan.how = os::fault::repeat::for_ever;
    os::fault::installed.store(&plan, base::relaxed);
    auto machine = std::make_unique<os::topology>();
    return os::read_topology(machine.get(), "hwloc") == status::invalid ? 0 : 1;
  });
  CHECK(end.exit_code == 0);
  CHECK(end.says("libhwloc.so.15 cannot be loaded"));
  CHECK(end.says("leave WEFT_TOPOLOGY unset"));
}
