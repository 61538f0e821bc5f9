// Text that the C preprocessor has been over, its tokens, and messages about them.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tascell {

struct symbol;

enum class token_kind : uint8_t { identifier, number, literal, punctuator, directive, end };

struct token {
  token_kind kind = token_kind::end;
  bool has_space = false;         // there is space before it
  bool is_member = false;         // the name of a member, a tag or a label: no symbol is looked up
  uint8_t dimensions = 0;         // of a member that is an array
  uint16_t column = 1;            // in the preprocessed line, from 1
  unsigned file = 0;              // an index of source::files
  unsigned line = 0;              // of the file
  std::string_view text;          // into source::text
  const symbol* bound = nullptr;  // what an identifier stands for, as the parser has found

  bool is(std::string_view what) const { return text == what && kind != token_kind::literal; }
};

struct source_file {
  std::string name;
  bool is_system = false;  // a system header: it is passed through, and not warned about
};

// A preprocessed text. It must outlive its tokens.
struct source {
  std::string text;
  std::vector<source_file> files;
  std::vector<token> tokens;  // ends with a token of the kind end
};

enum class severity : uint8_t { error, warning };

struct message {
  severity level = severity::error;
  std::string code;  // "E120"
  std::string what;  // one line: what is wrong
  std::string cure;  // one line: what to do about it; may be empty
  token place;
};

// Ends the compilation: what follows cannot be understood.
struct syntax_error : std::runtime_error {
  explicit syntax_error(message about) : std::runtime_error(about.what), told(std::move(about)) {}
  message told;
};

// Splits the text into tokens. Throws syntax_error.
void split_into_tokens(source& from);

// The message as a compiler shows it: file, line, column, text, the line, a caret, the cure.
// line_of returns a line of a file as it stands on disk, or "" if it cannot be had.
std::string shown(const message& told, const source& from,
                  const std::function<std::string(const std::string& file, unsigned line)>& line_of);

}  // namespace tascell
