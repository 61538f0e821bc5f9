// See cxx_reader.hpp.
#include "os/cxx_reader.hpp"

#include <string.h>

namespace weft::os {
namespace {

struct operator_name {
  char code[3];
  const char* words;
};

constexpr operator_name operators[] = {
    {"nw", " new"}, {"na", " new[]"}, {"dl", " delete"}, {"da", " delete[]"}, {"ps", "+"},  {"ng", "-"},        {"ad", "&"},
    {"de", "*"},    {"co", "~"},      {"pl", "+"},       {"mi", "-"},         {"ml", "*"},  {"dv", "/"},        {"rm", "%"},
    {"an", "&"},    {"or", "|"},      {"eo", "^"},       {"aS", "="},         {"pL", "+="}, {"mI", "-="},       {"mL", "*="},
    {"dV", "/="},   {"rM", "%="},     {"aN", "&="},      {"oR", "|="},        {"eO", "^="}, {"ls", "<<"},       {"rs", ">>"},
    {"lS", "<<="},  {"rS", ">>="},    {"eq", "=="},      {"ne", "!="},        {"lt", "<"},  {"gt", ">"},        {"le", "<="},
    {"ge", ">="},   {"ss", "<=>"},    {"nt", "!"},       {"aa", "&&"},        {"oo", "||"}, {"pp", "++"},       {"mm", "--"},
    {"cm", ","},    {"pm", "->*"},    {"pt", "->"},      {"cl", "()"},        {"ix", "[]"}, {"aw", " co_await"}};

struct abbreviation {
  char code;
  const char* words;
};

constexpr abbreviation abbreviations[] = {{'a', "allocator"}, {'b', "basic_string"}, {'s', "string"},
                                          {'i', "istream"},   {'o', "ostream"},      {'d', "iostream"}};

bool is_digit(char one) { return one >= '0' && one <= '9'; }
bool is_lower(char one) { return one >= 'a' && one <= 'z'; }
bool is_one_of(char one, const char* set) { return one != '\0' && strchr(set, one) != nullptr; }

}  // namespace

// ---- words ----

bool cxx_reader::take_number(std::size_t* number) {
  if (!is_digit(*at_)) return false;
  for (*number = 0; is_digit(*at_); ++at_) {
    if (*number > 100'000) return false;
    *number = *number * 10 + static_cast<std::size_t>(*at_ - '0');
  }
  return true;
}

// `_` is the first one, `0_` the second one.
bool cxx_reader::take_ordinal(std::size_t* ordinal) {
  *ordinal = 1;
  if (is_digit(*at_)) {
    if (!take_number(ordinal)) return false;
    *ordinal += 2;
  }
  return take("_");
}

void cxx_reader::record(const char* begin, bool is_prefix) {
  if (repeats_ != 0) return;
  if (part_count_ == most_parts)
    steps_ = most_steps;  // what is not noted would be taken for another
  else
    parts_[part_count_++] = {begin, at_, is_prefix};
}

void cxx_reader::write(const char* words, std::size_t length) {
  constexpr std::size_t dots = 3;
  if (muted_ != 0 || is_full_) return;
  if (used_ + length + 1 > capacity_) {
    is_full_ = true;
    length = capacity_ - 1 - used_;
  }
  memcpy(out_ + used_, words, length);
  used_ += length;
  out_[used_] = '\0';
  if (is_full_ && used_ > dots) memcpy(out_ + used_ - dots, "...", dots);
}

void cxx_reader::component(const char* words, std::size_t length) {
  if (muted_ != 0) return;
  if (has_component_) write("::", 2);
  write(words, length);
  has_component_ = true;
}

void cxx_reader::numbered(const char* words, std::size_t number) {
  char digits[24];
  std::size_t first = sizeof digits;
  for (; number != 0; number /= 10) digits[--first] = static_cast<char>('0' + number % 10);
  component(words);
  write(digits + first, sizeof digits - first);
  write("}", 1);
}

// ---- names ----

bool cxx_reader::name() {
  const deeper level(this);
  if (!level.may_go_on()) return false;
  if (*at_ == 'N') return nested();
  if (*at_ == 'Z') return local();
  const char* const begin = at_;
  if (*at_ == 'S' && at_[1] != 't') return substitution() && *at_ == 'I' && arguments();
  if (take("St")) component("std");
  if (!unqualified()) return false;
  if (*at_ != 'I') return true;
  record(begin, true);
  return arguments();
}

bool cxx_reader::nested() {
  ++at_;
  while (is_one_of(*at_, "rVK")) ++at_;
  if (*at_ == 'R' || *at_ == 'O') ++at_;
  const char* const begin = at_;
  while (*at_ != 'E') {
    if (!step_of_prefix(begin)) return false;
  }
  if (at_ == begin) return false;
  if (repeats_ == 0 && part_count_ != 0 && parts_[part_count_ - 1].end == at_) --part_count_;  // whole, it is of another kind
  return take("E");
}

bool cxx_reader::step_of_prefix(const char* begin) {
  if (++steps_ > most_steps) return false;
  if (*at_ == 'S') {
    if (!take("St")) return substitution();
    component("std");
    return true;
  }
  const bool is_structor = (*at_ == 'C' || *at_ == 'D') && (is_digit(at_[1]) || at_[1] == 'I');
  const bool is_read = *at_ == 'T' ? parameter() : *at_ == 'I' ? arguments() : is_structor ? structor() : unqualified();
  if (!is_read) return false;
  record(begin, true);
  if (*at_ == 'M') ++at_;
  return true;
}

bool cxx_reader::prefix_until(const char* end) {
  const char* const begin = at_;
  while (at_ < end) {
    if (!step_of_prefix(begin)) return false;
  }
  return at_ == end;
}

bool cxx_reader::encoding() {
  if (!name()) return false;
  const muted quiet(this);
  while (*at_ != 'E') {
    if (!type()) return false;
  }
  return true;
}

bool cxx_reader::local() {
  if (!take("Z") || !encoding() || !take("E")) return false;
  std::size_t number = 0;
  if (take("s")) {
    component("{string}");
  } else if (take("d")) {
    if (!take_ordinal(&number) || !name()) return false;
  } else if (!name()) {
    return false;
  }
  if (take("__")) return take_number(&number) && take("_");
  if (*at_ == '_' && is_digit(at_[1])) at_ += 2;
  return true;
}

bool cxx_reader::unqualified() {
  take("L");
  const bool is_read = is_digit(*at_) ? source_name() : *at_ == 'U' ? closure() : operator_function();
  while (is_read && take("B")) {
    const muted quiet(this);
    if (!source_name()) return false;
  }
  return is_read;
}

bool cxx_reader::source_name() {
  constexpr char unnamed_space[] = "_GLOBAL__N_";
  std::size_t length = 0;
  if (!take_number(&length) || length == 0 || length > static_cast<std::size_t>(end_ - at_)) return false;
  const char* const words = at_;
  at_ += length;
  if (strncmp(words, unnamed_space, strlen(unnamed_space)) == 0) return true;
  if (length > 2 && strncmp(words, "$_", 2) == 0) return numbered_by_clang(words + 2, at_);
  if (muted_ == 0) {
    last_ = words;
    last_length_ = length;
  }
  component(words, length);
  return true;
}

// A lambda, by its number in the file.
bool cxx_reader::numbered_by_clang(const char* digits, const char* end) {
  const char* const behind = at_;
  std::size_t number = 0;
  at_ = digits;
  if (!take_number(&number) || at_ != end) return false;
  at_ = behind;
  numbered("{lambda#", number + 1);
  return true;
}

bool cxx_reader::structor() {
  const bool destroys = *at_ == 'D';
  at_ += 2;
  if (at_[-1] == 'I') {  // inherited from a base
    const muted quiet(this);
    if (!is_digit(*at_++) || !type()) return false;
  }
  component(destroys ? "~" : "");
  write(last_, last_length_);
  return true;
}

bool cxx_reader::closure() {
  std::size_t number = 0;
  if (take("Ut")) {
    if (!take_ordinal(&number)) return false;
    numbered("{unnamed type#", number);
    return true;
  }
  if (!take("Ul")) return false;
  {
    const muted quiet(this);
    if (!types_until_end()) return false;
  }
  if (!take_ordinal(&number)) return false;
  numbered("{lambda#", number);
  return true;
}

bool cxx_reader::operator_function() {
  if (take("cv")) {
    component("operator type");
    const muted quiet(this);
    return type();
  }
  for (const operator_name& each : operators) {
    if (!take(each.code)) continue;
    component("operator");
    write(each.words, strlen(each.words));
    return true;
  }
  return false;
}

// ---- what was there before ----

// `_` is the first part, `0_` the second one; digits are of base 36.
bool cxx_reader::take_part(std::size_t* index) {
  *index = 0;
  if (take("_")) return true;
  for (; *at_ != '_'; ++at_) {
    const bool is_upper = *at_ >= 'A' && *at_ <= 'Z';
    if ((!is_digit(*at_) && !is_upper) || *index > most_parts) return false;
    *index = *index * 36 + static_cast<std::size_t>(is_upper ? *at_ - 'A' + 10 : *at_ - '0');
  }
  ++*index;
  return take("_");
}

bool cxx_reader::substitution() {
  if (!take("S")) return false;
  if (is_lower(*at_)) return standard(*at_);
  std::size_t index = 0;
  if (!take_part(&index) || index >= part_count_) return false;
  if (muted_ != 0) return true;
  const deeper level(this);
  if (!level.may_go_on()) return false;
  const part meant = parts_[index];
  const char* const behind = at_;
  ++repeats_;
  at_ = meant.begin;
  const bool is_read = meant.is_prefix ? prefix_until(meant.end) : type();
  --repeats_;
  at_ = behind;
  return is_read;
}

bool cxx_reader::standard(char which) {
  for (const abbreviation& each : abbreviations) {
    if (each.code != which) continue;
    ++at_;
    component("std");
    component(each.words);
    if (muted_ == 0) {
      last_ = each.words;
      last_length_ = strlen(each.words);
    }
    return true;
  }
  return false;
}

// ---- types and template arguments ----

bool cxx_reader::arguments() {
  const muted quiet(this);
  if (!take("I")) return false;
  while (*at_ != 'E') {
    if (!argument()) return false;
  }
  return take("E");
}

bool cxx_reader::argument() {
  const deeper level(this);
  if (!level.may_go_on()) return false;
  if (!constraint()) return false;
  if (*at_ == 'L') return literal();
  const bool is_object = take("Xtl");  // of a class, as its members
  if (!is_object && !take("J")) return type();
  if (is_object && !type()) return false;
  while (*at_ != 'E') {
    if (!argument()) return false;
  }
  return take("E") && (!is_object || take("E"));
}

// What kind of parameter the next argument is for, where a concept says so.
bool cxx_reader::constraint() {
  const muted quiet(this);
  if (take("Tk")) return name();
  if (take("Tn")) return type();
  take("Ty");
  return true;
}

bool cxx_reader::literal() {
  ++at_;
  if (take("_Z")) return encoding() && take("E");
  if (!type()) return false;
  while (is_digit(*at_) || is_lower(*at_)) ++at_;
  return take("E");
}

bool cxx_reader::types_until_end() {
  while (*at_ != 'E') {
    if ((*at_ == 'R' || *at_ == 'O') && at_[1] == 'E')
      ++at_;
    else if (!type())
      return false;
  }
  return take("E");
}

bool cxx_reader::parameter() {
  std::size_t index = 0;
  return take("T") && take_part(&index);
}

// What is read here has no name that would be written, or that of the type within.
bool cxx_reader::type() {
  const deeper level(this);
  if (!level.may_go_on()) return false;
  const char* const begin = at_;
  if (is_one_of(*at_, "rVK")) {
    while (is_one_of(*at_, "rVK")) ++at_;
  } else if (is_one_of(*at_, "PROCG")) {
    ++at_;
  } else {
    return plain_type(begin);
  }
  if (!type()) return false;
  record(begin, false);
  return true;
}

bool cxx_reader::plain_type(const char* begin) {
  std::size_t number = 0;
  if (is_one_of(*at_, "vwbchastijlmxynofdegz")) return ++at_, true;
  if (*at_ == 'D') return type_of_d(begin);
  if (*at_ == 'S' && at_[1] != 't') return substituted_type(begin);
  if (*at_ == 'F') {
    if (!function_type()) return false;
  } else if (*at_ == 'A') {
    ++at_;
    if (is_digit(*at_) && !take_number(&number)) return false;
    if (!take("_") || !type()) return false;
  } else if (*at_ == 'M') {
    ++at_;
    if (!type() || !type()) return false;
  } else if (*at_ == 'T') {
    if (!parameter()) return false;
    if (*at_ == 'I') {
      record(begin, false);
      if (!arguments()) return false;
    }
  } else if (*at_ == 'u') {
    ++at_;
    if (!source_name()) return false;
  } else if (*at_ == 'U') {
    ++at_;
    if (!source_name() || !type()) return false;
  } else if (!name()) {
    return false;
  }
  record(begin, false);
  return true;
}

bool cxx_reader::type_of_d(const char* begin) {
  std::size_t number = 0;
  if (is_one_of(at_[1], "naiuscfdeh")) return at_ += 2, true;
  if (take("DF")) return take_number(&number) && (take("_") || take("x") || take("b"));
  if (take("Dv")) {
    if (!take_number(&number) || !take("_") || !type()) return false;
  } else if (take("Dp")) {
    if (!type()) return false;
  } else if (!take("Do") || !function_type()) {
    return false;
  }
  record(begin, false);
  return true;
}

bool cxx_reader::function_type() {
  const muted quiet(this);
  if (!take("F")) return false;
  take("Y");
  return types_until_end();
}

bool cxx_reader::substituted_type(const char* begin) {
  if (!substitution()) return false;
  if (*at_ != 'I') return true;
  if (!arguments()) return false;
  record(begin, false);
  return true;
}

}  // namespace weft::os
