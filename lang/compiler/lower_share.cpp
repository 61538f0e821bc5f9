// Lowering of the tasks that follow from share (…): what a task holds, and how that is filled in,
// carried to another node, and taken back.
#include <algorithm>

#include "lower.hpp"

namespace tascell {

namespace {

bool is_lazy(const share_item& item) { return item.is_lazy; }
// Elements that are copied, whose memory is the task's own.
bool is_range(const share_item& item) { return item.low != nullptr && !item.is_lazy && item.kind == share_kind::copy; }

std::string lazy_field(size_t which) { return "weft_this->weft_lazy[" + std::to_string(which) + "]"; }

// What a task holds of the elements of a variable: where they are, and what of them.
struct elements_of {
  std::string at, low, high, own;
  explicit elements_of(const std::string& name)
      : at("weft_this->" + name),
        low("weft_this->weft_low_" + name),
        high("weft_this->weft_high_" + name),
        own("weft_this->weft_own_" + name) {}
  [[nodiscard]] std::string bytes() const { return "(unsigned long)(" + high + " - " + low + ") * sizeof *" + at; }
  [[nodiscard]] std::string first() const { return "(void *)(" + at + " + " + low + ")"; }
  [[nodiscard]] std::string carry_bounds(bool is_pack) const {
    return carried(is_pack, "&" + low, "sizeof " + low) + carried(is_pack, "&" + high, "sizeof " + high);
  }
};

std::string object_of(const std::string& name) { return "weft_this->weft_object_" + name; }

}  // namespace

void lowering::shared_members(const node& of, const std::vector<share_item>& items, writer& to) const {
  std::set<const symbol*> seen;
  if (of.kind == node_kind::do_many) to.add(" " + type_text(*of.index) + "weft_from; " + type_text(*of.index) + "weft_to;");
  if (of.step != nullptr) to.add(" long long weft_step;");
  for (const share_item& each : items) {
    const symbol& variable = *each.variable;
    if (!seen.insert(&variable).second) continue;
    if (each.is_object) to.add(" " + declared_element(variable, "weft_object_" + variable.name, false) + ";");
    bool const is_part = each.is_object || each.low != nullptr;
    if (is_part) to.add(" " + declared_element(variable, variable.name, true) + ";");
    if (each.low != nullptr) to.add(" long long weft_low_" + variable.name + ", weft_high_" + variable.name + ";");
    if (is_result_range(each)) to.add(" void *weft_own_" + variable.name + ";");
    if (is_part) continue;
    bool const is_reference = each.kind == share_kind::shared && (is_array(variable) || variable.form == shape::plain);
    to.add(" " + declared_as(variable, variable.name, is_reference) + ";");
  }
  auto const lazies = std::ranges::count_if(items, is_lazy);
  if (lazies != 0) to.add(" weft_tascell_lazy weft_lazy[" + std::to_string(lazies) + "];");
}

// Which record keeps the stamp of elements: one whose tasks read all of them lazily.
void lowering::lends_text(const node& of, const context& in, const std::string& name, writer& to) const {
  to.go_to(of.how.place);
  to.add(" static weft_tascell_stamp *" + name +
         "_lends(weft_tascell_record *weft_record, const void *weft_at, unsigned long weft_bytes) "
         "{ struct " +
         name + " *weft_self = (struct " + name + " *)weft_record;");
  for (const share_item& each : of.how.items) {
    if (!each.is_lazy) continue;
    std::string const value = name_in(in, *each.variable);
    to.add(" { const char *weft_begin = (const char *)(" + value + " + (" + plain_text(each.low->parts, in) +
           ")), *weft_end = (const char *)(" + value + " + (" + plain_text(each.high->parts, in) +
           ")); if ((const char *)weft_at >= weft_begin && (const char *)weft_at <= weft_end && weft_bytes <= (unsigned "
           "long)(weft_end - (const char *)weft_at)) return &weft_self->weft_stamp; }");
  }
  to.add(" return (void *)0; }");
}

// The elements that belong to the task's iterations, or to the task of a do_two. A loop's variable
// is the first iteration in a lower bound, and the last in an upper one; p[low .. ] ends where the
// iteration behind the last would begin.
void lowering::shared_bounds(const node& of, const share_item& item, const context& in, writer& to) {
  elements_of const part(item.variable->name);
  context first = in;
  context last = in;
  if (of.index != nullptr) {
    std::string const end = "weft_self->weft_end";
    std::string const newest = of.step == nullptr ? end + " - 1"
                                                  : "weft_from + (" + end +
                                                        " - 1 - weft_from) / weft_self->weft_step * "
                                                        "weft_self->weft_step";
    std::string const type = type_text(*of.index);
    first.names[of.index] = "weft_from";
    last.names[of.index] = item.high == nullptr ? "(" + end + ")" : "((" + type + ")(" + newest + "))";
  }
  to.add(" " + part.low + " = (");
  parts_text(item.low->parts, first, to);
  to.add("); " + part.high + " = (");
  parts_text((item.high == nullptr ? item.low : item.high)->parts, last, to);
  to.add("); if (" + part.high + " < " + part.low + ") " + part.high + " = " + part.low + ";");
}

// Elements that stay where they are as long as the task stays on its node.
void lowering::shared_lend(const share_item& item, const context& in, size_t which, writer& to) {
  elements_of const part(item.variable->name);
  std::string const value = name_in(in, *item.variable);
  to.add(" " + part.at + " = (__typeof__(" + part.at + "))(" + value + ");");
  if (item.is_lazy)
    to.add(" weft_tascell_lend(weft_worker, weft_record, (const void *)(" + value + " + " + part.low + "), " + part.bytes() +
           ", &weft_this->weft_header, &" + lazy_field(which) + ");");
}

// Elements of the task's own.
void lowering::shared_copy(const share_item& item, const context& in, writer& to) {
  elements_of const part(item.variable->name);
  to.add(" " + part.at + " = __builtin_malloc(" + part.bytes() + " + 1); if (!" + part.at +
         ") { weft_tascell_task_free(&weft_this->weft_header); return (void *)0; } __builtin_memcpy((void *)" + part.at + ", " +
         name_in(in, *item.variable) + " + " + part.low + ", " + part.bytes() + "); " + part.at + " -= " + part.low + ";");
}

void lowering::shared_task(const node& of, const context& in, const std::string& name) {
  std::vector<share_item> const items = shares_of(of);
  explain(of, items);
  std::vector<const symbol*> variables;
  for (const share_item& each : items) variables.push_back(each.variable);
  static_cast<void>(captures_of(in, variables, {}));  // refuses what cannot be declared outside
  writer to(*of_.from);
  to.go_to(of.how.place);
  to.add("struct " + name + " { weft_tascell_task weft_header;");
  shared_members(of, items, to);
  to.add(" }; static const weft_tascell_kind " + name + "_kind;");
  support_.append(to);
  shared_transfer(of, name, items);
  bool const has_destroy = shared_destroy(name, items);
  shared_run(of, in, name, items);
  writer kind(*of_.from);
  kind.go_to(of.how.place);
  bool const is_transferable =
      std::ranges::none_of(items, [](const share_item& each) { return each.kind == share_kind::shared; });
  bool const has_parts = std::ranges::any_of(items, is_result_range);
  kind_text(name, name, of.how.place, function_name_, {is_transferable, has_destroy, has_parts}, kind);
  support_.append(kind);
}

void lowering::shared_run(const node& of, const context& in, const std::string& name, const std::vector<share_item>& items) {
  context with;
  with.up = "weft_up";
  with.function = in.function;
  with.group = next();
  with.shown_name = in.shown_name;
  if (in.function != nullptr && in.names.contains(in.function))
    with.names[in.function] = in.function->name == "main" ? "weft_worker_main" : in.function->name;
  for (const share_item& each : items) {
    bool const is_reference =
        each.kind == share_kind::shared && (is_array(*each.variable) || each.variable->form == shape::plain);
    if ((each.low != nullptr || each.is_object) && is_array(*each.variable)) with.parts.insert(each.variable);
    with.names[each.variable] = (is_reference ? "(*weft_self->" : "(weft_self->") + each.variable->name + ")";
  }
  writer body(*of_.from);
  body.go_to(of.how.place);
  body.add("static void " + name + "_run" + kind_parameters(name) + " *weft_self = (struct " + name +
           " *)(void *)weft_task; (void)weft_self; (void)weft_worker; (void)weft_up;");
  if (of.kind == node_kind::do_many) {
    do_many(of, with, body, {"weft_self->weft_from", "weft_self->weft_to", "weft_self->weft_step"});
  } else {
    statement(*of.two, with, body);
  }
  body.add(" }");
  support_.append(body);
}

// What divide fills in. A refusal of memory frees the task.
void lowering::shared_put(const node& of, const context& in, writer& to) {
  size_t lazies = 0;
  for (const share_item& each : shares_of(of)) {
    if (each.low == nullptr) {
      shared_value(each, in, to);
      continue;
    }
    shared_bounds(of, each, in, to);
    if (is_range(each)) {
      shared_copy(each, in, to);
    } else {
      shared_lend(each, in, lazies, to);
      lazies += each.is_lazy ? 1 : 0;
    }
  }
}

// All of a variable, or an object.
void lowering::shared_value(const share_item& item, const context& in, writer& to) {
  const symbol& variable = *item.variable;
  std::string const member = "weft_this->" + variable.name;
  std::string const value = name_in(in, variable);
  if (in.parts.contains(&variable) && item.kind != share_kind::out && item.kind != share_kind::reduce)
    throw syntax_error({severity::error, "E133",
                        "a task has elements of '" + variable.name + "', and this construct in it takes all of the array",
                        "name the elements in its share (…), too: copy " + variable.name + "[a..b]", item.place});
  if (item.is_object) {
    std::string const object = object_of(variable.name);
    to.add(" __builtin_memcpy((void *)&" + object + ", " + value + ", sizeof " + object + "); " + member + " = &" + object + ";");
  } else if (item.kind == share_kind::shared && (is_array(variable) || variable.form == shape::plain)) {
    to.add(" " + member + " = &" + value + ";");
  } else if (item.kind == share_kind::reduce && !item.operation.starts_with("m")) {
    bool const is_one = item.operation == "*" || item.operation == "&&";
    to.add(" " + member + " = " + (is_one ? "1" : item.operation == "&" ? "~0" : "0") + ";");
  } else if (item.kind != share_kind::out) {
    to.add(is_array(variable) ? " __builtin_memcpy(&" + member + ", &" + value + ", sizeof " + member + ");"
                              : " " + member + " = " + value + ";");
  }
}

void lowering::shared_get(const node& of, const context& in, writer& to) {
  for (const share_item& each : shares_of(of)) {
    const symbol& variable = *each.variable;
    std::string const member = "weft_this->" + variable.name;
    std::string const target = name_in(in, variable);
    if (is_result_range(each)) continue;
    if (each.kind == share_kind::out) {
      to.add(is_array(variable) ? " __builtin_memcpy(&" + target + ", &" + member + ", sizeof " + member + ");"
                                : " " + target + " = " + member + ";");
    } else if (each.kind == share_kind::reduce && each.operation.starts_with("m")) {
      to.add(" if (" + member + (each.operation == "min" ? " < " : " > ") + target + ") " + target + " = " + member + ";");
    } else if (each.kind == share_kind::reduce) {
      bool const is_logical = each.operation == "&&" || each.operation == "||";
      to.add(" " + target + (is_logical ? " = " + target + " " + each.operation + " " : " " + each.operation + "= ") + member +
             ";");
    }
  }
}

namespace {

// Where the elements are goes with the task, and not they.
void transfer_lazy(const std::string& name, const std::string& field, bool is_pack, writer& to) {
  elements_of const part(name);
  to.add(part.carry_bounds(is_pack));
  if (is_pack) {
    to.add(" if (!weft_tascell_write_lazy(weft_bytes, &" + field + ")) return 0;");
  } else {
    to.add(" if (" + part.high + " < " + part.low + " || !weft_tascell_read_lazy(weft_bytes, weft_task, &" + field + ", \"" +
           name + "\") || " + field + ".bytes != " + part.bytes() + ") return 0; " + part.at + " = (__typeof__(" + part.at +
           "))" + field + ".low - " + part.low + ";");
  }
}

// Elements of the task's own, which go with it.
void transfer_copy(const std::string& name, bool is_pack, writer& to) {
  elements_of const part(name);
  to.add(part.carry_bounds(is_pack));
  if (!is_pack)
    to.add(" " + part.at + " = __builtin_malloc(" + part.bytes() + " + 1); if (!" + part.at + ") return 0; " + part.at +
           " -= " + part.low + ";");
  to.add(carried(is_pack, part.first(), part.bytes()));
}

}  // namespace

// The bounds go with the task, and the elements with its results, to where they are at the giver.
// With inout the elements go with the task, too.
void lowering::transfer_result(const share_item& item, bool is_pack, bool is_in, writer& to) const {
  elements_of const part(item.variable->name);
  if (is_in) {
    to.add(part.carry_bounds(is_pack));
    if (!is_pack)
      to.add(" if (" + part.high + " < " + part.low + ") return 0;" + result_memory(item) + " if (!" + part.own + ") return 0; " +
             part.at + " = (__typeof__(" + part.at + "))" + part.own + " - " + part.low + ";");
  }
  if (!is_in || item.is_inout) to.add(carried(is_pack, part.first(), part.bytes()));
}

// Where a task on another node has its results. What out does not bring, the modes for tests
// replace.
std::string lowering::result_memory(const share_item& item) const {
  elements_of const part(item.variable->name);
  if (item.is_inout) return " " + part.own + " = __builtin_malloc(" + part.bytes() + " + 1);";
  return " { static const weft_tascell_part weft_part = {" + quoted(item.variable->name) + ", " + quoted(part_text(item)) +
         ", sizeof *" + part.at + "}; " + part.own + " = weft_tascell_make_part(weft_bytes, &weft_part, " + part.low + ", " +
         part.high + "); }";
}

void lowering::transfer_item(const share_item& item, size_t* lazies, bool is_pack, bool is_in, writer& to) const {
  std::string const& name = item.variable->name;
  std::string const member = "weft_this->" + name;
  if (is_result_range(item)) return transfer_result(item, is_pack, is_in, to);
  if (item.is_lazy) {
    std::string const field = lazy_field((*lazies)++);
    if (is_in) transfer_lazy(name, field, is_pack, to);
    return;
  }
  bool const is_result = item.kind == share_kind::out || item.kind == share_kind::reduce;
  bool const is_carried = is_in ? item.kind != share_kind::out : is_result;
  if (!is_carried) return;
  if (item.is_object) {
    to.add(carried(is_pack, "&" + object_of(name), "sizeof " + object_of(name)));
    if (!is_pack) to.add(" " + member + " = &" + object_of(name) + ";");
  } else if (is_range(item)) {
    transfer_copy(name, is_pack, to);
  } else {
    to.add(carried(is_pack, "&" + member, "sizeof " + member));
  }
}

void lowering::shared_transfer(const node& of, const std::string& name, const std::vector<share_item>& items) {
  if (std::ranges::any_of(items, [](const share_item& each) { return each.kind == share_kind::shared; })) return;
  writer to(*of_.from);
  to.go_to(of.how.place);
  for (auto const& [function, is_pack, is_in] : {std::tuple("_pack_in", true, true), std::tuple("_unpack_in", false, true),
                                                 std::tuple("_pack_out", true, false), std::tuple("_unpack_out", false, false)}) {
    to.add(head_of(name, function, is_pack));
    if (is_in && of.kind == node_kind::do_many) {
      to.add(carried(is_pack, "&weft_this->weft_from", "sizeof weft_this->weft_from") +
             carried(is_pack, "&weft_this->weft_to", "sizeof weft_this->weft_to"));
      if (of.step != nullptr) to.add(carried(is_pack, "&weft_this->weft_step", "sizeof weft_this->weft_step"));
    }
    size_t lazies = 0;
    for (const share_item& each : items) transfer_item(each, &lazies, is_pack, is_in, to);
    to.add(" return 1; }");
  }
  support_.append(to);
}

// Whether there is something to free.
bool lowering::shared_destroy(const std::string& name, const std::vector<share_item>& items) {
  auto const is_freed = [](const share_item& each) { return each.low != nullptr; };
  if (std::ranges::none_of(items, is_freed)) return false;
  writer to(*of_.from);
  to.add("static void " + name + "_destroy(weft_tascell_task *weft_task) { struct " + name + " *weft_this = (struct " + name +
         " *)(void *)weft_task;");
  size_t lazies = 0;
  for (const share_item& each : items) {
    elements_of const part(each.variable->name);
    if (is_result_range(each)) to.add(" __builtin_free(" + part.own + ");");
    if (each.is_lazy) to.add(" weft_tascell_return_lazy(&" + lazy_field(lazies++) + ");");
    if (is_range(each)) to.add(" if (" + part.at + ") __builtin_free(" + part.first() + ");");
  }
  to.add(" }");
  support_.append(to);
  return true;
}

}  // namespace tascell
