// Texts that a trace repeats: names of functions, and words for what threads wait for. Each is
// looked up once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::trace {

class names {
 public:
  // Without memory each is looked up each time. may_demangle: outside signal handlers.
  void start(bool may_demangle);
  void stop();

  // Valid until the next call.
  const char* of_function(const void* code);
  const char* of_place(const void* made_at);  // "main.cpp:31"; "" if it is no place in a source of the user's: see os/place.hpp
  const char* of_words(const void* text);     // of memory that may be gone: then "something"

 private:
  static constexpr std::size_t capacity = 4096;
  static constexpr std::size_t text_bytes = 248;
  struct entry {
    const void* key;
    char text[text_bytes];
  };

  entry* place_for(const void* key);

  entry* entries_ = nullptr;
  std::size_t used_ = 0;
  bool may_demangle_ = false;
  entry spare_{};
};

}  // namespace weft::trace
