// See settings.hpp.
#include "dist/rank/settings.hpp"

#include <string.h>
#include <unistd.h>

#include "base/assert.hpp"
#include "os/env_ranks.hpp"
#include "os/env_value.hpp"

namespace weft::dist {
namespace {

bool read(const os::variable_info& variable, std::uint64_t* out) {
  const char* text = os::value_in_environment(variable.name);
  if (text == nullptr) text = variable.default_text;
  if (os::parse_value(variable, text, out)) return true;
  base::report("error: %s=%s: want %s", variable.name, text, variable.range);
  return false;
}

bool is_variable(const char* entry, std::size_t name_bytes) {
  for (const os::variable_info* each : os::variables_of_ranks) {
    if (strlen(each->name) == name_bytes && strncmp(each->name, entry, name_bytes) == 0) return true;
  }
  return false;
}

// A policy or a check that is misspelt would seem to have no effect.
void tell_unknown() {
  constexpr char prefix[] = "WEFT_DIST_";
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::size_t bytes = strcspn(*each, "=");
    if (strncmp(*each, prefix, sizeof prefix - 1) != 0 || is_variable(*each, bytes)) continue;
    base::report("warning: there is no variable %.*s; it is ignored (\"weft info\" lists those that there are)",
                 static_cast<int>(bytes), *each);
  }
}

}  // namespace

status read_settings(settings* out) {
  std::uint64_t stack = 0, pool = 0, checking = 0, policy = 0, poll = 0, heap = 0, progress = 0;
  const bool are_good[] = {read(os::dist_stack_info, &stack),      read(os::dist_pool_info, &pool),
                           read(os::dist_check_info, &checking),   read(os::dist_policy_info, &policy),
                           read(os::dist_poll_info, &poll),        read(os::dist_heap_info, &heap),
                           read(os::dist_progress_info, &progress)};  // each is told
  for (const bool is_good : are_good) {
    if (!is_good) return status::invalid;
  }
  tell_unknown();
  *out = {static_cast<std::size_t>(stack) & ~std::size_t{4095},
          static_cast<std::uint32_t>(pool),
          static_cast<std::uint32_t>(poll),
          static_cast<check>(checking),
          static_cast<net::progress_by>(progress),
          static_cast<way>(policy),
          static_cast<std::size_t>(heap) & ~std::size_t{4095}};
  if (out->checking != check::all || out->policy == way::optimised) return status::ok;
  base::report("error: WEFT_DIST_CHECK=all moves forkers itself: unset WEFT_DIST_POLICY, or set it to optimised");
  return status::invalid;
}

}  // namespace weft::dist
