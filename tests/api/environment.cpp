// The environment against weft_config: a number that the program gives holds, about policies an
// explicit variable has the first word; what is said about variables that cannot be used, and about
// what a later weft_init ignores. The wait policy is in idle_cpu.c.
#include <doctest/doctest.h>

#include <sched.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include <weft/ext.h>
#include <weft/weft.h>

#include "../support/child.hpp"

using weft::test::child_end;
using weft::test::run_in_child;

namespace {

weft_config config_of(unsigned workers) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  return config;
}

// Runs body in a child whose environment has the variable (null: has it not), in a runtime with
// this config (null: none).
template <class Body>
void check_with(const char* name, const char* value, const weft_config* config, Body body) {
  const child_end end = run_in_child([&] {
    if (value != nullptr) {
      setenv(name, value, 1);
    } else {
      unsetenv(name);
    }
    alarm(100);
    NEED(weft_init(config) == WEFT_OK);
    body();
    NEED(weft_finalize() == WEFT_OK);
    return 0;
  });
  INFO(std::string(name), "=", std::string(value != nullptr ? value : "(unset)"), "\n", end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.errors == "");
}

weft_thread* start(weft_function function, void* argument, int worker) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.worker = worker;
  weft_thread* made = nullptr;
  NEED(weft_thread_create(function, argument, &attr, &made) == WEFT_OK);
  return made;
}

void measure_stack(void* bytes) {
  void* base = nullptr;
  weft_ext_thread_stack(weft_self(), &base, static_cast<std::size_t*>(bytes));
}

// Of what was asked for, the guard and the runtime take a part.
void check_stack(std::size_t wanted) {
  std::size_t bytes = 0;
  NEED(weft_thread_join(start(measure_stack, &bytes, 1)) == WEFT_OK);
  NEED(bytes > wanted / 2 && bytes <= wanted);
}

int cpus_allowed() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  NEED(sched_getaffinity(0, sizeof mask, &mask) == 0);
  return CPU_COUNT(&mask);
}

void add_one(void* count) { static_cast<std::atomic<int>*>(count)->fetch_add(1); }

// What worker 0 makes while it does not yield: another one takes it, or none does although worker 1
// looks for work again and again.
void check_is_stolen() {
  std::atomic<int> ran{0};
  for (int i = 0; i < 20; ++i) NEED(weft_thread_create(add_one, &ran, nullptr, nullptr) == WEFT_OK);
  while (ran.load() != 20) sched_yield();
}
void check_stays() {
  std::atomic<int> ran{0}, elsewhere{0};
  for (int i = 0; i < 20; ++i) NEED(weft_thread_create(add_one, &ran, nullptr, nullptr) == WEFT_OK);
  for (int round = 0; round < 100; ++round) {
    start(add_one, &elsewhere, 1);
    while (elsewhere.load() != round + 1) sched_yield();
  }
  NEED(ran.load() == 0);
  while (ran.load() != 20) weft_yield();
}

// What weft_init says about the variable; the exit code is 0 if it refused, and took the corrected
// value.
child_end refusal(const char* name, const char* bad, const char* good) {
  return run_in_child([&] {
    setenv(name, bad, 1);
    NEED(weft_init(nullptr) == WEFT_INVALID);
    NEED(weft_worker_count() == 0);
    setenv(name, good, 1);
    NEED(weft_init(nullptr) == WEFT_OK);
    NEED(weft_finalize() == WEFT_OK);
    return 0;
  });
}

}  // namespace

TEST_CASE("the number of workers: the program's, else the environment's") {
  const weft_config two = config_of(2), open = config_of(0);
  check_with("WEFT_WORKERS", "3", nullptr, [] { NEED(weft_worker_count() == 3); });
  check_with("WEFT_WORKERS", "3", &open, [] { NEED(weft_worker_count() == 3); });
  check_with("WEFT_WORKERS", "3", &two, [] { NEED(weft_worker_count() == 2); });
}

TEST_CASE("the size of stacks: the program's, else the environment's") {
  const weft_config open = config_of(2);
  weft_config fixed = open;
  fixed.stack_bytes = 1 << 20;
  check_with("WEFT_STACK_SIZE", "256K", &open, [] { check_stack(256 << 10); });
  check_with("WEFT_STACK_SIZE", "256K", &fixed, [] { check_stack(1 << 20); });
  check_with("WEFT_STACK_SIZE", nullptr, &open, [] { check_stack(192 << 10); });
}

TEST_CASE("binding: the environment's, else the program's") {
  if (cpus_allowed() == 1) return;  // bound or not, it looks the same
  const weft_config loose = config_of(2);
  weft_config bound = loose;
  bound.bind = true;
  check_with("WEFT_BIND", "on", &loose, [] { NEED(cpus_allowed() == 1); });
  check_with("WEFT_BIND", "off", &bound, [] { NEED(cpus_allowed() > 1); });
  check_with("WEFT_BIND", nullptr, &bound, [] { NEED(cpus_allowed() == 1); });
}

TEST_CASE("locality: the environment's, else the program's") {
  const weft_config steal = config_of(2);
  weft_config strict = steal;
  strict.locality = WEFT_LOCALITY_STRICT;
  check_with("WEFT_LOCALITY", "strict", &steal, check_stays);
  check_with("WEFT_LOCALITY", "steal", &strict, check_is_stolen);
  check_with("WEFT_LOCALITY", nullptr, &strict, check_stays);
}

TEST_CASE("a value that cannot be used: refused by its name, and the next weft_init works") {
  struct {
    const char *name, *bad, *good;
  } const all[] = {{"WEFT_WORKERS", "many", "2"},           {"WEFT_STACK_SIZE", "1", "64K"},    {"WEFT_GUARD_SIZE", "1", "64K"},
                   {"WEFT_WAIT_POLICY", "lazy", "passive"}, {"WEFT_LOCALITY", "far", "strict"}, {"WEFT_BIND", "2", "1"},
                   {"WEFT_TOPOLOGY", "moon:2", "core:2"},   {"WEFT_BLOCKING", "auto", "1ms"}};
  for (const auto& each : all) {
    const child_end end = refusal(each.name, each.bad, each.good);
    INFO(std::string(each.name), "=", std::string(each.bad), "\n", end.errors);
    CHECK(end.exit_code == 0);
    CHECK(end.lines() == 1);
    CHECK(end.says(each.name));
    CHECK(end.says(each.bad));
  }
}

TEST_CASE("a variable that there is not: one warning that names the cure, and the runtime starts") {
  const child_end end = run_in_child([] {
    unsetenv("WEFT_WORKERS");
    setenv("WEFT_WORKER", "3", 1);
    const weft_config two = config_of(2);
    NEED(weft_init(&two) == WEFT_OK);
    NEED(weft_worker_count() == 2);
    NEED(weft_finalize() == WEFT_OK);
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.lines() == 1);
  CHECK(end.says("WEFT_WORKER;"));
  CHECK(end.says("did you mean WEFT_WORKERS?"));
}

// What a second weft_init with the field set by change says, in a runtime of two workers.
template <class Change>
void check_ignored(const char* wanted, Change change) {
  const child_end end = run_in_child([&] {
    const weft_config first = config_of(2);
    weft_config later = WEFT_CONFIG_INIT;
    change(&later);
    NEED(weft_init(&first) == WEFT_OK);
    for (int i = 0; i < 2; ++i) NEED(weft_init(&later) == WEFT_OK);  // told once
    for (int i = 0; i < 3; ++i) NEED(weft_finalize() == WEFT_OK);
    return 0;
  });
  INFO(std::string(wanted), "\n", end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.lines() == (*wanted != '\0' ? 1 : 0));
  if (*wanted != '\0') CHECK(end.says((std::string("ignores of this weft_config: ") + wanted + ";").c_str()));
}

TEST_CASE("a later weft_init: what it ignores is told, and what agrees is not") {
  check_ignored("workers 3 (there are 2)", [](weft_config* later) { later->workers = 3; });
  check_ignored("", [](weft_config* later) { later->workers = 2; });
  check_ignored("stack_bytes 131072 (they are 196608)", [](weft_config* later) { later->stack_bytes = 131072; });
  check_ignored("caller_outside", [](weft_config* later) { later->caller_outside = true; });
  check_ignored("bind", [](weft_config* later) { later->bind = true; });
  check_ignored("wait_policy", [](weft_config* later) { later->wait_policy = WEFT_WAIT_PASSIVE; });
  check_ignored("", [](weft_config* later) { later->wait_policy = WEFT_WAIT_HYBRID; });
  check_ignored("locality", [](weft_config* later) { later->locality = WEFT_LOCALITY_STRICT; });
  check_ignored("topology", [](weft_config* later) { later->topology = "core:2"; });
  check_ignored("workers 3 (there are 2), bind", [](weft_config* later) {
    later->workers = 3;
    later->bind = true;
  });
}

TEST_CASE("facts: a machine as the environment describes it") {
  const child_end end = run_in_child([] {
    setenv("WEFT_TOPOLOGY", "package:2 numa:3 l3:2 core:4 pu:2", 1);
    std::map<std::string, std::string> facts;
    weft_info_walk([](void* all, const char* key, const char* value) { (*static_cast<decltype(facts)*>(all))[key] = value; },
                   &facts);
    const std::map<std::string, std::string> wanted = {{"source", "synthetic"}, {"cpus", "96"},      {"cores", "48"},
                                                       {"caches", "12"},        {"numa_nodes", "6"}, {"packages", "2"}};
    for (const auto& [what, value] : wanted) NEED(facts["topology." + what] == value);
    weft_info_walk(nullptr, nullptr);
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}
