// See settings.hpp.
#include "dist/settings.hpp"

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

}  // namespace

status read_settings(settings* out) {
  std::uint64_t stack = 0, pool = 0, checking = 0, policy = 0, poll = 0;
  const bool are_good[] = {read(os::dist_stack_info, &stack), read(os::dist_pool_info, &pool),
                           read(os::dist_check_info, &checking), read(os::dist_policy_info, &policy),
                           read(os::dist_poll_info, &poll)};  // each is told
  for (const bool is_good : are_good) {
    if (!is_good) return status::invalid;
  }
  *out = {static_cast<std::size_t>(stack) & ~std::size_t{4095}, static_cast<std::uint32_t>(pool),
          static_cast<std::uint32_t>(poll), static_cast<check>(checking), static_cast<way>(policy)};
  if (out->checking != check::all || out->policy == way::optimised) return status::ok;
  base::report("error: WEFT_DIST_CHECK=all moves forkers itself: unset WEFT_DIST_POLICY, or set it to optimised");
  return status::invalid;
}

}  // namespace weft::dist
