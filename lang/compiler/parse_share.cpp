// The clause share (…): what a task gets and returns.
#include <algorithm>
#include <array>

#include "parser.hpp"

namespace tascell {

namespace {

constexpr std::array<std::string_view, 9> reductions = {"+", "*", "&", "|", "^", "&&", "||", "min", "max"};

}  // namespace

void parser::share(handler& into) {
  into.has_share = true;
  take();
  while (!is(")")) {
    token const word = now();
    if (is("in") || is("out") || is("copy") || is("shared")) {
      share_kind const kind = is("in")     ? share_kind::in
                              : is("out")  ? share_kind::out
                              : is("copy") ? share_kind::copy
                                           : share_kind::shared;
      take();
      share_items(into, kind);
    } else if (is("reduce") && ahead(1).is("(")) {
      take(), take();
      token const operation = take();
      if (std::ranges::find(reductions, operation.text) == reductions.end())
        fail("E133", operation, "'" + std::string(operation.text) + "' is no reduction", "use + * & | ^ && || min or max");
      if (!is(":")) fail("E002", now(), "':' is missing after the reduction's operation", "write: reduce(+: sum)");
      take();
      size_t const first = into.items.size();
      share_items(into, share_kind::reduce);
      for (size_t i = first; i < into.items.size(); i++) into.items[i].operation = std::string(operation.text);
      if (!is(")")) fail("E002", now(), "')' is missing after reduce", "write: reduce(+: sum)");
      take();
    } else {
      fail("E133", word, "'" + std::string(word.text) + "' begins no item of share",
           "write: share (in n; out b; copy p[0..n]; shared q; reduce(+: s))");
    }
    if (is(";")) {
      take();
    } else if (!is(")")) {
      fail("E002", now(), "';' or ')' is missing in share", "write it before this");
    }
  }
  take();
}

void parser::share_items(handler& into, share_kind kind) {
  for (;;) {
    share_item made;
    made.kind = kind;
    made.is_object = is("*");
    if (made.is_object) take();
    made.place = now();
    made.variable = now().kind == token_kind::identifier ? lookup(now().text) : nullptr;
    if (made.variable == nullptr || made.variable->kind != symbol_kind::variable)
      fail("E133", now(), "'" + std::string(now().text) + "' is no variable that is visible here",
           "name a variable of this function");
    take();
    if (is("[")) {
      take();
      made.low = expression_until({".."});
      take();
      need_expanded_bound();
      made.high = expression_until({"]"});
      take();
    }
    bool const is_part_of_result = made.low != nullptr && kind == share_kind::out;
    if ((made.low != nullptr || made.is_object) && kind != share_kind::copy && !is_part_of_result)
      fail("E133", made.place, "only 'copy' and 'out' take a part of an array, and only 'copy' an object",
           "write: copy " + std::string(made.place.text) + "[0..n]");
    if (is("lazily")) {
      if (made.low == nullptr || kind != share_kind::copy)
        fail("E133", now(), "only elements that are copied can be copied lazily",
             "write: copy " + std::string(made.place.text) + "[0..n] lazily");
      made.is_lazy = true;
      take();
    } else if (now().kind == token_kind::identifier && made.low != nullptr) {
      fail("E002", now(), "'" + std::string(now().text) + "' cannot stand behind the elements",
           distance_of(now().text, "lazily") < 4 ? "did you mean 'lazily'?" : "write ',', ';' or ')'");
    }
    into.items.push_back(made);
    if (!is(",")) return;
    take();
  }
}

// The preprocessor takes p[0..N] for a number that goes on to the bracket, and expands no macro
// there.
void parser::need_expanded_bound() const {
  const token& before = tokens_[at_ - 2];
  const token& dots = tokens_[at_ - 1];
  bool const is_one_number = before.kind == token_kind::number && before.text.data() + before.text.size() == dots.text.data() &&
                             dots.text.data() + dots.text.size() == now().text.data();
  if (is_one_number && now().kind == token_kind::identifier && lookup(now().text) == nullptr)
    fail("E002", now(),
         "'" + std::string(now().text) + "' is not known here: the preprocessor takes " + std::string(before.text) + ".." +
             std::string(now().text) + " for a number, and expands no macro in it",
         "write spaces around '..'");
}

}  // namespace tascell
