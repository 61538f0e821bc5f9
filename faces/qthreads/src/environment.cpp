#include "environment.hpp"

#include <sched.h>
#include <strings.h>

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include <weft/weft.h>

#include "layout.hpp"

namespace weft::qthreads {

namespace {

// Weft's own limit of workers.
constexpr unsigned most_workers = 1024;
constexpr std::size_t most_stack_bytes = std::size_t{1} << 40;
constexpr std::size_t most_tasklocal_bytes = std::size_t{1} << 30;
constexpr std::size_t most_steal_chunk = std::size_t{1} << 30;
constexpr unsigned usual_tasklocal_bytes = 8;

constexpr const char* without_meaning[] = {"GUARD_PAGES", "ARGCOPY_SIZE",     "MAX_POOL_ALLOC_SIZE", "SPINCOUNT",
                                           "STEAL_RATIO", "CONDWAIT_BACKOFF", "MAX_IO_WORKERS",      "IO_TIMEOUT"};
bool has_told_of_those_without_meaning = false;

// From least to most; otherwise the usual value, and a line.
std::size_t number_of(const char* suffix, std::size_t usual, std::size_t least, std::size_t most) {
  const variable it = look_up(suffix);
  if (it.text == nullptr) return usual;
  char* end = nullptr;
  errno = 0;
  const unsigned long long number = std::strtoull(it.text, &end, 0);
  const bool is_number = errno == 0 && end != it.text && *end == 0 && std::strchr(it.text, '-') == nullptr;
  if (is_number && number >= least && number <= most) return number;
  if (is_first_report_of(it.name)) {
    if (is_number && number > most) {
      report("%s=%s is too large: it counts as %zu", it.name, it.text, most);
    } else if (is_number) {
      report("%s=%s is too small: it counts as %zu", it.name, it.text, least);
    } else {
      report("%s=%s is no number from %zu to %zu: set one, or unset it; it is not used", it.name, it.text, least, most);
    }
  }
  return !is_number ? usual : number > most ? most : least;
}

bool is_no(const char* text) {
  return strcasecmp(text, "no") == 0 || strcasecmp(text, "false") == 0 || std::strcmp(text, "0") == 0;
}

scheduler_kind scheduler_wanted() {
  const variable it = look_up("SCHEDULER");
  if (it.text == nullptr || std::strcmp(it.text, "weft") == 0) return scheduler_kind::weft;
  if (std::strcmp(it.text, "nemesis") == 0) return scheduler_kind::nemesis;
  if (std::strcmp(it.text, "sherwood") == 0) return scheduler_kind::sherwood;
  if (std::strcmp(it.text, "distrib") == 0) return scheduler_kind::distrib;
  if (is_first_report_of(it.name))
    report("%s=%s is no scheduler: set weft, nemesis, sherwood or distrib; weft is used", it.name, it.text);
  return scheduler_kind::weft;
}

bool is_bound(bool usually) {
  const variable it = look_up("AFFINITY");
  if (it.text == nullptr) return usually;
  return !is_no(it.text);
}

unsigned cpus_allowed() {
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof cpus, &cpus) != 0) return 1;
  const unsigned count = static_cast<unsigned>(CPU_COUNT(&cpus));
  return count < most_workers ? count : most_workers;
}

// HWPAR is the number of workers in all. Without numbers each CPU is a shepherd with one worker, or
// each group of CPUs that the layout names is a shepherd, or has a worker.
void choose_workers(settings* out, const layout& where) {
  const auto in_all = static_cast<unsigned>(number_of("HWPAR", 0, 1, most_workers));
  const auto shepherds = static_cast<unsigned>(number_of("NUM_SHEPHERDS", 0, 1, most_workers));
  const auto each = static_cast<unsigned>(number_of("NUM_WORKERS_PER_SHEPHERD", 0, 1, most_workers));
  if (where.lists_cpus()) {
    out->shepherds = where.listed_shepherds();
    out->workers_each = where.listed_each();
    const bool differs = (shepherds != 0 && shepherds != out->shepherds) || (each != 0 && each != out->workers_each) ||
                         (in_all != 0 && in_all != out->shepherds * out->workers_each);
    if (differs && is_first_report_of("numbers beside CPUBIND"))
      report("QT_CPUBIND lists %u shepherds with %u CPUs each: other numbers of shepherds and workers do not count",
             out->shepherds, out->workers_each);
    return;
  }
  if (where.has_boundary()) {
    out->shepherds = shepherds != 0 ? shepherds : where.groups();
    if (in_all != 0 && in_all < out->shepherds) out->shepherds = in_all;
    out->workers_each = each != 0 ? each : in_all != 0 ? in_all / out->shepherds : where.units_each();
  } else {
    const unsigned wanted = in_all != 0 ? in_all : where.units_in_all() != 0 ? where.units_in_all() : cpus_allowed();
    out->workers_each = each != 0 ? each : shepherds != 0 && in_all > shepherds ? in_all / shepherds : 1;
    out->shepherds = shepherds != 0 ? shepherds : wanted > out->workers_each ? wanted / out->workers_each : 1;
  }
  if (std::size_t{out->shepherds} * out->workers_each <= most_workers) return;
  if (is_first_report_of("all workers"))
    report("%u shepherds with %u workers each are more than %u workers: there are %u shepherds", out->shepherds,
           out->workers_each, most_workers, most_workers / out->workers_each);
  out->shepherds = most_workers / out->workers_each;
}

// What it asks for is so anyway.
bool is_fulfilled(const variable& it, const char* suffix) {
  if (std::strcmp(suffix, "GUARD_PAGES") == 0) return !is_no(it.text);
  return std::strcmp(suffix, "STEAL_RATIO") == 0 && std::strcmp(it.text, "0") == 0;
}

// Chapel's runtime sets a variable under both names, for a Qthreads that may need it. Its users did not ask for it.
bool is_set_by_runtime(const char* suffix) {
  char name[64];
  std::snprintf(name, sizeof name, "QTHREAD_%s", suffix);
  if (std::getenv(name) == nullptr) return false;  // NOLINT(concurrency-mt-unsafe): read where the program starts
  std::snprintf(name, sizeof name, "QT_%s", suffix);
  return std::getenv(name) != nullptr;  // NOLINT(concurrency-mt-unsafe): read where the program starts
}

void tell_of_those_without_meaning() {
  if (has_told_of_those_without_meaning) return;
  char names[512];
  std::size_t length = 0;
  for (const char* suffix : without_meaning) {
    const variable it = look_up(suffix);
    if (it.text == nullptr || is_fulfilled(it, suffix) || is_set_by_runtime(suffix) || length >= sizeof names) continue;
    length +=
        static_cast<std::size_t>(std::snprintf(names + length, sizeof names - length, "%s%s", length == 0 ? "" : ", ", it.name));
  }
  if (length == 0) return;
  has_told_of_those_without_meaning = true;
  report("set, but without meaning here: %s (the guide page on Qthreads says why)", names);
}

}  // namespace

variable look_up(const char* suffix) {
  variable found{{}, nullptr};
  for (const char* prefix : {"QT_", "QTHREAD_"}) {
    std::snprintf(found.name, sizeof found.name, "%s%s", prefix, suffix);
    found.text = std::getenv(found.name);  // NOLINT(concurrency-mt-unsafe): read where the program starts
    if (found.text != nullptr) break;
  }
  return found;
}

// Reports are rare, and few.
bool is_first_report_of(const char* name) {
  static char told[24][64];
  static unsigned count = 0;
  for (unsigned i = 0; i < count; ++i)
    if (std::strcmp(told[i], name) == 0) return false;
  if (count < std::size(told)) std::snprintf(told[count++], sizeof told[0], "%s", name);
  return true;
}

settings read_settings(const layout& where) {
  settings found{};
  choose_workers(&found, where);
  found.stack_bytes = number_of("STACK_SIZE", 0, WEFT_STACK_MIN, most_stack_bytes);
  found.tasklocal_bytes = number_of("TASKLOCAL_SIZE", usual_tasklocal_bytes, 0, most_tasklocal_bytes);
  found.scheduler = scheduler_wanted();
  const char* const ratio = look_up("STEAL_RATIO").text;
  found.steals = found.scheduler == scheduler_kind::sherwood ||
                 (found.scheduler == scheduler_kind::distrib && (ratio == nullptr || std::strcmp(ratio, "0") != 0));
  found.steal_chunk = number_of("STEAL_CHUNK", 0, 0, most_steal_chunk);
  found.binds = is_bound(where.names_cpus());
  found.info = static_cast<unsigned>(number_of("INFO", 0, 0, 2));
  tell_of_those_without_meaning();
  return found;
}

void report(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  char line[640];
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  std::fprintf(stderr, "weft-qthread: %s\n", line);
}

}  // namespace weft::qthreads
