// The only file that reads build macros: each becomes a constexpr that code tests with `if
// constexpr`.
#pragma once

namespace weft::config {

// Checked builds name misuse that release builds leave undefined (CMake: WEFT_CHECKED).
#ifdef WEFT_CHECKED
inline constexpr bool checked = true;
#else
inline constexpr bool checked = false;
#endif

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool address_sanitizer = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool address_sanitizer = true;
#else
inline constexpr bool address_sanitizer = false;
#endif
#else
inline constexpr bool address_sanitizer = false;
#endif

#if defined(__SANITIZE_THREAD__)
inline constexpr bool thread_sanitizer = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr bool thread_sanitizer = true;
#else
inline constexpr bool thread_sanitizer = false;
#endif
#else
inline constexpr bool thread_sanitizer = false;
#endif

#if defined(__clang__)
inline constexpr const char* compiler = "clang " __clang_version__;
#else
inline constexpr const char* compiler = "gcc " __VERSION__;
#endif

#if defined(__x86_64__)
inline constexpr const char* architecture = "x86_64";
#elif defined(__aarch64__)
inline constexpr const char* architecture = "aarch64";
#else
#error "Weft needs x86-64 or aarch64"
#endif

}  // namespace weft::config
