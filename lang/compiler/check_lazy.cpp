// Elements that tasks read lazily, share (copy p[a..b] lazily), are the giver's, or a copy for all
// tasks of a node: a task cannot write them.
#include <algorithm>

#include "syntax.hpp"

namespace tascell {

namespace {

std::string_view word_at(const pieces& parts, size_t index) {
  return index < parts.size() && parts[index].is_token() ? parts[index].word.text : std::string_view();
}

// Behind the brackets that stand at index, and what names members of an element.
size_t behind_element(const pieces& parts, size_t index) {
  for (;;) {
    std::string_view const word = word_at(parts, index);
    if (word == "." || word == "->") {
      index += 2;
    } else if (word == "[") {
      int depth = 0;
      do {
        depth += word_at(parts, index) == "[" ? 1 : word_at(parts, index) == "]" ? -1 : 0;
        index++;
      } while (depth > 0 && index < parts.size());
    } else {
      return index;
    }
  }
}

bool assigns(std::string_view word) {
  constexpr std::string_view operators[] = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"};
  return std::ranges::find(operators, word) != std::end(operators);
}

// Whether the occurrence is p[i] = …, p->x = …, *p = …, (*p)++ or ++p[i].
bool writes_element(const pieces& parts, size_t index) {
  size_t before = index, behind = behind_element(parts, index + 1);
  bool has_element = behind > index + 1;
  for (;;) {  // outwards, over brackets and '*'
    std::string_view const word = before > 0 ? word_at(parts, before - 1) : std::string_view();
    if (word == "(" && word_at(parts, behind) == ")") {
      before--;
      size_t const further = behind_element(parts, behind + 1);
      has_element = has_element || further > behind + 1;
      behind = further;
    } else if (word == "*") {
      if (word_at(parts, behind) == "++" || word_at(parts, behind) == "--") return has_element;  // *p++ moves p
      before--;
      has_element = true;
    } else {
      return has_element && (word == "++" || word == "--" || assigns(word_at(parts, behind)));
    }
  }
}

}  // namespace

void check_lazies(program& of, const node& construct) {
  for (const share_item& item : construct.how.items) {
    if (!item.is_lazy) continue;
    const symbol& variable = *item.variable;
    for (const share_item& other : construct.how.items) {
      if (&other == &item || other.variable != item.variable) continue;
      of.tell(severity::error, "E133", (&other < &item ? item : other).place,
              "'" + variable.name + "' is copied lazily, and stands in share (…) a second time", "name it once");
      return;
    }
    bool is_told = false;
    each_token(given_part(construct), [&](const pieces& parts, size_t i) {
      if (is_told || parts[i].word.bound != &variable || !writes_element(parts, i)) return;
      is_told = true;
      of.tell(severity::error, "E144", parts[i].word,
              "a task writes an element of '" + variable.name + "', which is copied lazily: it can only be read",
              "copy " + variable.name + "[a..b] without lazily, or write to an array that is a result");
    });
  }
}

}  // namespace tascell
