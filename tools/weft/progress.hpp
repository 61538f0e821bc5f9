// What goes on while programs run, on standard error: one line that is written over where there is
// a terminal; elsewhere, one line for each program that ended.
#pragma once

#include <cstddef>
#include <string>

namespace cli {

class progress {
 public:
  explicit progress(std::size_t steps);
  ~progress() { clear(); }
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  void begin(const std::string& what);
  void tick(double seconds);            // since begin
  void end(const std::string& result);  // "0.31 s, right"

 private:
  void draw(const std::string& line);
  void clear();

  std::size_t steps_;
  std::size_t step_ = 0;
  std::string what_;
  bool is_terminal_;
  bool is_drawn_ = false;
};

}  // namespace cli
