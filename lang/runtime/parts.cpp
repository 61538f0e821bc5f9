// See parts.hpp.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "worker.hpp"

namespace weft::tascell_runtime {

namespace {

// Zero, a negative and a positive number alternate, each for a word, so that some element shows
// whatever a task does with what it reads: a maximum hides a negative number, and a test of truth
// hides all but zero.
constexpr unsigned char contents[] = {0, 0xA5, 0x5A};
constexpr std::size_t word_bytes = 8;

unsigned char content_at(std::size_t byte, unsigned pattern) { return contents[(byte / word_bytes + pattern) % sizeof contents]; }

// A byte of one element in both runs.
struct byte_pair {
  bool differs = false;
  bool is_as_it_was = false;  // in both runs
};

byte_pair compare_byte(const part_made& one, const part_made& other, std::size_t at, unsigned pattern, unsigned other_pattern) {
  const bool is_as_it_was = one.at[at] == content_at(at, pattern) && other.at[at] == content_at(at, other_pattern);
  return {one.at[at] != other.at[at], is_as_it_was};
}

// Returns whether the element differs, and not only in bytes that neither run wrote beside others.
bool compare_element(const part_made& one, const part_made& other, std::size_t begin, const unsigned (&patterns)[2],
                     bool* is_written) {
  bool has_read = false;
  bool is_left = true;
  bool differs = false;
  for (std::size_t at = begin; at < begin + one.what->bytes; ++at) {
    const byte_pair each = compare_byte(one, other, at, patterns[0], patterns[1]);
    differs = differs || each.differs;
    has_read = has_read || (each.differs && !each.is_as_it_was);
    is_left = is_left && each.is_as_it_was;
  }
  *is_written = !is_left;
  return has_read || (is_left && differs);
}

}  // namespace

bool note_part(part_list* to, const part_made& made) {
  if (to->count == to->capacity) {
    const std::size_t wanted = to->capacity == 0 ? 4 : 2 * to->capacity;
    void* const grown = std::realloc(to->items, wanted * sizeof(part_made));
    if (grown == nullptr) return false;
    to->items = static_cast<part_made*>(grown);
    to->capacity = wanted;
  }
  to->items[to->count++] = made;
  for (std::size_t at = 0; at < made.bytes; ++at) made.at[at] = content_at(at, to->pattern);
  return true;
}

void free_parts(part_list* of) {
  std::free(of->items);
  of->items = nullptr;
  of->count = of->capacity = 0;
}

bool find_difference(const part_list* one, const part_list* other, part_difference* out) {
  const unsigned patterns[2] = {one->pattern, other->pattern};
  for (std::size_t i = 0; i < one->count && i < other->count; ++i) {
    const part_made& first = one->items[i];
    for (std::size_t at = 0; at < first.bytes; at += first.what->bytes) {
      bool is_written = false;
      if (!compare_element(first, other->items[i], at, patterns, &is_written)) continue;
      *out = {first.what, first.low + static_cast<std::int64_t>(at / first.what->bytes), is_written};
      return true;
    }
  }
  return false;
}

void tell_difference(const weft_tascell_place* place, const part_difference& found) {
  char text[400];
  const char* const name = found.what->name;
  const char* const shown = found.what->shown;
  if (found.is_written)
    std::snprintf(text, sizeof text,
                  "a task reads what '%s' held before it writes it: %s[%" PRId64
                  "] depends on it. 'out %s' gives a task no "
                  "elements: write inout %s",
                  name, name, found.index, shown, shown);
  else
    std::snprintf(text, sizeof text,
                  "a task does not write %s[%" PRId64
                  "], and 'out %s' says that it writes all of these elements: name fewer, or "
                  "write inout %s",
                  name, found.index, shown, shown);
  die(place, text);
}

}  // namespace weft::tascell_runtime
