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
    share_group(into);
    if (is(";")) {
      take();
    } else if (!is(")")) {
      fail("E002", now(), "';' or ')' is missing in share", "write it before this");
    }
  }
  take();
  join_parts(into);
}

// in n, m
void parser::share_group(handler& into) {
  constexpr std::array<std::pair<std::string_view, share_kind>, 5> kinds = {{{"in", share_kind::in},
                                                                             {"out", share_kind::out},
                                                                             {"inout", share_kind::out},
                                                                             {"copy", share_kind::copy},
                                                                             {"shared", share_kind::shared}}};
  token const word = now();
  if (is("reduce") && ahead(1).is("(")) return share_reduction(into);
  auto const* const kind = std::ranges::find_if(kinds, [&word](auto const& each) { return word.is(each.first); });
  if (kind == kinds.end())
    fail("E133", word, "'" + std::string(word.text) + "' begins no item of share",
         "write: share (in n; out b; inout q[i..j]; copy p[0..n]; shared r; reduce(+: s))");
  take();
  size_t const first = into.items.size();
  share_items(into, kind->second);
  if (word.is("inout")) take_both_ways(into, first);
}

void parser::share_reduction(handler& into) {
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
}

// Items of inout: elements are one item, and a whole variable is 'in' and 'out'.
void parser::take_both_ways(handler& into, size_t first) {
  for (size_t i = first, end = into.items.size(); i < end; i++) {
    into.items[i].is_inout = into.items[i].low != nullptr;
    if (into.items[i].is_inout) continue;
    share_item given = into.items[i];
    given.kind = share_kind::in;
    into.items.push_back(given);
  }
}

// copy p[a..b] and out p[a..b] are inout p[a..b].
void parser::join_parts(handler& into) const {
  auto const is_same_part = [](const share_item& a, const share_item& b) {
    if (a.variable != b.variable || a.is_lazy || b.is_lazy || a.low == nullptr || b.low == nullptr) return false;
    if ((a.high == nullptr) != (b.high == nullptr) || text_of(a.low->parts) != text_of(b.low->parts)) return false;
    return a.high == nullptr || text_of(a.high->parts) == text_of(b.high->parts);
  };
  for (share_item& each : into.items) {
    if (each.kind != share_kind::out) continue;
    auto const copied = std::ranges::find_if(
        into.items, [&](const share_item& other) { return other.kind == share_kind::copy && is_same_part(each, other); });
    if (copied == into.items.end()) continue;
    each.is_inout = true;
    into.items.erase(copied);
    return join_parts(into);
  }
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
    if (is("[")) share_bounds(made);
    bool const is_part_of_result = made.low != nullptr && kind == share_kind::out;
    if ((made.low != nullptr || made.is_object) && kind != share_kind::copy && !is_part_of_result)
      fail("E133", made.place, "only 'copy', 'out' and 'inout' take a part of an array, and only 'copy' an object",
           "write: copy " + std::string(made.place.text) + "[0..n]");
    share_laziness(made);
    into.items.push_back(made);
    if (!is(",")) return;
    take();
  }
}

// [low .. high] or [low .. ]
void parser::share_bounds(share_item& of) {
  take();
  of.low = expression_until({".."});
  take();
  need_expanded_bound();
  if (!is("]")) of.high = expression_until({"]"});
  take();
}

void parser::share_laziness(share_item& of) {
  if (is("lazily")) {
    if (of.low == nullptr || of.kind != share_kind::copy)
      fail("E133", now(), "only elements that are copied can be copied lazily",
           "write: copy " + std::string(of.place.text) + "[0..n] lazily");
    of.is_lazy = true;
    take();
  } else if (now().kind == token_kind::identifier && of.low != nullptr) {
    fail("E002", now(), "'" + std::string(now().text) + "' cannot stand behind the elements",
         distance_of(now().text, "lazily") < 4 ? "did you mean 'lazily'?" : "write ',', ';' or ')'");
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
