// The language's static rules, beyond those that the parser sees to: what would be wrong, or lost,
// when a task is given.
#include <algorithm>
#include <map>
#include <set>

#include "syntax.hpp"

namespace tascell {

namespace {

bool is_call(const pieces& parts, size_t index) { return index + 1 < parts.size() && parts[index + 1].is("("); }

bool is_assignment(const piece& each) {
  static const std::set<std::string_view> operators = {
      "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"};
  return each.is_token() && each.word.kind == token_kind::punctuator && operators.contains(each.word.text);
}

// What an assignment writes: its first variable and its text, such as b->column[i].
struct place_written {
  const symbol* root = nullptr;
  token word;
  std::string text;
  long long change = 0;      // by a constant
  bool is_constant = false;  // whether it is
};

size_t begin_of_operand(const pieces& parts, size_t end) {
  size_t at = end;
  while (at > 0) {
    const piece& each = parts[at - 1];
    if (each.is("]") || each.is(")")) {
      int depth = 0;
      do {
        at--;
        if (parts[at].is("]") || parts[at].is(")")) depth++;
        if (parts[at].is("[") || parts[at].is("(")) depth--;
      } while (at > 0 && depth > 0);
    } else if (each.is(".") || each.is("->")) {
      at--;
    } else if (each.is_token() && each.word.kind == token_kind::identifier &&
               (at == end || parts[at].is(".") || parts[at].is("->") || parts[at].is("[") || parts[at].is("("))) {
      at--;
    } else {
      break;
    }
  }
  return at;
}

place_written written_at(const pieces& parts, size_t index) {
  place_written result;
  bool const is_step = parts[index].is("++") || parts[index].is("--");
  bool const is_before = is_step && index + 1 < parts.size() && (index == 0 || begin_of_operand(parts, index) == index);
  size_t begin = is_before ? index + 1 : begin_of_operand(parts, index);
  size_t end = index;
  if (is_before) {
    for (end = begin; end < parts.size() && !parts[end].is(";") && !parts[end].is(",");) end++;
  }
  for (size_t i = begin; i < end; i++) {
    if (result.root == nullptr && parts[i].is_token()) {
      result.root = parts[i].word.bound;
      result.word = parts[i].word;
    }
    result.text += parts[i].is_token() ? std::string(parts[i].word.text) : parts[i].text;
  }
  bool const is_sum = parts[index].is("+=") || parts[index].is("-=");
  if (is_step) {
    result.is_constant = true;
    result.change = parts[index].is("++") ? 1 : -1;
  } else if (is_sum && index + 2 < parts.size() && parts[index + 1].is_token() &&
             parts[index + 1].word.kind == token_kind::number && parts[index + 2].is(";")) {
    result.is_constant = parts[index + 1].word.text.size() < 10 &&
                         std::ranges::all_of(parts[index + 1].word.text, [](char c) { return c >= '0' && c <= '9'; });
    if (result.is_constant)
      result.change = std::stoll(std::string(parts[index + 1].word.text)) * (parts[index].is("+=") ? 1 : -1);
  }
  return result;
}

class checker {
 public:
  explicit checker(program& of) : of_(of) {}

  void run() {
    for (external& each : of_.externals) {
      if (each.kind == external_kind::plain) check_pointers(each.parts, {});
      if (each.function != nullptr && each.function->name == "main" && each.function->is_worker && each.parameters.size() != 0 &&
          each.parameters.size() != 2) {
        error("E112", each.function->place, "the worker function main has neither no parameters nor two",
              "write: worker int main(int argc, char **argv)");
      }
      if (each.kind == external_kind::function || each.kind == external_kind::worker_init) check_body(*each.body);
      if (each.function != nullptr && each.function->is_worker) check_loops(of_, *each.body);
    }
    for (const task_type& each : of_.tasks) check_task(each);
  }

 private:
  void error(const char* code, const token& place, std::string what, std::string cure) {
    of_.tell(severity::error, code, place, std::move(what), std::move(cure));
  }
  void warn(const char* code, const token& place, std::string what, std::string cure) {
    of_.tell(severity::warning, code, place, std::move(what), std::move(cure));
  }

  void check_body(const node& body) {
    each_node(&body, [this](const node& each) {
      check_pointers(each.parts, each.declared);
      if (each.kind == node_kind::do_two || each.kind == node_kind::do_many) check_choice(each);
      if (each.kind == node_kind::wind) check_wind(each);
      if (each.kind == node_kind::wind) {
        check_statics(each.one);
        check_statics(each.three);
      }
      if (each.kind == node_kind::broadcast) check_fields(each.how.put, *each.how.task);
      if (is_construct(each.kind)) check_long_jump(each);
      if (is_construct(each.kind)) check_parts(of_, each);
    });
  }

  // E111: a worker function has hidden parameters.
  void check_pointers(const pieces& parts, const std::vector<const symbol*>& declared) {
    bool const declares_worker =
        std::ranges::any_of(declared, [](const symbol* each) { return each->is_worker; }) ||
        std::ranges::any_of(parts, [](const piece& each) { return each.text.starts_with("weft_tascell_worker"); });
    for (size_t i = 1; i < parts.size(); i++) {
      const symbol* const used = parts[i].is_token() ? parts[i].word.bound : nullptr;
      if (used == nullptr || !used->is_worker || used->kind != symbol_kind::function || is_call(parts, i)) continue;
      size_t at = i;
      while (at > 0 && !parts[at].is("=") && !parts[at].is("(") && !parts[at].is(";")) at--;
      if (!parts[at].is("=") || declares_worker) continue;
      bool is_worker = false;
      for (size_t k = begin_of_operand(parts, at); k < at; k++)
        is_worker = is_worker || (parts[k].word.bound != nullptr && parts[k].word.bound->is_worker);
      if (!is_worker) {
        error("E111", parts[i].word,
              "the address of the worker function '" + used->name + "' is assigned to an ordinary function pointer",
              "declare the pointer worker: worker T (*p)(…)");
      }
    }
  }

  void check_long_jump(const node& of) {
    for (const node* part : {of.one, of.two, of.three}) {
      each_token(part, [this, &of](const pieces& parts, size_t i) {
        std::string_view const name = parts[i].word.text;
        if ((name == "longjmp" || name == "_longjmp" || name == "siglongjmp") && is_call(parts, i) &&
            told_.insert(parts[i].word.text.data()).second) {
          error("E120", parts[i].word,
                "longjmp would leave the construct of line " + std::to_string(of.first.line) + ", whose record would stay linked",
                "use throw and catch");
        }
      });
    }
  }

  // ---- choice points

  void check_choice(const node& of) {
    if (of.kind == node_kind::do_many) check_index(of);
    check_globals(of);
    if (of.how.task != nullptr) {
      check_fields(of.how.put, *of.how.task);
      check_fields(of.how.get, *of.how.task);
      check_addresses(of);
      if (of.how.task->exec == nullptr)
        error("E104", of.how.task->place, "the task '" + of.how.task->name + "' has no task_exec",
              "write: task_exec " + of.how.task->name + " {…}");
    } else {
      check_statics(given_part(of));
      check_shares(of);
      check_addresses_passed(of);
      if (of.kind == node_kind::do_two) check_order(of);
      if (of.kind == node_kind::do_two) check_overwritten(of);
    }
  }

  void check_index(const node& of) {
    each_token(of.one, [this, &of](const pieces& parts, size_t i) {
      if (parts[i].word.bound == of.index && (is_written(parts, i) || is_addressed(parts, i))) {
        error("E122", parts[i].word, "the loop variable '" + of.index->name + "' of a parallel loop is assigned",
              "copy it to another variable");
      }
    });
  }

  void check_globals(const node& of) {
    each_token(given_part(of), [this, &of](const pieces& parts, size_t i) {
      const symbol* const used = parts[i].word.bound;
      if (std::ranges::any_of(of.how.items, [used](const share_item& item) { return item.variable == used; })) return;
      bool const is_variable = used != nullptr && used->kind == symbol_kind::variable && !used->is_atomic;
      bool const is_of_all = is_variable && (!used->is_local || is_static_object(*used));
      if (is_of_all && is_written(parts, i) && told_.insert(parts[i].word.text.data()).second) {
        warn("W210", parts[i].word,
             "'" + used->name + "' is " + (used->is_local ? "static" : "global") + ", and tasks that run at once write it",
             "use reduce, worker_data or _Atomic");
      }
    });
  }

  void check_shares(const node& of) {
    bool const is_two = of.kind == node_kind::do_two;
    std::vector<share_item> const items = shares_of(of);
    for (const share_item& each : items) check_item(of, each);
    for (const symbol* each : free_variables({given_part(of)})) {
      if (each == of.index || !writes({given_part(of)}, *each)) continue;
      bool is_result = false;
      bool is_own = false;
      for (const share_item& item : items) {
        if (item.variable != each) continue;
        // What a task does with a pointer, or with a variable of its own for good, stays in the
        // task.
        bool const is_pointer = each->form == shape::pointer || (each->form == shape::array && each->is_parameter);
        bool const is_shared = item.kind == share_kind::shared && !is_pointer;
        bool const is_moved = is_pointer && item.low != nullptr;  // elements are results, and the pointer is none
        is_result = is_result || (item.kind == share_kind::out && !is_moved) || item.kind == share_kind::reduce || is_shared;
        is_own = is_own || (item.kind == share_kind::copy && !is_pointer && !leaves_changed(given_part(of), *each));
      }
      bool const is_reduced = std::ranges::any_of(
          items, [each](const share_item& item) { return item.variable == each && item.kind == share_kind::reduce; });
      bool const shares_elements = is_array(*each) && std::ranges::any_of(items, [each](const share_item& item) {
                                     return item.variable == each && (item.kind == share_kind::shared || is_result_range(item));
                                   });
      if (!is_result && !is_own) {
        error("E140", place_of_write(given_part(of), *each, of.how.place),
              "'" + each->name + "' is assigned in " + (is_two ? "the second statement" : "the loop's body") +
                  " and is no result: its value would be lost when a task is given",
              each->form == shape::pointer ? "change a copy that is declared inside"
              : is_two                     ? "write 'out " + each->name + "' in share (…), or declare it inside"
                                           : "write 'reduce(+: " + each->name + ")' in share (…), or declare it inside");
      } else if (is_two && is_result && !is_reduced && !shares_elements && !is_static_object(*each) && writes({of.one}, *each)) {
        error("E141", place_of_write(given_part(of), *each, of.how.place), "'" + each->name + "' is modified by both statements",
              is_array(*each) ? "write 'shared " + each->name + "' if they write different elements, or use two variables"
                              : "write 'reduce(+: " + each->name + ")', or use two variables");
      }
    }
  }

  // Whether a statement changes a variable for good: what a wind changes, it undoes.
  static bool leaves_changed(const node* in, const symbol& variable) {
    if (in == nullptr) return false;
    for (size_t i = 0; i < in->parts.size(); i++) {
      const piece& each = in->parts[i];
      if (each.is_token() && each.word.bound == &variable && is_written(in->parts, i)) return true;
      if (leaves_changed(each.child, variable)) return true;
    }
    bool const is_wind = in->kind == node_kind::wind;
    return (!is_wind && (leaves_changed(in->one, variable) || leaves_changed(in->three, variable))) ||
           leaves_changed(in->two, variable) || leaves_changed(in->how.get, variable);
  }

  // E141: a task of the second statement may begin before the first one has ended.
  void check_order(const node& of) {
    std::set<const symbol*> told;
    each_token(of.two, [&](const pieces& parts, size_t i) {
      const symbol* const used = parts[i].word.bound;
      bool const is_of_task = used != nullptr && used->kind == symbol_kind::variable && used->is_local && !used->is_static &&
                              !used->is_atomic && !writes({of.two}, *used);
      bool const is_shared = std::ranges::any_of(of.how.items, [used](const share_item& item) {
        return item.variable == used &&
               (item.kind == share_kind::shared || item.kind == share_kind::reduce || is_result_range(item));
      });
      if (!is_of_task || is_shared || !leaves_changed(of.one, *used) || !told.insert(used).second) return;
      error("E141", parts[i].word,
            "'" + used->name + "' is assigned by the first statement, and the second one, which may run before, reads it",
            "compute it before the do_two, or use it behind");
    });
  }

  // E141: an array or a struct that is a result is assigned as a whole.
  void check_overwritten(const node& of) {
    std::vector<share_item> const items = shares_of(of);
    std::set<const symbol*> told;
    each_token(of.one, [&](const pieces& parts, size_t i) {
      const symbol* const used = parts[i].word.bound;
      bool const is_result = used != nullptr && used->is_local && std::ranges::any_of(items, [used](const share_item& item) {
                               return item.variable == used && item.kind == share_kind::out && item.low == nullptr;
                             });
      if (!is_result || !is_handed_on(parts, i) || !told.insert(used).second) return;
      error("E141", parts[i].word,
            "the address of '" + used->name +
                "' is passed on in the first statement, and as a result of the second one all of '" + used->name +
                "' is assigned",
            "use two variables, or write 'shared " + used->name + "'");
    });
  }

  // E134: what is written through an address in a task would be written in the task's own copy.
  void check_addresses_passed(const node& of) {
    std::vector<share_item> const items = shares_of(of);
    std::set<const symbol*> told;
    each_token(given_part(of), [&](const pieces& parts, size_t i) {
      const symbol* const used = parts[i].word.bound;
      auto const is_its = [used](const share_item& item) { return item.variable == used; };
      auto const is_result = [used](const share_item& item) {
        return item.variable == used && (item.kind == share_kind::out || item.kind == share_kind::shared);
      };
      bool const is_of_task =
          used != nullptr && used->kind == symbol_kind::variable && used != of.index && std::ranges::any_of(items, is_its);
      if (!is_of_task || std::ranges::any_of(of.how.items, is_its) || std::ranges::any_of(items, is_result)) return;
      if (!is_handed_on(parts, i) || !told.insert(used).second) return;
      std::string const& name = used->name;
      error("E134", parts[i].word, "the address of '" + name + "' is passed on: what a task writes there could be lost",
            "write in share (…): in " + name + " if it is only read, copy " + name + " if the task writes its own" +
                (of.kind == node_kind::do_two ? ", out " + name + " if it is a result" : "") + ", or shared " + name);
    });
  }

  // E135: such a block is written more than once in C.
  void check_statics(const node* block) {
    each_node(block, [this](const node& each) {
      for (const symbol* variable : each.declared) {
        bool const is_new = is_static_object(*variable) && told_.insert(variable->place.text.data()).second;
        if (is_new)
          error("E135", variable->place,
                "the static variable '" + variable->name + "' is declared in a construct, of which tasks have code of their own",
                "declare it before the construct");
      }
    });
  }

  static token place_of_write(const node* in, const symbol& variable, const token& otherwise) {
    token result = otherwise;
    bool is_found = false;
    each_token(in, [&](const pieces& parts, size_t i) {
      if (!is_found && parts[i].word.bound == &variable && is_written(parts, i)) {
        result = parts[i].word;
        is_found = true;
      }
    });
    return result;
  }

  // Whether C has the operation for the type of a number.
  static bool has_operation(const symbol& variable, const std::string& operation) {
    bool const is_complex =
        std::ranges::any_of(variable.specifiers, [](const piece& each) { return each.is("_Complex") || each.is("__complex__"); });
    bool const is_of_integers = operation == "&" || operation == "|" || operation == "^";
    bool const orders = operation == "min" || operation == "max";
    return !(is_of_integers && variable.is_real) && !(orders && is_complex);
  }

  void check_item(const node& of, const share_item& item) {
    const symbol& variable = *item.variable;
    bool const is_pointer = variable.form == shape::pointer || (variable.form == shape::array && variable.is_parameter);
    bool const is_part = item.is_object || item.low != nullptr;
    token place = item.place;
    if (place.text == of.how.place.text) {  // it follows from a use
      bool is_found = false;
      each_token(given_part(of), [&](const pieces& parts, size_t i) {
        if (!is_found && parts[i].word.bound == &variable) place = parts[i].word;
        is_found = is_found || parts[i].word.bound == &variable;
      });
    }
    if (item.kind == share_kind::out && of.kind == node_kind::do_many && !is_part) {
      bool const has_elements = variable.form != shape::plain;
      error("E133", place, "'" + variable.name + "' cannot be 'out' of a loop: each task would have a value",
            has_elements ? "write the part of an iteration: out " + variable.name + "[" + of.index->name + " .. ]"
                         : "write reduce(…)");
    } else if (item.kind == share_kind::reduce && (variable.form != shape::plain || variable.is_struct)) {
      error("E133", place, "'" + variable.name + "' is no number to reduce", "reduce a scalar");
    } else if (item.kind == share_kind::reduce && !has_operation(variable, item.operation)) {
      error("E133", place, "'" + item.operation + "' reduces integers, and '" + variable.name + "' is none",
            "use another operation, or an integer");
    } else if (is_part || item.kind == share_kind::shared || item.kind == share_kind::reduce) {
      return;
    } else if (is_pointer) {
      error("E130", place, "'" + variable.name + "' is a pointer: nothing tells what a task needs of what it points to",
            "write in share (…): copy " + variable.name + "[a..b], copy *" + variable.name + " or shared " + variable.name);
    } else if (variable.has_pointers) {
      error("E132", place, "there is no rule to transfer '" + variable.name + "', whose type holds pointers",
            "write in share (…): shared " + variable.name);
    }
  }

  // ---- tasks

  void check_task(const task_type& of) {
    for (const task_field& each : of.fields) {
      bool const is_carried = (each.is_in || each.is_out) && !each.is_shared;
      if (!is_carried || !each.what->has_pointers) continue;
      if (each.what->form == shape::pointer) {
        error("E130", each.what->place, "the field '" + each.what->name + "' is a pointer: nothing tells what it points to",
              "write 'shared' before its type, or move it before 'in:' and write task_send and task_recv");
      } else {
        error("E132", each.what->place,
              "there is no rule to transfer the field '" + each.what->name + "', whose type holds pointers",
              "write 'shared' before its type, or move it before 'in:' and write task_send and task_recv");
      }
    }
    for (const node* block : {of.exec, of.task_send, of.task_recv, of.rslt_send, of.rslt_recv}) {
      if (block == nullptr) continue;
      check_fields(block, of);
      check_body(*block);
    }
    if (of.exec != nullptr) check_this(*of.exec);
    if (of.exec != nullptr) check_loops(of_, *of.exec);
    if ((of.task_send == nullptr) != (of.task_recv == nullptr) || (of.rslt_send == nullptr) != (of.rslt_recv == nullptr)) {
      error("E105", of.place, "the task '" + of.name + "' has one of a pair of send and receive blocks", "write both");
    }
  }

  // Whether a statement uses the task that runs; put and get have a task of their own.
  static bool uses_this(const node* in) {
    if (in == nullptr) return false;
    for (const piece& each : in->parts) {
      bool const is_this = each.is("this") && each.word.bound != nullptr && each.word.bound->kind == symbol_kind::pseudo;
      if (is_this || uses_this(each.child)) return true;
    }
    return uses_this(in->low) || uses_this(in->high) || uses_this(in->step) || uses_this(in->one) || uses_this(in->two) ||
           uses_this(in->three) || uses_this(in->how.guard) || uses_this(in->how.split);
  }

  // E136: a block that runs elsewhere than in task_exec.
  void check_this(const node& exec) {
    each_node(&exec, [this](const node& each) {
      bool const is_shared = (each.kind == node_kind::do_two || each.kind == node_kind::do_many) && each.how.task == nullptr;
      bool const is_used = (is_shared && uses_this(given_part(each))) || uses_this(each.how.guard) || uses_this(each.how.split) ||
                           (each.kind == node_kind::wind && (uses_this(each.one) || uses_this(each.three)));
      if (is_used)
        error("E136", each.how.place, "'this' is used in a part of a construct that another task or a backtrack runs",
              "copy the field to a variable before the construct");
    });
  }

  // E102: this.x
  void check_fields(const node* block, const task_type& of) {
    each_token(block, [&](const pieces& parts, size_t i) {
      bool const is_field = parts[i].is("this") && parts[i].word.bound != nullptr &&
                            parts[i].word.bound->kind == symbol_kind::pseudo && i + 2 < parts.size() &&
                            (parts[i + 1].is(".") || parts[i + 1].is("->"));
      if (!is_field) return;
      std::string_view const name = parts[i + 2].word.text;
      std::string known;
      for (const task_field& each : of.fields) {
        if (each.what->name == name) return;
        known += (known.empty() ? "" : ", ") + each.what->name;
      }
      error("E102", parts[i + 2].word, "the task '" + of.name + "' has no field '" + std::string(name) + "'",
            "its fields are: " + (known.empty() ? "none" : known));
    });
  }

  // W204: this.p = &local
  void check_addresses(const node& of) {
    each_token(of.how.put, [&](const pieces& parts, size_t i) {
      if (i < 4 || !parts[i].is_token()) return;
      const symbol* const used = parts[i].word.bound;
      bool const is_object = used != nullptr && used->kind == symbol_kind::variable && used->is_local && !used->is_static;
      bool const is_address =
          parts[i - 1].is("&") || (used != nullptr && is_array(*used) && i + 1 < parts.size() && parts[i + 1].is(";"));
      size_t const at = parts[i - 1].is("&") ? i - 2 : i - 1;
      if (!is_object || !is_address || !parts[at].is("=") || at < 3 || !parts[at - 3].is("this")) return;
      for (const task_field& each : of.how.task->fields) {
        if (each.what->name == parts[at - 1].word.text && each.what->form == shape::pointer && !each.is_shared) {
          warn("W204", parts[i].word, "the address of the local variable '" + used->name + "' is stored in a task",
               "copy what it points to, or declare the field shared");
        }
      }
    });
  }

  // ---- winds

  static std::vector<place_written> writes_of(const node* block, bool* calls) {
    std::vector<place_written> result;
    std::set<const symbol*> own;
    each_node(block, [&own](const node& each) { own.insert(each.declared.begin(), each.declared.end()); });
    each_node(block, [&](const node& each) {
      for (size_t i = 0; i < each.parts.size(); i++) {
        const piece& part = each.parts[i];
        *calls = *calls || !part.text.empty() ||
                 (part.is_token() && part.word.kind == token_kind::identifier && !part.word.is_member && is_call(each.parts, i) &&
                  part.word.text != "if" && part.word.text != "while" && part.word.text != "for" && part.word.text != "sizeof");
        if (!is_assignment(part) || each.kind == node_kind::declaration) continue;
        place_written found = written_at(each.parts, i);
        if (found.root != nullptr && !own.contains(found.root)) result.push_back(found);
      }
    });
    return result;
  }

  void check_wind(const node& of) {
    bool calls = false;
    std::vector<place_written> const redone = writes_of(of.one, &calls);
    std::vector<place_written> const undone = writes_of(of.three, &calls);
    if (calls) return;  // what a function changes is not known
    std::set<const symbol*> told;
    for (const place_written& each : redone) {
      bool const is_restored =
          std::ranges::any_of(undone, [&each](const place_written& other) { return other.root == each.root; });
      if (!is_restored && told.insert(each.root).second) {
        warn("W201", each.word, "the undo of this wind does not restore '" + each.text + "'", "assign it in the undo block");
      }
    }
    bool is_simple = true;
    std::map<std::string, std::pair<long long, token>> sums;
    for (const auto* list : {&redone, &undone}) {
      for (const place_written& each : *list) {
        is_simple = is_simple && each.is_constant;
        auto& sum = sums.try_emplace(each.text, 0, each.word).first->second;
        sum.first += each.change;
      }
    }
    if (!is_simple || !told.empty()) return;
    for (auto const& [text, sum] : sums) {
      if (sum.first == 0) continue;
      warn("W202", sum.second,
           "redo and undo are no inverses: after both, " + text + " is " + text + (sum.first > 0 ? " + " : " - ") +
               std::to_string(std::abs(sum.first)),
           "undo exactly what the first block does");
    }
  }

  program& of_;
  std::set<const char*> told_;
};

}  // namespace

void check(program& of) { checker(of).run(); }

}  // namespace tascell
