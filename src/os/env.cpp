// See env.hpp.
#include "os/env.hpp"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/assert.hpp"
#include "os/env_value.hpp"

namespace weft::os {
namespace {

constexpr std::uint64_t K = 1024, M = 1024 * K, G = 1024 * M;
constexpr std::uint64_t second = 1'000'000'000, millisecond = second / 1000;

constexpr variable_info table[] = {
    {variable::workers, "WEFT_WORKERS", value_type::count, 1, most_workers, "1 to 1024", nullptr,
     "Number of workers. Default: the CPUs that affinity mask and cgroup quota allow."},
    {variable::stack_size, "WEFT_STACK_SIZE", value_type::bytes, 16 * K, G, "16K to 1G", "192K",
     "Stack of a thread that asks for no size of its own. Reserved, not used: memory is taken page by page as it is touched."},
    {variable::fork_stack_size, "WEFT_FORK_STACK_SIZE", value_type::bytes, 16 * K, G, "16K to 1G", nullptr,
     "Stack of a fork that another worker took, or that its forker left behind when it waited. "
     "Default: the soft limit of RLIMIT_STACK, at most 1G. Reserved, not used."},
    {variable::wait_policy, "WEFT_WAIT_POLICY", value_type::choice, 0, 0, "hybrid|passive|active", "hybrid",
     "What an idle worker does: spin for WEFT_SPIN and then sleep, sleep at once, or spin for ever."},
    {variable::spin, "WEFT_SPIN", value_type::duration, 0, second, "0 to 1s", "20us",
     "How long an idle worker looks for work before it sleeps, under the hybrid policy; ten times as long while gaps between "
     "forks are short."},
    {variable::locality, "WEFT_LOCALITY", value_type::choice, 0, 0, "steal|strict|domain", "steal",
     "Queues: one a worker with stealing, near victims first; one a worker and no stealing; one for all workers under a cache."},
    {variable::bind, "WEFT_BIND", value_type::flag, 0, 1, "on or off", "off",
     "Bind each worker to one CPU of the mask that the process inherited."},
    {variable::topology, "WEFT_TOPOLOGY", value_type::text, 0, 0, "hwloc, or such as \"numa:2 l3:2 core:4 pu:2\"", nullptr,
     "Pretend to be this machine when choosing neighbours; hwloc: ask libhwloc. Default: the machine's own topology, from "
     "sysfs."},
    {variable::guard, "WEFT_GUARD", value_type::choice, 0, 0, "auto|marker|mprotect|canary|none", "auto",
     "How a stack overflow is noticed. auto: the cheapest that the kernel does, at best guard markers (Linux 6.13)."},
    {variable::guard_size, "WEFT_GUARD_SIZE", value_type::bytes, 4 * K, G, "4K to 1G", nullptr,
     "Address space beneath each stack that belongs to no other: a frame that is larger than what is left of its stack, and than "
     "this, writes to another thread's. Default: 1M beneath the first 256 stacks of a size, 136K beneath further ones."},
    {variable::stack_cache, "WEFT_STACK_CACHE", value_type::bytes, 0, 64 * G, "0 to 64G", nullptr,
     "Memory of idle stacks, each counted as the one page that most touch, that is kept for new threads; beyond it is given "
     "back, and so is what was not needed for some seconds. Default: a quarter of the memory that the process may use; where "
     "that is below 2G, 512M or a half."},
    {variable::deadlock, "WEFT_DEADLOCK", value_type::choice, 0, 0, "report|abort|off", "report",
     "When nothing can ever run again: say which thread waits for what, abort after saying it, or stay silent."},
    {variable::watchdog, "WEFT_WATCHDOG", value_type::duration, millisecond, 3600 * second, "off, or 1ms to 3600s", "off",
     "Report a worker that stays in one thread for longer than this."},
    {variable::dump_signal, "WEFT_DUMP_SIGNAL", value_type::choice, 0, 0, "auto|off|usr1|usr2|quit", "auto",
     "The signal that has every thread written to stderr, with its state, what it waits for and where it stands; the program "
     "goes on. auto: SIGQUIT, unless the program handles or ignores it, and the program ends as it would without.",
     true},
    {variable::dump_on, "WEFT_DUMP_ON", value_type::choice, 0, 0, "off|deadlock|stall|deadlock,stall", "off",
     "Write every thread and where it stands also with a deadlock's report, which else sums up many, and with what the watchdog "
     "tells."},
    {variable::stack_report, "WEFT_STACK_REPORT", value_type::flag, 0, 1, "on or off", "off",
     "When the runtime ends, print the deepest use of the stack for each entry function, beneath it, too. Meanwhile each stack "
     "has a guard of 1M."},
    {variable::migrate, "WEFT_MIGRATE", value_type::flag, 0, 1, "on or off", "off",
     "For debugging: move a thread to another worker at every switch, to find state that wrongly stays with an OS thread."},
    {variable::held_locks, "WEFT_HELD_LOCKS", value_type::flag, 0, 1, "on or off", "on",
     "The library with checks: warn of a thread that waits while its OS thread holds locks of OS threads (pthread_mutex_t)."},
    {variable::blocking, "WEFT_BLOCKING", value_type::duration, 0, second, "0 to 1s", "20us",
     "How long a call in a blocking region may last before another OS thread runs the worker meanwhile; 0: no time at all. The "
     "guard of regions sees to it at its next look: it looks as often, every 10us at most, and down to every 1ms while all "
     "calls are shorter. A call outside of regions keeps its worker: there is no value auto."},
    {variable::blocking_threads, "WEFT_BLOCKING_THREADS", value_type::count, 0, 100'000, "0 to 100000", "10000",
     "At most so many OS threads beside one a worker, so that workers go on while threads are in blocking regions."},
    {variable::schedule, "WEFT_SCHEDULE", value_type::text, 0, 0,
     "seed:N, replay:FILE or near:FILE; pct:DEPTH and length:N, or sample:pos, beside seed:N; record:FILE; separated by "
     "commas",
     nullptr,
     "Run on virtual workers of one OS thread and take every choice of the scheduler from a seed or a file, so that a run "
     "repeats.",
     true},
    {variable::stats, "WEFT_STATS", value_type::flag, 0, 1, "on or off", "off",
     "When the runtime ends, print what each worker has done: threads, thefts, sleeps, wake-ups."},
    {variable::trace, "WEFT_TRACE", value_type::text, 0, 0, "a file's name, keep:FILE, or keep", nullptr,
     "Record who ran when, where and after whom, and write it to this file when the runtime ends or the program dies; for "
     "Perfetto and weft profile. keep:FILE writes what is kept of it when a dump is asked for by a signal (WEFT_DUMP_SIGNAL), "
     "when the watchdog tells of a stall, at a deadlock and when the program dies; keep alone leaves that to weft_trace_dump.",
     true},
    {variable::trace_size, "WEFT_TRACE_SIZE", value_type::bytes, 64 * K, 64 * G, "64K to 64G", "64M",
     "Memory for what WEFT_TRACE records, for each worker; taken as it is used. When it is full, the newest pushes out the "
     "oldest."},
};

consteval bool table_is_in_order() {
  for (unsigned i = 0; i < variable_count; ++i) {
    if (table[i].id != static_cast<variable>(i)) return false;
  }
  return sizeof table / sizeof *table == variable_count;
}
static_assert(table_is_in_order(), "the table is indexed by variable");
static_assert(at_deadlock == 1 && at_stall == 2, "WEFT_DUMP_ON: the third word is both");
static_assert(WEFT_WAIT_PASSIVE == 1 && WEFT_WAIT_ACTIVE == 2 && WEFT_LOCALITY_STRICT == 1 && WEFT_LOCALITY_DOMAIN == 2,
              "choices stand in the order of their enumerations");

constexpr char prefix[] = "WEFT_";
constexpr std::size_t prefix_bytes = sizeof prefix - 1;
constexpr const char* others_prefixes[] = {
    "WEFT_TEST_", "WEFT_THREADS", "WEFT_LAUNCH_",
    "WEFT_DIST_", "WEFT_MPI_",    "WEFT_TASCELL_"};  // test programs, the threads interface, ranks, tascell runs
constexpr std::size_t longest_name = 63;

// The one list of which field belongs to which variable: visit(variable, field).
template <class Settings, class Visit>
void for_each_field(Settings& all, Visit visit) {
  visit(variable::workers, all.workers);
  visit(variable::stack_size, all.stack_bytes);
  visit(variable::fork_stack_size, all.fork_stack_bytes);
  visit(variable::wait_policy, all.wait_policy);
  visit(variable::spin, all.spin_ns);
  visit(variable::locality, all.locality);
  visit(variable::bind, all.bind);
  visit(variable::guard, all.guard);
  visit(variable::guard_size, all.guard_bytes);
  visit(variable::stack_cache, all.stack_cache_bytes);
  visit(variable::deadlock, all.deadlock);
  visit(variable::watchdog, all.watchdog_ns);
  visit(variable::dump_signal, all.dump_on_signal);
  visit(variable::dump_on, all.dump_on);
  visit(variable::stack_report, all.stack_report);
  visit(variable::migrate, all.migrate);
  visit(variable::held_locks, all.held_locks);
  visit(variable::blocking, all.blocking_ns);
  visit(variable::blocking_threads, all.blocking_threads);
  visit(variable::stats, all.stats);
  visit(variable::trace_size, all.trace_bytes);
}

void store(settings* into, variable which, std::uint64_t value) {
  for_each_field(*into, [=]<class Field>(variable id, Field& field) {
    if (id == which) field = static_cast<Field>(value);
  });
}

settings defaults() {
  settings result;
  for (const variable_info& each : table) {
    std::uint64_t value = 0;
    if (each.default_text != nullptr && parse_value(each, each.default_text, &value)) store(&result, each.id, value);
  }
  return result;
}

// What stands before the range in a message; indexed by value_type.
constexpr const char* wanted[] = {"a whole number, ", "bytes (or K, M, G), ", "a time in ns, us, ms or s, ", "one of ", "", ""};

// A value that users of other runtimes expect, and what does instead.
struct expected_value {
  variable of;
  const char* value;
  const char* instead;
};
constexpr expected_value not_there[] = {
    {variable::blocking, "auto",
     "; a call outside of blocking regions keeps its worker, cure: wrap it in weft_blocking (C++: weft::blocking); "
     "WEFT_WATCHDOG=200ms names such calls"},
};

const char* what_instead(const variable_info& variable, const char* value) {
  for (const expected_value& each : not_there) {
    if (each.of == variable.id && strcasecmp(each.value, value) == 0) return each.instead;
  }
  return "";
}

void report_bad_value(const variable_info& variable, const char* value) {
  base::report("error: %s=%s: want %s%s%s", variable.name, value, wanted[static_cast<unsigned>(variable.type)], variable.range,
               what_instead(variable, value));
}

// A mistyped name is near its meaning: a third of it may be wrong, no more.
const variable_info* nearest(const char* name) {
  const variable_info* best = nullptr;
  std::size_t best_distance = (strlen(name) - prefix_bytes) / 3 + 2;
  for (const variable_info& each : table) {
    const std::size_t distance = edit_distance(each.name, name);
    if (distance >= best_distance) continue;
    best = &each;
    best_distance = distance;
  }
  return best;
}

void report_unknown(const char* name) {
  const variable_info* meant = nearest(name);
  if (meant != nullptr)
    base::report("warning: there is no variable %s; did you mean %s? It is ignored", name, meant->name);
  else
    base::report("warning: there is no variable %s; it is ignored (\"weft info\" lists those that there are)", name);
}

const variable_info* find(const char* name) {
  for (const variable_info& each : table) {
    if (strcmp(each.name, name) == 0) return &each;
  }
  return nullptr;
}

bool belongs_to_others(const char* entry) {
  for (const char* start : others_prefixes) {
    if (strncmp(entry, start, strlen(start)) == 0) return true;
  }
  return false;
}

// False: it names no file.
bool read_trace(settings* into, const char* value) {
  constexpr char keep[] = "keep";
  constexpr std::size_t keep_bytes = sizeof keep - 1;
  into->trace = value;
  into->keeps_trace = strncmp(value, keep, keep_bytes) == 0 && (value[keep_bytes] == ':' || value[keep_bytes] == '\0');
  const char* const file = into->keeps_trace ? value + keep_bytes : value;
  into->trace_file = file[0] == '\0' ? nullptr : file + (into->keeps_trace ? 1 : 0);
  return into->trace_file == nullptr || into->trace_file[0] != '\0';
}

// entry: "WEFT_...=value". False: a value that cannot be used.
bool read_entry(settings* into, const char* entry, privileges of_program) {
  const char* equals = strchr(entry, '=');
  if (equals == nullptr) return true;
  char name[longest_name + 1];
  snprintf(name, sizeof name, "%.*s", static_cast<int>(equals - entry), entry);
  const char* value = equals + 1;
  const variable_info* variable = find(name);
  if (variable == nullptr) {
    report_unknown(name);
    return true;
  }
  if (*value == '\0') return true;
  if (variable->is_for_ordinary && of_program == privileges::raised) {
    into->ignored |= 1u << static_cast<unsigned>(variable->id);
    return true;
  }
  std::uint64_t number = 0;
  if (!parse_value(*variable, value, &number) || (variable->id == variable::trace && !read_trace(into, value))) {
    report_bad_value(*variable, value);
    return false;
  }
  store(into, variable->id, number);
  if (variable->id == variable::topology) into->topology = value;
  if (variable->id == variable::schedule) into->schedule = value;
  into->given |= 1u << static_cast<unsigned>(variable->id);
  return true;
}

const char* text_of(const settings& from, variable which) {
  if (which == variable::topology) return from.topology;
  return which == variable::schedule ? from.schedule : from.trace;
}

// Like getenv(3), reads what putenv(3) was given without a word of a sanitizer, be it gone.
__attribute__((no_sanitize("address"), noinline)) bool has_our_prefix(const char* entry) {
  for (std::size_t at = 0; at < prefix_bytes; ++at) {
    if (entry[at] != prefix[at]) return false;
  }
  return true;
}

}  // namespace

status read_settings(settings* out) { return read_settings(out, environ, privileges_of_program()); }

status read_settings(settings* out, const char* const* environment, privileges of_program) {
  settings read = defaults();
  bool good = true;
  constexpr const char* none[] = {nullptr};
  if (environment == nullptr) environment = none;  // after clearenv(3)
  for (; *environment != nullptr; ++environment) {
    if (!has_our_prefix(*environment)) continue;
    if (belongs_to_others(*environment)) continue;
    good = read_entry(&read, *environment, of_program) && good;
  }
  if (!good) return status::invalid;
  *out = read;
  return status::ok;
}

void report_ignored(const settings& read) {
  char names[variable_count * (longest_name + 2)] = "";
  std::size_t used = 0;
  for (const variable_info& each : table) {
    if (((read.ignored >> static_cast<unsigned>(each.id)) & 1u) == 0) continue;
    used += static_cast<std::size_t>(snprintf(names + used, sizeof names - used, "%s%s", used == 0 ? "" : ", ", each.name));
  }
  if (used == 0) return;
  base::report("warning: ignored, because this program has raised privileges (AT_SECURE): %s; run it without them", names);
}

const variable_info& info(variable which) { return table[static_cast<unsigned>(which)]; }

const char* value_in_environment(const char* name) {
  const std::size_t length = strlen(name);
  for (char* const* each = environ; each != nullptr && *each != nullptr; ++each) {
    if (strncmp(*each, name, length) == 0 && (*each)[length] == '=')
      return (*each)[length + 1] != 0 ? *each + length + 1 : nullptr;
  }
  return nullptr;
}

void walk_variables(void (*visit)(const variable_info&, void*), void* context) {
  for (const variable_info& each : table) visit(each, context);
}

void format_setting(const settings& from, variable which, char* out, std::size_t capacity) {
  if (info(which).type == value_type::text) {
    const char* text = text_of(from, which);
    snprintf(out, capacity, "%s", text != nullptr ? text : "");
    return;
  }
  std::uint64_t value = 0;
  for_each_field(from, [&](variable id, const auto& field) {
    if (id == which) value = static_cast<std::uint64_t>(field);
  });
  format_value(info(which), value, out, capacity);
}

}  // namespace weft::os
