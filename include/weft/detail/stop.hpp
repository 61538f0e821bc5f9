// std::stop_token where the C++ library has it. libc++ has it from version 20 on, and before with
// -fexperimental-library; without it the headers compile, and no token can be passed to them.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <version>

#include <optional>
#include <utility>

#include <weft/detail/channel_wait.hpp>

#if defined(__cpp_lib_jthread)

#include <stop_token>

namespace weft::detail {

using stop_token = std::stop_token;

// Decides a wait when a stop is requested, from arm() on, or at once if it was requested before.
class stop_link {
 public:
  void arm(const stop_token& token, channel_decision decision) { callback_.emplace(token, decision); }
  // Afterwards no callback runs.
  void disarm() noexcept { callback_.reset(); }

 private:
  std::optional<std::stop_callback<channel_decision>> callback_;
};

}  // namespace weft::detail

#else

namespace weft::detail {

class stop_token {
 public:
  stop_token() = delete;
  bool stop_requested() const noexcept { return false; }
};

class stop_link {
 public:
  void arm(const stop_token&, channel_decision) noexcept {}
  void disarm() noexcept {}
};

}  // namespace weft::detail

#endif
