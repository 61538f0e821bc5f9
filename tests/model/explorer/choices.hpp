// The path through the tree of choices: which thread is next, which store a load reads, where in the modification order a store goes.
// Depth first: an execution replays the path and extends it with first options; advance() then turns the last choice that has an option left.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace explorer {

class choices {
 public:
  // Starts an execution from the path as it is.
  void rewind() { position_ = 0; }

  // One of 0..options-1. Every execution with the same path must ask the same questions; false determinism() says it did not.
  int choose(int options);

  // To the next path; false when all were walked.
  bool advance();

  // Clears the path, or sets it to one that id() returned. False: not such an id.
  void clear();
  bool restore(const std::string& id);
  // The path in short: a letter or digit a choice, `.N.` for N zeros in a row. Trailing zeros are left out.
  std::string id() const;

  bool deterministic() const { return deterministic_; }
  std::size_t depth() const { return position_; }

  // How many places with a choice were met so far; those of a path that is walked again are not counted again.
  long places() const { return places_; }

 private:
  struct node {
    std::uint8_t options;  // 0: from an id, not known yet
    std::uint8_t taken;
  };
  std::vector<node> path_;
  std::size_t position_ = 0;
  bool deterministic_ = true;
  long places_ = 0;
};

}  // namespace explorer
