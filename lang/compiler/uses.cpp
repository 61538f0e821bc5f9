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

// Whether the operator before an operand has an operand before it, too: a & b, but not (int *)&b.
bool is_binary(const pieces& parts, size_t index) {
  if (index == 0) return false;
  if (!parts[index - 1].is(")")) return ends_operand(parts, index - 1);
  size_t open = index - 1;
  for (int depth = 1; open > 0 && depth > 0;) {
    open--;
    if (word_at(parts, open) == ")") depth++;
    if (word_at(parts, open) == "(") depth--;
  }
  static const std::set<std::string_view> types = {"void",  "char",   "short",    "int",   "long",   "float",    "double",
                                                   "_Bool", "signed", "unsigned", "const", "struct", "volatile", "union"};
  const piece& first = parts[open + 1];
  bool const is_cast = first.is_token() && (types.contains(first.word.text) ||
                                            (first.word.bound != nullptr && first.word.bound->kind == symbol_kind::type));
  return !is_cast;
}

// Whether the occurrence is a pointer that '*' follows, so that what stands behind changes what it
// points to: *p = 1 and (*p)++, but not *p++.
bool writes_pointee(const pieces& parts, size_t index) {
  const symbol* const variable = parts[index].word.bound;
  if (variable == nullptr || (variable->form != shape::pointer && !(variable->form == shape::array && variable->is_parameter)))
    return false;
  size_t const before = before_brackets(parts, index);
  if (before == 0 || word_at(parts, before - 1) != "*" || is_binary(parts, before - 1)) return false;
  size_t next = index + 1;
  for (size_t open = index - before; open > 0 && word_at(parts, next) == ")"; open--) next++;
  return word_at(parts, next) != "++" && word_at(parts, next) != "--";
}

}  // namespace

bool is_written(const pieces& parts, size_t index) {
  for (size_t i = index; i-- > 0;) {  // the operands of asm may be written
    std::string_view const word = word_at(parts, i);
    if (word == "asm" || word == "__asm__" || word == "__asm") return true;
  }
  size_t before = before_brackets(parts, index);
  if (parts[index].word.bound != nullptr && is_array(*parts[index].word.bound)) {  // ++*a changes an element of its own
    while (before > 0 && word_at(parts, before - 1) == "*" && !is_binary(parts, before - 1))
      before = before_brackets(parts, before - 1);
  }
  std::string_view const previous = before > 0 ? word_at(parts, before - 1) : "";
  if (previous == "++" || previous == "--") {
    std::string_view const next = word_at(parts, after_object(parts, index));
    bool const is_elsewhere = next == "->" || next == "[";  // --p->count changes what p points to
    return !is_elsewhere && !(before > 1 && ends_operand(parts, before - 2));
  }
  if (writes_pointee(parts, index)) return false;
  return is_assignment(word_at(parts, after_object(parts, index)));
}

bool is_addressed(const pieces& parts, size_t index) {
  size_t const before = before_brackets(parts, index);
  if (before == 0 || word_at(parts, before - 1) != "&") return false;
  return !(before > 1 && ends_operand(parts, before - 2));
}

namespace {

// Whether the parameter is a pointer to constant objects.
bool takes_constant(const symbol& called, size_t argument) {
  size_t at = called.name_at + 1;
  while (at < called.declarator.size() && !called.declarator[at].is("(")) at++;
  bool is_constant = false;
  int depth = 0;
  for (; at < called.declarator.size(); at++) {
    const piece& each = called.declarator[at];
    if (each.is("(")) depth++;
    if (each.is(")") && --depth == 0) return false;
    if (depth != 1) continue;
    if (each.is(",") && argument-- == 0) return false;
    if (argument != 0) continue;
    is_constant = is_constant || each.is("const") || each.is("__const");
    if (each.is("*") || each.is("[")) return is_constant;
  }
  return false;
}

// Whether an argument is only read by the function that it is an argument of.
bool is_read_by_callee(const pieces& parts, size_t index) {
  size_t argument = 0;
  int depth = 0;
  for (size_t i = index; i-- > 1;) {
    std::string_view const word = word_at(parts, i);
    if (word == ")" || word == "]" || word == "}") depth++;
    if (word == "," && depth == 0) argument++;
    if ((word == "[" || word == "{") && --depth < 0) return false;
    if (word != "(" || --depth >= 0) continue;
    const symbol* const called = parts[i - 1].is_token() ? parts[i - 1].word.bound : nullptr;
    if (called != nullptr && called->kind == symbol_kind::function) return takes_constant(*called, argument);
    if (argument != 0) return false;
    depth = 0;
  }
  return false;
}

}  // namespace

bool is_handed_on(const pieces& parts, size_t index) {
  const symbol& variable = *parts[index].word.bound;
  if (variable.form == shape::pointer || (variable.form == shape::array && variable.is_parameter)) return false;
  size_t const before = before_brackets(parts, index);
  std::string_view const previous = before > 0 ? word_at(parts, before - 1) : "";
  if (previous == "sizeof" || previous == "_Alignof" || previous == "__typeof__") return false;
  bool const is_deref = previous == "*" && !is_binary(parts, before - 1);
  size_t wanted = is_array(variable) ? std::max<size_t>(variable.dimensions, 1) : 0;
  size_t indexes = 0;
  size_t next = index + 1;
  for (;;) {
    std::string_view const word = word_at(parts, next);
    if (word == "[") {
      indexes++;
      next = after_brackets(parts, next);
    } else if (word == "." && next + 1 < parts.size()) {
      wanted = parts[next + 1].word.dimensions;
      indexes = 0;
      next += 2;
    } else {
      break;
    }
  }
  bool const is_elsewhere = word_at(parts, next) == "->" || indexes > wanted;  // behind a pointer in it
  bool const is_object = previous == "&" && !is_binary(parts, before - 1) && !is_elsewhere;
  bool const is_part = !is_elsewhere && indexes + (is_deref ? 1 : 0) < wanted;
  return (is_object || is_part) && !is_read_by_callee(parts, index);
}

void each_node(const node* in, const std::function<void(const node&)>& see) {
  if (in == nullptr) return;
  see(*in);
  for (const piece& each : in->parts) each_node(each.child, see);
  for (const node* each : {in->low, in->high, in->step, in->one, in->two, in->three, in->how.guard, in->how.split, in->how.poll,
                           in->how.put, in->how.get})
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

bool is_static_object(const symbol& variable) {
  bool const is_constant =
      !variable.has_pointers && std::ranges::any_of(variable.specifiers, [](const piece& each) { return each.is("const"); });
  return variable.is_local && variable.is_static && !is_constant;
}

const node* given_part(const node& of) { return of.kind == node_kind::do_two ? of.two : of.one; }

bool is_result_range(const share_item& item) { return item.low != nullptr && item.kind == share_kind::out; }

std::string part_text(const share_item& item) {
  auto const bound = [](const node* of) {
    std::string result = of == nullptr ? "" : text_of(of->parts);
    std::ranges::replace(result, '\n', ' ');
    return result;
  };
  return item.variable->name + "[" + bound(item.low) + " .. " + bound(item.high) + "]";
}

bool names(const node* expression, const symbol& variable) {
  bool result = false;
  each_token(expression, [&](const pieces& parts, size_t index) { result = result || parts[index].word.bound == &variable; });
  return result;
}

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
        bool const is_whole = item.low == nullptr;  // elements are written where a pointer leads
        if (item.variable == &variable && is_whole) result |= item.kind == share_kind::out || item.kind == share_kind::reduce;
      }
    });
  }
  return result;
}

namespace {

bool mentions(const node& in, const symbol& variable) {
  bool result = false;
  each_token(&in, [&](const pieces& parts, size_t index) { result = result || parts[index].word.bound == &variable; });
  each_node(&in, [&](const node& each) {
    result = result || std::ranges::any_of(each.how.items, [&](const share_item& item) { return item.variable == &variable; });
  });
  return result;
}

bool mentions(const pieces& parts, size_t from, size_t to, const symbol& variable) {
  for (size_t i = from; i < to; i++) {
    if (parts[i].word.bound == &variable || (parts[i].child != nullptr && mentions(*parts[i].child, variable))) return true;
  }
  return false;
}

bool has_goto(const node& in) {
  bool result = false;
  each_token(&in, [&result](const pieces& parts, size_t index) { result = result || parts[index].is("goto"); });
  return result;
}

// Whether both branches of `if (c) S1 else S2` assign it.
bool branches_assign(const node& in, const symbol& variable) {
  std::vector<const node*> branches;
  for (size_t i = 0; i < in.parts.size(); i++) {
    bool const is_branch = in.parts[i].child != nullptr && i > 0 && (in.parts[i - 1].is(")") || in.parts[i - 1].is("else"));
    if (is_branch) {
      branches.push_back(in.parts[i].child);
    } else if (mentions(in.parts, i, i + 1, variable)) {
      return false;
    }
  }
  return branches.size() == 2 && assigns_first(*branches[0], variable) && assigns_first(*branches[1], variable);
}

}  // namespace

bool assigns_first(const node& in, const symbol& variable) {
  if (in.kind == node_kind::do_two && !mentions(*in.one, variable)) return assigns_first(*in.two, variable);
  if (in.kind == node_kind::do_two) return assigns_first(*in.one, variable);
  if (in.kind == node_kind::compound) {
    for (const piece& each : in.parts) {
      if (each.child == nullptr) continue;
      if (mentions(*each.child, variable)) return assigns_first(*each.child, variable);
      if (has_goto(*each.child)) return false;
    }
    return false;
  }
  if (in.kind != node_kind::plain || in.parts.size() < 2) return false;
  if (in.parts[0].is("if")) return branches_assign(in, variable);
  return in.parts[0].word.bound == &variable && in.parts[1].is("=") && !mentions(in.parts, 2, in.parts.size(), variable);
}

std::vector<share_item> shares_of(const node& of) {
  std::vector<share_item> result = of.how.items;
  const node* const given = given_part(of);
  std::vector<const node*> used = {given};
  if (of.kind == node_kind::do_many) {  // its task is such a loop, too
    used.insert(used.end(), {of.how.guard, of.how.split, of.how.poll});
    for (const share_item& each : of.how.items) used.insert(used.end(), {each.low, each.high});
  }
  std::vector<const symbol*> variables = free_variables(used);
  for (const share_item& each : of.how.items) {  // a result may be assigned nowhere
    bool const is_missing = each.kind == share_kind::out && std::ranges::find(variables, each.variable) == variables.end();
    if (is_missing) variables.push_back(each.variable);
  }
  for (const symbol* each : variables) {
    bool const is_named_result = std::ranges::any_of(of.how.items, [each](const share_item& item) {
      return item.variable == each && item.kind == share_kind::out && item.low == nullptr;
    });
    bool const is_named_input = std::ranges::any_of(
        of.how.items, [each](const share_item& item) { return item.variable == each && item.kind != share_kind::out; });
    if (is_named_result && !is_named_input && !assigns_first(*given, *each)) {  // its value before may matter
      share_item before;
      before.variable = each;
      before.place = of.how.place;
      result.push_back(before);
      continue;
    }
    bool const is_named = std::ranges::any_of(result, [each](const share_item& item) { return item.variable == each; });
    if (is_named || each == of.index) continue;
    share_item made;
    made.variable = each;
    made.place = of.how.place;
    if (is_static_object(*each)) {
      made.kind = share_kind::shared;
      result.push_back(made);
      continue;
    }
    bool const is_result = of.kind == node_kind::do_two && writes({given}, *each) && !of.how.has_share;
    if (!is_result || !assigns_first(*given, *each)) result.push_back(made);
    made.kind = share_kind::out;
    if (is_result) result.push_back(made);
  }
  return result;
}

bool has_poll_or_call(const node* body) {
  bool result = false;
  each_node(body, [&result](const node& each) { result = result || is_construct(each.kind); });
  each_token(body, [&result](const pieces& parts, size_t index) {
    const symbol* const used = parts[index].word.bound;
    result = result || (used != nullptr && used->is_worker);
  });
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
