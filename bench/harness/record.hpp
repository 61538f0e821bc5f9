// A measurement as JSON, the form in which it is kept, compared and handed between processes.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "harness/measure.hpp"

namespace bench {

inline constexpr const char* record_format = "weft-bench-1";

nlohmann::ordered_json make_record(const order& order, const measurement& result);

}  // namespace bench
