// Where a thread was made: the address of the code that made it, or of a record of the source's
// place, which compilers lay down as constant data (std::source_location; weft_ext_place). Both fit
// one word, so that creation stores no more than it did; which of them a word is, is found out when
// a report is written. Callable from any OS thread and from a handler of SIGSEGV: takes no lock but
// the dynamic linker's, and allocates nothing.
#pragma once

#include <cstddef>

namespace weft::os {

// As a compiler lays it down.
struct place_record {
  const char* file;
  const char* function;  // as the source has it, with types: `static void app::loop(X) [with X = int]`
  unsigned line;
  unsigned column;
};

// The record that lies there, or null: it is code, or belongs to a library that is gone.
const place_record* find_place(const void* made_at);

// In the C++ library's headers, as where a vector makes its elements: not what a reader looks for.
bool is_in_library(const place_record& place);

// "main.cpp:31", without folders; what does not fit is cut at the front.
void write_file_and_line(const place_record& place, char* out, std::size_t capacity);

// "app::loop"; of a lambda, the function that it is written in.
void write_function(const place_record& place, char* out, std::size_t capacity);

}  // namespace weft::os
