// The model's base/config.hpp: as in a release build, whose short paths are the ones to explore;
// and the instrumentation that finds races on plain fields must not look like a sanitizer.
#pragma once

namespace weft::config {

inline constexpr bool checked = false;
inline constexpr bool address_sanitizer = false;
inline constexpr bool thread_sanitizer = false;

}  // namespace weft::config
