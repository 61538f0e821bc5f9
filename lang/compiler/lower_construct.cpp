// Lowering of the constructs: their records, and the operations of these.
#include <algorithm>

#include "lower.hpp"

namespace tascell {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

namespace {

constexpr const char* divide_head = "(weft_tascell_record *weft_record, weft_tascell_worker *weft_worker)";

}  // namespace

void lowering::construct(const node& of, const context& in, writer& to) {
  switch (of.kind) {
    case node_kind::do_two: do_two(of, in, to); break;
    case node_kind::do_many: do_many(of, in, to, {}); break;
    case node_kind::wind: wind(of, in, to); break;
    case node_kind::catch_tag: catch_tag(of, in, to); break;
    case node_kind::broadcast: broadcast(of, in, to); break;
    case node_kind::check_request:
      to.go_to(of.first);
      to.add(" {" + in.store_index + " weft_tascell_poll_again(weft_worker, " + in.up + "); }");
      break;
    default:
      to.go_to(of.first);
      to.add(" {" + in.store_index + " weft_tascell_throw(weft_worker, " + in.up + ", (");
      parts_text(of.one->parts, in, to);
      to.add(")); }");
  }
}

// ---- captures

// A parameter that is a pointer, but whose declaration shows neither star nor bracket.
static bool is_array_by_name(const symbol& variable) {
  bool const is_shown = std::ranges::any_of(variable.declarator, [](const piece& each) { return each.is("[") || each.is("*"); });
  return variable.is_parameter && variable.form == shape::array && !is_shown;
}

std::vector<capture> lowering::captures_of(const context& in, const std::vector<const symbol*>& variables,
                                           const std::vector<const node*>& active) const {
  std::vector<capture> result;
  for (const symbol* each : variables) {
    if (each->has_local_type || each->is_variable_length) {
      throw syntax_error(
          {severity::error, "E208",
           "'" + each->name + "' cannot be captured by a construct: its " +
               (each->has_local_type ? "type is declared in the function, or follows from what is" : "size is variable"),
           each->has_local_type ? "declare the type outside of the function, and write its name"
                                : "declare a constant size, or use a pointer",
           each->place});
    }
    if (is_array_by_name(*each)) {
      throw syntax_error({severity::error, "E208",
                          "'" + each->name + "' cannot be captured by a construct: its type is a name for an array",
                          "declare the parameter with '[]' or '*'", each->place});
    }
    bool const is_fixed =
        !is_array(*each) && !each->is_static && !each->is_atomic && !addressed_.contains(each) && !writes(active, *each);
    bool const is_double =
        std::ranges::any_of(result, [each](const capture& other) { return other.variable->name == each->name; });
    result.push_back({each, is_double ? each->name + "_" + std::to_string(result.size()) : each->name,
                      !is_fixed && !in.parts.contains(each), in.parts.contains(each)});
  }
  return result;
}

void lowering::capture_members(const std::vector<capture>& captures, writer& to) const {
  for (const capture& each : captures) {
    to.add(" " +
           (each.is_part ? declared_element(*each.variable, each.member, true)
                         : declared_as(*each.variable, each.member, each.is_by_address)) +
           ";");
  }
}

void lowering::capture_values(const std::vector<capture>& captures, const context& in, const std::string& record,
                              writer& to) const {
  for (const capture& each : captures) {
    to.add(" " + record + "." + each.member + " = " + (each.is_by_address ? "&" : "") + name_in(in, *each.variable) + ";");
  }
}

static std::string with_record(const std::string& name, const std::string& record) {
  std::string result = name;
  result.replace(result.find('$'), 1, record);
  return result;
}

// In a function that has the record as weft_self.
context lowering::inside(const context& in, const record_made& record) const {
  context result;
  result.function = in.function;
  result.group = in.group;
  result.shown_name = in.shown_name;
  result.parts = in.parts;
  result.up = "weft_up";
  for (auto const& [variable, name] : record.names) result.names[variable] = with_record(name, "weft_self");
  return result;
}

// Decides which of the variables the record captures, and which the record above it has already.
void lowering::keep_captures(record_made& made, const context& in, const std::vector<const symbol*>& variables,
                             const std::vector<const node*>& active) const {
  std::vector<const symbol*> own;
  for (const symbol* each : variables) {
    auto const above = in.above.find(each);
    if (above == in.above.end()) {
      own.push_back(each);
    } else {
      made.names[each] = with_record(above->second, "((struct " + in.above_type + " *)(void *)((weft_tascell_record *)$)->up)");
    }
  }
  made.captures = captures_of(in, own, active);
  for (const capture& each : made.captures)
    made.names[each.variable] = (each.is_by_address ? "(*$->" : "($->") + each.member + ")";
}

// In the function itself, with a newer record.
context lowering::under(const context& in, const record_made& made, const std::string& up) {
  context result = in;
  result.up = up;
  result.above = made.names;
  result.above_type = made.name;
  result.store_index.clear();
  result.prologue = nullptr;
  return result;
}

std::string lowering::place_text(const token& place) const {
  return "{" + quoted(of_.from->files[place.file].name) + ", " + quoted(function_name_) + ", " + std::to_string(place.line) + "}";
}

void lowering::begin_text(const std::string& record, const context& in, const char* kind, const record_made& made,
                          writer& to) const {
  std::string const choice_or_wind(kind);
  to.add(" struct " + made.name + " " + record + "; weft_tascell_" + choice_or_wind + "_begin(&" + record + ".weft_" +
         choice_or_wind + ", " + in.up + ", &" + made.name + "_operations);");
  if (made.lends) to.add(" " + record + ".weft_stamp = 0;");
  capture_values(made.captures, in, record, to);
}

// ---- choice points

record_made lowering::choice_record(const node& of, const context& in) {
  auto const key = std::pair(&of, in.group);
  if (auto const known = records_.find(key); known != records_.end()) return known->second;
  bool const is_loop = of.kind == node_kind::do_many;
  record_made made;
  made.name = std::string(is_loop ? "weft_many_" : "weft_two_") + std::to_string(next());
  std::string const kind = task_for(of, in) + "_kind";
  std::vector<const node*> handlers = {of.how.guard, of.how.split, of.how.put};
  std::vector<const symbol*> variables = free_variables(handlers);
  if (of.how.task == nullptr) {
    for (const share_item& each : shares_of(of)) {
      if ((each.kind == share_kind::out && each.low == nullptr) ||
          (each.kind == share_kind::reduce && !each.operation.starts_with("m")))
        continue;
      std::vector<const symbol*> used = free_variables({each.low, each.high});
      used.push_back(each.variable);
      for (const symbol* one : used) {
        if (std::ranges::find(variables, one) == variables.end()) variables.push_back(one);
      }
    }
  }
  for (const symbol* own : {of.index, of.how.from, of.how.to}) std::erase(variables, own);
  handlers.push_back(of.one);
  // A result whose value before is given may not have one yet: it is read by its address.
  if (of.kind == node_kind::do_two && of.how.task == nullptr) handlers.push_back(of.two);
  keep_captures(made, in, variables, handlers);
  writer to(*of_.from);
  to.go_to(of.how.place);
  to.add("struct " + made.name + " { weft_tascell_choice weft_choice;");
  // The range is kept apart: one load of two words that were stored one by one would stall.
  if (is_loop) to.add(" " + type_text(*of.index) + "weft_index;");
  capture_members(made.captures, to);
  if (is_loop) to.add(" " + type_text(*of.index) + "weft_end;");
  if (of.step != nullptr) to.add(" long long weft_step;");
  made.lends = of.how.task == nullptr && std::ranges::any_of(of.how.items, &share_item::is_lazy);
  if (made.lends) to.add(" weft_tascell_stamp weft_stamp;");
  to.add(" };");
  divide_text(of, in, made, to);
  if (of.how.guard != nullptr) guard_text(of, inside(in, made), made.name, to);
  std::string const watch = watch_text(of, watching(of, in, made), made.name, to);
  made.is_watched = watch != "(void *)0";
  if (made.lends) lends_text(of, watching(of, in, made), made.name, to);
  to.go_to(of.how.place);
  to.add(" static const weft_tascell_operations " + made.name + "_operations = {WEFT_TASCELL_CHOICE, " +
         place_text(of.how.place) + ", (void *)0, (void *)0, " + made.name + "_divide, " +
         (of.how.guard != nullptr ? made.name + "_guard" : "(void *)0") + ", " + watch + ", &" + kind + ", " +
         (made.lends ? made.name + "_lends" : "(void *)0") + "};");
  support_.append(to);
  records_[key] = made;
  return made;
}

// As the choice point's operations spell the variables.
context lowering::watching(const node& of, const context& in, const record_made& made) const {
  context result = inside(in, made);
  if (of.index != nullptr) result.names[of.index] = "(weft_self->weft_index)";
  return result;
}

void lowering::guard_text(const node& of, const context& in, const std::string& name, writer& to) {
  context with = in;
  if (of.index != nullptr) with.names[of.index] = "(weft_self->weft_index)";
  to.go_to(of.how.place);
  to.add(" static double " + name + "_guard" + divide_head + " { struct " + name + " *weft_self = (struct " + name +
         " *)weft_record; (void)weft_self; (void)weft_worker; return (");
  parts_text(of.how.guard->parts, with, to);
  to.add("); }");
}

void lowering::divide_text(const node& of, const context& in, const record_made& record, writer& to) {
  context with = inside(in, record);
  std::string const type = task_for(of, in);
  to.add(" static weft_tascell_task *" + record.name + "_divide" + divide_head + " { struct " + record.name +
         " *weft_self = (struct " + record.name + " *)weft_record;");
  if (of.kind == node_kind::do_many) {
    with.names[of.index] = "(weft_self->weft_index)";
    range_text(of, with, to);
  } else {
    to.add(" if (weft_self->weft_choice.given) return (void *)0;");
  }
  to.add(" struct " + type + " *weft_this = (struct " + type + " *)(void *)weft_tascell_task_make(weft_worker, &" + type +
         "_kind); if (!weft_this) return (void *)0;");
  if (of.how.task != nullptr) {
    if (of.how.from != nullptr) {
      to.add(" " + type_text(*of.how.from) + of.how.from->name + " = weft_from; " + type_text(*of.how.to) + of.how.to->name +
             " = weft_self->weft_end; (void)" + of.how.from->name + "; (void)" + of.how.to->name + ";");
    }
    statement(*of.how.put, with, to);
  } else {
    if (of.kind == node_kind::do_many) to.add(" weft_this->weft_from = weft_from; weft_this->weft_to = weft_self->weft_end;");
    if (of.step != nullptr) to.add(" weft_this->weft_step = weft_self->weft_step;");
    shared_put(of, with, to);
  }
  if (of.kind == node_kind::do_many) to.add(" weft_self->weft_end = weft_from;");
  to.add(" return &weft_this->weft_header; }");
}

void lowering::do_two(const node& of, const context& in, writer& to) {
  record_made const made = choice_record(of, in);
  std::string const record = "weft_r" + std::to_string(next());
  context const with = under(in, made, "&" + record + ".weft_choice.record");
  to.go_to(of.first);
  to.add(" {" + in.store_index);
  begin_text(record, in, "choice", made, to);
  // The check mode notes what a choice point watches at its own poll.
  if (in.polls || made.is_watched) to.add(" weft_tascell_poll(weft_worker, " + with.up + ");");
  to.add(" {");
  statement(*of.one, with, to);
  to.add(" } if (!" + record + ".weft_choice.given) {");
  context without = in;
  without.store_index.clear();
  statement(*of.two, without, to);
  to.add(" } else {");
  join_text(of, in, to, record + ".weft_choice");
  to.add(" } }");
}

// Joins the newest task of a choice point, and takes its results.
void lowering::join_text(const node& of, const context& in, writer& to, const std::string& choice) {
  std::string const type = task_for(of, in);
  to.add(" struct " + type + " *weft_this = (struct " + type + " *)(void *)weft_tascell_join(weft_worker, &" + choice + ");");
  if (of.how.task != nullptr) {
    statement(*of.how.get, in, to);
  } else {
    shared_get(of, in, to);
  }
  to.add(" weft_tascell_task_free(&weft_this->weft_header);");
}

// ---- winds

void lowering::wind(const node& of, const context& in, writer& to) {
  auto const key = std::pair(&of, in.group);
  record_made made;
  if (auto const known = records_.find(key); known != records_.end()) {
    made = known->second;
  } else {
    made.name = "weft_wind_" + std::to_string(next());
    keep_captures(made, in, free_variables({of.one, of.three}), {of.one, of.two, of.three});
    writer operations(*of_.from);
    operations.go_to(of.how.place);
    operations.add("struct " + made.name + " { weft_tascell_wind weft_wind;");
    capture_members(made.captures, operations);
    operations.add(" };");
    for (auto const& [name, block] : {std::pair("_undo", of.three), std::pair("_redo", of.one)}) {
      operations.add(" static void " + made.name + name + divide_head + " { struct " + made.name + " *weft_self = (struct " +
                     made.name + " *)weft_record; (void)weft_self; (void)weft_worker;");
      statement(*block, inside(in, made), operations);
      operations.add(" }");
    }
    std::string const watch = watch_text(of, inside(in, made), made.name, operations);
    operations.go_to(of.how.place);
    operations.add(" static const weft_tascell_operations " + made.name + "_operations = {WEFT_TASCELL_WIND, " +
                   place_text(of.how.place) + ", " + made.name + "_undo, " + made.name + "_redo, (void *)0, (void *)0, " + watch +
                   ", (void *)0, (void *)0};");
    support_.append(operations);
    records_[key] = made;
  }
  std::string const record = "weft_r" + std::to_string(next());
  context const with = under(in, made, "&" + record + ".weft_wind.record");
  to.go_to(of.first);
  to.add(" {" + in.store_index);
  statement(*of.one, in, to);
  if (in.prologue != nullptr && made.captures.empty()) {
    writer begun(*of_.from);
    begin_text(record, in, "wind", made, begun);
    *in.prologue += begun.text();
  } else {
    begin_text(record, in, "wind", made, to);
  }
  statement(*of.two, with, to);
  statement(*of.three, in, to);
  to.add(" }");
}

// ---- catch

// The body is a function of its own, and so is what calls setjmp: no variable of the user's
// function can then be lost by the jump.
void lowering::catch_tag(const node& of, const context& in, writer& to) {
  std::string const name = "weft_catch_" + std::to_string(next());
  record_made made;
  made.captures = captures_of(in, free_variables({of.two}), {of.two});
  std::vector<capture> const& captures = made.captures;
  for (const capture& each : captures) made.names[each.variable] = (each.is_by_address ? "(*$->" : "($->") + each.member + ")";
  context with = inside(in, made);
  with.task = in.task;
  std::string const own_task = in.task == nullptr ? "" : " struct " + in.task->name + " *weft_this";
  writer body(*of_.from);
  body.go_to(of.how.place);
  body.add("struct " + name + " { int weft_unused;" + own_task + (own_task.empty() ? "" : ";"));
  capture_members(captures, body);
  body.add(" };");
  std::string const parameters =
      "(weft_tascell_worker *weft_worker, weft_tascell_record *weft_up, struct " + name + " *weft_self";
  body.add(" static void " + name + "_body" + parameters + ") { (void)weft_worker; (void)weft_up; (void)weft_self;" +
           (own_task.empty() ? "" : own_task + " = weft_self->weft_this; (void)weft_this;"));
  statement(*of.two, with, body);
  // What the body assigns before a throw, which does not return, is read behind the catch: without
  // the asm a C compiler takes it for dead.
  body.add(" } static __attribute__((noinline)) void " + name + "_call" + parameters +
           ", long long weft_tag) { weft_tascell_catch weft_record; __asm__ volatile(\"\" : : \"r\"(weft_self) : \"memory\"); "
           "weft_tascell_catch_begin(&weft_record, weft_up, weft_tag); if (");
  std::string const jump = of_.setjmp_words.empty() ? "setjmp(weft_buffer)" : text_of(of_.setjmp_words);
  size_t const at = jump.find("weft_buffer");
  body.add(jump.substr(0, at) + "weft_record.buffer" + jump.substr(at + std::string("weft_buffer").size()));
  body.add(" == 0) " + name + "_body(weft_worker, &weft_record.record, weft_self); }");
  support_.append(body);
  std::string const record = "weft_r" + std::to_string(next());
  to.go_to(of.first);
  to.add(" {" + in.store_index + " struct " + name + " " + record + "; " + record + ".weft_unused = 0;");
  if (in.task != nullptr) to.add(" " + record + ".weft_this = weft_this;");
  capture_values(captures, in, record, to);
  to.add(" " + name + "_call(weft_worker, " + in.up + ", &" + record + ", (");
  parts_text(of.one->parts, in, to);
  to.add(")); }");
}

void lowering::broadcast(const node& of, const context& in, writer& to) {
  std::string const& type = of.how.task->name;
  to.go_to(of.first);
  to.add(" { struct " + type + " *weft_this = (struct " + type + " *)(void *)weft_tascell_task_make(weft_worker, &" + type +
         "_kind); if (weft_this) {");
  statement(*of.how.put, in, to);
  to.add(" (void)weft_tascell_broadcast(weft_worker, &weft_this->weft_header); } }");
}

}  // namespace tascell
