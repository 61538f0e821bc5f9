// Static rules about the parts of a construct that become functions of their own: how they combine
// results, and which names they may use.
#include <algorithm>
#include <set>

#include "syntax.hpp"

namespace tascell {

namespace {

using word_set = std::set<std::string_view>;

// The assignments that a reduction understands, beside `s = s + e`.
std::set<std::string, std::less<>> updates_of(const std::string& operation) {
  if (operation == "+") return {"+=", "-=", "++", "--"};
  if (operation == "&&") return {"&="};
  if (operation == "||") return {"|="};
  if (operation == "min" || operation == "max") return {};
  return {operation + "="};
}

// What joins the variable to the rest in `s = s + e`.
word_set joints_of(const std::string& operation) {
  if (operation == "+") return {"+", "-"};
  return {operation};
}

std::string_view token_at(const pieces& parts, size_t index) {
  return index < parts.size() && parts[index].is_token() ? parts[index].word.text : std::string_view();
}

bool assigns_by(std::string_view word) {
  static const word_set operators = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"};
  return operators.contains(word);
}

// Whether `s = …` at index keeps what s had, by the operation.
bool keeps_value(const pieces& parts, size_t index, const symbol& variable, const share_item& of) {
  word_set const joints = joints_of(of.operation);
  size_t end = index + 2;
  for (int depth = 0; end < parts.size(); end++) {
    std::string_view const word = token_at(parts, end);
    if (depth == 0 && (word == ";" || word == "," || word == ")")) break;
    depth += word == "(" || word == "[" ? 1 : word == ")" || word == "]" ? -1 : 0;
  }
  bool const begins_with_it =
      index + 2 < end && parts[index + 2].word.bound == &variable && joints.contains(token_at(parts, index + 3));
  bool const ends_with_it = end > index + 3 && parts[end - 1].word.bound == &variable && of.operation == token_at(parts, end - 2);
  bool const is_constant = end == index + 3 && parts[index + 2].is_token() && parts[index + 2].word.kind == token_kind::number;
  bool const is_end = is_constant && ((of.operation == "&&" && token_at(parts, index + 2) == "0") ||
                                      (of.operation == "||" && token_at(parts, index + 2) == "1"));
  return begins_with_it || ends_with_it || is_end;
}

enum class use : uint8_t { update, other_update, read, unknown };

use use_of(const pieces& parts, size_t index, const share_item& of) {
  const symbol& variable = *of.variable;
  std::string_view const before = index > 0 ? token_at(parts, index - 1) : std::string_view();
  std::string_view const after = token_at(parts, index + 1);
  bool const is_extreme = of.operation == "min" || of.operation == "max";
  if (is_addressed(parts, index)) return use::unknown;
  if (before == "++" || before == "--") return updates_of(of.operation).contains(before) ? use::update : use::other_update;
  if (!assigns_by(after)) return use::read;
  if (after == "=") return is_extreme || keeps_value(parts, index, variable, of) ? use::update : use::other_update;
  return updates_of(of.operation).contains(after) ? use::update : use::other_update;
}

// Whether the occurrence is the variable within `s = s + e`.
bool is_in_update(const pieces& parts, size_t index, const symbol& variable) {
  for (size_t i = index; i-- > 1;) {
    if (parts[i].is(";") || parts[i].is("{")) return false;
    if (parts[i].is("=") && parts[i - 1].word.bound == &variable) return true;
  }
  return false;
}

void check_reduction(program& of, const node& construct, const share_item& item) {
  std::string const& name = item.variable->name;
  bool const must_not_read = item.operation == "+" || item.operation == "*" || item.operation == "^";
  bool is_told = false;
  each_token(given_part(construct), [&](const pieces& parts, size_t i) {
    if (is_told || parts[i].word.bound != item.variable) return;
    use const found = use_of(parts, i, item);
    bool const is_read = found == use::read && must_not_read && !is_in_update(parts, i, *item.variable);
    if (found != use::other_update && !is_read) return;
    is_told = true;
    std::string const plain =
        item.operation == "min" || item.operation == "max"
            ? "if (value " + std::string(item.operation == "min" ? "<" : ">") + " " + name + ") " + name + " = value;"
            : name + " = " + name + " " + item.operation + " value;";
    if (is_read)
      of.tell(
          severity::error, "E143", parts[i].word,
          "'" + name + "' is read where reduce(" + item.operation + ": " + name + ") combines it: a task knows its own part only",
          "read it after the construct, or do not reduce it");
    else
      of.tell(severity::error, "E143", parts[i].word,
              "this assignment of '" + name + "' is none that reduce(" + item.operation + ": " + name + ") combines",
              "write: " + plain);
  });
}

// E208: what a part uses and does not declare itself must have its type where functions are
// declared.
void check_names(program& of, const node* part, const token& construct, std::set<const symbol*>* told) {
  std::set<const char*> inside;
  each_token(part, [&](const pieces& parts, size_t i) { inside.insert(parts[i].word.text.data()); });
  each_token(part, [&](const pieces& parts, size_t i) {
    const symbol* const used = parts[i].word.bound;
    bool const is_name =
        used != nullptr && used->is_local && (used->kind == symbol_kind::type || used->kind == symbol_kind::constant);
    if (!is_name || inside.contains(used->place.text.data()) || !told->insert(used).second) return;
    of.tell(severity::error, "E208", parts[i].word,
            "'" + used->name + "' is declared in the function, and this part of the construct of line " +
                std::to_string(construct.line) + " becomes a function of its own",
            "declare it outside of the function");
  });
}

}  // namespace

// Whether a statement is for (;;) or while (1): nothing shows when it ends.
static bool is_endless(const node& loop) {
  const pieces& parts = loop.parts;
  bool const is_while = parts.size() > 3 && parts[0].is("while") && (parts[2].is("1") || parts[2].is("true")) && parts[3].is(")");
  if (is_while) return true;
  if (parts.size() < 5 || !parts[0].is("for")) return false;
  size_t first = 2;  // behind the first of its three parts
  while (first < parts.size() && parts[first].child == nullptr && !parts[first].is(";")) first++;
  return first + 1 < parts.size() && parts[first + 1].is(";");
}

// W203: while such a loop runs, other workers wait for their answers.
void check_loops(program& of, const node& body) {
  each_node(&body, [&of](const node& each) {
    bool const is_deaf = each.kind == node_kind::plain && is_endless(each) && !has_poll_or_call(&each);
    if (is_deaf)
      of.tell(severity::warning, "W203", each.parts[0].word,
              "this loop has no end that shows and no poll: other workers wait meanwhile for work",
              "write check_request; in its body");
  });
}

void check_parts(program& of, const node& construct) {
  std::set<const symbol*> told;
  check_lazies(of, construct);
  check_elements(of, construct);
  bool const is_choice = construct.kind == node_kind::do_two || construct.kind == node_kind::do_many;
  std::vector<const node*> parts = {construct.how.guard, construct.how.split, construct.how.put};
  if (is_choice && construct.how.task == nullptr) parts.push_back(given_part(construct));
  if (construct.kind == node_kind::wind) parts.insert(parts.end(), {construct.one, construct.three});
  if (construct.kind == node_kind::catch_tag) parts.push_back(construct.two);
  for (const node* each : parts) check_names(of, each, construct.first, &told);
  for (const share_item& each : construct.how.items) {
    if (each.kind == share_kind::reduce) check_reduction(of, construct, each);
    for (const node* bound : {each.low, each.high}) check_names(of, bound, construct.first, &told);
  }
}

}  // namespace tascell
