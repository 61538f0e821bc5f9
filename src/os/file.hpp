// Small text files of /proc and /sys. Used at start only, from the OS thread that starts the runtime.
#pragma once

#include <cstddef>

namespace weft::os {

// Reads the start of the file at the path that format makes (at most 511 bytes) into out, ends it with a null, and takes one newline
// off its end. False: there is no such file, or it cannot be read.
bool read_text(char* out, std::size_t capacity, const char* format, ...) __attribute__((format(printf, 3, 4)));

// A decimal number at *text, which moves behind it. False: there is none, or it is above 2^31.
bool take_number(const char** text, unsigned* out);

}  // namespace weft::os
