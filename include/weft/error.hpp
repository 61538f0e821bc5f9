// weft::error: what a C call's weft_status becomes in C++. Calls that can fail throw it; calls that
// time out, or that try, return.
//
// An error is a std::system_error of weft::status_category(), and compares equal to the std::errc
// of the same meaning:
//   catch (const std::system_error& e) { if (e.code() == std::errc::resource_deadlock_would_occur) ... }
// Under -fno-exceptions each C++ header ends the compilation with one message. Such programs use the
// C calls, which report the same by value.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <cstring>
#include <stdexcept>
#include <string>
#include <system_error>

#include <weft/weft.h>

namespace weft {

// The errors of weft_status, as an error code enumeration of std.
enum class errc {
  no_memory = WEFT_NOMEM,                  // memory, or address space for a stack, is exhausted
  invalid = WEFT_INVALID,                  // an argument is not valid: what() says which, and why
  busy = WEFT_BUSY,                        // the object is held, or the thread has not ended
  timeout = WEFT_TIMEOUT,                  // the deadline passed
  again = WEFT_AGAIN,                      // the system refused a resource for now
  unsupported = WEFT_UNSUPPORTED,          // this kernel, CPU, build or process cannot do it
  not_initialized = WEFT_NOT_INITIALIZED,  // the runtime does not run
  cannot_block = WEFT_CANNOT_BLOCK,        // the caller is a tasklet or a callback, which must not wait
  not_owner = WEFT_NOT_OWNER,              // the caller does not hold the lock, or may not act on this object
  deadlock = WEFT_DEADLOCK,                // the call would wait for its own caller
  ended = WEFT_ENDED,                      // the object was closed, or the runtime ended, during a wait
};

namespace detail {

class status_category_type final : public std::error_category {
 public:
  const char* name() const noexcept override { return "weft"; }
  std::string message(int value) const override { return weft_status_text(static_cast<weft_status>(value)); }

  std::error_condition default_error_condition(int value) const noexcept override {
    switch (static_cast<errc>(value)) {
      case errc::no_memory: return std::errc::not_enough_memory;
      case errc::invalid: return std::errc::invalid_argument;
      case errc::busy: return std::errc::device_or_resource_busy;
      case errc::timeout: return std::errc::timed_out;
      case errc::again: return std::errc::resource_unavailable_try_again;
      case errc::unsupported: return std::errc::not_supported;
      case errc::cannot_block: return std::errc::operation_would_block;
      case errc::not_owner: return std::errc::operation_not_permitted;
      case errc::deadlock: return std::errc::resource_deadlock_would_occur;
      case errc::ended: return std::errc::operation_not_permitted;  // as Boost.Fiber's closed channels
      case errc::not_initialized: break;                            // std has no word for it
    }
    return {value, *this};
  }
};

}  // namespace detail

// Returns the category of these errors, whose name is "weft".
inline const std::error_category& status_category() noexcept {
  static const detail::status_category_type category;
  return category;
}

// Makes an errc a std::error_code.
inline std::error_code make_error_code(errc code) noexcept { return {static_cast<int>(code), status_category()}; }

namespace detail {

// What a status means, without its pointer to weft_last_error(), which may tell of another call.
inline std::string meaning_of(weft_status status) {
  std::string text = weft_status_text(status);
  return text.substr(0, text.find(" (weft_last_error()"));
}

inline std::string sentence_of(weft_status status, const char* words) {
  if (std::strstr(words, ": ") != nullptr) return words;
  return std::string(words) + ": " + meaning_of(status);
}

}  // namespace detail

// The exception that carries the status of a failed C call.
class error : public std::system_error {
 public:
  // Makes an error of the status that a C call returned. words is what what() says: a sentence with
  // the cause, such as weft_last_error() for errors that this library throws. Behind the name of a
  // call alone, what() says what the status means. Throws std::bad_alloc. Never switches. Callable
  // from any.
  error(weft_status status, const char* words)
      : std::system_error(static_cast<int>(status), status_category(), words), words_(detail::sentence_of(status, words)) {}

  // Returns the words.
  const char* what() const noexcept override { return words_.what(); }
  // Returns the status of the C call.
  weft_status status() const noexcept { return static_cast<weft_status>(code().value()); }

 private:
  std::runtime_error words_;  // a string whose copies cannot throw
};

namespace detail {

// What the caller's last failed call says, if `call` is one of C.
inline const char* words_about(const char* call) {
  const char* const told = std::strncmp(call, "weft_", 5) == 0 ? weft_last_error() : "";
  return *told != '\0' ? told : call;
}

// After a call that returned the status; call: its name, or what this library says itself.
[[noreturn, gnu::cold, gnu::noinline]] inline void fail(weft_status status, const char* call) {
  throw error(status, words_about(call));
}

inline void check(weft_status status, const char* call) {
  if (status != WEFT_OK) [[unlikely]]
    fail(status, call);
}

// For calls that may say, with `status`, that it was not to be this time.
inline bool check_unless(weft_status expected, weft_status status, const char* call) {
  if (status == expected) return false;
  check(status, call);
  return true;
}

}  // namespace detail
}  // namespace weft

template <>
struct std::is_error_code_enum<weft::errc> : std::true_type {};
