// The path through the tree of choices: which thread is next, which store a load reads, where in
// the modification order a store goes. Depth first: an execution replays the path and extends it
// with first options; advance() then turns the last choice that has an option left.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace explorer {

// What executions behind an open choice brought to light: a value that a thread can write there.
struct finding {
  int thread;
  std::uint64_t value;
  bool operator==(const finding&) const = default;
};

struct open_choice {
  int taken;
  const finding* behind;  // null: taken is one of the options; otherwise one of those that each finding adds
};

class choices {
 public:
  // Starts an execution from the path as it is.
  void rewind() { position_ = 0; }

  // One of 0..options-1. Every execution with the same path must ask the same questions; false
  // determinism() says it did not.
  int choose(int options);

  // As choose(), but each finding that is added at this place (depth() - 1) by executions that go
  // on from it makes `each` options more.
  open_choice choose_open(int options, int each);
  void add(std::size_t place, const finding& what);

  // To the next path; false when all were walked.
  bool advance();

  // Clears the path, or sets it to one that id() returned. False: not such an id.
  void clear();
  bool restore(const std::string& id);
  // The path in short: a letter or digit a choice, `.N.` for N zeros in a row,
  // `@THREAD:VALUE:TAKEN@` for one behind a finding. Trailing zeros are left out.
  std::string id() const;

  bool deterministic() const { return deterministic_; }
  std::size_t depth() const { return position_; }

  // How many places with a choice were met so far; those of a path that is walked again are not
  // counted again.
  long places() const { return places_; }

 private:
  struct node {
    std::uint8_t options;  // 0: from an id, not known yet
    std::uint8_t taken;
    std::uint8_t each = 0;             // options that a finding adds
    std::uint8_t findings_turned = 0;  // taken is one of what the last of these adds; 0: one of options
    std::vector<finding> findings = {};

    const finding* behind() const { return findings_turned == 0 ? nullptr : &findings[findings_turned - 1]; }
  };
  static bool turn(node& last);
  bool restore_finding(const std::string& text);

  std::vector<node> path_;
  std::size_t position_ = 0;
  bool deterministic_ = true;
  long places_ = 0;
};

}  // namespace explorer
