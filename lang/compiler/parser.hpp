// The parser: recursive descent over tokens, with scopes, so that it always knows which names are
// types. A word of the language is a keyword only where the program has not declared the name.
#pragma once

#include <initializer_list>
#include <unordered_map>

#include "syntax.hpp"

namespace tascell {

// A part of a function that no jump may leave or enter.
enum class region_kind : uint8_t { function, task_block, choice, loop, wind, catch_tag, handler };
struct region {
  region_kind kind = region_kind::function;
  token opened;
  int loops = 0;
  int switches = 0;
  unsigned id = 0;
};

struct specifiers_found {
  pieces words;  // without storage classes and worker
  pieces all;    // without worker
  bool is_typedef = false, is_static = false, is_worker = false, is_atomic = false;
  bool names_worker = false, names_real = false, names_struct = false;  // by the name of a type
  bool has_pointers = false, has_local_type = false, has_type = false;
  shape form = shape::plain;  // of a type's name
  uint8_t dimensions = 0;
};

struct declarator_found {
  pieces words;
  std::optional<size_t> name_at;
  shape form = shape::plain;
  bool is_variable_length = false;
  bool has_pointers = false;
  std::optional<size_t> open, close;  // the parameters' parentheses, in words
  std::vector<const symbol*> parameters;
  bool has_form = false;
};

// How far two words are apart: the edit distance.
size_t distance_of(std::string_view a, std::string_view b);

class parser {
 public:
  parser(const source& from, program& into);
  void run();

 private:
  // tokens (parse_declaration.cpp)
  const token& now() const { return tokens_[at_]; }
  const token& ahead(size_t count) const { return tokens_[std::min(at_ + count, tokens_.size() - 1)]; }
  bool is(std::string_view what) const { return now().is(what); }
  bool is_word(std::string_view what) const;  // a keyword of the language here
  token take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  void put(pieces& into) { into.push_back({take(), "", nullptr}); }
  void need(pieces& into, std::string_view what, const std::string& after);
  [[noreturn]] void fail(std::string code, const token& place, std::string what, std::string cure) const;
  size_t closing(size_t open) const;
  void skip_group(pieces& into);

  // scopes (parse_declaration.cpp)
  void open_scope() { scopes_.emplace_back(); }
  void close_scope() { scopes_.pop_back(); }
  symbol* lookup(std::string_view name) const;
  symbol* declare(symbol_kind kind, const token& name);
  bool is_local() const { return !regions_.empty(); }

  // declarations (parse_declaration.cpp)
  void external_declaration();
  void declaration_or_function(external& into);
  void function_definition(external& into, symbol* function, const declarator_found& found);
  bool begins_declaration() const;
  specifiers_found specifiers();
  void specifier_word(specifiers_found& into);
  void tagged_type(specifiers_found& into);
  void enumerators(const token& open);
  symbol* local_tag(const token& tag);
  bool body_has_pointers(size_t open, size_t close) const;
  void note_array_members(size_t open, size_t close);
  declarator_found declarator();
  void declarator_part(declarator_found& into);
  void declarator_suffixes(declarator_found& into);
  void parameters(declarator_found& into);
  void decorations(pieces& into);
  symbol* declare_as(const specifiers_found& type, declarator_found& found);
  void hide_parameters(declarator_found& into) const;
  void declarators(const specifiers_found& type, pieces& parts, std::vector<const symbol*>* declared, external* outside);

  // the language's own declarations (parse_construct.cpp)
  bool own_external(external& into);
  void task(external& into);
  void task_field_line(task_type& of, bool is_in, bool is_out);
  void task_block(external& into);
  task_type* task_named(const token& name);
  node* block_of(region_kind kind, const token& opened);

  // statements (parse_statement.cpp)
  node* made(node_kind kind);
  node* statement();
  node* compound();
  node* declaration_statement();
  node* expression_statement();
  node* controlled(bool is_loop, bool is_switch);
  node* if_statement();
  node* do_statement();
  node* for_statement();
  node* jump();
  node* label_or_case();
  void check_jump(const token& word);
  void jump_out(const token& word, const std::string& what);
  void finish_labels();
  void run_of_tokens(pieces& into, std::initializer_list<std::string_view> stops);
  void word_in_run(pieces& into);
  void check_worker_use(const token& word, const symbol& used);
  node* expression_until(std::initializer_list<std::string_view> stops);

  // constructs (parse_construct.cpp)
  node* construct();
  node* do_two();
  node* do_many();
  node* wind(bool is_reversible);
  node* catch_tag();
  node* broadcast();
  bool is_parallel_for() const;
  [[nodiscard]] size_t commas_ahead() const;
  void many_header(node& of);
  void many_bounds(node& of);
  void need_positive(const node& step) const;
  void clauses(handler& into);
  bool is_clause(std::string_view what) const;
  void share(handler& into);
  void share_group(handler& into);
  void share_reduction(handler& into);
  void share_items(handler& into, share_kind kind);
  void share_bounds(share_item& of);
  void share_laziness(share_item& of);
  static void take_both_ways(handler& into, size_t first);
  void join_parts(handler& into) const;
  void need_expanded_bound() const;
  void handles(handler& into, bool is_loop);
  void handler_blocks(handler& into);
  node* clause_expression();
  void range_names(handler& into);
  void need_construct_allowed(const token& word);
  void reversible_block(pieces& redo, pieces& undo);
  void reversible_statement(pieces& redo, pieces& undo);
  void reversible_swap(pieces& redo, pieces& undo);

  region& here() { return regions_.back(); }

  struct label_seen {
    token word;
    region where;
  };

  const source& from_;
  std::vector<token> tokens_;
  program& into_;
  size_t at_ = 0;
  int depth_ = 0;
  std::vector<std::unordered_map<std::string_view, symbol*>> scopes_;
  std::unordered_map<std::string_view, bool> tags_with_pointers_;
  std::unordered_map<std::string_view, const symbol*> local_tags_;
  std::unordered_map<std::string_view, uint8_t> array_members_;  // and their dimensions
  std::vector<region> regions_;                                  // of the function that is parsed; empty: outside
  unsigned next_region_ = 0;
  bool is_in_worker_ = false;
  token function_name_;
  std::vector<label_seen> gotos_;
  std::unordered_map<std::string_view, region> labels_;
};

// Keeps the depth of nesting in bounds.
class deeper {
 public:
  explicit deeper(int* depth) : depth_(depth) { ++*depth_; }
  deeper(const deeper&) = delete;
  deeper& operator=(const deeper&) = delete;
  ~deeper() { --*depth_; }

 private:
  int* depth_;
};

}  // namespace tascell
