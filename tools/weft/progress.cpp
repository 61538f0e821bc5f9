#include "progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace cli {

namespace {

constexpr std::size_t bar_width = 20;

// "dumb" terminals, as editors and logs offer them, cannot write over a line.
bool can_redraw() {
  const char* const terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

progress::progress(std::size_t steps) : steps_(steps), is_terminal_(can_redraw()) {}

void progress::begin(const std::string& what) {
  ++step_;
  what_ = what;
  tick(0);
}

void progress::tick(double seconds) {
  if (!is_terminal_) return;
  std::size_t const done = (step_ - 1) * bar_width / steps_;
  draw(fmt::format("[{:#<{}}{:.<{}}] {}/{} {}, {:.1f} s", "", done, "", bar_width - done, step_, steps_, what_, seconds));
}

void progress::end(const std::string& result) {
  if (!is_terminal_) fmt::print(stderr, "[{:{}}/{}] {}: {}\n", step_, std::to_string(steps_).size(), steps_, what_, result);
}

void progress::draw(const std::string& line) {
  fmt::print(stderr, "\r\033[K{}", line.substr(0, terminal_width() - 1));
  std::fflush(stderr);
  is_drawn_ = true;
}

void progress::clear() {
  if (!is_drawn_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  is_drawn_ = false;
}

}  // namespace cli
