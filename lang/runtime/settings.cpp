#include "settings.hpp"

#include <strings.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <weft_tascell/atomic.hpp>

namespace weft::tascell_runtime {
namespace {

// The number that text begins with, and what follows it; false: none.
bool read_number(const char* text, std::uint64_t* out, const char** rest) {
  if (*text < '0' || *text > '9') return false;
  errno = 0;
  char* end = nullptr;
  *out = std::strtoull(text, &end, 10);
  *rest = end;
  return errno == 0;
}

struct unit {
  const char* name;
  std::uint64_t factor;
};
constexpr unit no_units[] = {{"", 1}, {nullptr, 0}};
constexpr unit bytes_units[] = {{"", 1}, {"K", 1u << 10}, {"M", 1u << 20}, {"G", 1u << 30}, {nullptr, 0}};
constexpr unit time_units[] = {{"", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {nullptr, 0}};

struct amount {
  const char* name;
  const unit* units;
  bool may_be_off;
  std::uint64_t least, most;
  const char* accepted;
};

bool complain(const char* name, const char* text, const char* accepted) {
  std::fprintf(stderr, "weft: error: %s=%s: want %s\n", name, text, accepted);
  return false;
}

const char* value_of(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr || *text == '\0' ? nullptr : text;
}

bool read_amount(const amount& of, std::uint64_t* out) {
  const char* text = value_of(of.name);
  if (text == nullptr) return true;
  if (of.may_be_off && strcasecmp(text, "off") == 0) {
    *out = 0;
    return true;
  }
  std::uint64_t number = 0;
  const char* rest = "";
  if (read_number(text, &number, &rest)) {
    for (const unit* each = of.units; each->name != nullptr; ++each) {
      if (strcasecmp(rest, each->name) != 0 || number > of.most / each->factor) continue;
      number *= each->factor;
      if (number < of.least) break;
      *out = number;
      return true;
    }
  }
  return complain(of.name, text, of.accepted);
}

bool is_one_of(const char* text, const char* const (&words)[4]) {
  for (const char* each : words)
    if (strcasecmp(text, each) == 0) return true;
  return false;
}

constexpr const char* on_words[4] = {"1", "on", "yes", "true"};
constexpr const char* off_words[4] = {"0", "off", "no", "false"};

bool read_switch(const char* name, bool* out) {
  const char* text = value_of(name);
  if (text == nullptr) return true;
  *out = is_one_of(text, on_words);
  return *out || is_one_of(text, off_words) || complain(name, text, "on or off");
}

bool read_guard(bool* out) {
  const char* text = value_of("WEFT_TASCELL_GUARD");
  if (text == nullptr) return true;
  *out = strcasecmp(text, "refuse") == 0;
  return *out || strcasecmp(text, "virtual") == 0 || complain("WEFT_TASCELL_GUARD", text, "virtual or refuse");
}

bool read_check(settings* out) {
  const char* text = value_of("WEFT_TASCELL_CHECK");
  if (text == nullptr) return true;
  const bool is_of_winds = strcasecmp(text, "winds") == 0;
  const bool is_good = is_of_winds || is_one_of(text, on_words) || is_one_of(text, off_words);
  out->checks = is_of_winds || is_one_of(text, on_words);
  out->checks_puts = out->checks && !is_of_winds;
  return is_good || complain("WEFT_TASCELL_CHECK", text, "on, off or winds");
}

constexpr const char* state_names[] = {"idle", "asking", "running", "result", "sent"};
constexpr char deaths[] = "idle, asking, running, result or sent, a colon, and a number";

bool read_death(death* out) {
  const char* text = value_of("WEFT_TASCELL_DIE");
  if (text == nullptr) return true;
  for (std::uint32_t i = 0; i < sizeof state_names / sizeof *state_names; ++i) {
    const std::size_t length = std::strlen(state_names[i]);
    const char* rest = "";
    if (std::strncmp(text, state_names[i], length) != 0 || text[length] != ':') continue;
    out->state = i;
    if (read_number(text + length + 1, &out->n, &rest) && *rest == '\0') return true;
  }
  return complain("WEFT_TASCELL_DIE", text, deaths);
}

// ---- the table of them --------------------------------------------------------------------------

constexpr amount storm = {"WEFT_TASCELL_STORM", no_units, true, 1, 1000000000, "off, or 1 to 1000000000 polls"};
constexpr amount seed = {"WEFT_TASCELL_SEED", no_units, false, 0, UINT64_MAX, "a number"};
constexpr amount stack = {"WEFT_TASCELL_STACK_SIZE", bytes_units, false, 65536, std::uint64_t{1} << 30, "64K to 1G"};
constexpr amount watchdog = {"WEFT_TASCELL_WATCHDOG", time_units, true, 1000000, 3600000000000, "off, or 1ms to 3600s"};

constexpr description table[] = {
    {stack.name, stack.accepted, "8M", "Stack of each worker. Reserved, not used."},
    {"WEFT_TASCELL_GUARD", "virtual or refuse", "virtual",
     "What the acceptance probability of a worker means: thieves draw victims in proportion to it, or the victim refuses."},
    {storm.name, storm.accepted, "off", "For tests: a worker asks itself at one in n polls, and runs the task at once."},
    {seed.name, seed.accepted, "1", "Of random choices."},
    {"WEFT_TASCELL_CHECK", "on, off or winds", "off",
     "For tests: at every poll, walk to the oldest record and back, and compare the workspace around each undo and redo and, "
     "with on, "
     "where a choice point could divide."},
    {"WEFT_TASCELL_SHIP", "on or off", "off", "For tests: pack every transferable task into bytes, and unpack it."},
    {"WEFT_TASCELL_YIELD", "on or off", "off",
     "For tests: yield at every poll, so that virtual workers run in turn. WEFT_SCHEDULE switches it on."},
    {watchdog.name, watchdog.accepted, "off", "Name a worker that has not polled for so long while it was asked."},
    {"WEFT_TASCELL_DIE", deaths, "off",
     "For tests: a node that does not run main kills itself the n-th time that it is in this state. See protocol N."},
    {"WEFT_TASCELL_STATS", "on or off", "off", "Print what the workers did, at the end of each run."}};

// Names the variables that do not exist, once in a process: a mode that is misspelt would seem to
// find no mistake.
void warn_of_unknown() {
  static atomic<std::uint32_t> has_warned{0};
  if (has_warned.exchange(1, base::relaxed) != 0) return;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    constexpr char prefix[] = "WEFT_TASCELL_";
    if (std::strncmp(*each, prefix, sizeof prefix - 1) != 0) continue;
    const std::size_t length = std::strcspn(*each, "=");
    bool is_known = false;
    for (const description& one : table)
      is_known = is_known || (std::strlen(one.name) == length && std::strncmp(*each, one.name, length) == 0);
    if (is_known) continue;
    std::fprintf(stderr, "weft: warning: there is no variable %.*s; weft info lists those that exist. It is ignored\n",
                 static_cast<int>(length), *each);
  }
}

}  // namespace

void walk_settings(void (*each)(const description& of, const char* value, void* state), void* state) {
  for (const description& one : table) {
    const char* const text = value_of(one.name);
    const bool is_implied =
        text == nullptr && value_of("WEFT_SCHEDULE") != nullptr && std::strcmp(one.name, "WEFT_TASCELL_YIELD") == 0;
    each(one, text != nullptr ? text : is_implied ? "on" : one.usual, state);
  }
}

bool read_settings(settings* out) {
  warn_of_unknown();
  out->yields = value_of("WEFT_SCHEDULE") != nullptr;
  const bool are_good[] = {read_amount(storm, &out->storm),
                           read_amount(seed, &out->seed),
                           read_amount(stack, &out->stack_bytes),
                           read_amount(watchdog, &out->watchdog_ns),
                           read_switch("WEFT_TASCELL_SHIP", &out->ships),
                           read_check(out),
                           read_switch("WEFT_TASCELL_YIELD", &out->yields),
                           read_switch("WEFT_TASCELL_STATS", &out->tells_counts),
                           read_death(&out->dies),
                           read_guard(&out->refuses)};  // each is told
  for (const bool each : are_good)
    if (!each) return false;
  return true;
}

}  // namespace weft::tascell_runtime
