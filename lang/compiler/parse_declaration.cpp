// Declarations, scopes, and the tokens that the other parts of the parser take.
#include <algorithm>
#include <set>

#include "parser.hpp"

namespace tascell {

namespace {

using word_set = std::set<std::string_view>;
const word_set storage = {"typedef",  "extern", "static",   "register",   "auto",     "_Thread_local",
                          "__thread", "inline", "__inline", "__inline__", "_Noreturn"};
const word_set qualifiers = {"const",        "volatile",      "restrict", "__const",   "__restrict", "__restrict__",
                             "__volatile__", "__extension__", "_Atomic",  "__const__", "_Nonnull",   "_Nullable"};
const word_set basic_types = {"void",       "char",        "short",       "int",         "long",
                              "float",      "double",      "signed",      "unsigned",    "_Bool",
                              "_Complex",   "__signed__",  "__signed",    "__int128",    "__builtin_va_list",
                              "_Float16",   "_Float32",    "_Float64",    "_Float128",   "_Float32x",
                              "_Float64x",  "__float128",  "__auto_type", "__complex__", "_Decimal32",
                              "_Decimal64", "_Decimal128", "__fp16",      "__bf16",      "_BitInt"};
const word_set type_with_group = {"typeof", "__typeof__", "__typeof", "_Alignas", "_Atomic"};
const word_set attributes = {"__attribute__", "__attribute", "__asm__", "asm", "__asm", "__declspec"};
const std::vector<std::string_view> pseudo_names = {"this",        "WDATA",   "worker_data", "WORKER_ID",
                                                    "PROBABILITY", "EXITING", "BACKTRACKING"};

}  // namespace

parser::parser(const source& from, program& into) : from_(from), tokens_(from.tokens), into_(into) {
  into.from = &from;
  open_scope();
  for (std::string_view name : pseudo_names) {
    token word;
    word.text = name;
    declare(symbol_kind::pseudo, word);
  }
  open_scope();
}

void parser::run() {
  while (now().kind != token_kind::end) external_declaration();
}

void parser::fail(std::string code, const token& place, std::string what, std::string cure) const {
  throw syntax_error({severity::error, std::move(code), std::move(what), std::move(cure), place});
}

void parser::need(pieces& into, std::string_view what, const std::string& after) {
  if (!is(what)) fail("E002", now(), "'" + std::string(what) + "' is missing " + after, "write it before this");
  put(into);
}

bool parser::is_word(std::string_view what) const {
  if (now().kind != token_kind::identifier || now().text != what) return false;
  symbol const* const known = lookup(what);
  return known == nullptr || known->kind == symbol_kind::pseudo;
}

// The index of the bracket that closes the one at open.
size_t parser::closing(size_t open) const {
  std::vector<char> expected;
  for (size_t at = open; at + 1 < tokens_.size(); at++) {
    token const& word = tokens_[at];
    if (word.kind != token_kind::punctuator) continue;
    char const c = word.text[0];
    if (c == '(' || c == '[' || c == '{') expected.push_back(c == '(' ? ')' : c == '[' ? ']' : '}');
    if (c == ')' || c == ']' || c == '}') {
      if (expected.empty() || expected.back() != c)
        fail("E003", word, "this bracket closes none that is open", "remove it, or open one");
      expected.pop_back();
      if (expected.empty()) return at;
    }
  }
  fail("E003", tokens_[open], "this bracket is not closed", "close it");
}

void parser::skip_group(pieces& into) {
  size_t const end = closing(at_);
  while (at_ < end) {
    if (now().kind == token_kind::identifier) tokens_[at_].bound = lookup(now().text);
    put(into);
  }
  put(into);
}

symbol* parser::lookup(std::string_view name) const {
  for (size_t i = scopes_.size(); i-- > 0;) {
    auto const found = scopes_[i].find(name);
    if (found != scopes_[i].end()) return found->second;
  }
  return nullptr;
}

symbol* parser::declare(symbol_kind kind, const token& name) {
  symbol& made = into_.symbols.emplace_back();
  made.kind = kind;
  made.name = std::string(name.text);
  made.place = name;
  made.is_local = is_local();
  scopes_.back()[name.text] = &made;
  return &made;
}

bool parser::begins_declaration() const {
  token const& word = now();
  if (word.kind != token_kind::identifier) return false;
  if (storage.contains(word.text) || qualifiers.contains(word.text) || basic_types.contains(word.text) ||
      type_with_group.contains(word.text) || word.text == "struct" || word.text == "union" || word.text == "enum" ||
      word.text == "_Static_assert" || word.text == "__attribute__") {
    return true;
  }
  symbol const* const known = lookup(word.text);
  if (known != nullptr) return known->kind == symbol_kind::type && !ahead(1).is(":");
  return word.text == "worker" && ahead(1).kind == token_kind::identifier;
}

void parser::external_declaration() {
  external& made = into_.externals.emplace_back();
  made.first = now();
  is_in_worker_ = false;
  if (now().kind == token_kind::directive || is(";")) {
    put(made.parts);
  } else if (is("asm") || is("__asm__") || is("_Static_assert")) {
    put(made.parts);
    skip_group(made.parts);
    if (is(";")) put(made.parts);
  } else if (now().kind != token_kind::identifier) {
    fail("E004", now(), "a declaration cannot begin with '" + std::string(now().text) + "'",
         "is a bracket closed too early above?");
  } else if (!own_external(made)) {
    declaration_or_function(made);
  }
}

void parser::declaration_or_function(external& into) {
  specifiers_found const type = specifiers();
  if (!type.has_type && (is("=") || is(";") || type.all.empty())) {
    fail("E004", into.first, "'" + std::string(into.first.text) + "' is neither a type nor a word of the language",
         "declare it, or include its header");
  }
  into.parts = type.all;
  declarators(type, into.parts, nullptr, &into);
}

// The declarators of a declaration up to its end; a function's definition where outside is not
// null.
void parser::declarators(const specifiers_found& type, pieces& parts, std::vector<const symbol*>* declared, external* outside) {
  while (!is(";")) {
    token const begin = now();
    declarator_found found = declarator();
    if (!found.name_at) fail("E005", begin, "a name is missing in this declaration", "name what is declared");
    symbol* const made = declare_as(type, found);
    parts.insert(parts.end(), found.words.begin(), found.words.end());
    decorations(parts);
    if (declared != nullptr) declared->push_back(made);
    if (is("{") && outside != nullptr && made->form == shape::function) {
      function_definition(*outside, made, found);
      return;
    }
    if (is("=")) {
      put(parts);
      run_of_tokens(parts, {",", ";"});
    }
    if (is(",")) {
      put(parts);
    } else if (!is(";")) {
      fail("E002", now(), "';' is missing before this", "end the declaration above with ';'");
    }
  }
  put(parts);
}

void parser::function_definition(external& into, symbol* function, const declarator_found& found) {
  into.kind = external_kind::function;
  into.function = function;
  into.parameters = found.parameters;
  function->is_defined = true;
  function_name_ = function->place;
  is_in_worker_ = function->is_worker;
  open_scope();
  for (const symbol* each : found.parameters) {
    if (!each->name.empty()) scopes_.back()[each->name] = const_cast<symbol*>(each);
  }
  into.body = block_of(region_kind::function, into.first);
  close_scope();
}

// ---- specifiers

specifiers_found parser::specifiers() {
  specifiers_found result;
  for (;;) {
    token const& word = now();
    if (word.kind != token_kind::identifier) return result;
    if (word.text == "worker" && !result.is_worker && !result.has_type && ahead(1).kind == token_kind::identifier &&
        lookup("worker") == nullptr) {
      result.is_worker = true;
      take();
    } else if (attributes.contains(word.text)) {
      decorations(result.all);
    } else if (word.text == "register" && (is_in_worker_ || scopes_.size() > 2)) {  // a record may hold its address
      take();
    } else if (storage.contains(word.text)) {
      result.is_typedef |= word.text == "typedef";
      result.is_static |= word.text == "static";
      put(result.all);
    } else if (word.text == "struct" || word.text == "union" || word.text == "enum") {
      tagged_type(result);
    } else if (basic_types.contains(word.text) || qualifiers.contains(word.text) || type_with_group.contains(word.text)) {
      specifier_word(result);
    } else {
      symbol const* const known = lookup(word.text);
      if (result.has_type || known == nullptr || known->kind != symbol_kind::type) return result;
      result.has_local_type |= known->is_local;
      result.has_pointers |= known->has_pointers;
      result.names_worker |= known->is_worker;
      result.names_real |= known->is_real;
      result.names_struct |= known->is_struct;
      result.dimensions = known->dimensions;
      result.form = known->form;
      specifier_word(result);
    }
  }
}

void parser::specifier_word(specifiers_found& into) {
  token const word = now();
  pieces taken;
  bool const has_group = type_with_group.contains(word.text) && ahead(1).is("(");
  into.is_atomic |= word.text == "_Atomic";
  into.has_type |= has_group ? word.text != "_Alignas" : !qualifiers.contains(word.text);
  put(taken);
  if (has_group || (word.text == "_BitInt" && is("("))) skip_group(taken);
  into.has_local_type |= word.text == "__auto_type" || std::ranges::any_of(taken, [](const piece& each) {
                           return each.word.bound != nullptr && each.word.bound->is_local;  // typeof(local)
                         });
  into.words.insert(into.words.end(), taken.begin(), taken.end());
  into.all.insert(into.all.end(), taken.begin(), taken.end());
}

void parser::tagged_type(specifiers_found& into) {
  pieces taken;
  bool const is_enum = is("enum");
  put(taken);
  if (attributes.contains(now().text)) decorations(taken);
  token tag;
  if (now().kind == token_kind::identifier) {
    tag = now();
    tokens_[at_].is_member = true;
    if (auto const known = local_tags_.find(tag.text); known != local_tags_.end() && !ahead(1).is("{"))
      tokens_[at_].bound = known->second;
    put(taken);
    into.has_pointers |= tags_with_pointers_[tag.text];
    into.has_local_type |= local_tags_.contains(tag.text);
  }
  if (is("{")) {
    token const open = now();
    size_t const end = closing(at_);
    bool const has_pointers = !is_enum && body_has_pointers(at_, end);
    into.has_pointers |= has_pointers;
    if (!is_enum) note_array_members(at_, end);
    if (!tag.text.empty()) tags_with_pointers_[tag.text] = has_pointers;
    if (is_local()) {
      into.has_local_type = true;
      if (!tag.text.empty()) local_tags_[tag.text] = local_tag(tag);
    }
    if (is_enum) enumerators(open);
    skip_group(taken);
  }
  into.has_type = true;
  into.words.insert(into.words.end(), taken.begin(), taken.end());
  into.all.insert(into.all.end(), taken.begin(), taken.end());
}

// A tag stands in no scope of names: it is bound where it is used.
symbol* parser::local_tag(const token& tag) {
  symbol& made = into_.symbols.emplace_back();
  made.kind = symbol_kind::type;
  made.name = std::string(tag.text);
  made.place = tag;
  made.is_local = true;
  return &made;
}

void parser::enumerators(const token&) {
  size_t const end = closing(at_);
  int depth = 0;
  for (size_t i = at_ + 1; i < end; i++) {
    char const c = tokens_[i].text.empty() ? ' ' : tokens_[i].text[0];
    if (tokens_[i].kind == token_kind::punctuator)
      depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    bool const begins = tokens_[i - 1].is("{") || (tokens_[i - 1].is(",") && depth == 0);
    if (begins && depth == 0 && tokens_[i].kind == token_kind::identifier) declare(symbol_kind::constant, tokens_[i]);
  }
}

void parser::note_array_members(size_t open, size_t close) {
  for (size_t i = open + 1; i + 1 < close; i++) {
    symbol const* const before = tokens_[i - 1].kind == token_kind::identifier ? lookup(tokens_[i - 1].text) : nullptr;
    uint8_t const of_type = before != nullptr && before->kind == symbol_kind::type ? before->dimensions : 0;
    bool const is_array = tokens_[i + 1].is("[") || of_type > 0;
    if (tokens_[i].kind != token_kind::identifier || !is_array || from_.files[tokens_[i].file].is_system) continue;
    uint8_t& dimensions = array_members_[tokens_[i].text];
    dimensions = of_type;
    for (size_t next = i + 1; next < close && tokens_[next].is("["); next = closing(next) + 1) dimensions++;
  }
}

bool parser::body_has_pointers(size_t open, size_t close) const {
  for (size_t i = open + 1; i < close; i++) {
    if (tokens_[i].is("*")) return true;
    if (tokens_[i].kind != token_kind::identifier) continue;
    if (tokens_[i].text == "worker" && lookup("worker") == nullptr) {
      fail("E111", tokens_[i], "a member cannot be a pointer to a worker function",
           "select the function by an enumeration and a switch");
    }
    symbol const* const known = lookup(tokens_[i].text);
    if (known != nullptr && known->kind == symbol_kind::type && known->is_worker) {
      fail("E111", tokens_[i], "a member cannot be a pointer to a worker function",
           "select the function by an enumeration and a switch");
    }
    if (known != nullptr && known->kind == symbol_kind::type && known->has_pointers) return true;
    auto const tag = tags_with_pointers_.find(tokens_[i].text);
    if (tokens_[i - 1].is("struct") && tag != tags_with_pointers_.end() && tag->second) return true;
  }
  return false;
}

// Attributes, asm names and qualifiers behind or in a declarator.
void parser::decorations(pieces& into) {
  while (now().kind == token_kind::identifier && (attributes.contains(now().text) || now().text == "__extension__")) {
    bool const has_group = now().text != "__extension__";
    put(into);
    if (has_group && is("(")) skip_group(into);
  }
}

// ---- declarators

declarator_found parser::declarator() {
  declarator_found result;
  declarator_part(result);
  return result;
}

void parser::declarator_part(declarator_found& into) {
  deeper const guard(&depth_);
  if (depth_ > 200) fail("E006", now(), "this is nested too deeply", "take parts of it out");
  decorations(into.words);
  bool is_pointer = false;
  while (is("*") || is("^") || (now().kind == token_kind::identifier && qualifiers.contains(now().text))) {
    is_pointer |= is("*") || is("^");
    put(into.words);
    decorations(into.words);
  }
  into.has_pointers |= is_pointer;
  bool const is_nested =
      is("(") && !ahead(1).is(")") &&
      (ahead(1).is("*") || ahead(1).is("(") || ahead(1).is("^") || attributes.contains(ahead(1).text) ||
       (ahead(1).kind == token_kind::identifier && !basic_types.contains(ahead(1).text) && !qualifiers.contains(ahead(1).text) &&
        ahead(1).text != "struct" && ahead(1).text != "union" && ahead(1).text != "enum" && ahead(1).text != "register" &&
        (lookup(ahead(1).text) == nullptr || lookup(ahead(1).text)->kind != symbol_kind::type)));
  if (is_nested) {
    put(into.words);
    declarator_part(into);
    need(into.words, ")", "in this declaration");
  } else if (now().kind == token_kind::identifier) {
    into.name_at = into.words.size();
    put(into.words);
  }
  declarator_suffixes(into);
  if (is_pointer && !into.has_form) {
    into.form = shape::pointer;
    into.has_form = true;
  }
}

void parser::declarator_suffixes(declarator_found& into) {
  while (is("[") || is("(")) {
    shape const form = is("[") ? shape::array : shape::function;
    if (form == shape::array) {
      size_t const begin = into.words.size();
      put(into.words);
      run_of_tokens(into.words, {"]"});
      put(into.words);
      for (size_t i = begin; i < into.words.size(); i++) {
        symbol const* const bound = into.words[i].word.bound;
        into.is_variable_length |= bound != nullptr && bound->kind == symbol_kind::variable && into.words[i].is_token();
      }
    } else {
      parameters(into);
    }
    if (!into.has_form) into.form = form;
    into.has_form = true;
  }
}

void parser::parameters(declarator_found& into) {
  bool const is_first = !into.open;
  size_t const open = into.words.size();
  put(into.words);
  open_scope();
  std::vector<const symbol*> found;
  while (!is(")")) {
    if (is("...")) {
      put(into.words);
    } else {
      token const begin = now();
      specifiers_found const type = specifiers();
      if (!type.has_type)
        fail("E004", begin, "a parameter's type is missing or unknown at '" + std::string(begin.text) + "'",
             "declare the type, or include its header");
      declarator_found each = declarator();
      into.words.insert(into.words.end(), type.all.begin(), type.all.end());
      if (each.name_at) {
        symbol* const made = declare_as(type, each);
        made->is_parameter = made->is_local = true;
        if (made->form == shape::function) made->form = shape::pointer;
        found.push_back(made);
      }
      into.words.insert(into.words.end(), each.words.begin(), each.words.end());
      decorations(into.words);
    }
    if (is(",")) {
      put(into.words);
    } else if (!is(")")) {
      fail("E002", now(), "',' or ')' is missing between parameters", "write it before this");
    }
  }
  close_scope();
  if (is_first) {
    into.open = open;
    into.close = into.words.size();
    into.parameters = found;
  }
  put(into.words);
}

// How many brackets stand behind the name.
static unsigned dimensions_of(const declarator_found& found) {
  unsigned result = 0;
  int depth = 0;
  for (size_t i = *found.name_at + 1; i < found.words.size(); i++) {
    if (found.words[i].is("[") && depth++ == 0) result++;
    if (found.words[i].is("]")) depth--;
    if (depth == 0 && !found.words[i].is("]")) break;
  }
  return result;
}

// Declares the name, adds a worker function's hidden parameters.
symbol* parser::declare_as(const specifiers_found& type, declarator_found& found) {
  token const name = found.words[*found.name_at].word;
  bool const is_function = found.form == shape::function;
  if (type.is_worker && !found.open)
    fail("E005", name, "'worker' belongs to a function, and '" + std::string(name.text) + "' is none", "remove 'worker'");
  if (type.is_worker) hide_parameters(found);
  symbol const* const before = lookup(name.text);
  symbol* const made = declare(type.is_typedef ? symbol_kind::type
                               : is_function   ? symbol_kind::function
                                               : symbol_kind::variable,
                               name);
  made->is_worker = type.is_worker || (type.names_worker && found.form != shape::function);
  made->is_local = is_local() && !is_function;
  if (is_function && before != nullptr && before->kind == symbol_kind::function && before->is_worker != type.is_worker) {
    fail("E110", name, "'" + made->name + "' was declared before, once with 'worker' and once without",
         "write the same in all declarations");
  }
  made->specifiers = type.words;
  made->declarator = found.words;
  made->name_at = *found.name_at;
  made->form = found.has_form ? found.form : type.form;
  made->is_variable_length = found.is_variable_length;
  made->is_atomic = type.is_atomic;
  made->is_static = type.is_static;
  made->dimensions = static_cast<uint8_t>(dimensions_of(found) + type.dimensions);
  made->is_real = type.names_real || std::ranges::any_of(type.words, [](const piece& each) {
                    return each.is("float") || each.is("double") || each.is("_Complex");
                  });
  made->is_struct = type.names_struct ||
                    std::ranges::any_of(type.words, [](const piece& each) { return each.is("struct") || each.is("union"); });
  made->has_local_type = type.has_local_type;
  made->has_pointers = type.has_pointers || found.has_pointers;
  return made;
}

void parser::hide_parameters(declarator_found& into) const {
  size_t const open = *into.open;
  size_t const count = *into.close - open - 1;
  bool const is_void = count == 0 || (count == 1 && into.words[open + 1].is("void"));
  if (is_void && count == 1) into.words.erase(into.words.begin() + static_cast<std::ptrdiff_t>(open + 1));
  std::string const hidden =
      std::string("weft_tascell_worker *weft_worker, weft_tascell_record *weft_up") + (is_void ? "" : ", ");
  into.words.insert(into.words.begin() + static_cast<std::ptrdiff_t>(open + 1), piece{token(), hidden, nullptr});
  if (*into.name_at > open) *into.name_at += 1;
}

void parse(const source& from, program& into) { parser(from, into).run(); }

}  // namespace tascell
