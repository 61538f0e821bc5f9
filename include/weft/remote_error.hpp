// weft::dist::remote_error: what an exception becomes that crosses from one process to another. A
// fork's child that another rank's forker joins, and a root, may throw; the exception itself stays
// on the rank where it was thrown, and its type's name and its what() travel. In a program that
// runs on one rank, and in one on libweft, the exception itself arrives.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <cxxabi.h>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <utility>

#include <weft/weft.h>

// libweft-dist has these. A program on libweft has none of them, and its exceptions stay in the
// process.
extern "C" {
// Keeps an exception in this process for the other ranks. Returns a handle that is valid on all
// ranks; null if there is no memory. Never throws. Never switches. Callable from any.
__attribute__((weak)) WEFT_API void* weft_dist_keep_exception(void* exception, const char* type, const char* what);
// Returns the exception of a handle if this process keeps it. Otherwise it returns null and stores
// the texts, which are valid until weft_dist_drop_exception. Never throws. Never switches. Callable
// from any.
__attribute__((weak)) WEFT_API void* weft_dist_find_exception(void* handle, const char** type, const char** what);
// Ends this rank's use of an exception. The rank that keeps the exception deletes it then. Never
// throws. Never switches. Callable from any.
__attribute__((weak)) WEFT_API void weft_dist_drop_exception(void* handle);
// Returns an exception that this process kept, and that another rank has dropped; null if there is
// none. Never throws. Never switches. Callable from any.
__attribute__((weak)) WEFT_API void* weft_dist_dropped_exception(void);
}

namespace weft::dist {

// An exception that was thrown on another rank. what() returns what the exception's what() returned
// there, or "" if the exception has no what().
class remote_error : public std::runtime_error {
 public:
  // Makes what a join or a root throws for an exception that crossed: the name of its type, and its
  // what(). Throws std::bad_alloc. Never switches. Callable from any.
  remote_error(std::string type, const char* what) : std::runtime_error(what), type_(std::move(type)) {}

  // Returns the name of the exception's type, as C++ source text has it.
  [[nodiscard]] const std::string& type() const noexcept { return type_; }

 private:
  std::string type_;
};

}  // namespace weft::dist

namespace weft::detail {

// A type's name as a program's text has it.
inline std::string readable_name(const char* mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free);
  return text ? text.get() : mangled;
}

// The type's name of the exception that is being handled.
inline std::string name_of_caught() {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  return type != nullptr ? readable_name(type->name()) : "unknown";
}

// What a fork's or a root's bytes carry in place of the exception.
[[gnu::cold, gnu::noinline]] inline void* keep_exception(std::exception_ptr thrown) {
  auto* const kept = new std::exception_ptr(std::move(thrown));
  if (weft_dist_keep_exception == nullptr) return kept;
  while (void* const dropped = weft_dist_dropped_exception()) delete static_cast<std::exception_ptr*>(dropped);
  std::string type = "unknown";
  std::string what;
  try {
    std::rethrow_exception(*kept);
  } catch (const std::exception& error) {
    what = error.what();
    type = name_of_caught();
  } catch (...) {
    type = name_of_caught();
  }
  return weft_dist_keep_exception(kept, type.c_str(), what.c_str());
}

// The exception that was kept, or what is known of it here.
[[gnu::cold, gnu::noinline]] inline std::exception_ptr take_exception(void* handle) {
  if (weft_dist_find_exception == nullptr) {
    const std::unique_ptr<std::exception_ptr> kept(static_cast<std::exception_ptr*>(handle));
    return *kept;
  }
  const char* type = nullptr;
  const char* what = nullptr;
  std::exception_ptr result;
  if (void* const kept = weft_dist_find_exception(handle, &type, &what)) {
    const std::unique_ptr<std::exception_ptr> own(static_cast<std::exception_ptr*>(kept));
    result = *own;
  } else {
    result = std::make_exception_ptr(dist::remote_error(type, what));
  }
  weft_dist_drop_exception(handle);
  return result;
}

// Whether this process has the exception itself.
inline bool is_kept_here(void* handle) {
  const char* type = nullptr;
  const char* what = nullptr;
  return weft_dist_find_exception(handle, &type, &what) != nullptr;
}

// Returns the exception that a handle names, and does not drop it: many ranks look at one
// exception.
[[gnu::cold, gnu::noinline]] inline std::exception_ptr look_at_exception(void* handle) {
  const char* type = nullptr;
  const char* what = nullptr;
  if (void* const kept = weft_dist_find_exception(handle, &type, &what)) return *static_cast<std::exception_ptr*>(kept);
  return std::make_exception_ptr(dist::remote_error(type, what));
}

}  // namespace weft::detail
