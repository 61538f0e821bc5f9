// See env_value.hpp.
#include "os/env_value.hpp"

#include <stdio.h>
#include <string.h>
#include <strings.h>

namespace weft::os {
namespace {

struct unit {
  const char* suffix;
  std::uint64_t factor;
};
// Largest first, so that formatting finds the shortest text.
constexpr unit byte_units[] = {{"G", 1ULL << 30}, {"M", 1ULL << 20}, {"K", 1ULL << 10}, {"", 1}};
constexpr unit time_units[] = {{"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}, {"ns", 1}, {"", 1}};
constexpr unit plain_units[] = {{"", 1}};

struct unit_list {
  const unit* first;
  std::size_t count;
};

unit_list units_of(value_type type) {
  if (type == value_type::bytes) return {byte_units, sizeof byte_units / sizeof *byte_units};
  if (type == value_type::duration) return {time_units, sizeof time_units / sizeof *time_units};
  return {plain_units, 1};
}

bool scale(unit_list units, const char* suffix, std::uint64_t* value) {
  for (std::size_t i = 0; i < units.count; ++i) {
    if (strcasecmp(units.first[i].suffix, suffix) == 0) return !__builtin_mul_overflow(*value, units.first[i].factor, value);
  }
  return false;
}

bool parse_number(const variable_info& variable, const char* text, std::uint64_t* out) {
  if (variable.type == value_type::duration && strcmp(text, "off") == 0) text = "0";
  std::uint64_t value = 0;
  const char* at = text;
  for (; *at >= '0' && *at <= '9'; ++at) {
    if (__builtin_mul_overflow(value, 10u, &value)) return false;
    if (__builtin_add_overflow(value, static_cast<std::uint64_t>(*at - '0'), &value)) return false;
  }
  if (at == text || !scale(units_of(variable.type), at, &value)) return false;
  const bool is_off = variable.type == value_type::duration && value == 0;
  if ((value < variable.least && !is_off) || value > variable.most) return false;
  *out = value;
  return true;
}

bool parse_flag(const char* text, std::uint64_t* out) {
  std::uint64_t index;
  if (!find_word("0|off|no|false|1|on|yes|true", text, &index)) return false;
  *out = index >= 4;
  return true;
}

void copy_word(const char* list, std::uint64_t index, char* out, std::size_t capacity) {
  while (index-- > 0) list += strcspn(list, "|") + 1;
  snprintf(out, capacity, "%.*s", static_cast<int>(strcspn(list, "|")), list);
}

void format_number(value_type type, std::uint64_t value, char* out, std::size_t capacity) {
  if (type == value_type::duration && value == 0) {
    snprintf(out, capacity, "off");
    return;
  }
  const unit_list units = units_of(type);
  std::size_t i = 0;
  while (i + 1 < units.count && (value % units.first[i].factor != 0 || value == 0)) ++i;
  snprintf(out, capacity, "%llu%s", static_cast<unsigned long long>(value / units.first[i].factor), units.first[i].suffix);
}

constexpr std::size_t longest = 63;

}  // namespace

bool parse_value(const variable_info& variable, const char* text, std::uint64_t* out) {
  switch (variable.type) {
    case value_type::choice: return find_word(variable.range, text, out);
    case value_type::flag: return parse_flag(text, out);
    case value_type::text: return true;
    default: return parse_number(variable, text, out);
  }
}

void format_value(const variable_info& variable, std::uint64_t value, char* out, std::size_t capacity) {
  switch (variable.type) {
    case value_type::choice: copy_word(variable.range, value, out, capacity); break;
    case value_type::flag: snprintf(out, capacity, "%s", value != 0 ? "on" : "off"); break;
    case value_type::text: break;
    default: format_number(variable.type, value, out, capacity);
  }
}

bool find_word(const char* list, const char* word, std::uint64_t* index) {
  const std::size_t length = strlen(word);
  for (std::uint64_t i = 0;; ++i) {
    const std::size_t here = strcspn(list, "|");
    if (here == length && strncasecmp(list, word, length) == 0) {
      *index = i;
      return true;
    }
    if (list[here] == '\0') return false;
    list += here + 1;
  }
}

std::size_t edit_distance(const char* a, const char* b) {
  const std::size_t columns = strlen(b);
  if (strlen(a) > longest || columns > longest) return SIZE_MAX;
  std::size_t row[longest + 1];
  for (std::size_t j = 0; j <= columns; ++j) row[j] = j;
  for (std::size_t i = 0; a[i] != '\0'; ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < columns; ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      const std::size_t shifted = (row[j] < diagonal ? row[j] : diagonal) + 1;
      row[j + 1] = replaced < shifted ? replaced : shifted;
    }
  }
  return row[columns];
}

}  // namespace weft::os
