// The compiler as one function: text that the preprocessor has been over, to C.
#include <algorithm>
#include <map>

#include "syntax.hpp"

namespace tascell {

namespace {

// The driver writes `weft_setjmp_begin setjmp(weft_buffer) weft_setjmp_end` before the program, so
// that it is known what the C library's setjmp is spelled like after preprocessing.
void take_setjmp(source& from, program& into) {
  auto const is_word = [](const char* what) { return [what](const token& each) { return each.is(what); }; };
  auto const begin = std::ranges::find_if(from.tokens, is_word("weft_setjmp_begin"));
  auto const end = std::find_if(begin, from.tokens.end(), is_word("weft_setjmp_end"));
  if (end == from.tokens.end()) return;
  for (auto at = begin + 1; at != end; ++at) into.setjmp_words.push_back({*at, "", nullptr});
  from.tokens.erase(begin, end + 1);
}

}  // namespace

compiled compile_text(std::string text, std::string name, const lower_options& options,
                      const std::function<std::string(const std::string& file, unsigned line)>& line_of) {
  source from;
  from.text = std::move(text);
  from.files.push_back({std::move(name), false});
  program of;
  compiled result;
  try {
    split_into_tokens(from);
    take_setjmp(from, of);
    parse(from, of);
    check(of);
    bool const is_good = std::ranges::none_of(of.messages, [](const message& each) { return each.level == severity::error; });
    std::vector<explanation> explanations;
    if (is_good) result.c = lower(of, options, &explanations);
    using line = decltype(std::pair(explanation().place.file, explanation().place.line));
    std::multimap<line, explanation> sorted;  // equal ones stay in their order
    for (const explanation& each : explanations) sorted.emplace(std::pair(each.place.file, each.place.line), each);
    for (const auto& [where, each] : sorted)
      result.explanations.push_back(from.files[each.place.file].name + ":" + std::to_string(each.place.line) + ": " + each.text +
                                    "\n");
    result.is_good = is_good;
  } catch (const syntax_error& error) {
    of.messages.push_back(error.told);
    result.c.clear();
    result.is_good = false;
  }
  for (const message& each : of.messages) result.messages.push_back(shown(each, from, line_of));
  return result;
}

}  // namespace tascell
