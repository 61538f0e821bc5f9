// What a test may expect under which WEFT_DIST_POLICY.
#pragma once

#include <cstdlib>
#include <cstring>

// Under the policy `child` forkers go on and their children wait to be taken; under all others a
// child runs first, and its forker moves.
inline bool forkers_go_on() {
  const char* const policy = std::getenv("WEFT_DIST_POLICY");
  return policy != nullptr && (std::strcmp(policy, "child") == 0 || std::strcmp(policy, "run-to-completion") == 0);
}
