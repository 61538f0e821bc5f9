// Lowering of tasks: those that are written, and those that follow from share (…).
#include <algorithm>

#include "lower.hpp"

namespace tascell {

namespace {

std::string kind_parameters(const std::string& type) {
  return "(weft_tascell_task *weft_task, weft_tascell_worker *weft_worker, weft_tascell_record *weft_up) { struct " + type;
}

constexpr const char* pack_head = "(const weft_tascell_task *weft_task, weft_tascell_bytes *weft_bytes)";
constexpr const char* unpack_head = "(weft_tascell_task *weft_task, weft_tascell_bytes *weft_bytes)";

std::string head_of(const std::string& name, const std::string& function, bool is_pack) {
  std::string const constant = is_pack ? "const " : "";
  return " static _Bool " + name + function + (is_pack ? pack_head : unpack_head) + " { " + constant + "struct " + name +
         " *weft_this = (" + constant + "struct " + name + " *)(" + constant +
         "void *)weft_task; (void)weft_this; (void)weft_bytes;";
}

std::string carried(bool is_pack, const std::string& address, const std::string& bytes) {
  return std::string(" if (!weft_tascell_") + (is_pack ? "write" : "read") + "(weft_bytes, " + address + ", " + bytes +
         ")) return 0;";
}

bool is_lazy(const share_item& item) { return item.is_lazy; }
// Elements that are copied, whose memory is the task's own.
bool is_range(const share_item& item) { return item.low != nullptr && !item.is_lazy && item.kind == share_kind::copy; }
// Elements that are a result: the giver's, or on another node the task's own.
bool is_result_range(const share_item& item) { return item.low != nullptr && item.kind == share_kind::out; }

std::string lazy_field(size_t which) { return "weft_this->weft_lazy[" + std::to_string(which) + "]"; }
std::string range_bytes(const std::string& member) {
  return "(unsigned long)(" + member + "_high - " + member + "_low) * sizeof *" + member;
}

}  // namespace

// The name of the struct of a construct's task; its kind has the same name and _kind.
std::string lowering::task_for(const node& of, const context& in) {
  if (of.how.task != nullptr) return of.how.task->name;
  auto const known = tasks_.find(&of);
  if (known != tasks_.end()) return known->second;
  std::string const name = "weft_task_" + std::to_string(next());
  tasks_[&of] = name;
  shared_task(of, in, name);
  return name;
}

void lowering::kind_text(const std::string& name, const std::string& type, const token& place, const std::string& shown_name,
                         bool has_transfer, bool has_destroy, writer& to) {
  if (has_transfer) transferable_.push_back(name);
  auto const or_null = [&name](bool is_there, const char* what) { return is_there ? name + what : std::string("(void *)0"); };
  to.add(" static const weft_tascell_kind " + name + "_kind __attribute__((unused)) = {\"" + shown_name + "\", sizeof(struct " +
         type + "), _Alignof(struct " + type + "), " + place_text(place) + ", " + name + "_run, " +
         or_null(has_transfer, "_pack_in") + ", " + or_null(has_transfer, "_unpack_in") + ", " +
         or_null(has_transfer, "_pack_out") + ", " + or_null(has_transfer, "_unpack_out") + ", " +
         or_null(has_destroy, "_destroy") + "};");
}

// The tasks that may go to other nodes, with a hash of the text: nodes of other texts are refused.
void lowering::registration() {
  if (transferable_.empty()) return;
  std::uint64_t hash = 0xCBF29CE484222325U;  // FNV-1a, of the tokens
  for (const token& each : of_.from->tokens) {
    if (each.kind == token_kind::directive) continue;
    for (char const letter : each.text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3U;
    hash = (hash ^ ' ') * 0x100000001B3U;
  }
  out_.add("\nstatic const weft_tascell_kind *const weft_kinds[] = {");
  for (const std::string& each : transferable_) out_.add("&" + each + "_kind, ");
  out_.add("}; static weft_tascell_kinds weft_kinds_here = {weft_kinds, " + std::to_string(transferable_.size()) + ", " +
           std::to_string(hash) +
           "ULL, (void *)0}; static void __attribute__((constructor)) weft_register(void) { "
           "weft_tascell_register(&weft_kinds_here); }");
}

// ---- tasks that are written

void lowering::task_declaration(const task_type& task) {
  out_.go_to(task.place);
  out_.add("typedef struct " + task.name + " { weft_tascell_task weft_header;");
  for (const task_field& each : task.fields) {
    out_.go_to(each.what->place);
    out_.add(" " + declared_as(*each.what, each.what->name, false) + ";");
  }
  out_.add(" } " + task.name + "; static const weft_tascell_kind " + task.name + "_kind __attribute__((unused)); static void " +
           task.name + "_run(weft_tascell_task *weft_task, weft_tascell_worker *weft_worker, weft_tascell_record *weft_up);");
}

void lowering::task_block_text(const external& each) {
  const task_type& task = *each.task;
  std::string const which(each.first.text);
  function_name_ = which == "task_exec" ? task.name : which;
  const node* const block = which == "task_exec"   ? task.exec
                            : which == "task_send" ? task.task_send
                            : which == "task_recv" ? task.task_recv
                            : which == "rslt_send" ? task.rslt_send
                                                   : task.rslt_recv;
  context in;
  in.group = next();
  support_ = writer(*of_.from);
  note_addressed(block);
  writer body(*of_.from);
  body.go_to(each.first);
  if (which == "task_exec") {
    in.up = "weft_up";
    in.task = &task;
    body.add("static void " + task.name + "_run" + kind_parameters(task.name) + " *weft_this = (struct " + task.name +
             " *)(void *)weft_task; (void)weft_this; (void)weft_worker; (void)weft_up;");
    statement(*block, in, body);
    body.add(" }");
  } else {
    bool const is_send = which.ends_with("send");
    body.add("static _Bool " + task.name + "_" + which + "(" + (is_send ? "const " : "") + "struct " + task.name +
             " *weft_this, weft_tascell_bytes *weft_bytes) { (void)weft_this; (void)weft_bytes;");
    statement(*block, in, body);
    body.add(" return 1; }");
  }
  out_.append(support_);
  out_.append(body);
}

static std::string bytes_of(const task_field& field) {
  std::string const member = "weft_this->" + field.what->name;
  return field.count.empty() ? "sizeof(" + member + ")" : "(unsigned long)(" + field.count + ") * sizeof(" + member + "[0])";
}

void lowering::task_definitions() {
  for (const task_type& task : of_.tasks) {
    writer to(*of_.from);
    to.go_to(task.place);
    bool const has_blocks = task.task_send != nullptr;
    bool const is_transferable = std::ranges::none_of(task.fields, [has_blocks](const task_field& each) {
      bool const is_carried = each.is_in || each.is_out;
      return each.is_shared || (is_carried && each.what->has_pointers) || (!is_carried && !has_blocks && each.what->has_pointers);
    });
    struct direction {
      const char* function;
      bool is_pack, is_in;
      const node* block;
      const char* block_name;
    };
    for (const direction& each : {direction{"_pack_in", true, true, task.task_send, "_task_send"},
                                  direction{"_unpack_in", false, true, task.task_recv, "_task_recv"},
                                  direction{"_pack_out", true, false, task.rslt_send, "_rslt_send"},
                                  direction{"_unpack_out", false, false, task.rslt_recv, "_rslt_recv"}}) {
      if (!is_transferable) break;
      to.add(head_of(task.name, each.function, each.is_pack));
      for (const task_field& field : task.fields) {
        bool const is_carried = each.is_in ? field.is_in : field.is_out;
        std::string const address = (field.what->form == shape::array ? "weft_this->" : "&weft_this->") + field.what->name;
        if (is_carried) to.add(carried(each.is_pack, address, bytes_of(field)));
      }
      to.add(each.block != nullptr ? " return " + task.name + each.block_name + "(weft_this, weft_bytes); }" : " return 1; }");
    }
    if (task.exec == nullptr) {
      to.add(" static void " + task.name + "_run" + kind_parameters(task.name) + " *weft_this = (struct " + task.name +
             " *)(void *)weft_task; (void)weft_this; (void)weft_worker; (void)weft_up; }");
    }
    explain(task, is_transferable);
    function_name_ = task.name;
    kind_text(task.name, task.name, task.place, task.name, is_transferable, false, to);
    out_.append(to);
  }
}

// ---- tasks of share (…)

void lowering::shared_members(const node& of, const std::vector<share_item>& items, writer& to) const {
  std::set<const symbol*> seen;
  if (of.kind == node_kind::do_many) to.add(" " + type_text(*of.index) + "weft_from; " + type_text(*of.index) + "weft_to;");
  for (const share_item& each : items) {
    const symbol& variable = *each.variable;
    if (!seen.insert(&variable).second) continue;
    if (each.is_object) to.add(" " + declared_element(variable, variable.name + "_object", false) + ";");
    bool const is_part = each.is_object || each.low != nullptr;
    if (is_part) to.add(" " + declared_element(variable, variable.name, true) + ";");
    if (each.low != nullptr) to.add(" long long " + variable.name + "_low, " + variable.name + "_high;");
    if (is_result_range(each)) to.add(" void *" + variable.name + "_own;");
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

void lowering::shared_lend(const share_item& item, const context& in, size_t which, writer& to) {
  std::string const member = "weft_this->" + item.variable->name;
  std::string const value = name_in(in, *item.variable);
  to.add(" " + member + "_low = (");
  parts_text(item.low->parts, in, to);
  to.add("); " + member + "_high = (");
  parts_text(item.high->parts, in, to);
  to.add("); if (" + member + "_high < " + member + "_low) " + member + "_high = " + member + "_low; " + member +
         " = (__typeof__(" + member + "))(" + value + ");");
  if (item.is_lazy)
    to.add(" weft_tascell_lend(weft_worker, weft_record, (const void *)(" + value + " + " + member + "_low), " +
           range_bytes(member) + ", &weft_this->weft_header, &" + lazy_field(which) + ");");
}

void lowering::shared_task(const node& of, const context& in, const std::string& name) {
  std::vector<share_item> const items = shares_of(of);
  explain(of, items);
  std::vector<const symbol*> variables;
  for (const share_item& each : items) variables.push_back(each.variable);
  static_cast<void>(captures_of(variables, {}));  // refuses what cannot be declared outside
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
  kind_text(name, name, of.how.place, function_name_, is_transferable, has_destroy, kind);
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
    with.names[each.variable] = (is_reference ? "(*weft_self->" : "(weft_self->") + each.variable->name + ")";
  }
  writer body(*of_.from);
  body.go_to(of.how.place);
  body.add("static void " + name + "_run" + kind_parameters(name) + " *weft_self = (struct " + name +
           " *)(void *)weft_task; (void)weft_self; (void)weft_worker; (void)weft_up;");
  if (of.kind == node_kind::do_many) {
    do_many(of, with, body, "weft_self->weft_from", "weft_self->weft_to");
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
    const symbol& variable = *each.variable;
    std::string const member = "weft_this->" + variable.name;
    std::string const value = name_in(in, variable);
    if (each.is_lazy || is_result_range(each)) {
      shared_lend(each, in, lazies, to);
      lazies += each.is_lazy ? 1 : 0;
    } else if (each.is_object) {
      to.add(" " + member + "_object = *" + value + "; " + member + " = &" + member + "_object;");
    } else if (is_range(each)) {
      to.add(" " + member + "_low = (");
      parts_text(each.low->parts, in, to);
      to.add("); " + member + "_high = (");
      parts_text(each.high->parts, in, to);
      to.add("); if (" + member + "_high < " + member + "_low) " + member + "_high = " + member + "_low; " + member +
             " = __builtin_malloc((unsigned long)(" + member + "_high - " + member + "_low) * sizeof *" + member +
             " + 1); if (!" + member +
             ") { weft_tascell_task_free(&weft_this->weft_header); return (void *)0; } __builtin_memcpy((void *)" + member +
             ", " + value + " + " + member + "_low, (unsigned long)(" + member + "_high - " + member + "_low) * sizeof *" +
             member + "); " + member + " -= " + member + "_low;");
    } else if (each.kind == share_kind::shared && (is_array(variable) || variable.form == shape::plain)) {
      to.add(" " + member + " = &" + value + ";");
    } else if (each.kind == share_kind::reduce && !each.operation.starts_with("m")) {
      bool const is_one = each.operation == "*" || each.operation == "&&";
      to.add(" " + member + " = " + (is_one ? "1" : each.operation == "&" ? "~0" : "0") + ";");
    } else if (each.kind != share_kind::out) {
      to.add(is_array(variable) ? " __builtin_memcpy(&" + member + ", &" + value + ", sizeof " + member + ");"
                                : " " + member + " = " + value + ";");
    }
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

std::string carried_bounds(bool is_pack, const std::string& member) {
  return carried(is_pack, "&" + member + "_low", "sizeof " + member + "_low") +
         carried(is_pack, "&" + member + "_high", "sizeof " + member + "_high");
}

// Where the elements are goes with the task, and not they.
void transfer_lazy(const std::string& name, const std::string& field, bool is_pack, writer& to) {
  std::string const member = "weft_this->" + name;
  to.add(carried_bounds(is_pack, member));
  if (is_pack) {
    to.add(" if (!weft_tascell_write_lazy(weft_bytes, &" + field + ")) return 0;");
  } else {
    to.add(" if (" + member + "_high < " + member + "_low || !weft_tascell_read_lazy(weft_bytes, weft_task, &" + field + ", \"" +
           name + "\") || " + field + ".bytes != " + range_bytes(member) + ") return 0; " + member + " = (__typeof__(" + member +
           "))" + field + ".low - " + member + "_low;");
  }
}

// The bounds go with the task, and the elements with its results, to where they are at the giver.
void transfer_result(const std::string& name, bool is_pack, bool is_in, writer& to) {
  std::string const member = "weft_this->" + name;
  if (is_in) {
    to.add(carried_bounds(is_pack, member));
    if (!is_pack)
      to.add(" if (" + member + "_high < " + member + "_low) return 0; " + member + "_own = __builtin_calloc(1, " +
             range_bytes(member) + " + 1); if (!" + member + "_own) return 0; " + member + " = (__typeof__(" + member + "))" +
             member + "_own - " + member + "_low;");
  } else {
    to.add(carried(is_pack, "(void *)(" + member + " + " + member + "_low)", range_bytes(member)));
  }
}

}  // namespace

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
    }
    size_t lazies = 0;
    for (const share_item& each : items) {
      std::string const member = "weft_this->" + each.variable->name;
      if (is_result_range(each)) {
        transfer_result(each.variable->name, is_pack, is_in, to);
        continue;
      }
      if (each.is_lazy) {
        if (is_in) transfer_lazy(each.variable->name, lazy_field(lazies), is_pack, to);
        lazies++;
        continue;
      }
      bool const is_result = each.kind == share_kind::out || each.kind == share_kind::reduce;
      bool const is_carried = is_in ? each.kind != share_kind::out : is_result;
      if (!is_carried) continue;
      if (each.is_object) {
        to.add(carried(is_pack, "&" + member + "_object", "sizeof " + member + "_object"));
        if (!is_pack) to.add(" " + member + " = &" + member + "_object;");
      } else if (is_range(each)) {
        std::string const bytes = range_bytes(member);
        to.add(carried(is_pack, "&" + member + "_low", "sizeof " + member + "_low") +
               carried(is_pack, "&" + member + "_high", "sizeof " + member + "_high"));
        if (!is_pack)
          to.add(" " + member + " = __builtin_malloc(" + bytes + " + 1); if (!" + member + ") return 0; " + member +
                 " -= " + member + "_low;");
        to.add(carried(is_pack, "(void *)(" + member + " + " + member + "_low)", bytes));
      } else {
        to.add(carried(is_pack, "&" + member, "sizeof " + member));
      }
    }
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
    std::string const member = "weft_this->" + each.variable->name;
    if (is_result_range(each)) to.add(" __builtin_free(" + member + "_own);");
    if (each.is_lazy) to.add(" weft_tascell_return_lazy(&" + lazy_field(lazies++) + ");");
    if (is_range(each)) to.add(" if (" + member + ") __builtin_free((void *)(" + member + " + " + member + "_low));");
  }
  to.add(" }");
  support_.append(to);
  return true;
}

}  // namespace tascell
