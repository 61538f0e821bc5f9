// The lexer: preprocessed C has no comments, and line markers (# 12 "file.tc" 3) that say where a
// line comes from.
#include <algorithm>
#include <array>
#include <cctype>

#include "source.hpp"

namespace tascell {

namespace {

constexpr std::array<std::string_view, 24> long_punctuators = {"...", "<<=", ">>=", "->", "++", "--", "<<", ">>",
                                                               "<=",  ">=",  "==",  "!=", "&&", "||", "*=", "/=",
                                                               "%=",  "+=",  "-=",  "&=", "^=", "|=", "##", ".."};

bool begins_identifier(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || (c & 0x80) != 0;
}
bool continues_identifier(char c) { return begins_identifier(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool is_one_of(char c, std::string_view of) { return of.find(c) != std::string_view::npos; }

class lexer {
 public:
  explicit lexer(source& from) : from_(from), text_(from.text) {
    if (from.files.empty()) from.files.push_back({"input.tc", false});
  }

  void run() {
    while (at_ < text_.size()) {
      if (text_[at_] == '\n') {
        end_line();
      } else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        at_++;
        has_space_ = true;
      } else if (text_[at_] == '#' && is_first_) {
        directive();
      } else {
        add_token();
      }
    }
    from_.tokens.push_back(made(token_kind::end, 0));
  }

 private:
  void end_line() {
    at_++;
    line_++;
    line_begin_ = at_;
    is_first_ = true;
    has_space_ = true;
  }

  token made(token_kind kind, size_t length) const {
    token result;
    result.kind = kind;
    result.has_space = has_space_;
    result.column = static_cast<uint16_t>(std::min<size_t>(at_ - line_begin_ + 1, UINT16_MAX));
    result.file = file_;
    result.line = line_;
    result.text = std::string_view(text_).substr(at_, length);
    return result;
  }

  void take(token_kind kind, size_t length) {
    from_.tokens.push_back(made(kind, length));
    at_ += length;
    is_first_ = false;
    has_space_ = false;
  }

  // A line marker, or a directive that is passed through, such as #pragma.
  void directive() {
    size_t const end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line = std::string_view(text_).substr(at_ + 1, end - at_ - 1);
    if (line.starts_with("line ")) line.remove_prefix(4);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.empty() || std::isdigit(static_cast<unsigned char>(line[0])) == 0) {
      take(token_kind::directive, end - at_);
      return;
    }
    unsigned number = 0;
    while (!line.empty() && std::isdigit(static_cast<unsigned char>(line[0])) != 0) {
      number = number * 10 + static_cast<unsigned>(line[0] - '0');
      line.remove_prefix(1);
    }
    size_t const quote = line.find('"');
    size_t const last = line.rfind('"');
    if (quote != std::string_view::npos && last > quote) {
      enter_file(std::string(line.substr(quote + 1, last - quote - 1)), line.substr(last).find(" 3") != std::string_view::npos);
    }
    at_ = std::min(end + 1, text_.size());
    line_ = number;
    line_begin_ = at_;
    is_first_ = true;
  }

  void enter_file(std::string name, bool is_system) {
    for (unsigned i = 0; i < from_.files.size(); i++) {
      if (from_.files[i].name == name && from_.files[i].is_system == is_system) {
        file_ = i;
        return;
      }
    }
    file_ = static_cast<unsigned>(from_.files.size());
    from_.files.push_back({std::move(name), is_system});
  }

  void add_token() {
    char const c = text_[at_];
    char const next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (begins_identifier(c)) {
      identifier();
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0 ||
               (c == '.' && std::isdigit(static_cast<unsigned char>(next)) != 0)) {
      number();
    } else if (c == '"' || c == '\'') {
      literal(at_);
    } else {
      punctuator();
    }
  }

  void identifier() {
    size_t end = at_;
    while (end < text_.size() && continues_identifier(text_[end])) end++;
    bool const is_prefix = end < text_.size() && (text_[end] == '"' || text_[end] == '\'') && end - at_ <= 2;
    if (is_prefix) {  // L"…", u8"…"
      literal(end);
    } else {
      take(token_kind::identifier, end - at_);
    }
  }

  void number() {
    size_t end = at_;
    while (end < text_.size()) {
      bool const is_sign = (text_[end] == '+' || text_[end] == '-') && end > at_ && is_one_of(text_[end - 1], "eEpP") &&
                           !(text_.compare(at_, 2, "0x") == 0 && is_one_of(text_[end - 1], "eE"));
      bool const is_range = text_.compare(end, 2, "..") == 0;  // copy p[0..n]
      if (is_range || !(is_sign || text_[end] == '.' || continues_identifier(text_[end]))) break;
      end++;
    }
    take(token_kind::number, end - at_);
  }

  void literal(size_t quote) {
    size_t end = quote + 1;
    while (end < text_.size() && text_[end] != text_[quote] && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size() || text_[end] == '\n') {
      throw syntax_error({severity::error, "E001", "a literal does not end on its line", "close it with its quote",
                          made(token_kind::literal, 1)});
    }
    take(token_kind::literal, end + 1 - at_);
  }

  void punctuator() {
    for (std::string_view each : long_punctuators) {
      if (text_.compare(at_, each.size(), each) == 0) {
        take(token_kind::punctuator, each.size());
        return;
      }
    }
    if (!is_one_of(text_[at_], "[](){}.&*+-~!/%<>^|?:;=,#")) {
      throw syntax_error(
          {severity::error, "E001", "this character is no part of a program", "remove it", made(token_kind::punctuator, 1)});
    }
    take(token_kind::punctuator, 1);
  }

  source& from_;
  const std::string& text_;
  size_t at_ = 0;
  size_t line_begin_ = 0;
  unsigned file_ = 0;
  unsigned line_ = 1;
  bool is_first_ = true;
  bool has_space_ = false;
};

// The line of the preprocessed text that holds a token.
std::string line_around(const source& from, const token& place) {
  auto const at = static_cast<size_t>(place.text.data() - from.text.data());
  size_t const begin = at == 0 ? 0 : from.text.rfind('\n', at - 1) + 1;
  return from.text.substr(begin, from.text.find('\n', at) - begin);
}

}  // namespace

void split_into_tokens(source& from) { lexer(from).run(); }

std::string shown(const message& told, const source& from,
                  const std::function<std::string(const std::string& file, unsigned line)>& line_of) {
  std::string const& file = from.files[told.place.file].name;
  size_t column = told.place.column;
  std::string line = line_of(file, told.place.line);
  if (line.compare(std::min(column - 1, line.size()), told.place.text.size(), told.place.text) != 0) {
    size_t const found = line.find(told.place.text);  // macros have moved it
    if (found != std::string::npos) column = found + 1;
    if (found == std::string::npos) line = told.place.text.data() == nullptr ? "" : line_around(from, told.place);
  }
  std::string const level = told.level == severity::error ? "error" : "warning";
  std::string result = file + ":" + std::to_string(told.place.line) + ":" + std::to_string(column) + ": " + level + ": " +
                       told.what + " [" + told.code + "]\n";
  if (!line.empty() && line.size() < 400) {
    std::string space = line.substr(0, std::min(column - 1, line.size()));
    std::ranges::replace_if(space, [](char c) { return c != '\t'; }, ' ');
    result += "  " + line + "\n  " + space + "^\n";
  }
  return told.cure.empty() ? result : result + "  cure: " + told.cure + "\n";
}

}  // namespace tascell
