// From the tree to C11. A construct becomes a record on the C stack; what its operations need of
// the function's variables is captured in the record. include/weft/tascell.h says how each is
// lowered.
#pragma once

#include <map>
#include <set>

#include "syntax.hpp"

namespace tascell {

// Writes tokens at their places: the output's line directives point at the .tc file.
class writer {
 public:
  explicit writer(const source& from) : from_(&from) {}
  void put(const token& word) { put(word, word.text); }
  void put(const token& word, std::string_view instead);
  void add(std::string_view text) { out_ += text; }                               // on the current line
  void go_to(const token& place);                                                 // so that what is added has the line of place
  void append(const writer& other);                                               // a whole text
  size_t mark() const { return out_.size(); }                                     // a place for insert
  void insert(size_t mark, const std::string& text) { out_.insert(mark, text); }  // text without line ends
  const std::string& text() const { return out_; }

 private:
  const source* from_;
  std::string out_;
  unsigned file_ = UINT32_MAX;
  unsigned line_ = 0;
};

// In which function code is written, and how the variables are spelled there.
struct context {
  std::string up;  // the newest record
  std::map<const symbol*, std::string> names;
  std::string self_call;  // what a call of the function itself is spelled as; empty: as it is
  const symbol* function = nullptr;
  const task_type* task = nullptr;  // of which this is the task_exec
  std::set<const symbol*> parts;    // arrays of which this task has elements: here they are pointers
  bool polls = true;
  unsigned group = 0;      // equal contexts share operations
  std::string shown_name;  // of the worker function: __func__
  // What the newest record has captured: how its variables are spelled with the record as $. A
  // record above it in the same function need not capture them again.
  std::map<const symbol*, std::string> above;
  std::string above_type;
  std::string* prologue = nullptr;  // where a wind whose record is always the same writes it: before the loop
  std::string store_index;          // stores the loop's variable in its record, where that is still to be done
};

struct capture {
  const symbol* variable = nullptr;
  std::string member;
  bool is_by_address = false;
  bool is_part = false;  // an array, of whose elements a pointer is captured
};

// A record's type and operations, as they were written.
struct record_made {
  std::string name;
  std::vector<capture> captures;
  std::map<const symbol*, std::string> names;  // with the record as $
  bool is_watched = false;                     // by the check mode
  bool lends = false;                          // its tasks read elements lazily
};

// How a task spells the bounds and the step of its loop; empty: as they are written.
struct loop_range {
  std::string low, high, step;
};

// What a loop of the C text calls what belongs to it.
struct loop_names {
  std::string record;
  std::string number;  // of its variables
  [[nodiscard]] std::string own(const char* what) const { return what + number; }
};

// What the kind of a task has: functions that carry it and that free what it owns; parts of arrays
// that it writes and does not get.
struct kind_traits {
  bool transfer = false, destroy = false, parts = false;
};

class lowering {
 public:
  lowering(const program& of, const lower_options& options) : of_(of), options_(options), support_(*of.from), out_(*of.from) {}
  std::string run();
  [[nodiscard]] const std::vector<explanation>& explanations() const { return explanations_; }

 private:
  // lower.cpp
  void external_text(const external& each);
  void function_text(const external& each);
  void function_body(const external& each, context in, writer& to);
  void copies_for_inlining(const external& each, context& in);
  bool is_small_recursion(const external& each) const;
  void main_text(const external& each);
  void statement(const node& of, const context& in, writer& to);
  void parts_text(const pieces& parts, const context& in, writer& to);
  void word_text(const pieces& parts, size_t index, const context& in, writer& to);
  std::string pseudo(const pieces& parts, size_t index) const;
  void probability(const node& of, const context& in, writer& to);
  void note_addressed(const node* body);

  // lower_plain.cpp
  static bool is_hidden_parameter(const piece& each);
  void plain_external(const external& each);
  void plain_loop(const node& of, const context& in, writer& to);
  void plain_construct(const node& of, const context& in, writer& to);
  static std::string plain_pseudo(std::string_view name);

  // lower_construct.cpp
  void construct(const node& of, const context& in, writer& to);
  void do_two(const node& of, const context& in, writer& to);
  void join_text(const node& of, const context& in, writer& to, const std::string& choice);
  void wind(const node& of, const context& in, writer& to);
  void catch_tag(const node& of, const context& in, writer& to);
  void broadcast(const node& of, const context& in, writer& to);
  record_made choice_record(const node& of, const context& in);
  void divide_text(const node& of, const context& in, const record_made& record, writer& to);
  void guard_text(const node& of, const context& in, const std::string& name, writer& to);
  std::vector<capture> captures_of(const context& in, const std::vector<const symbol*>& variables,
                                   const std::vector<const node*>& active) const;
  void capture_members(const std::vector<capture>& captures, writer& to) const;
  void capture_values(const std::vector<capture>& captures, const context& in, const std::string& record, writer& to) const;
  context inside(const context& in, const record_made& record) const;
  void keep_captures(record_made& made, const context& in, const std::vector<const symbol*>& variables,
                     const std::vector<const node*>& active) const;
  static context under(const context& in, const record_made& made, const std::string& up);
  std::string place_text(const token& place) const;
  void begin_text(const std::string& record, const context& in, const char* kind, const record_made& made, writer& to) const;

  context watching(const node& of, const context& in, const record_made& made) const;

  // lower_loop.cpp
  void do_many(const node& of, const context& in, writer& to, const loop_range& given);
  void loop_range_text(const node& of, const context& in, const loop_range& given, const loop_names& names, writer& to);
  void loop_value(const std::string& given, const node& written, const context& in, writer& to);
  void loop_polls(const node& of, const context& in, const loop_names& names, writer& to);
  void loop_body(const node& of, context with, const loop_names& names, writer& to);
  void range_text(const node& of, const context& in, writer& to);

  // lower_check.cpp
  void watch_one(const std::string& address, const std::string& bytes, const std::string& shown, const token& place,
                 writer& to) const;
  void watch_object(const std::string& object, const std::string& shown, const token& place, writer& to) const;
  std::pair<std::string, std::string> watched_bounds(const node& of, const share_item& item, const context& in) const;
  void watch_shares(const node& of, const context& in, writer& to) const;
  void watch_put(const node& of, const context& in, writer& to) const;
  void watch_changes(const node& of, const context& in, writer& to) const;
  std::string watch_text(const node& of, const context& in, const std::string& name, writer& to) const;
  std::string plain_text(const pieces& parts, const context& in) const;

  // lower_task.cpp
  std::string task_for(const node& of, const context& in);
  void task_declaration(const task_type& task);
  void task_block_text(const external& each);
  void task_definitions();
  void kind_text(const std::string& name, const std::string& type, const token& place, const std::string& shown_name,
                 const kind_traits& has, writer& to);
  void registration();
  void explain(const node& of, const std::vector<share_item>& items);
  void explain(const task_type& task, bool is_transferable);

  // lower_share.cpp
  void shared_task(const node& of, const context& in, const std::string& name);
  void shared_members(const node& of, const std::vector<share_item>& items, writer& to) const;
  void shared_run(const node& of, const context& in, const std::string& name, const std::vector<share_item>& items);
  void lends_text(const node& of, const context& in, const std::string& name, writer& to) const;
  void shared_bounds(const node& of, const share_item& item, const context& in, writer& to);
  void shared_lend(const share_item& item, const context& in, size_t which, writer& to);
  void shared_copy(const share_item& item, const context& in, writer& to);
  void shared_value(const share_item& item, const context& in, writer& to);
  void shared_put(const node& of, const context& in, writer& to);
  void shared_get(const node& of, const context& in, writer& to);
  void shared_transfer(const node& of, const std::string& name, const std::vector<share_item>& items);
  void transfer_item(const share_item& item, size_t* lazies, bool is_pack, bool is_in, writer& to) const;
  void transfer_result(const share_item& item, bool is_pack, bool is_in, writer& to) const;
  std::string result_memory(const share_item& item) const;
  bool shared_destroy(const std::string& name, const std::vector<share_item>& items);

  std::string name_in(const context& in, const symbol& variable) const;
  unsigned next() { return ++serial_; }

  const program& of_;
  lower_options options_;
  writer support_;  // what stands before the function that is written
  writer out_;
  unsigned serial_ = 0;
  std::string function_name_;
  std::set<const symbol*> addressed_;  // in the function
  std::map<std::pair<const node*, unsigned>, record_made> records_;
  std::map<const node*, std::string> tasks_;  // the task types of constructs with share
  std::vector<std::string> transferable_;     // task types
  std::vector<explanation> explanations_;
};

// A member or variable of the type of a variable: by value, or a pointer to it.
std::string declared_as(const symbol& variable, const std::string& name, bool is_pointer);
// A pointer to the elements of an array or of what a pointer points to; or one object of it.
std::string declared_element(const symbol& variable, const std::string& name, bool is_pointer);
std::string type_text(const symbol& variable);
// The parameters of a kind's run, and how its body begins.
std::string kind_parameters(const std::string& type);
// The head of a function that packs or unpacks a task; and what one does for some bytes.
std::string head_of(const std::string& name, const std::string& function, bool is_pack);
std::string carried(bool is_pack, const std::string& address, const std::string& bytes);
// As a literal of C.
std::string quoted(std::string_view text);

}  // namespace tascell
