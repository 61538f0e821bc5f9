// What the language adds to C: tasks, choice points, winds, throws, and their clauses.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "parser.hpp"

namespace tascell {

size_t distance_of(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); j++) row[j] = j;
  for (size_t i = 1; i <= a.size(); i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); j++) {
      size_t const above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

// ---- outside of functions

bool parser::own_external(external& into) {
  bool const is_block = ahead(1).kind == token_kind::identifier && ahead(2).is("{");
  if (is_word("task") && is_block) {
    task(into);
  } else if ((is_word("task_exec") || is_word("task_send") || is_word("task_recv") || is_word("rslt_send") ||
              is_word("rslt_recv")) &&
             is_block) {
    task_block(into);
  } else if ((is_word("worker_data") || is_word("worker_init")) && ahead(1).is("{")) {
    bool const is_data = is("worker_data");
    bool& seen = is_data ? into_.has_worker_data : into_.has_worker_init;
    if (seen) fail("E007", now(), "'" + std::string(now().text) + "' is written twice", "join the two blocks");
    seen = true;
    into.kind = is_data ? external_kind::worker_data : external_kind::worker_init;
    take();
    if (is_data) {
      skip_group(into.parts);
      if (is(";")) take();
    } else {
      is_in_worker_ = true;
      into.body = block_of(region_kind::handler, into.first);
    }
  } else {
    return false;
  }
  return true;
}

task_type* parser::task_named(const token& name) {
  task_type* nearest = nullptr;
  for (task_type& each : into_.tasks) {
    if (each.name == name.text) return &each;
    if (nearest == nullptr || distance_of(each.name, name.text) < distance_of(nearest->name, name.text)) nearest = &each;
  }
  std::string const cure = nearest != nullptr && distance_of(nearest->name, name.text) < 4
                               ? "did you mean '" + nearest->name + "'?"
                               : "define it above: task " + std::string(name.text) + " {…}";
  fail("E101", name, "there is no task '" + std::string(name.text) + "'", cure);
}

void parser::task(external& into) {
  take();
  into.kind = external_kind::task;
  task_type& made = into_.tasks.emplace_back();
  into.task = &made;
  made.place = take();
  made.name = std::string(made.place.text);
  symbol* const type = declare(symbol_kind::type, made.place);
  type->has_pointers = true;
  take();
  bool is_in = false;
  bool is_out = false;
  while (!is("}")) {
    if (now().kind == token_kind::end) fail("E003", made.place, "this task is not closed", "close it with '}'");
    if ((is("in") || is("out")) && ahead(1).is(":")) {
      bool const is_first_in = is("in");
      is_in = is_first_in;
      is_out = !is_first_in;
      take(), take();
      if (is_first_in && is("out") && ahead(1).is(":")) {
        is_out = true;
        take(), take();
      }
    } else {
      task_field_line(made, is_in, is_out);
    }
  }
  take();
  if (is(";")) take();
}

void parser::task_field_line(task_type& of, bool is_in, bool is_out) {
  bool const is_shared = is("shared") && lookup("shared") == nullptr;
  if (is_shared) take();
  token const begin = now();
  specifiers_found const type = specifiers();
  if (!type.has_type || type.is_worker)
    fail("E004", begin, "a field's type is missing or unknown at '" + std::string(begin.text) + "'",
         "declare the type, or include its header");
  for (;;) {
    declarator_found found = declarator();
    if (!found.name_at) fail("E005", now(), "a field's name is missing", "write: in: long n;");
    open_scope();
    symbol* const what = declare_as(type, found);
    close_scope();
    task_field field{what, is_in, is_out, is_shared, ""};
    for (const piece& each : what->declarator) {
      if (each.is_token() && each.word.kind == token_kind::identifier && !each.word.is_member && each.word.bound == nullptr &&
          what->form == shape::array && each.word.text != what->name) {
        fail("E131", each.word, "the array size '" + std::string(each.word.text) + "' is no constant",
             "declare the largest size, and transfer the first elements: long a[100] : n;");
      }
    }
    if (is(":")) {
      take();
      bool const is_field =
          std::ranges::any_of(of.fields, [this](const task_field& each) { return each.what->name == now().text; });
      if (now().kind != token_kind::number && !is_field) {
        fail("E131", now(), "the count '" + std::string(now().text) + "' must be an earlier field or a constant",
             "declare it above in the task");
      }
      field.count = (is_field ? "weft_this->" : "") + std::string(take().text);
    }
    of.fields.push_back(field);
    if (!is(",")) break;
    take();
  }
  if (!is(";")) fail("E002", now(), "';' is missing after a field", "write it before this");
  take();
}

void parser::task_block(external& into) {
  token const which = take();
  into.kind = external_kind::task_block;
  into.task = task_named(take());
  task_type& of = *into.task;
  node** const where = which.is("task_exec")   ? &of.exec
                       : which.is("task_send") ? &of.task_send
                       : which.is("task_recv") ? &of.task_recv
                       : which.is("rslt_send") ? &of.rslt_send
                                               : &of.rslt_recv;
  if (*where != nullptr) fail("E007", which, "'" + std::string(which.text) + " " + of.name + "' is written twice", "remove one");
  is_in_worker_ = true;
  open_scope();
  token bytes = which;
  bytes.text = "bytes";
  if (!which.is("task_exec")) declare(symbol_kind::pseudo, bytes);
  function_name_ = which;
  *where = block_of(region_kind::task_block, which);
  close_scope();
}

node* parser::block_of(region_kind kind, const token& opened) {
  regions_.push_back({kind, opened, 0, 0, next_region_++});
  node* const result = kind == region_kind::choice || kind == region_kind::loop ? statement() : compound();
  regions_.pop_back();
  if (regions_.empty()) finish_labels();
  return result;
}

// ---- statements

void parser::need_construct_allowed(const token& word) {
  if (!is_in_worker_) {
    fail("E110", word,
         "'" + std::string(word.text) + "' stands in the ordinary function '" + std::string(function_name_.text) + "'",
         "declare the function worker");
  }
  bool const is_inside = std::ranges::any_of(regions_, [](const region& each) { return each.kind == region_kind::handler; });
  if (is_inside) {
    into_.tell(severity::error, "E123", word,
               "'" + std::string(word.text) + "' stands in a block that runs while the worker backtracks or joins",
               "do it before or after the construct");
  }
}

// A statement of the language; null: it is one of C.
node* parser::construct() {
  if (now().kind != token_kind::identifier) return nullptr;
  token const& next = ahead(1);
  if (is_word("do_two")) return do_two();
  if (is_word("do_many") && next.is("(")) return do_many();
  if ((is_word("wind") || is_word("dynamic_wind")) && next.is("{")) return wind(false);
  if (is_word("reversible") && (next.is("wind") || next.is("dynamic_wind"))) return wind(true);
  if (is_word("catch") && next.is("(")) return catch_tag();
  if (is_word("broadcast") && next.kind == token_kind::identifier) return broadcast();
  if (is_word("catch") && next.is("{")) fail("E002", next, "the tag is missing after 'catch'", "write: catch (tag) {…}");
  if (is_word("throw") && next.is(";")) fail("E002", next, "the tag is missing after 'throw'", "write: throw tag;");
  bool const is_throw = is_word("throw") && !next.is("=");
  bool const is_request = is_word("check_request") && next.is(";");
  if (!is_throw && !is_request) return nullptr;
  node* const result = made(is_throw ? node_kind::throw_tag : node_kind::check_request);
  need_construct_allowed(take());
  if (is_throw) result->one = expression_until({";"});
  take();
  return result;
}

node* parser::do_two() {
  node* const result = made(node_kind::do_two);
  token const word = take();
  need_construct_allowed(word);
  result->how.place = word;
  result->one = block_of(region_kind::choice, word);
  clauses(result->how);
  result->two = block_of(region_kind::choice, word);
  if (is_word("handles")) handles(result->how, false);
  return result;
}

// for (int i : a, b), the papers' form of do_many.
bool parser::is_parallel_for() const {
  if (!ahead(1).is("(") || !is_in_worker_) return false;
  size_t const end = closing(at_ + 1);
  int depth = 0;
  for (size_t i = at_ + 1; i < end; i++) {
    if (tokens_[i].is("(") || tokens_[i].is("[") || tokens_[i].is("{")) depth++;
    if (tokens_[i].is(")") || tokens_[i].is("]") || tokens_[i].is("}")) depth--;
    if (depth == 1 && (tokens_[i].is(";") || tokens_[i].is("?"))) return false;
    if (depth == 1 && tokens_[i].is(":")) return true;
  }
  return false;
}

node* parser::do_many() {
  node* const result = made(node_kind::do_many);
  token const word = take();
  need_construct_allowed(word);
  result->how.place = word;
  take();
  open_scope();
  many_header(*result);
  clauses(result->how);
  result->one = block_of(region_kind::loop, word);
  if (is_word("handles")) handles(result->how, true);
  close_scope();
  return result;
}

void parser::many_header(node& of) {
  specifiers_found const type = specifiers();
  if (!type.has_type || now().kind != token_kind::identifier)
    fail("E002", now(), "the loop variable's type and name are missing", "write: do_many (long i : 0, n)");
  declarator_found found = declarator();
  bool const is_real = std::ranges::any_of(
      type.words, [](const piece& each) { return each.is("float") || each.is("double") || each.is("_Complex"); });
  if (!found.name_at || found.has_form || is_real || type.names_real || type.form != shape::plain)
    fail("E002", now(), "a loop variable must be an integer", "write: do_many (long i : 0, n)");
  if (!is(":")) fail("E002", now(), "':' is missing after the loop variable", "write: do_many (long i : 0, n)");
  take();
  many_bounds(of);
  of.index = declare_as(type, found);
}

void parser::many_bounds(node& of) {
  size_t const commas = commas_ahead();
  if (commas == 0) fail("E002", now(), "a parallel loop has two bounds", "write: do_many (long i : 0, n)");
  if (commas > 2)
    fail("E002", now(), "a parallel loop has two bounds and a step, and no more", "write: do_many (long i : 0, n, 2)");
  of.low = expression_until({","});
  take();
  of.high = expression_until({",", ")"});
  if (take().is(")")) return;
  of.step = expression_until({")"});
  need_positive(*of.step);
  take();
}

// E124: what is written as a number, 2 or -1 or (0). The run looks at other steps.
void parser::need_positive(const node& step) const {
  const token* number = nullptr;
  bool is_negative = false;
  for (const piece& each : step.parts) {
    if (each.is("(") || each.is(")") || each.is("+")) continue;
    if (each.is("-") && number == nullptr) {
      is_negative = !is_negative;
      continue;
    }
    if (!each.is_token() || each.word.kind != token_kind::number || number != nullptr) return;
    number = &each.word;
  }
  if (number == nullptr) return;
  std::string const text(number->text);
  bool const is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  bool const is_real =
      text.find('.') != std::string::npos || text.find_first_of(is_hexadecimal ? "pP" : "eEfF") != std::string::npos;
  bool const is_zero = std::strtoull(text.c_str(), nullptr, 0) == 0;
  if (is_real || is_zero || is_negative)
    fail("E124", *number,
         "the step of a parallel loop is " + (is_negative ? "-" + text : text) + ", and not an integer of at least 1",
         is_negative ? "write a loop upwards, and compute the element from its variable" : "write: do_many (long i : 0, n, 2)");
}

node* parser::wind(bool is_reversible) {
  if (is_reversible) take();
  node* const result = made(node_kind::wind);
  token const word = take();
  need_construct_allowed(word);
  result->how.place = word;
  if (is_reversible) {
    if (!is("{")) fail("E002", now(), "'{' is missing after 'reversible wind'", "write: reversible wind { changes } { body }");
    regions_.push_back({region_kind::handler, word, 0, 0, next_region_++});
    result->one = made(node_kind::compound);
    result->three = made(node_kind::compound);
    reversible_block(result->one->parts, result->three->parts);
    regions_.pop_back();
  } else {
    result->one = block_of(region_kind::handler, word);
  }
  if (!is("{")) fail("E002", now(), "the body of the wind is missing", "write: wind { redo } { body } { undo }");
  result->two = block_of(region_kind::wind, word);
  if (!is_reversible) {
    if (!is("{")) fail("E103", now(), "the undo block of the wind is missing", "write: wind { redo } { body } { undo }");
    result->three = block_of(region_kind::handler, word);
  }
  return result;
}

node* parser::catch_tag() {
  node* const result = made(node_kind::catch_tag);
  token const word = take();
  need_construct_allowed(word);
  result->how.place = word;
  take();
  result->one = expression_until({")"});
  take();
  result->two = block_of(region_kind::catch_tag, word);
  return result;
}

node* parser::broadcast() {
  node* const result = made(node_kind::broadcast);
  token const word = take();
  need_construct_allowed(word);
  result->how.place = word;
  result->how.task = task_named(take());
  result->how.put = block_of(region_kind::handler, word);
  return result;
}

// ---- clauses

node* parser::clause_expression() {
  if (!is("(")) fail("E002", now(), "'(' is missing after the clause's name", "write its value in brackets");
  take();
  regions_.push_back({region_kind::handler, now(), 0, 0, next_region_++});
  node* const result = expression_until({")"});
  regions_.pop_back();
  take();
  return result;
}

// Whether a clause `what (…)` stands here. If the program has declared the name, as <poll.h> does,
// a call of it may stand here instead. Behind a clause a statement begins, and behind a call none.
bool parser::is_clause(std::string_view what) const {
  if (!is(what) || !ahead(1).is("(")) return false;
  if (is_word(what)) return true;
  symbol const* const known = lookup(what);
  if (known->kind == symbol_kind::type) return false;
  const token& behind = tokens_[std::min(closing(at_ + 1) + 1, tokens_.size() - 1)];
  return behind.is("{") || behind.kind == token_kind::identifier;
}

void parser::clauses(handler& into) {
  for (;;) {
    if (is_clause("share")) {
      take();
      share(into);
    } else if (is_clause("guard")) {
      take();
      into.guard = clause_expression();
    } else if (is_word("split") && ahead(1).is("at")) {
      take(), take();
      into.split = clause_expression();
    } else if (is_clause("poll")) {
      take();
      into.poll = clause_expression();
    } else {
      return;
    }
  }
}

// handles [task name] T (int from, int to) {{put}{get}}, with or without the outer braces.
void parser::handles(handler& into, bool is_loop) {
  token const word = take();
  if (into.has_share) fail("E133", word, "a construct has either 'share' or 'handles'", "remove one");
  if (now().kind != token_kind::identifier)
    fail("E101", now(), "the task's name is missing after 'handles'", "write: handles T {{put}{get}}");
  into.place = word;
  into.task = task_named(take());
  open_scope();
  if (is_loop && is("(")) range_names(into);
  handler_blocks(into);
  close_scope();
}

void parser::range_names(handler& into) {
  take();
  for (const symbol** each : {&into.from, &into.to}) {
    specifiers_found const type = specifiers();
    if (now().kind != token_kind::identifier)
      fail("E002", now(), "the names of the range are missing", "write: handles T (int from, int to)");
    declarator_found found = declarator();
    *each = declare_as(type, found);
    bool const is_right = each == &into.from ? is(",") : is(")");
    if (!is_right) fail("E002", now(), "the range has two names", "write: handles T (int from, int to)");
    take();
  }
}

void parser::handler_blocks(handler& into) {
  std::string const name = into.task->name;
  bool is_wrapped = false;
  if (is("{")) {
    size_t const inner = at_ + 1;
    bool const begins_clause = tokens_[inner].is("guard") || tokens_[inner].is("split");
    is_wrapped = begins_clause || (tokens_[inner].is("{") && !tokens_[closing(at_) + 1].is("{"));
  }
  if (is_wrapped) {
    take();
    clauses(into);
  }
  if (!is("{")) fail("E103", now(), "the put block is missing in handles " + name, "write: handles " + name + " {{put}{get}}");
  into.put = block_of(region_kind::handler, into.place);
  if (!is("{")) fail("E103", now(), "the get block is missing in handles " + name, "write: handles " + name + " {{put}{get}}");
  into.get = block_of(region_kind::handler, into.place);
  if (is_wrapped) {
    if (!is("}")) fail("E002", now(), "'}' is missing after the get block", "write: handles " + name + " {{put}{get}}");
    take();
  }
}

// ---- reversible

namespace {

piece words(std::string text) { return {token(), std::move(text), nullptr}; }

void append(pieces& to, const pieces& more) { to.insert(to.end(), more.begin(), more.end()); }

std::string_view inverse(std::string_view operation) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> pairs = {
      {{"+=", "-="}, {"-=", "+="}, {"^=", "^="}, {"++", "--"}, {"--", "++"}}};
  for (auto const& [each, other] : pairs) {
    if (each == operation) return other;
  }
  return "";
}

// Whether the tokens of what are among those of in.
bool holds(const pieces& in, const pieces& what) {
  auto const is_same = [](const piece& a, const piece& b) { return a.is_token() && b.is_token() && a.word.text == b.word.text; };
  return !what.empty() && !std::ranges::search(in, what, is_same).empty();
}

}  // namespace

// { statements }: redo is they, undo is their inverses in reverse order.
void parser::reversible_block(pieces& redo, pieces& undo) {
  put(redo);
  undo.push_back(words(" {"));
  std::vector<pieces> undone;
  while (!is("}")) {
    if (now().kind == token_kind::end) fail("E003", now(), "this block is not closed", "close it with '}'");
    reversible_statement(redo, undone.emplace_back());
  }
  for (size_t i = undone.size(); i-- > 0;) append(undo, undone[i]);
  put(redo);
  undo.push_back(words(" }"));
}

// swap(a, b); is its own inverse.
void parser::reversible_swap(pieces& redo, pieces& undo) {
  token const begin = take();
  take();
  pieces first, second;
  run_of_tokens(first, {","});
  take();
  run_of_tokens(second, {")"});
  take();
  bool const is_same = holds(first, second) && holds(second, first);
  if (!is_same && (holds(first, second) || holds(second, first)))
    fail("E142", begin, "this swap has no inverse: where one of the two lies depends on the other",
         "swap over an index that is not changed");
  if (!is(";")) fail("E002", now(), "';' is missing after swap", "write: swap(a, b);");
  take();
  for (pieces* into : {&redo, &undo}) {
    into->push_back(words(" { __typeof__("));
    append(*into, first);
    into->push_back(words(") weft_swap ="));
    append(*into, first);
    into->push_back(words(";"));
    append(*into, first);
    into->push_back(words(" ="));
    append(*into, second);
    into->push_back(words(";"));
    append(*into, second);
    into->push_back(words(" = weft_swap; }"));
  }
}

void parser::reversible_statement(pieces& redo, pieces& undo) {
  deeper const guard(&depth_);
  if (depth_ > 200) fail("E006", now(), "this is nested too deeply", "take parts of it out");
  token const begin = now();
  if (is("if")) {
    pieces before, after, forward, backward;
    take();
    before = clause_expression()->parts;
    if (!is("{")) fail("E140", now(), "'{' is missing after 'if (…)'", "write: if (c) { changes } fi (d);");
    reversible_block(forward, backward);
    if (!is("fi"))
      fail("E142", now(), "'fi (condition)' is missing after a reversible 'if'",
           "write the condition that holds afterwards if the changes were made: fi (d);");
    take();
    after = clause_expression()->parts;
    if (is(";")) take();
    for (auto const& [into, condition, block] : {std::tuple(&redo, &before, &forward), std::tuple(&undo, &after, &backward)}) {
      into->push_back(words(" if ("));
      append(*into, *condition);
      into->push_back(words(")"));
      append(*into, *block);
    }
  } else if (is("swap") && ahead(1).is("(")) {
    reversible_swap(redo, undo);
  } else {
    pieces all;
    run_of_tokens(all, {";"});
    int operators = 0;
    size_t operation = 0;
    for (const piece& each : all) {
      bool const is_other = each.is("=") || each.is("*=") || each.is("/=") || each.is("%=") || each.is("<<=") || each.is(">>=") ||
                            each.is("|=") || each.is("&=");
      bool const is_undoable = each.is_token() && !inverse(each.word.text).empty();
      operators += is_other ? 2 : is_undoable ? 1 : 0;
      if (is_undoable) operation = static_cast<size_t>(&each - all.data());
      undo.push_back(is_undoable ? words(" " + std::string(inverse(each.word.text))) : each);
    }
    if (operators != 1)
      fail("E142", begin, "this statement has no inverse", "use += -= ^= ++ -- swap(a, b); or if (c) {…} fi (d);");
    auto const middle = all.begin() + static_cast<std::ptrdiff_t>(operation);
    pieces const changed(all.begin(), middle);
    bool const reads_itself = !changed.empty() && (holds(pieces(middle + 1, all.end()), changed) ||
                                                   holds(pieces(changed.begin() + 1, changed.end()), changed));
    if (reads_itself)
      fail("E142", begin, "this statement has no inverse: it reads what it changes", "use the value of another variable");
    append(redo, all);
    redo.push_back({take(), "", nullptr});
    undo.push_back(words(";"));
  }
}

}  // namespace tascell
