// See choices.hpp.
#include "explorer/choices.hpp"

#include <cstdlib>

namespace explorer {
namespace {

constexpr char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
constexpr int run_that_pays = 4;

}  // namespace

int choices::choose(int options) {
  if (options == 1) return 0;  // no choice: it costs nothing in the path
  if (position_ == path_.size()) {
    path_.push_back({static_cast<std::uint8_t>(options), 0});
    ++places_;
  }
  node& here = path_[position_++];
  if (here.options == 0) here.options = static_cast<std::uint8_t>(options);
  if (here.options != options || here.taken >= options) {
    deterministic_ = false;
    return 0;
  }
  return here.taken;
}

bool choices::advance() {
  path_.resize(position_);  // an execution that ended early leaves nothing behind it
  while (!path_.empty() && path_.back().taken + 1 >= path_.back().options) path_.pop_back();
  if (path_.empty()) return false;
  ++path_.back().taken;
  return true;
}

void choices::clear() {
  path_.clear();
  position_ = 0;
  deterministic_ = true;
}

std::string choices::id() const {
  std::string text;
  int zeros = 0;
  for (std::size_t i = 0; i < position_; ++i) {
    if (path_[i].taken == 0) {
      ++zeros;
      continue;
    }
    if (zeros >= run_that_pays) {
      text += '.' + std::to_string(zeros) + '.';
    } else {
      text.append(static_cast<std::size_t>(zeros), '0');
    }
    zeros = 0;
    text += digits[path_[i].taken];
  }
  return text.empty() ? "0" : text;
}

bool choices::restore(const std::string& id) {
  clear();
  const std::string known = digits;
  for (std::size_t i = 0; i < id.size(); ++i) {
    if (id[i] == '.') {
      const std::size_t end = id.find('.', i + 1);
      if (end == std::string::npos) return false;
      const int zeros = std::atoi(id.substr(i + 1, end - i - 1).c_str());
      path_.insert(path_.end(), static_cast<std::size_t>(zeros), node{0, 0});
      i = end;
      continue;
    }
    const std::size_t taken = known.find(id[i]);
    if (taken == std::string::npos) return false;
    path_.push_back({0, static_cast<std::uint8_t>(taken)});
  }
  return true;
}

}  // namespace explorer
