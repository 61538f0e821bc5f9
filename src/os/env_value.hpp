// Values of environment variables: text to number and back, and the name nearest to a mistyped one.
// Pure functions, used by env.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "os/env.hpp"

namespace weft::os {

// False: text is no value of that variable. Of a choice *out is the index of the word, of a text it
// is left alone.
bool parse_value(const variable_info& variable, const char* text, std::uint64_t* out);

void format_value(const variable_info& variable, std::uint64_t value, char* out, std::size_t capacity);

// Insertions, deletions and replacements that lead from one to the other; SIZE_MAX when one is
// longer than 63 bytes. (Levenshtein, 1966; two rows of the table are enough)
std::size_t edit_distance(const char* a, const char* b);

// Whether list, words separated by '|', holds the word; its index.
bool find_word(const char* list, const char* word, std::uint64_t* index);

}  // namespace weft::os
