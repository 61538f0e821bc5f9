// See schedule_text.hpp.
#include "seeded/schedule_text.hpp"

#include <cstring>

#include "base/assert.hpp"

namespace weft::sched {

namespace {

constexpr std::uint32_t most_depth = 64;

struct word {
  const char* begin;
  std::size_t bytes;
};

bool is(word one, const char* name) { return one.bytes == std::strlen(name) && std::memcmp(one.begin, name, one.bytes) == 0; }

bool read_number(word from, std::uint64_t least, std::uint64_t most, std::uint64_t* out) {
  std::uint64_t value = 0;
  for (std::size_t index = 0; index < from.bytes; ++index) {
    const char digit = from.begin[index];
    if (digit < '0' || digit > '9') return false;
    if (__builtin_mul_overflow(value, 10u, &value)) return false;
    if (__builtin_add_overflow(value, static_cast<std::uint64_t>(digit - '0'), &value)) return false;
  }
  if (from.bytes == 0 || value < least || value > most) return false;
  *out = value;
  return true;
}

bool read_small(word from, std::uint32_t least, std::uint32_t most, std::uint32_t* out) {
  std::uint64_t value = 0;
  if (!read_number(from, least, most, &value)) return false;
  *out = static_cast<std::uint32_t>(value);
  return true;
}

bool read_path(word from, char* out) {
  if (from.bytes == 0 || from.bytes > longest_schedule_path) return false;
  std::memcpy(out, from.begin, from.bytes);
  out[from.bytes] = '\0';
  return true;
}

// Where choices come from, which is said once.
bool set_source(schedule_wish* into, choice_source from) {
  const bool is_first = into->from == choice_source::usual;
  into->from = from;
  return is_first;
}

bool read_part(word name, word value, schedule_wish* into) {
  if (is(name, "seed")) return set_source(into, choice_source::seed) && read_number(value, 0, UINT64_MAX, &into->seed);
  if (is(name, "replay")) return set_source(into, choice_source::replay) && read_path(value, into->replay);
  if (is(name, "near")) return set_source(into, choice_source::near) && read_path(value, into->replay);
  if (is(name, "record")) return read_path(value, into->record);
  if (is(name, "pct")) return read_small(value, 1, most_depth, &into->depth);
  if (is(name, "length")) return read_small(value, 1, UINT32_MAX, &into->length);
  if (is(name, "sample")) return into->samples_orders = is(value, "pos");
  return false;
}

bool read_parts(const char* text, schedule_wish* into) {
  for (;;) {
    const std::size_t bytes = std::strcspn(text, ",");
    const std::size_t name_bytes = std::strcspn(text, ":,");
    if (name_bytes == bytes) return false;
    if (!read_part({text, name_bytes}, {text + name_bytes + 1, bytes - name_bytes - 1}, into)) return false;
    if (text[bytes] == '\0') return true;
    text += bytes + 1;
  }
}

}  // namespace

bool read_schedule(const char* text, schedule_wish* out) {
  *out = {};
  const bool are_read = read_parts(text, out);
  const bool has_priorities = are_read && (out->depth != 0 || out->samples_orders);
  const bool has_one_kind = out->depth == 0 || !out->samples_orders;
  const bool makes_sense = are_read && has_one_kind && (!has_priorities || out->from == choice_source::seed);
  if (!makes_sense) {
    base::report(
        "error: WEFT_SCHEDULE=%s: want one of seed:N, replay:FILE, near:FILE; beside seed:N also pct:DEPTH (1 to %u) and "
        "length:N, or sample:pos; "
        "record:FILE beside any or alone; separated by commas",
        text, most_depth);
  }
  return makes_sense;
}

}  // namespace weft::sched
