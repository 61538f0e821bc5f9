// Lowering of tasks: their kinds, and the tasks that are written.
#include <algorithm>

#include "lower.hpp"

namespace tascell {

namespace {

constexpr const char* pack_head = "(const weft_tascell_task *weft_task, weft_tascell_bytes *weft_bytes)";
constexpr const char* unpack_head = "(weft_tascell_task *weft_task, weft_tascell_bytes *weft_bytes)";

}  // namespace

std::string kind_parameters(const std::string& type) {
  return "(weft_tascell_task *weft_task, weft_tascell_worker *weft_worker, weft_tascell_record *weft_up) { struct " + type;
}

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
                         const kind_traits& has, writer& to) {
  if (has.transfer) transferable_.push_back(name);
  auto const or_null = [&name](bool is_there, const char* what) { return is_there ? name + what : std::string("(void *)0"); };
  to.add(" static const weft_tascell_kind " + name + "_kind __attribute__((unused)) = {\"" + shown_name + "\", sizeof(struct " +
         type + "), _Alignof(struct " + type + "), " + place_text(place) + ", " + name + "_run, " +
         or_null(has.transfer, "_pack_in") + ", " + or_null(has.transfer, "_unpack_in") + ", " +
         or_null(has.transfer, "_pack_out") + ", " + or_null(has.transfer, "_unpack_out") + ", " +
         or_null(has.destroy, "_destroy") + (has.parts ? ", 1};" : ", 0};"));
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
    kind_text(task.name, task.name, task.place, task.name, {is_transferable, false, false}, to);
    out_.append(to);
  }
}

}  // namespace tascell
