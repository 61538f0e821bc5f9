// Where in the user's source a thread is made. The compiler lays such places down as constant data;
// a thread keeps the address of its place instead of the address of the code that made it, so that
// its creation costs no more.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <bit>
#include <cstddef>
#include <memory>
#include <source_location>

#include <weft/ext.h>
#include <weft/weft.h>
#include <weft/detail/trampoline.hpp>

namespace weft::detail {

// As the last parameter of a public function, by default: its caller. A type of its own, so that it
// is never taken for an argument of the user's function.
class caller {
 public:
  explicit caller(std::source_location where = std::source_location::current()) noexcept
      : place_(std::bit_cast<const weft_ext_place*>(where)) {}
  static caller unknown() noexcept { return caller(nullptr); }

  const weft_ext_place* place() const noexcept { return place_; }

 private:
  // Both libraries' std::source_location is the address of such a record.
  static_assert(sizeof(std::source_location) == sizeof(const weft_ext_place*));
  explicit caller(std::nullptr_t) noexcept : place_(nullptr) {}

  const weft_ext_place* place_;
};

// weft_thread_create; where the caller is unknown, the code that this is part of made the thread.
[[gnu::always_inline]] inline weft_status start_thread(weft_function function, void* argument, const weft_thread_attr* attributes,
                                                       weft_thread** out, caller made_by) noexcept {
  if (made_by.place() == nullptr) return weft_thread_create(function, argument, attributes, out);
  return weft_ext_thread_create_at(function, argument, attributes, out, made_by.place());
}

// The thread takes *call over. Where the caller is unknown, the code that this is part of made it.
template <class Call>
[[gnu::always_inline]] inline weft_status start_thread_with(Call& call, const weft_thread_attr* attributes, weft_thread** out,
                                                            caller made_by) noexcept {
  return weft_ext_thread_create_filled(run_placed<Call>, sizeof(Call), move_to_place<Call>, std::addressof(call), attributes, out,
                                       made_by.place());
}

}  // namespace weft::detail
