// See choices.hpp.
#include "explorer/choices.hpp"

#include <algorithm>
#include <cstdio>
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

open_choice choices::choose_open(int options, int each) {
  if (position_ == path_.size()) {
    path_.push_back({static_cast<std::uint8_t>(options), 0, static_cast<std::uint8_t>(each)});
    ++places_;
  }
  node& here = path_[position_++];
  const finding* behind = here.behind();
  if (here.options == 0) {
    here.options = static_cast<std::uint8_t>(options);
    here.each = static_cast<std::uint8_t>(each);
  }
  if (here.options != options || here.each != each || here.taken >= (behind != nullptr ? each : options)) {
    deterministic_ = false;
    return {0, nullptr};
  }
  return {here.taken, behind};
}

void choices::add(std::size_t place, const finding& what) {
  std::vector<finding>& known = path_[place].findings;
  if (std::find(known.begin(), known.end(), what) == known.end()) known.push_back(what);
}

// To the last node's next option, if there is one.
bool choices::turn(node& last) {
  if (last.taken + 1 < (last.findings_turned != 0 ? last.each : last.options)) {
    ++last.taken;
    return true;
  }
  if (last.findings_turned == last.findings.size()) return false;
  ++last.findings_turned;
  last.taken = 0;
  return true;
}

bool choices::advance() {
  path_.resize(position_);  // an execution that ended early leaves nothing behind it
  while (!path_.empty() && !turn(path_.back())) path_.pop_back();
  return !path_.empty();
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
    const finding* behind = path_[i].behind();
    if (path_[i].taken == 0 && behind == nullptr) {
      ++zeros;
      continue;
    }
    if (zeros >= run_that_pays) {
      text += '.' + std::to_string(zeros) + '.';
    } else {
      text.append(static_cast<std::size_t>(zeros), '0');
    }
    zeros = 0;
    if (behind != nullptr) {
      text +=
          '@' + std::to_string(behind->thread) + ':' + std::to_string(behind->value) + ':' + std::to_string(path_[i].taken) + '@';
    } else {
      text += digits[path_[i].taken];
    }
  }
  return text.empty() ? "0" : text;
}

// THREAD:VALUE:TAKEN
bool choices::restore_finding(const std::string& text) {
  finding what{};
  unsigned long long value = 0;
  int taken = 0;
  if (std::sscanf(text.c_str(), "%d:%llu:%d", &what.thread, &value, &taken) != 3) return false;
  what.value = value;
  path_.push_back({0, static_cast<std::uint8_t>(taken), 0, 1, {what}});
  return true;
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
    if (id[i] == '@') {
      const std::size_t end = id.find('@', i + 1);
      if (end == std::string::npos || !restore_finding(id.substr(i + 1, end - i - 1))) return false;
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
