// What a program can measure, as JSON: its runtimes with their cells, and all kernels with their
// sizes.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace bench {

inline constexpr const char* listing_format = "weft-bench-list-1";

nlohmann::ordered_json make_listing();

}  // namespace bench
