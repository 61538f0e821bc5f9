// Lowering: functions, statements and names.
#include "lower.hpp"

#include <algorithm>

namespace tascell {

// ---- writer

void writer::go_to(const token& place) {
  if (place.line == 0) return;
  if (file_ == place.file && place.line >= line_ && place.line - line_ <= 8) {
    out_.append(place.line - line_, '\n');
  } else {
    source_file const& file = from_->files[place.file];
    out_ += (out_.empty() || out_.back() == '\n' ? "# " : "\n# ") + std::to_string(place.line) + " \"" + file.name + "\"" +
            (file.is_system ? " 3\n" : "\n");
  }
  file_ = place.file;
  line_ = place.line;
}

void writer::put(const token& word, std::string_view instead) {
  go_to(word);
  bool const begins_line = out_.empty() || out_.back() == '\n';
  if (word.kind == token_kind::directive) {
    out_ += (begins_line ? "" : "\n") + std::string(instead) + "\n";
    file_ = UINT32_MAX;
    return;
  }
  if (begins_line) {
    out_.append(std::min<size_t>(word.column - 1U, 120), ' ');
  } else if (word.has_space) {
    out_ += ' ';
  }
  out_ += instead;
}

void writer::append(const writer& other) {
  if (other.out_.empty()) return;
  if (!out_.empty() && out_.back() != '\n') out_ += '\n';
  out_ += other.out_;
  if (out_.back() != '\n') out_ += '\n';
  file_ = UINT32_MAX;
}

// ---- declarations of what is captured

namespace {

std::string specifiers_text(const symbol& variable, bool keeps_const) {
  std::string result;
  for (const piece& each : variable.specifiers) {
    bool const is_const = each.is("const") || each.is("__const") || each.is("volatile");
    if (!is_const || keeps_const) result += std::string(each.word.text) + ' ';
  }
  return result;
}

// The declarator with the name replaced; from..to of it is left out. A const of the variable itself
// is left out unless a pointer to it is declared.
std::string declarator_text(const symbol& variable, const std::string& name, size_t from, size_t to, bool keeps_const) {
  std::string result;
  size_t star = variable.name_at;
  while (star > 0 && !variable.declarator[star - 1].is("*")) star--;
  for (size_t i = 0; i < variable.declarator.size(); i++) {
    const piece& each = variable.declarator[i];
    bool const is_own_const = each.is("const") && i >= star && i < variable.name_at;
    if (i >= from && i < to) continue;
    if (is_own_const && !keeps_const) continue;
    result += i == variable.name_at ? name : each.text.empty() ? std::string(each.word.text) : each.text;
    result += ' ';
  }
  return result;
}

// The first brackets behind the name.
std::pair<size_t, size_t> first_bound(const symbol& variable) {
  size_t const begin = variable.name_at + 1;
  int depth = 0;
  for (size_t i = begin; i < variable.declarator.size(); i++) {
    if (variable.declarator[i].is("[")) depth++;
    if (variable.declarator[i].is("]") && --depth == 0) return {begin, i + 1};
  }
  return {begin, begin};
}

}  // namespace

std::string type_text(const symbol& variable) { return specifiers_text(variable, false); }

std::string declared_as(const symbol& variable, const std::string& name, bool is_pointer) {
  bool const is_array_parameter =
      variable.form == shape::array && variable.is_parameter && variable.name_at + 1 < variable.declarator.size();
  if (is_array_parameter) {
    auto const [from, to] = first_bound(variable);
    return specifiers_text(variable, true) +
           declarator_text(variable, is_pointer ? "(**" + name + ")" : "(*" + name + ")", from, to, is_pointer);
  }
  bool const points_by_declarator = std::ranges::any_of(variable.declarator, [](const piece& each) { return each.is("*"); });
  return specifiers_text(variable, is_pointer || points_by_declarator) +
         declarator_text(variable, is_pointer ? "(*" + name + ")" : name, 0, 0, is_pointer);
}

std::string declared_element(const symbol& variable, const std::string& name, bool is_pointer) {
  std::string const spelled = is_pointer ? "(*" + name + ")" : name;
  if (variable.form == shape::array) {
    auto const [from, to] = first_bound(variable);
    bool const is_named = from == to && variable.declarator.size() == 1;  // by a type whose name stands for an array
    if (is_named) return "__typeof__((*(" + specifiers_text(variable, false) + "*)0)[0]) " + spelled;
    return specifiers_text(variable, false) + declarator_text(variable, spelled, from, to, false);
  }
  size_t star = variable.name_at;
  while (star > 0 && !variable.declarator[star - 1].is("*")) star--;
  if (star == 0)
    throw syntax_error({severity::error, "E133", "'" + variable.name + "' is no pointer that shows what it points to",
                        "declare it as T *" + variable.name, variable.place});
  return specifiers_text(variable, false) + declarator_text(variable, spelled, star - 1, variable.name_at, false);
}

// ---- the program

std::string lowering::run() {
  for (const external& each : of_.externals) options_.is_plain ? plain_external(each) : external_text(each);
  if (!options_.is_plain) task_definitions();
  if (!options_.is_plain) registration();
  return out_.text() + "\n";
}

void lowering::external_text(const external& each) {
  context const outside;
  switch (each.kind) {
    case external_kind::plain: parts_text(each.parts, outside, out_); break;
    case external_kind::function: function_text(each); break;
    case external_kind::task: task_declaration(*each.task); break;
    case external_kind::task_block: task_block_text(each); break;
    case external_kind::worker_data:
      out_.go_to(each.first);
      out_.add("struct weft_worker_data");
      parts_text(each.parts, outside, out_);
      out_.add(";");
      break;
    case external_kind::worker_init: {
      context in;
      out_.go_to(each.first);
      out_.add("static void weft_worker_start(weft_tascell_worker *weft_worker)");
      statement(*each.body, in, out_);
      break;
    }
  }
}

void lowering::note_addressed(const node* body) {
  addressed_.clear();
  each_token(body, [this](const pieces& parts, size_t index) {
    const symbol* const used = parts[index].word.bound;
    if (used != nullptr && is_addressed(parts, index)) addressed_.insert(used);
  });
}

void lowering::function_text(const external& each) {
  context in;
  if (!each.function->is_worker) {
    parts_text(each.parts, in, out_);
    statement(*each.body, in, out_);
    return;
  }
  function_name_ = each.function->name;
  note_addressed(each.body);
  in.up = "weft_up";
  in.function = each.function;
  in.group = next();
  in.shown_name = function_name_;
  if (function_name_ == "main") in.names[each.function] = "weft_worker_main";
  support_ = writer(*of_.from);
  writer body(*of_.from);
  writer head(*of_.from);
  parts_text(each.parts, in, head);
  head.add(";");
  copies_for_inlining(each, in);
  function_body(each, in, body);
  out_.append(head);
  out_.append(support_);
  out_.append(body);
  if (function_name_ == "main") main_text(each);
}

void lowering::function_body(const external& each, context in, writer& to) {
  parts_text(each.parts, in, to);
  const pieces& parts = each.body->parts;
  to.put(parts.front().word);
  to.add(" (void)weft_worker; (void)weft_up;");
  parts_text(pieces(parts.begin() + 1, parts.end() - 1), in, to);
  if (each.function->name == "main") to.add(" return 0;");
  to.put(parts.back().word);
}

// fib: few statements, no loop that could divide, calls itself.
bool lowering::is_small_recursion(const external& each) const {
  size_t tokens = 0;
  bool calls_itself = false;
  bool is_fit = each.function->name != "main" && std::ranges::none_of(each.parts, [](const piece& part) {
                  return part.is("noinline") || part.is("__noinline__");
                });
  bool has_choice = false;
  each_token(each.body, [&](const pieces& parts, size_t index) {
    tokens++;
    calls_itself = calls_itself || parts[index].word.bound == each.function;
  });
  each_node(each.body, [&](const node& part) {
    is_fit = is_fit && part.kind != node_kind::do_many && part.kind != node_kind::catch_tag;
    has_choice = has_choice || part.kind == node_kind::do_two;
    for (const symbol* variable : part.declared) is_fit = is_fit && !variable->is_static;
  });
  return is_fit && has_choice && calls_itself && tokens < 320;
}

// Copies of the function that are inlined into each other: the last calls the function itself. Only
// the function polls, so that a group of calls has one poll.
void lowering::copies_for_inlining(const external& each, context& in) {
  if (options_.inline_levels <= 0 || !is_small_recursion(each)) return;
  std::string const name = each.function->name;
  writer copies(*of_.from);
  std::string callee = name;
  size_t tokens = 0;
  each_token(each.body, [&tokens](const pieces&, size_t) { tokens++; });
  int const levels =
      tokens < 160 ? options_.inline_levels : std::min(options_.inline_levels, 2);  // more of a longer one is slower
  for (int level = levels; level > 0; level--) {
    context copy = in;
    copy.self_call = callee;
    copy.polls = false;
    callee = name + "__" + std::to_string(level);
    copy.names[each.function] = callee;
    copies.go_to(each.first);
    copies.add("static inline __attribute__((always_inline)) ");
    pieces head = each.parts;
    std::erase_if(head, [](const piece& part) { return part.is("static") || part.is("inline") || part.is("extern"); });
    external copied = each;
    copied.parts = head;
    function_body(copied, copy, copies);
  }
  in.self_call = callee;
  support_.append(copies);
}

void lowering::main_text(const external& each) {
  writer to(*of_.from);
  to.go_to(each.first);
  if (each.parameters.empty()) {
    to.add(
        "static int weft_main_function(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up, int argc, char **argv) { "
        "(void)argc; (void)argv; "
        "return weft_worker_main(weft_worker, weft_up); } ");
  } else {
    to.add(
        "static int weft_main_function(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up, int argc, char **argv) { "
        "return weft_worker_main(weft_worker, weft_up, argc, argv); } ");
  }
  to.add("int main(int argc, char **argv) { weft_tascell_options weft_options = {sizeof(weft_tascell_options), 0, 0, ");
  to.add(of_.has_worker_data ? "sizeof(struct weft_worker_data), _Alignof(struct weft_worker_data), " : "0, 0, ");
  to.add(of_.has_worker_init ? "weft_worker_start, " : "(void *)0, ");
  to.add("(void *)0}; return weft_tascell_main(weft_main_function, argc, argv, &weft_options); }");
  out_.append(to);
}

// ---- statements and names

void lowering::statement(const node& of, const context& in, writer& to) {
  if (is_construct(of.kind)) {
    options_.is_plain ? plain_construct(of, in, to) : construct(of, in, to);
  } else if (of.parts.size() > 2 && of.parts[0].is("PROBABILITY") && of.parts[0].word.bound != nullptr &&
             of.parts[0].word.bound->kind == symbol_kind::pseudo && of.parts[1].is("=")) {
    probability(of, in, to);
  } else if (in.prologue != nullptr && !of.parts.empty() &&
             (of.parts[0].is("for") || of.parts[0].is("while") || of.parts[0].is("do"))) {
    context inner = in;  // many an iteration of the outer loop does not come to what the inner one holds
    inner.prologue = nullptr;
    parts_text(of.parts, inner, to);
  } else {
    parts_text(of.parts, in, to);
  }
}

void lowering::probability(const node& of, const context& in, writer& to) {
  if (options_.is_plain) {
    to.put(of.parts[0].word, ";");
    return;
  }
  to.put(of.parts[0].word, "weft_tascell_set_probability(weft_worker,");
  parts_text(pieces(of.parts.begin() + 2, of.parts.end() - 1), in, to);
  to.add(");");
}

void lowering::parts_text(const pieces& parts, const context& in, writer& to) {
  for (size_t i = 0; i < parts.size(); i++) {
    if (parts[i].child != nullptr) {
      statement(*parts[i].child, in, to);
    } else if (options_.is_plain && is_hidden_parameter(parts[i])) {
      if (!parts[i].text.ends_with(", ")) to.add("void");
    } else if (!parts[i].text.empty()) {
      to.add(parts[i].text);
    } else {
      word_text(parts, i, in, to);
    }
  }
}

// The index of the bracket that opens the arguments, if this word is called: f(…), (*p)(…).
static size_t arguments_of(const pieces& parts, size_t index) {
  if (index + 1 < parts.size() && parts[index + 1].is("(")) return index + 1;
  bool const is_through_pointer = index > 1 && parts[index - 1].is("*") && parts[index - 2].is("(") && index + 2 < parts.size() &&
                                  parts[index + 1].is(")") && parts[index + 2].is("(");
  return is_through_pointer ? index + 2 : 0;
}

// The index of the bracket that opens the group whose last word is at end.
static size_t opening(const pieces& parts, size_t end) {
  int depth = 0;
  for (size_t at = end + 1; at-- > 0;) {
    if (parts[at].is(")") || parts[at].is("]")) depth++;
    if ((parts[at].is("(") || parts[at].is("[")) && --depth == 0) return at;
  }
  return 0;
}

// What is called by the arguments that open at index: f(…), (f)(…), (*p)(…), table[i](…); null: it
// has no name.
static const symbol* called_at(const pieces& parts, size_t index) {
  size_t end = index;  // behind what is called
  while (end > 0 && parts[end - 1].is("]")) end = opening(parts, end - 1);
  if (end == 0 || !parts[end - 1].is_token()) return nullptr;
  const token& last = parts[end - 1].word;
  if (last.kind == token_kind::identifier) return last.is_member ? nullptr : last.bound;
  if (!last.is(")")) return nullptr;
  size_t at = opening(parts, end - 1);
  bool const is_call = at > 0 && (parts[at - 1].is(")") || parts[at - 1].is("]") ||
                                  (parts[at - 1].is_token() && parts[at - 1].word.kind == token_kind::identifier &&
                                   !parts[at - 1].is("return") && !parts[at - 1].is("case")));
  while (at < end && (parts[at].is("(") || parts[at].is("*"))) at++;
  const symbol* const named = parts[at].is_token() && !parts[at].word.is_member ? parts[at].word.bound : nullptr;
  bool const is_alone = parts[at + 1].is(")") || parts[at + 1].is("[");
  return is_call || !is_alone ? nullptr : named;
}

void lowering::word_text(const pieces& parts, size_t index, const context& in, writer& to) {
  const token& word = parts[index].word;
  bool const opens_arguments = word.is("(") && index > 0 && !in.up.empty();
  if (opens_arguments) {
    const symbol* const called = called_at(parts, index);
    if (called != nullptr && called->is_worker && called->kind != symbol_kind::type) {
      bool const has_none = index + 1 < parts.size() && parts[index + 1].is(")");
      to.put(word, "(weft_worker, " + in.up + (has_none ? "" : ", "));
      return;
    }
  }
  const symbol* const bound = word.bound;
  bool const is_function_name = word.is("__func__") || word.is("__FUNCTION__") || word.is("__PRETTY_FUNCTION__");
  if (is_function_name && !in.shown_name.empty()) {
    to.put(word, "\"" + in.shown_name + "\"");
  } else if (bound == nullptr) {
    auto const renamed = std::ranges::find_if(in.names, [&](auto const& each) {
      return each.first->kind == symbol_kind::function && each.first->place.text.data() == word.text.data();
    });
    to.put(word, renamed != in.names.end() ? std::string_view(renamed->second) : word.text);
  } else if (bound->kind == symbol_kind::pseudo) {
    to.put(word, pseudo(parts, index));
  } else if (bound == in.function && !in.self_call.empty() && arguments_of(parts, index) != 0) {
    to.put(word, in.self_call);
  } else {
    to.put(word, name_in(in, *bound));
  }
}

std::string lowering::name_in(const context& in, const symbol& variable) const {
  auto const found = in.names.find(&variable);
  return found == in.names.end() ? variable.name : found->second;
}

std::string lowering::pseudo(const pieces& parts, size_t index) const {
  std::string const name(parts[index].word.text);
  bool const is_object = index + 1 < parts.size() && parts[index + 1].is(".");
  if (options_.is_plain) return plain_pseudo(name);
  if (name == "this") return is_object ? "(*weft_this)" : "weft_this";
  if (name == "WDATA" || name == "worker_data") return "(*(struct weft_worker_data *)weft_worker->data)";
  if (name == "WORKER_ID") return "((int)weft_worker->index)";
  if (name == "PROBABILITY") return "(weft_worker->probability)";
  if (name == "EXITING") return "((int)weft_worker->mode)";
  if (name == "BACKTRACKING") return "(weft_worker->mode == WEFT_TASCELL_BACKTRACKING)";
  return "weft_" + name;  // bytes
}

std::string lower(const program& of, const lower_options& options, std::vector<explanation>* explanations) {
  lowering by(of, options);
  std::string text = by.run();
  *explanations = by.explanations();
  return text;
}

}  // namespace tascell
