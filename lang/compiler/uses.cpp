// What a statement does with variables: read off the tokens around each occurrence.
#include <algorithm>
#include <set>

#include "syntax.hpp"

namespace tascell {

namespace {

std::string_view word_at(const pieces& parts, size_t index) {
  if (index >= parts.size()) return "";
  const piece& each = parts[index];
  if (each.child != nullptr) return "{";
  if (each.text.empty()) return each.word.kind == token_kind::literal ? "\"" : each.word.text;
  std::string_view text = each.text;
  while (text.starts_with(" ")) text.remove_prefix(1);
  return text;
}

bool is_assignment(std::string_view word) {
  return word == "=" || word == "+=" || word == "-=" || word == "*=" || word == "/=" || word == "%=" || word == "&=" ||
         word == "|=" || word == "^=" || word == "<<=" || word == ">>=" || word == "++" || word == "--" ||
         word == "= weft_swap; }";
}

bool ends_operand(const pieces& parts, size_t index) {
  if (index >= parts.size() || !parts[index].is_token()) return false;
  const token& word = parts[index].word;
  if (word.kind == token_kind::identifier) return word.text != "return" && word.text != "sizeof" && word.text != "case";
  return word.kind == token_kind::number || word.kind == token_kind::literal || word.is("]");
}

size_t after_brackets(const pieces& parts, size_t index) {
  int depth = 0;
  for (; index < parts.size(); index++) {
    std::string_view const word = word_at(parts, index);
    if (word == "[" || word == "(") depth++;
    if ((word == "]" || word == ")") && --depth == 0) return index + 1;
  }
  return index;
}

// Behind the members and elements of the variable's own object: x.a[i], but not x->a.
size_t after_object(const pieces& parts, size_t index) {
  const symbol* const variable = parts[index].word.bound;
  size_t next = index + 1;
  bool const is_array = variable == nullptr || (variable->form == shape::array && !variable->is_parameter);
  bool const is_own = variable == nullptr || is_array || variable->form == shape::plain;
  for (;;) {
    std::string_view const word = word_at(parts, next);
    if (word == "." && is_own) {
      next += 2;
    } else if (word == "[" && is_own && (is_array || next > index + 1)) {
      next = after_brackets(parts, next);
    } else if (word == ")") {
      next++;
    } else {
      return next;
    }
  }
}

// Before "(((" that may stand before the occurrence.
size_t before_brackets(const pieces& parts, size_t index) {
  while (index > 0 && word_at(parts, index - 1) == "(") index--;
  return index;
}

}  // namespace

bool is_written(const pieces& parts, size_t index) {
  for (size_t i = index; i-- > 0;) {  // the operands of asm may be written
    std::string_view const word = word_at(parts, i);
    if (word == "asm" || word == "__asm__" || word == "__asm") return true;
  }
  size_t const before = before_brackets(parts, index);
  std::string_view const previous = before > 0 ? word_at(parts, before - 1) : "";
  if (previous == "++" || previous == "--") return !(before > 1 && ends_operand(parts, before - 2));
  return is_assignment(word_at(parts, after_object(parts, index)));
}

bool is_addressed(const pieces& parts, size_t index) {
  size_t const before = before_brackets(parts, index);
  if (before == 0 || word_at(parts, before - 1) != "&") return false;
  return !(before > 1 && ends_operand(parts, before - 2));
}

bool is_read(const pieces& parts, size_t index) {
  size_t const after = after_object(parts, index);
  return !(word_at(parts, after) == "=" && after == index + 1 && (index == 0 || word_at(parts, index - 1) != "(" || index == 1));
}

void each_node(const node* in, const std::function<void(const node&)>& see) {
  if (in == nullptr) return;
  see(*in);
  for (const piece& each : in->parts) each_node(each.child, see);
  for (const node* each :
       {in->low, in->high, in->one, in->two, in->three, in->how.guard, in->how.split, in->how.poll, in->how.put, in->how.get})
    each_node(each, see);
  for (const share_item& each : in->how.items) {
    each_node(each.low, see);
    each_node(each.high, see);
  }
}

void each_token(const node* in, const std::function<void(const pieces& parts, size_t index)>& see) {
  each_node(in, [&see](const node& each) {
    for (size_t i = 0; i < each.parts.size(); i++) {
      if (each.parts[i].is_token()) see(each.parts, i);
    }
  });
}

bool is_array(const symbol& variable) { return variable.form == shape::array && !variable.is_parameter; }

const node* given_part(const node& of) { return of.kind == node_kind::do_two ? of.two : of.one; }

std::vector<const symbol*> free_variables(const std::vector<const node*>& in) {
  std::set<const symbol*> known;
  for (const node* part : in) {
    each_node(part, [&known](const node& each) {
      known.insert(each.declared.begin(), each.declared.end());
      known.insert({each.index, each.how.from, each.how.to});
    });
  }
  std::vector<const symbol*> result;
  for (const node* part : in) {
    each_token(part, [&](const pieces& parts, size_t index) {
      const symbol* const used = parts[index].word.bound;
      bool const is_variable = used != nullptr && used->kind == symbol_kind::variable && used->is_local;
      if (is_variable && known.insert(used).second) result.push_back(used);
    });
    each_node(part, [&](const node& each) {  // a task of a construct within may take what only its clause names
      for (const share_item& item : each.how.items) {
        if (item.variable != nullptr && item.variable->is_local && known.insert(item.variable).second)
          result.push_back(item.variable);
      }
    });
  }
  return result;
}

bool writes(const std::vector<const node*>& in, const symbol& variable) {
  bool result = false;
  for (const node* part : in) {
    each_token(part, [&](const pieces& parts, size_t index) {
      if (parts[index].word.bound == &variable) result = result || is_written(parts, index);
    });
    each_node(part, [&](const node& each) {
      for (const share_item& item : each.how.items) {
        if (item.variable == &variable) result |= item.kind == share_kind::out || item.kind == share_kind::reduce;
      }
    });
  }
  return result;
}

bool reads(const std::vector<const node*>& in, const symbol& variable) {
  bool result = false;
  for (const node* part : in) {
    each_token(part, [&](const pieces& parts, size_t index) {
      if (parts[index].word.bound == &variable) result = result || is_read(parts, index);
    });
  }
  return result;
}

namespace {

bool assigns_always(const node* in, const symbol& variable);

bool children_assign_always(const node& in, const symbol& variable) {
  auto const assigns = [&](const piece& each) { return assigns_always(each.child, variable); };
  if (in.kind == node_kind::compound) return std::ranges::any_of(in.parts, assigns);
  if (in.parts.empty() || !in.parts.front().is("if")) return false;
  return std::ranges::count_if(in.parts, assigns) == 2;
}

// Whether each way through the statement assigns the variable, unless a throw leaves it. Where this
// is hard to see, no.
bool assigns_always(const node* in, const symbol& variable) {
  if (in == nullptr) return false;
  switch (in->kind) {
    case node_kind::wind: return assigns_always(in->two, variable);
    case node_kind::do_two: return assigns_always(in->one, variable) || assigns_always(in->two, variable);
    case node_kind::compound: return children_assign_always(*in, variable);
    case node_kind::plain: break;
    default: return false;
  }
  bool const is_assignment = in->parts.size() > 1 && in->parts[0].is_token() && in->parts[0].word.bound == &variable;
  return (is_assignment && in->parts[1].is("=")) || children_assign_always(*in, variable);
}

// Whether the value that the variable has before the statement may be needed.
bool needs_value_before(const node* in, const symbol& variable) {
  bool has_goto = false;
  each_token(in, [&has_goto](const pieces& parts, size_t index) { has_goto = has_goto || parts[index].is("goto"); });
  return has_goto || reads({in}, variable) || !assigns_always(in, variable);
}

}  // namespace

std::vector<share_item> shares_of(const node& of) {
  std::vector<share_item> result = of.how.items;
  const node* const given = given_part(of);
  std::vector<const symbol*> variables = free_variables({given});
  for (const share_item& each : of.how.items) {  // a result may be assigned nowhere
    bool const is_missing = each.kind == share_kind::out && std::ranges::find(variables, each.variable) == variables.end();
    if (is_missing) variables.push_back(each.variable);
  }
  for (const symbol* each : variables) {
    bool const is_named_result = std::ranges::any_of(
        of.how.items, [each](const share_item& item) { return item.variable == each && item.kind == share_kind::out; });
    bool const is_named_input = std::ranges::any_of(
        of.how.items, [each](const share_item& item) { return item.variable == each && item.kind != share_kind::out; });
    if (is_named_result && !is_named_input && needs_value_before(given, *each)) {
      result.push_back({share_kind::in, each, of.how.place, false, nullptr, nullptr, ""});
      continue;
    }
    bool const is_named = std::ranges::any_of(result, [each](const share_item& item) { return item.variable == each; });
    if (is_named || each == of.index) continue;
    share_item made;
    made.variable = each;
    made.place = of.how.place;
    bool const is_result = of.kind == node_kind::do_two && writes({given}, *each) && !of.how.has_share;
    if (!is_result || needs_value_before(given, *each)) result.push_back(made);
    made.kind = share_kind::out;
    if (is_result) result.push_back(made);
  }
  return result;
}

bool is_construct(node_kind kind) {
  switch (kind) {
    case node_kind::do_two:
    case node_kind::do_many:
    case node_kind::wind:
    case node_kind::catch_tag:
    case node_kind::throw_tag:
    case node_kind::check_request:
    case node_kind::broadcast: return true;
    default: return false;
  }
}

std::string text_of(const pieces& parts) {
  std::string result;
  for (const piece& each : parts) {
    if (!result.empty()) result += ' ';
    result += each.text.empty() ? std::string(each.word.text) : each.text;
  }
  return result;
}

}  // namespace tascell
