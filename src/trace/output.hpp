// The file of a trace: text in a buffer made beforehand, so that a program that dies can still
// write. JSON's quoting.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"

namespace weft::trace {

class output {
 public:
  bool start(const char* path);   // false: errno says why
  bool start_at(int descriptor);  // of a file that was opened; false: as start, also for less than 0
  void stop();
  bool is_started() const { return buffer_ != nullptr; }
  // Opens the path anew, whose file may have been moved away. False: the one from before stays.
  bool open_again(const char* path);
  // Nothing is written any more once *others_write is true: error() is then ECANCELED.
  void give_up_when(const base::atomic<bool>* others_write) { others_write_ = others_write; }
  void begin_anew();  // without what other processes have written meanwhile to the same file

  output& operator<<(const char* words);
  output& operator<<(char one) {
    if (used_ == capacity) flush();
    buffer_[used_++] = one;
    return *this;
  }
  output& operator<<(std::uint64_t number);
  output& microseconds(std::uint64_t ns);  // "1234.567"
  output& quoted(const char* text);        // in quotes; bytes that are no UTF-8 become U+FFFD
  bool flush();                            // false: something could not be written; error() says why

  int error() const { return error_; }

 private:
  static constexpr std::size_t capacity = 64 * 1024;

  int fd_ = -1;
  int error_ = 0;
  const base::atomic<bool>* others_write_ = nullptr;
  std::size_t used_ = 0;
  char* buffer_ = nullptr;
};

}  // namespace weft::trace
