// See settings.hpp.
#include "net/settings.hpp"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.hpp"
#include "os/vm.hpp"

namespace weft::net {
namespace {

constexpr const char* names[] = {"WEFT_LAUNCH_RANKS",  "WEFT_LAUNCH_TABLE",        "WEFT_LAUNCH_LOCK",  "WEFT_LAUNCH_REGION_AT",
                                 "WEFT_LAUNCH_APART",  "WEFT_LAUNCH_DESCRIBE",     mpi_module_variable, "WEFT_LAUNCH_LOST_AFTER",
                                 "WEFT_LAUNCH_PARENT", "WEFT_LAUNCH_START_WITHIN", mpi_library_variable};

bool refuse(const char* name, const char* text, const char* wanted) {
  base::report("%s=%s: %s", name, text, wanted);
  return false;
}

// A decimal number from 1 to most_ranks; 0: it is none.
int ranks_in(const char* text) {
  int ranks = 0;
  for (const char* digit = text; *digit != '\0'; ++digit) {
    if (*digit < '0' || *digit > '9') return 0;
    ranks = 10 * ranks + (*digit - '0');
    if (ranks > most_ranks) return 0;
  }
  return ranks;
}

bool take_ranks(settings* into) {
  const char* const name = names[0];
  const char* const text = getenv(name);
  if (text == nullptr) return true;
  into->is_launched = true;
  into->ranks = ranks_in(text);
  static_assert(most_ranks == 1024, "the line below says so");
  return into->ranks != 0 || refuse(name, text, "a number of ranks from 1 to 1024 is wanted");
}

bool take_flag(const char* name, bool* into) {
  const char* const text = getenv(name);
  if (text == nullptr) return true;
  const bool is_on = strcmp(text, "on") == 0;
  if (!is_on && strcmp(text, "off") != 0) return refuse(name, text, "on or off is wanted");
  *into = is_on;
  return true;
}

bool take_address(settings* into) {
  const char* const name = names[3];
  const char* const text = getenv(name);
  if (text == nullptr) return true;
  char* end = nullptr;
  errno = 0;
  into->region_at = strtoul(text, &end, 0);
  into->has_address = true;
  const bool is_page = errno == 0 && end != text && *end == '\0' && into->region_at % os::page_bytes() == 0;
  return is_page || refuse(name, text, "an address at the start of a page is wanted (0x...), or 0 for any");
}

bool take_file(const char* name, const char* what, file_name& into) {
  const char* const text = getenv(name);
  if (text == nullptr) return true;
  if (text[0] == '\0' || strlen(text) >= sizeof into) return refuse(name, text, what);
  strcpy(into, text);
  return true;
}

// what: of a value 0.
bool take_seconds(const char* name, const char* what, int* into) {
  constexpr int most = 3600;
  const char* const text = getenv(name);
  if (text == nullptr) return true;
  int seconds = 0;
  const char* digit = text;
  for (; *digit >= '0' && *digit <= '9' && seconds <= most; ++digit) seconds = 10 * seconds + (*digit - '0');
  *into = seconds;
  const bool is_right = digit != text && *digit == '\0' && seconds <= most;
  return is_right || refuse(name, text, what);
}

// Set by `weft launch` alone.
bool take_parent(settings* into) {
  const char* const text = getenv(names[8]);
  if (text != nullptr && strlen(text) < sizeof into->parent) strcpy(into->parent, text);
  return true;
}

}  // namespace

status read_settings(settings* out) {
  settings read;
  const bool is_right[] = {
      take_ranks(&read),
      take_flag(names[1], &read.has_table),
      take_flag(names[2], &read.locks),
      take_address(&read),
      take_flag(names[4], &read.are_apart),
      take_flag(names[5], &read.is_described),
      take_file(mpi_module_variable, "the file of a module is wanted", read.mpi_module),
      take_file(mpi_library_variable, "the file of an MPI's library is wanted", read.mpi_library),
      take_seconds(names[7], "a number of seconds from 0, which is never, to 3600 is wanted", &read.lost_after),
      take_seconds(names[9], "a number of seconds from 0, which is any time, to 3600 is wanted", &read.start_within),
      take_parent(&read)};
  for (const bool each : is_right) {
    if (!each) return status::invalid;
  }
  for (const char* const name : names) (void)unsetenv(name);
  *out = read;
  return status::ok;
}

}  // namespace weft::net
