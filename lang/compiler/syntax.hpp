// The syntax tree. Declarations and statements are parsed; an expression stays a run of tokens
// whose identifiers are bound to symbols. What the language adds to C has nodes of its own.
#pragma once

#include <memory>
#include <optional>

#include "source.hpp"

namespace tascell {

struct node;
struct task_type;

// A part of a statement: a token, C that the compiler adds, or a statement in it.
struct piece {
  token word;
  std::string text;       // instead of a token
  node* child = nullptr;  // instead of a token
  bool is_token() const { return text.empty() && child == nullptr; }
  bool is(std::string_view what) const { return is_token() && word.is(what); }
};
using pieces = std::vector<piece>;

enum class symbol_kind : uint8_t { type, variable, function, constant, pseudo };
enum class shape : uint8_t { plain, pointer, array, function };

struct symbol {
  symbol_kind kind = symbol_kind::variable;
  std::string name;
  token place;
  pieces specifiers;  // without storage classes
  pieces declarator;
  size_t name_at = 0;  // the index of the name in declarator
  shape form = shape::plain;
  bool is_local = false;   // declared in a function
  bool is_worker = false;  // a worker function, or a pointer to one
  bool is_parameter = false;
  bool is_variable_length = false;
  bool is_atomic = false;
  bool is_static = false;
  uint8_t dimensions = 0;       // of an array
  bool is_real = false;         // of a type that is no integer, or of what such a type makes
  bool is_struct = false;       // of a struct or a union, or what such a type makes
  bool has_local_type = false;  // of a type that its function declares
  bool has_pointers = false;    // the type's objects hold pointers
  bool is_defined = false;      // a function that this text defines
};

enum class node_kind : uint8_t {
  plain,
  declaration,
  compound,
  jump,
  label,
  expression,
  do_two,
  do_many,
  wind,
  catch_tag,
  throw_tag,
  check_request,
  broadcast,
  guard_point
};

enum class share_kind : uint8_t { in, out, copy, shared, reduce };

struct share_item {
  share_kind kind = share_kind::in;
  const symbol* variable = nullptr;
  token place;
  bool is_object = false;  // copy *p
  bool is_lazy = false;    // copy p[low..high] lazily
  bool is_inout = false;   // inout p[low..high], whose kind is out: the task gets the elements, too
  node* low = nullptr;     // copy p[low..high], out p[low..high]
  node* high = nullptr;    // null: p[low.. ], of a loop, up to where the iteration behind the last begins
  std::string operation;   // of reduce: an operator, min or max
};

// What tells how a construct's work becomes a task.
struct handler {
  token place;
  bool has_share = false;  // a clause share (…)
  std::vector<share_item> items;
  task_type* task = nullptr;     // handles T
  const symbol* from = nullptr;  // handles T (int from, int to)
  const symbol* to = nullptr;
  node* put = nullptr;
  node* get = nullptr;
  node* guard = nullptr;  // expressions
  node* split = nullptr;
  node* poll = nullptr;
};

struct node {
  node_kind kind = node_kind::plain;
  token first;
  token last;
  pieces parts;                         // of what C has already, and of expressions
  std::vector<const symbol*> declared;  // by a declaration
  node* one = nullptr;                  // S1; body; the tag of a catch or throw; redo of a wind
  node* two = nullptr;                  // S2; body of a wind or catch
  node* three = nullptr;                // undo of a wind
  const symbol* index = nullptr;        // of do_many
  node* low = nullptr;
  node* high = nullptr;
  node* step = nullptr;  // of do_many; null: 1
  handler how;
};

struct task_field {
  symbol* what = nullptr;
  bool is_in = false, is_out = false, is_shared = false;
  std::string count;  // how many elements of an array are transferred; empty: all
};

struct task_type {
  std::string name;
  token place;
  std::vector<task_field> fields;
  node* exec = nullptr;
  node* task_send = nullptr;
  node* task_recv = nullptr;
  node* rslt_send = nullptr;
  node* rslt_recv = nullptr;
};

enum class external_kind : uint8_t { plain, function, task, task_block, worker_data, worker_init };

// A declaration outside of functions.
struct external {
  external_kind kind = external_kind::plain;
  token first;
  pieces parts;                // all of it, or a function's head
  symbol* function = nullptr;  // that is defined
  std::vector<const symbol*> parameters;
  node* body = nullptr;
  task_type* task = nullptr;
  bool is_last_of_task = false;  // the task's operations follow it
};

struct program {
  const source* from = nullptr;
  std::deque<node> nodes;
  std::deque<symbol> symbols;
  std::deque<task_type> tasks;
  std::vector<external> externals;
  pieces setjmp_words;  // how setjmp(weft_buffer) is spelled after preprocessing
  bool has_worker_data = false;
  bool has_worker_init = false;
  std::vector<message> messages;

  void tell(severity level, std::string code, const token& place, std::string what, std::string cure) {
    messages.push_back({level, std::move(code), std::move(what), std::move(cure), place});
  }
};

// Parses; throws syntax_error.
void parse(const source& from, program& into);

// Tells what the language's rules forbid, beyond what the parser has told.
void check(program& of);
// The rules about the parts of one construct.
void check_parts(program& of, const node& construct);
// The rules about elements that a construct's tasks read lazily.
void check_lazies(program& of, const node& construct);
// The rules about the parts of arrays that a construct's tasks get and return.
void check_elements(program& of, const node& construct);
// The rule about loops of a worker function.
void check_loops(program& of, const node& body);

struct lower_options {
  int inline_levels = 0;  // how deep small recursive worker functions are inlined into themselves
  bool is_plain = false;  // the program without its constructs: plain C for one thread
};

// Whether the tasks of a construct, or a task type, may go to another node.
struct explanation {
  token place;
  std::string text;
};

// The program as C. *explanations receives what can be said of its tasks.
std::string lower(const program& of, const lower_options& options, std::vector<explanation>* explanations);

// Calls see(parts, index) for each token of a statement and what is in it, in the order of the
// text.
void each_token(const node* in, const std::function<void(const pieces& parts, size_t index)>& see);
// Calls see for the statement and each statement in it.
void each_node(const node* in, const std::function<void(const node&)>& see);
// How an occurrence of a variable is used: whether it is written, and whether its address is taken.
bool is_written(const pieces& parts, size_t index);
bool is_addressed(const pieces& parts, size_t index);
// Whether the address of the variable's object is passed on, by which the object may be written.
bool is_handed_on(const pieces& parts, size_t index);
// Whether it is one object for all calls of its function, which tasks share.
bool is_static_object(const symbol& variable);
// The variables of the function that the statements use and do not declare, in the order of the
// text.
std::vector<const symbol*> free_variables(const std::vector<const node*>& in);
// Whether the statements write the variable.
bool writes(const std::vector<const node*>& in, const symbol& variable);
// Whether the statement assigns all of the variable, whatever way it takes, before it uses it.
bool assigns_first(const node& in, const symbol& variable);
// What a construct with share (…), or with neither share nor handles, gives to a task: the items
// that are written, and those that follow from the use of variables.
std::vector<share_item> shares_of(const node& of);
// What of a construct becomes a task.
const node* given_part(const node& of);
// A variable's elements that a task writes where the giver has them, or that are brought back
// there.
bool is_result_range(const share_item& item);
// Elements as messages show them: p[low .. high].
std::string part_text(const share_item& item);
// Whether the expression names the variable; null: no.
bool names(const node* expression, const symbol& variable);
// Whether an array, as opposed to a pointer, stands behind the name.
bool is_array(const symbol& variable);
// Whether something is a statement of the language that makes records or polls.
bool is_construct(node_kind kind);
// Whether other workers can be attended to in the statement: by a construct, or in what it calls.
bool has_poll_or_call(const node* body);
// The tokens, with spaces between.
std::string text_of(const pieces& parts);

// What compile_text has made.
struct compiled {
  std::string c;                          // empty after an error
  std::vector<std::string> messages;      // as shown() shows them
  std::vector<std::string> explanations;  // a line each, in order of the text
  bool is_good = false;
};

// Text that the preprocessor has been over, to C.
compiled compile_text(std::string text, std::string name, const lower_options& options,
                      const std::function<std::string(const std::string& file, unsigned line)>& line_of);

}  // namespace tascell
