// Whether the library that a test is linked with is the one with checks.
#pragma once

#include <weft/report.h>

#include <cstring>

namespace weft::test {

inline bool is_checked_build() {
  bool checked = false;
  weft_info_walk(
      [](void* found, const char* key, const char* value) {
        if (std::strcmp(key, "build.checked") == 0) *static_cast<bool*>(found) = std::strcmp(value, "yes") == 0;
      },
      &checked);
  return checked;
}

}  // namespace weft::test
