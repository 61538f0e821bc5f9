// weft_info_walk: what `weft info` prints. Reads the environment and the machine afresh, so that it
// also answers before weft_init and after a weft_init that failed. Any OS thread.
#include <stdio.h>
#include <sys/resource.h>
#include <weft/weft.h>

#include "base/config.hpp"
#include "os/cpus.hpp"
#include "os/env.hpp"
#include "os/env_ranks.hpp"
#include "os/fence.hpp"
#include "os/file.hpp"
#include "os/topology.hpp"
#include "os/uring.hpp"
#include "os/vm.hpp"

namespace weft {
namespace {

constexpr std::size_t value_bytes = 256;
constexpr std::size_t key_bytes = 96;

struct walk {
  void (*each)(void* state, const char* key, const char* value);
  void* state;
  os::settings settings;

  void say(const char* key, const char* value) const { each(state, key, value); }
  void say_truth(const char* key, bool value) const { say(key, value ? "yes" : "no"); }
  void say_count(const char* key, unsigned long long value) const {
    char text[24];
    snprintf(text, sizeof text, "%llu", value);
    say(key, text);
  }
};

void walk_build(const walk& to) {
  to.say("version", WEFT_VERSION);
  to.say("build.compiler", config::compiler);
  to.say_truth("build.checked", config::checked);
  to.say("build.sanitizer", config::address_sanitizer ? "address" : config::thread_sanitizer ? "thread" : "none");
  to.say("build.architecture", config::architecture);
}

void walk_topology(const walk& to) {
  auto* machine = static_cast<os::topology*>(os::reserve(sizeof(os::topology), os::page_bytes()));
  if (machine == nullptr) return;
  if (os::read_topology(machine, to.settings.topology) == status::ok) {
    to.say("topology.source", os::source_name(machine->source));
    to.say_count("topology.cpus", machine->cpu_count);
    to.say_count("topology.cores", machine->groups(os::level::core));
    to.say_count("topology.caches", machine->groups(os::level::cache));
    to.say_count("topology.numa_nodes", machine->groups(os::level::numa));
    to.say_count("topology.packages", machine->groups(os::level::package));
  }
  os::release(machine, sizeof(os::topology));
}

void walk_file(const walk& to, const char* key, const char* path) {
  char text[value_bytes];
  if (os::read_text(text, sizeof text, "%s", path)) to.say(key, text);
}

void walk_resource(const walk& to, const char* key, __rlimit_resource_t which) {
  rlimit limit{};
  if (getrlimit(which, &limit) != 0) return;
  if (limit.rlim_cur == RLIM_INFINITY)
    to.say(key, "unlimited");
  else
    to.say_count(key, static_cast<unsigned long long>(limit.rlim_cur));
}

void walk_limits(const walk& to) {
  std::uint16_t cpus[os::max_cpus];
  const unsigned allowed = os::allowed_cpus(cpus, os::max_cpus);
  const double quota = os::cpu_quota("/proc", "/sys/fs/cgroup");
  char text[value_bytes];
  snprintf(text, sizeof text, quota > 0 ? "%.2f" : "unlimited", quota);
  to.say_count("limit.cpus_allowed", allowed);
  to.say("limit.cpu_quota", text);
  to.say_count("limit.workers_by_default", os::worker_count_for(allowed, quota));
  to.say_count("limit.page_bytes", os::page_bytes());
  walk_file(to, "limit.mappings", "/proc/sys/vm/max_map_count");
  walk_file(to, "limit.os_threads", "/proc/sys/kernel/threads-max");
  walk_file(to, "limit.overcommit_memory", "/proc/sys/vm/overcommit_memory");
  walk_resource(to, "limit.processes_of_user", RLIMIT_NPROC);
  walk_resource(to, "limit.address_space_bytes", RLIMIT_AS);
  walk_resource(to, "limit.locked_memory_bytes", RLIMIT_MEMLOCK);
}

void walk_setting(const os::variable_info& variable, void* context) {
  const walk& to = *static_cast<const walk*>(context);
  char key[key_bytes], text[value_bytes];
  snprintf(key, sizeof key, "setting.%s", variable.name);
  if (variable.id == os::variable::workers && to.settings.workers == 0) {
    to.say_count(key, os::default_worker_count());
    return;
  }
  os::format_setting(to.settings, variable.id, text, sizeof text);
  to.say(key, text);
}

// Of libweft-dist, which reads them itself.
void walk_settings_of_ranks(const walk& to) {
  char key[key_bytes];
  for (const os::variable_info* each : os::variables_of_ranks) {
    const char* const text = os::value_in_environment(each->name);
    snprintf(key, sizeof key, "setting.%s", each->name);
    to.say(key, text != nullptr ? text : each->default_text);
  }
}

void walk_self_tests(const walk& to) {
  to.say("selftest.guard", os::guard_name(os::best_guard_kind()));
  to.say_truth("selftest.membarrier", os::register_asymmetric_fence());
  to.say_truth("selftest.io_uring", os::can_use_io_uring());
}

void walk_variable(const os::variable_info& variable, void* context) {
  const walk& to = *static_cast<const walk*>(context);
  char key[key_bytes];
  snprintf(key, sizeof key, "variable.%s.text", variable.name);
  to.say(key, variable.description);
  snprintf(key, sizeof key, "variable.%s.range", variable.name);
  to.say(key, variable.range);
  snprintf(key, sizeof key, "variable.%s.default", variable.name);
  to.say(key, variable.default_text != nullptr ? variable.default_text : "");
}

}  // namespace
}  // namespace weft

extern "C" void weft_info_walk(void (*each)(void* state, const char* key, const char* value), void* state) {
  if (each == nullptr) return;
  weft::walk to{each, state, {}};
  const char* const nothing[] = {nullptr};
  if (weft::os::read_settings(&to.settings) != weft::status::ok &&
      weft::os::read_settings(&to.settings, nothing) != weft::status::ok) {
    return;
  }
  weft::walk_build(to);
  weft::walk_topology(to);
  weft::walk_limits(to);
  weft::os::walk_variables(weft::walk_setting, &to);
  weft::walk_settings_of_ranks(to);
  weft::walk_self_tests(to);
  weft::os::walk_variables(weft::walk_variable, &to);
  for (const weft::os::variable_info* its : weft::os::variables_of_ranks) weft::walk_variable(*its, &to);
}
