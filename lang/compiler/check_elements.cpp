// The parts of arrays that tasks get and return, share (out p[a..b]): the ranges of loops, names
// that stand twice, and elements that are read although none was given.
#include <algorithm>

#include "syntax.hpp"

namespace tascell {

namespace {

std::string_view spelling_at(const pieces& parts, size_t index) {
  return index < parts.size() && parts[index].is_token() ? parts[index].word.text : std::string_view();
}

size_t behind_squares(const pieces& parts, size_t index) {
  int depth = 0;
  for (; index < parts.size(); index++) {
    depth += spelling_at(parts, index) == "[" ? 1 : spelling_at(parts, index) == "]" ? -1 : 0;
    if (depth == 0) return index + 1;
  }
  return index;
}

// Whether the occurrence is p[i] += …, ++p[i] or p[i]++.
bool changes_element(const pieces& parts, size_t index) {
  constexpr std::string_view operators[] = {"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"};
  if (spelling_at(parts, index + 1) != "[") return false;
  std::string_view const before = index > 0 ? spelling_at(parts, index - 1) : std::string_view();
  size_t behind = index + 1;
  while (spelling_at(parts, behind) == "[") behind = behind_squares(parts, behind);
  return before == "++" || before == "--" || std::ranges::find(operators, spelling_at(parts, behind)) != std::end(operators);
}

// E133: of p[low .. ] a loop's variable says where it ends, and results of all tasks differ.
void check_range(program& of, const node& construct, const share_item& item) {
  bool const is_loop = construct.kind == node_kind::do_many;
  auto const is_in = [&](const node* bound) { return is_loop && names(bound, *construct.index); };
  bool const is_of_loop = is_in(item.low) && (item.high == nullptr || is_in(item.high));
  std::string const& name = item.variable->name;
  if (item.high == nullptr && !is_of_loop) {
    of.tell(severity::error, "E133", item.place, "nothing says where '" + part_text(item) + "' ends",
            is_loop ? "name the loop's variable in it, " + name + "[" + construct.index->name + " .. ], or write the end"
                    : "write the end behind '..'");
  } else if (is_loop && item.kind == share_kind::out && !is_of_loop) {
    of.tell(severity::error, "E133", item.place, "'" + part_text(item) + "' is a result of every task of the loop, and all of it",
            "write the part of an iteration: out " + name + "[" + construct.index->name + " .. ]");
  } else if (item.is_lazy && (is_in(item.low) || is_in(item.high))) {
    of.tell(severity::error, "E133", item.place,
            "the loop's variable stands in '" + part_text(item) + "', which is copied lazily",
            "name all elements that the loop reads: those that a task does not touch cost nothing");
  }
}

// Two items for one variable are two forms of it in a task; 'in' and 'out' of all of it are one.
void check_twice(program& of, const node& construct) {
  const std::vector<share_item>& items = construct.how.items;
  for (size_t i = 0; i < items.size(); i++) {
    for (size_t k = 0; k < i; k++) {
      const share_item& one = items[k];
      const share_item& other = items[i];
      if (one.variable != other.variable || one.is_lazy || other.is_lazy) continue;
      bool const is_whole = one.low == nullptr && other.low == nullptr && !one.is_object && !other.is_object;
      auto const is_given = [](const share_item& each) { return each.kind == share_kind::in || each.kind == share_kind::copy; };
      bool const is_both_ways =
          is_whole && ((is_given(one) && other.kind == share_kind::out) || (one.kind == share_kind::out && is_given(other)));
      if (is_both_ways) continue;
      bool const are_parts = one.low != nullptr && other.low != nullptr;
      of.tell(severity::error, "E133", other.place, "'" + other.variable->name + "' stands in share (…) a second time",
              are_parts ? "name one part that holds both, or use a second pointer for the other part" : "name it once");
      return;
    }
  }
}

// E133: results are assigned when the task is joined.
void check_constant(program& of, const share_item& item) {
  const symbol& variable = *item.variable;
  bool const is_result = item.kind == share_kind::out || item.kind == share_kind::reduce;
  bool const is_object = item.low != nullptr || variable.form == shape::plain || is_array(variable);
  bool const is_constant =
      is_object && std::ranges::any_of(variable.specifiers, [](const piece& each) { return each.is("const"); });
  if (!is_result || !is_constant) return;
  std::string const shown = item.low == nullptr ? variable.name : part_text(item);
  of.tell(severity::error, "E133", item.place, "'" + shown + "' is const, and cannot be a result",
          "declare it without const, or write: " + std::string(item.low == nullptr ? "in " : "copy ") + shown);
}

// Whether the occurrence may give elements their first value: p[i] = …, or p where it is handed on.
bool may_fill(const pieces& parts, size_t index) {
  if (spelling_at(parts, index + 1) != "[") return true;
  size_t behind = index + 1;
  while (spelling_at(parts, behind) == "[") behind = behind_squares(parts, behind);
  return spelling_at(parts, behind) == "=" || is_addressed(parts, index);
}

// E145: the first thing that a task does with the array is to change what was there. In a loop,
// what stands later in the text may run before.
void check_first_use(program& of, const node& construct, const share_item& item) {
  const token* changed = nullptr;
  bool is_seen = false;
  bool is_filled = false;
  each_token(given_part(construct), [&](const pieces& parts, size_t i) {
    if (parts[i].word.bound != item.variable) return;
    if (!is_seen && changes_element(parts, i)) changed = &parts[i].word;
    is_seen = true;
    is_filled = is_filled || may_fill(parts, i);
  });
  if (changed == nullptr || is_filled) return;
  of.tell(severity::error, "E145", *changed,
          "a task changes an element of '" + item.variable->name + "' before it has written it, and 'out " + part_text(item) +
              "' gives it no elements",
          "write: inout " + part_text(item));
}

}  // namespace

void check_elements(program& of, const node& construct) {
  check_twice(of, construct);
  for (const share_item& each : construct.how.items) {
    check_constant(of, each);
    if (each.low == nullptr) continue;
    check_range(of, construct, each);
    if (is_result_range(each) && !each.is_inout) check_first_use(of, construct, each);
  }
}

}  // namespace tascell
