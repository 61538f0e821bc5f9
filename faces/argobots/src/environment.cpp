#include "environment.hpp"

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iterator>

#include <strings.h>
#include <unistd.h>

#include <weft/weft.h>

namespace weft::abt {

settings settings_in_force;

namespace {

constexpr std::size_t usual_stack_bytes = 196608;
constexpr std::size_t usual_scheduler_stack_bytes = std::size_t{4} << 20;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 40;

constexpr const char* without_meaning[] = {
    "SYS_PAGE_SIZE", "HUGE_PAGE_SIZE",      "SCHED_SLEEP_NSEC",  "MUTEX_MAX_HANDOVERS", "MUTEX_MAX_WAKEUPS",
    "MEM_PAGE_SIZE", "MEM_STACK_PAGE_SIZE", "MEM_MAX_NUM_DESCS", "MEM_LP_ALLOC",        "USE_LOG",
    "USE_DEBUG"};

settings& now = settings_in_force;
// Bits of those that stderr has heard of: the number of a name in `names`.
constexpr const char* names[] = {
    "MAX_NUM_XSTREAMS", "KEY_TABLE_SIZE",       "THREAD_STACKSIZE", "SCHED_STACKSIZE",        "SCHED_EVENT_FREQ",
    "SCHED_SLEEP_NSEC", "STACK_OVERFLOW_CHECK", "PRINT_CONFIG",     "PRINT_RAW_STACK",        "USE_LOG",
    "USE_DEBUG",        "ENABLE_AFFINITY",      "ENABLE_TOOL",      "ENABLE_LAZY_STACK_ALLOC"};
std::uint32_t complained_of = 0;
bool has_listed_those_without_meaning = false;

struct variable {
  const char* suffix;
  char name[64];
  const char* text;  // null: not set
};

variable look_up(const char* suffix) {
  variable found{suffix, {}, nullptr};
  for (const char* prefix : {"ABT_", "ABT_ENV_"}) {
    std::snprintf(found.name, sizeof found.name, "%s%s", prefix, suffix);
    found.text = std::getenv(found.name);
    if (found.text != nullptr) break;
  }
  return found;
}

bool first_complaint_of(const char* suffix) {
  for (unsigned i = 0; i < std::size(names); ++i) {
    if (std::strcmp(names[i], suffix) != 0) continue;
    const bool is_first = (complained_of >> i & 1) == 0;
    complained_of |= 1u << i;
    return is_first;
  }
  return true;
}

// "4096", "64K", "1M", "2G". False: none of these.
bool parse_number(const char* text, std::uint64_t* out) {
  char* end = nullptr;
  errno = 0;
  const unsigned long long number = std::strtoull(text, &end, 10);
  if (errno != 0 || end == text || std::strchr(text, '-') != nullptr) return false;
  unsigned shift = 0;
  if (*end != 0) {
    const char* const units = " KMG";
    const char* const unit = std::strchr(units, *end & ~0x20);
    if (unit == nullptr || unit == units || end[1] != 0) return false;
    shift = 10 * static_cast<unsigned>(unit - units);
  }
  if (number > UINT64_MAX >> shift) return false;
  *out = std::uint64_t{number} << shift;
  return true;
}

std::uint64_t read_number(const char* suffix, std::uint64_t usual, std::uint64_t least, std::uint64_t most) {
  const variable found = look_up(suffix);
  if (found.text == nullptr || *found.text == 0) return usual;
  std::uint64_t number = 0;
  const bool is_number = parse_number(found.text, &number);
  const std::uint64_t used = !is_number ? usual : number < least ? least : number > most ? most : number;
  if ((!is_number || used != number) && first_complaint_of(suffix)) {
    report("%s=%s: use a number from %llu to %llu; it is %llu now", found.name, found.text,
           static_cast<unsigned long long>(least), static_cast<unsigned long long>(most), static_cast<unsigned long long>(used));
  }
  return used;
}

bool is_word_of(const char* text, const char* const (&words)[5]) {
  for (const char* word : words) {
    if (strcasecmp(text, word) == 0) return true;
  }
  return false;
}
bool says_yes(const char* text) { return is_word_of(text, {"1", "y", "yes", "true", "on"}); }
bool says_no(const char* text) { return is_word_of(text, {"n", "no", "f", "false", "off"}); }

bool read_switch(const char* suffix, bool usual) {
  const variable found = look_up(suffix);
  if (found.text == nullptr || *found.text == 0) return usual;
  if (says_yes(found.text)) return true;
  if (says_no(found.text) || std::strcmp(found.text, "0") == 0) return false;
  if (first_complaint_of(suffix)) report("%s=%s: use yes or no; it is %s now", found.name, found.text, usual ? "yes" : "no");
  return usual;
}

std::uint64_t next_power_of_two(std::uint64_t number) {
  std::uint64_t power = 1;
  while (power < number) power <<= 1;
  return power;
}

std::size_t in_pages(std::uint64_t bytes) {
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (static_cast<std::size_t>(bytes) + page_bytes - 1) / page_bytes * page_bytes;
}

std::size_t read_thread_stack_bytes() {
  std::uint64_t usual = usual_stack_bytes;
  const char* const core = std::getenv("WEFT_STACK_SIZE");
  std::uint64_t number = 0;
  if (core != nullptr && parse_number(core, &number) && number >= WEFT_STACK_MIN && number <= most_bytes) usual = number;
  return in_pages(read_number("THREAD_STACKSIZE", usual, WEFT_STACK_MIN, most_bytes));
}

void read_affinity() {
  const variable found = look_up("SET_AFFINITY");
  now.has_affinity = found.text != nullptr && !says_no(found.text);
  now.affinity = now.has_affinity && !says_yes(found.text) ? found.text : nullptr;
}

void read_stack_check() {
  const variable found = look_up("STACK_OVERFLOW_CHECK");
  now.is_strict_about_stacks = found.text != nullptr && strcasecmp(found.text, "mprotect_strict") == 0;
  if (found.text == nullptr || now.is_strict_about_stacks || strcasecmp(found.text, "mprotect") == 0) return;
  if (first_complaint_of(found.suffix)) {
    report("%s=%s: stacks that Weft makes have guards always; mprotect_strict gives them to a program's own too", found.name,
           found.text);
  }
}

void list_those_without_meaning() {
  if (has_listed_those_without_meaning) return;
  char line[512];
  std::size_t used = 0;
  for (const char* suffix : without_meaning) {
    const variable found = look_up(suffix);
    if (found.text == nullptr || used + sizeof found.name >= sizeof line) continue;
    used += static_cast<std::size_t>(std::snprintf(line + used, sizeof line - used, "%s%s", used == 0 ? "" : ", ", found.name));
  }
  if (used == 0) return;
  has_listed_those_without_meaning = true;
  report("without effect here: %s (the guide on Argobots programs says what Weft does instead)", line);
}

}  // namespace

void report(const char* format, ...) {
  char line[768];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  std::fprintf(stderr, "weft-abt: %s\n", line);
}

void take_default_stacks(std::size_t bytes) {
  if (bytes == now.thread_stack_bytes) return;
  const variable asked = look_up("THREAD_STACKSIZE");
  if (asked.text != nullptr && first_complaint_of(asked.suffix)) {
    report("%s=%s: Weft runs already, and its stacks have %zu bytes: set WEFT_STACK_SIZE, or stack_bytes of weft_config",
           asked.name, asked.text, bytes);
  }
  now.thread_stack_bytes = bytes;
}

const settings& read_settings() {
  const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  now.most_streams =
      static_cast<unsigned>(read_number("MAX_NUM_XSTREAMS", cpus > 0 ? static_cast<std::uint64_t>(cpus) : 1, 1, INT_MAX / 2));
  now.key_table_size = static_cast<unsigned>(next_power_of_two(read_number("KEY_TABLE_SIZE", 4, 1, 1u << 16)));
  now.thread_stack_bytes = read_thread_stack_bytes();
  now.scheduler_stack_bytes = in_pages(read_number("SCHED_STACKSIZE", usual_scheduler_stack_bytes, WEFT_STACK_MIN, most_bytes));
  now.event_frequency = static_cast<unsigned>(read_number("SCHED_EVENT_FREQ", 50, 1, INT_MAX));
  now.sleep_ns = read_number("SCHED_SLEEP_NSEC", 100, 0, INT64_MAX);
  read_affinity();
  read_stack_check();
  now.has_affinity_calls = read_switch("ENABLE_AFFINITY", false) || now.has_affinity;
  now.answers_tool = read_switch("ENABLE_TOOL", false);
  now.answers_lazy_stacks = read_switch("ENABLE_LAZY_STACK_ALLOC", false);
  now.prints_config = read_switch("PRINT_CONFIG", false);
  now.prints_raw_stack = read_switch("PRINT_RAW_STACK", false);
  now.uses_log = read_switch("USE_LOG", false);
  now.uses_debug = read_switch("USE_DEBUG", false);
  list_those_without_meaning();
  return now;
}

}  // namespace weft::abt
