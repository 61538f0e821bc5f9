// See place.hpp.
#include "os/place.hpp"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "os/module.hpp"

namespace weft::os {
namespace {

bool is_text(const char* at) {
  const std::size_t bytes = module_bytes_from(reinterpret_cast<std::uintptr_t>(at));
  return bytes != 0 && *at != '\0' && memchr(at, '\0', bytes) != nullptr;
}

const char* file_of(const place_record& place) {
  const char* slash = strrchr(place.file, '/');
  return slash != nullptr ? slash + 1 : place.file;
}

// Behind a closing parenthesis or bracket that answers the one at `at`.
const char* behind(const char* at) {
  for (unsigned depth = 0; *at != '\0'; ++at) {
    if (*at == '(' || *at == '<') ++depth;
    if ((*at == ')' || *at == '>') && --depth == 0) return at + 1;
  }
  return at;
}

bool ends_with(const char* begin, const char* end, const char* words) {
  const std::size_t length = strlen(words);
  return static_cast<std::size_t>(end - begin) >= length && strncmp(end - length, words, length) == 0;
}

// Copies the name in a function's declaration: what stands between the last space before its
// parameters and them, without template arguments; `used` starts anew behind a space.
void copy_name(const char* from, char* out, std::size_t capacity) {
  constexpr const char* unnamed[] = {"(anonymous namespace)::", "{anonymous}::", "<unnamed>::"};
  std::size_t used = 0;
  const char* const begin = from;
  while (*from != '\0') {
    const char* const before = from;
    for (const char* each : unnamed) {
      if (strncmp(from, each, strlen(each)) == 0) from += strlen(each);
    }
    if (from != before) continue;
    if (*from == '<' && !ends_with(begin, from, "operator")) {
      from = behind(from);
    } else if (*from == '(' && (ends_with(begin, from, "decltype") || ends_with(begin, from, "decltype "))) {
      from = behind(from);
    } else if (*from == '(') {
      break;
    } else {
      const bool is_before_name = *from == ' ' || ((*from == '*' || *from == '&') && used == 0);
      if (is_before_name)
        used = 0;
      else if (used + 1 < capacity)
        out[used++] = *from;
      ++from;
    }
  }
  out[used] = '\0';
}

}  // namespace

const place_record* find_place(const void* made_at) {
  const auto address = reinterpret_cast<std::uintptr_t>(made_at);
  if (address % alignof(place_record) != 0 || module_bytes_from(address) < sizeof(place_record)) return nullptr;
  const auto* found = static_cast<const place_record*>(made_at);
  return is_text(found->file) && is_text(found->function) ? found : nullptr;
}

bool is_in_library(const place_record& place) { return strstr(place.file, "include/c++/") != nullptr; }

void write_file_and_line(const place_record& place, char* out, std::size_t capacity) {
  char whole[512];
  const int length = snprintf(whole, sizeof whole, "%s:%u", file_of(place), place.line);
  const std::size_t used = static_cast<std::size_t>(length) < sizeof whole ? static_cast<std::size_t>(length) : sizeof whole - 1;
  snprintf(out, capacity, "%s", used < capacity ? whole : whole + used - (capacity - 1));
}

void write_function(const place_record& place, char* out, std::size_t capacity) { copy_name(place.function, out, capacity); }

}  // namespace weft::os
