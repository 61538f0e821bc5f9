// The model's base/config.hpp: checks on; the instrumentation that finds races on plain fields must not look like a sanitizer.
#pragma once

namespace weft::config {

inline constexpr bool checked = true;
inline constexpr bool address_sanitizer = false;
inline constexpr bool thread_sanitizer = false;

}  // namespace weft::config
