// What to say when the command line makes no sense: what is wrong, the nearest thing that there is,
// and all things that there are.
#pragma once

#include <CLI/App.hpp>

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace cli {

inline constexpr int exit_right = 0;
inline constexpr int exit_wrong = 1;
inline constexpr int exit_usage = 2;

class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline void require(bool is_right, const std::string& what) {
  if (!is_right) throw usage_error(what);
}

// Empty when nothing is near.
std::string nearest(std::string_view word, std::span<const std::string> words);

// "there is no program 'fbi'; did you mean 'fib'?\nprograms: fib, ..."
[[nodiscard]] usage_error no_such(std::string_view kind, std::string_view word, std::span<const std::string> words);

// The message for a command line that CLI11 refused.
std::string explain(const CLI::App& app, const CLI::ParseError& error, std::span<const std::string> arguments);

}  // namespace cli
