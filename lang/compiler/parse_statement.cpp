// Statements of C. What is between their keywords is kept as it stands.
#include <algorithm>
#include <set>

#include "parser.hpp"

namespace tascell {

namespace {

const std::set<std::string_view> statement_words = {"if",      "else",   "while", "do",    "for",      "switch",  "case",
                                                    "default", "return", "goto",  "break", "continue", "typedef", "static"};

}  // namespace

node* parser::made(node_kind kind) {
  node& result = into_.nodes.emplace_back();
  result.kind = kind;
  result.first = now();
  return &result;
}

node* parser::statement() {
  deeper const guard(&depth_);
  if (depth_ > 200) fail("E006", now(), "this is nested too deeply", "take parts of it out");
  if (is("{")) return compound();
  if (now().kind == token_kind::directive || is(";")) {
    node* const result = made(node_kind::plain);
    put(result->parts);
    return result;
  }
  if (is("if")) return if_statement();
  if (is("while")) return controlled(true, false);
  if (is("switch")) return controlled(false, true);
  if (is("do")) return do_statement();
  if (is("for")) return is_parallel_for() ? do_many() : for_statement();
  if (is("return") || is("goto") || is("break") || is("continue")) return jump();
  if (is("case") || is("default") || (now().kind == token_kind::identifier && ahead(1).is(":"))) return label_or_case();
  if (node* const own = construct()) return own;
  if (is("else")) fail("E002", now(), "'else' has no 'if'", "remove it, or write the 'if'");
  if (begins_declaration()) return declaration_statement();
  return expression_statement();
}

node* parser::compound() {
  deeper const guard(&depth_);
  if (depth_ > 200) fail("E006", now(), "this is nested too deeply", "take parts of it out");
  node* const result = made(node_kind::compound);
  need(result->parts, "{", "where a block begins");
  open_scope();
  while (!is("}")) {
    if (now().kind == token_kind::end) fail("E003", result->first, "this block is not closed", "close it with '}'");
    result->parts.push_back({token(), "", statement()});
  }
  close_scope();
  result->last = now();
  put(result->parts);
  return result;
}

node* parser::declaration_statement() {
  node* const result = made(node_kind::declaration);
  if (is("_Static_assert")) {
    put(result->parts);
    skip_group(result->parts);
    need(result->parts, ";", "after _Static_assert");
    return result;
  }
  specifiers_found const type = specifiers();
  result->parts = type.all;
  if (!type.has_type && !is(";") && now().kind != token_kind::identifier) {
    fail("E004", now(), "a type is missing in this declaration", "write it before this");
  }
  declarators(type, result->parts, &result->declared, nullptr);
  return result;
}

node* parser::expression_statement() {
  node* const result = made(node_kind::plain);
  run_of_tokens(result->parts, {";"});
  put(result->parts);
  return result;
}

// while (…) S and switch (…) S
node* parser::controlled(bool is_loop, bool is_switch) {
  node* const result = made(node_kind::plain);
  put(result->parts);
  need(result->parts, "(", "here");
  run_of_tokens(result->parts, {")"});
  put(result->parts);
  size_t const depth = regions_.size();
  regions_[depth - 1].loops += is_loop ? 1 : 0;
  regions_[depth - 1].switches += is_switch ? 1 : 0;
  result->parts.push_back({token(), "", statement()});
  regions_[depth - 1].loops -= is_loop ? 1 : 0;
  regions_[depth - 1].switches -= is_switch ? 1 : 0;
  return result;
}

node* parser::if_statement() {
  node* const result = made(node_kind::plain);
  put(result->parts);
  need(result->parts, "(", "after 'if'");
  run_of_tokens(result->parts, {")"});
  put(result->parts);
  result->parts.push_back({token(), "", statement()});
  if (is("else")) {
    put(result->parts);
    result->parts.push_back({token(), "", statement()});
  }
  return result;
}

node* parser::do_statement() {
  node* const result = made(node_kind::plain);
  put(result->parts);
  here().loops++;
  result->parts.push_back({token(), "", statement()});
  here().loops--;
  need(result->parts, "while", "after the body of 'do'");
  need(result->parts, "(", "after 'while'");
  run_of_tokens(result->parts, {")"});
  put(result->parts);
  need(result->parts, ";", "after 'do … while (…)'");
  return result;
}

node* parser::for_statement() {
  node* const result = made(node_kind::plain);
  put(result->parts);
  need(result->parts, "(", "after 'for'");
  open_scope();
  if (begins_declaration()) {
    result->parts.push_back({token(), "", declaration_statement()});
  } else {
    run_of_tokens(result->parts, {";"});
    put(result->parts);
  }
  run_of_tokens(result->parts, {";"});
  put(result->parts);
  run_of_tokens(result->parts, {")"});
  put(result->parts);
  here().loops++;
  result->parts.push_back({token(), "", statement()});
  here().loops--;
  close_scope();
  return result;
}

node* parser::label_or_case() {
  node* const result = made(node_kind::label);
  if (is("case") || is("default")) {
    if (here().switches == 0 && regions_.size() > 1) {
      fail("E120", now(), "'" + std::string(now().text) + "' belongs to a switch outside of this construct",
           "write the switch inside, or the construct in a case");
    }
    put(result->parts);
    run_of_tokens(result->parts, {":"});
  } else {
    tokens_[at_].is_member = true;
    labels_[now().text] = here();
    put(result->parts);
  }
  put(result->parts);
  if (!is("}")) result->parts.push_back({token(), "", statement()});
  return result;
}

// ---- jumps

node* parser::jump() {
  node* const result = made(node_kind::jump);
  token const word = now();
  check_jump(word);
  put(result->parts);
  if (word.is("goto") && now().is("*") && regions_.size() > 1) {
    jump_out(word, "'goto *' may lead anywhere, and");
  }
  if (word.is("goto") && now().kind == token_kind::identifier) {
    tokens_[at_].is_member = true;
    gotos_.push_back({now(), here()});
  }
  run_of_tokens(result->parts, {";"});
  put(result->parts);
  return result;
}

void parser::check_jump(const token& word) {
  region const& in = here();
  if (in.kind == region_kind::function || in.kind == region_kind::task_block) return;
  bool const leaves = word.is("return") || (word.is("break") && in.loops + in.switches == 0) ||
                      (word.is("continue") && in.loops == 0 && in.kind != region_kind::loop);
  if (leaves) jump_out(word, "'" + std::string(word.text) + "'");
}

void parser::jump_out(const token& word, const std::string& what) {
  region const& in = here();
  std::string const line = "(line " + std::to_string(in.opened.line) + ")";
  if (in.kind == region_kind::wind) {
    into_.tell(severity::error, "E121", word, what + " leaves the wind " + line + ": its undo would be skipped",
               "set a variable, and test it after the wind");
  } else if (in.kind == region_kind::handler) {
    into_.tell(severity::error, "E120", word, what + " leaves a block of a construct " + line, "let the block end");
  } else if (in.kind == region_kind::catch_tag) {
    into_.tell(severity::error, "E120", word, what + " leaves the catch " + line + ": its record would stay linked",
               "set a variable, and test it after the catch");
  } else {
    into_.tell(severity::error, "E120", word,
               what + " leaves " + std::string(in.opened.text == "for" ? "the parallel for" : in.opened.text) + " " + line +
                   ": the task that it gave would be lost",
               "set a variable, and test it after the construct, or use throw");
  }
}

void parser::finish_labels() {
  for (const label_seen& each : gotos_) {
    auto const label = labels_.find(each.word.text);
    if (label == labels_.end() || label->second.id == each.where.id) continue;
    regions_.push_back(each.where.kind == region_kind::function ? label->second : each.where);
    jump_out(each.word, "'goto " + std::string(each.word.text) + "' enters or");
    regions_.pop_back();
  }
  gotos_.clear();
  labels_.clear();
}

// ---- expressions

// Takes tokens up to one of stops that is outside of brackets. Identifiers are bound.
void parser::run_of_tokens(pieces& into, std::initializer_list<std::string_view> stops) {
  token const begin = now();
  std::vector<token> open;
  for (;;) {
    token const& word = now();
    if (word.kind == token_kind::end)
      fail("E003", open.empty() ? begin : open.back(), "this is not finished at the end of the file", "close or end it");
    if (open.empty() && word.kind == token_kind::punctuator) {
      for (std::string_view stop : stops) {
        if (word.text == stop) return;
      }
    }
    if (word.kind == token_kind::identifier) {
      bool const is_in_generic = word.is("default") && ahead(1).is(":") && !open.empty() &&
                                 std::ranges::any_of(into, [](const piece& each) { return each.is("_Generic"); });
      if (is_in_generic) {
        put(into);
        continue;
      }
      if (statement_words.contains(word.text) && !open.empty())
        fail("E003", open.front(), "this bracket is not closed before '" + std::string(word.text) + "'", "close it");
      if (statement_words.contains(word.text))
        fail("E002", word, "'" + std::string(word.text) + "' cannot stand in an expression",
             "end the expression before it with ';' or ')'");
      word_in_run(into);
      continue;
    }
    if (word.kind == token_kind::punctuator) {
      char const c = word.text[0];
      if (c == ';')
        fail("E002", word, open.empty() ? "this expression ends too early" : "a bracket is not closed before this ';'",
             "close it");
      if (c == '(' && ahead(1).is("{")) {  // a statement expression
        if (!is_local()) fail("E004", word, "a statement expression stands outside of functions", "move it into a function");
        put(into);
        into.push_back({token(), "", compound()});
        need(into, ")", "after a statement expression");
        continue;
      }
      if (c == '(' || c == '[' || c == '{') open.push_back(word);
      if (c == ')' || c == ']' || c == '}') {
        char const wanted = open.empty() ? ' ' : open.back().text[0] == '(' ? ')' : open.back().text[0] == '[' ? ']' : '}';
        if (c != wanted)
          fail(open.empty() && c == '}' ? "E002" : "E003", word,
               open.empty() && c == '}' ? "';' is missing before this" : "this bracket closes none that is open",
               open.empty() && c == '}' ? "end the statement above with ';'" : "remove it, or open one");
        open.pop_back();
      }
    }
    put(into);
  }
}

void parser::word_in_run(pieces& into) {
  token& word = tokens_[at_];
  bool const is_after_member = !into.empty() && (into.back().is(".") || into.back().is("->") || into.back().is("struct") ||
                                                 into.back().is("union") || into.back().is("enum") || into.back().is("&&"));
  bool const is_label = !into.empty() && into.back().is("&&") && lookup(word.text) != nullptr;
  if (is_after_member && !is_label) {
    word.is_member = !into.back().is("&&");
    auto const array = array_members_.find(word.text);
    if (array != array_members_.end() && into.back().is(".")) word.dimensions = array->second;
  } else if (symbol const* const used = lookup(word.text)) {
    bool const is_unknown_here = used->kind == symbol_kind::pseudo && !is_in_worker_;
    if (!is_unknown_here) word.bound = used;
    if (used->is_worker && !is_unknown_here) check_worker_use(word, *used);
  }
  put(into);
}

void parser::check_worker_use(const token& word, const symbol& used) {
  bool const is_call = ahead(1).is("(") || (used.kind == symbol_kind::variable && at_ > 0 && tokens_[at_ - 1].is("*") &&
                                            ahead(1).is(")") && ahead(2).is("("));
  if (!is_call) return;
  if (regions_.empty()) {
    fail("E110", word, "the worker function '" + used.name + "' is called outside of functions", "call it in a worker function");
  }
  if (!is_in_worker_) {
    std::string const caller(function_name_.text);
    into_.tell(severity::error, "E110", word,
               "the worker function '" + used.name + "' is called from the ordinary function '" + caller + "'",
               "declare '" + caller + "' worker, and what calls it, up to main or a task");
  } else if (here().kind == region_kind::handler) {
    into_.tell(severity::error, "E123", word,
               "the worker function '" + used.name + "' is called in a block that runs while the worker backtracks or joins",
               "call ordinary functions there");
  }
}

node* parser::expression_until(std::initializer_list<std::string_view> stops) {
  node* const result = made(node_kind::expression);
  run_of_tokens(result->parts, stops);
  if (result->parts.empty()) fail("E002", now(), "an expression is missing here", "write it before this");
  return result;
}

// How many commas stand before the bracket that closes the one that is open.
size_t parser::commas_ahead() const {
  int depth = 0;
  size_t result = 0;
  for (size_t i = at_; i < tokens_.size(); i++) {
    if (depth == 0 && tokens_[i].is(",")) result++;
    if (tokens_[i].is("(") || tokens_[i].is("[") || tokens_[i].is("{")) depth++;
    if ((tokens_[i].is(")") || tokens_[i].is("]") || tokens_[i].is("}")) && --depth < 0) break;
  }
  return result;
}

}  // namespace tascell
