// The plain form: the same program with its constructs left out, for one thread and without the
// runtime. It is what the costs of constructs are measured against.
#include "lower.hpp"

namespace tascell {

bool lowering::is_hidden_parameter(const piece& each) { return each.text.starts_with("weft_tascell_worker *weft_worker"); }

void lowering::plain_external(const external& each) {
  context const outside;
  switch (each.kind) {
    case external_kind::plain: parts_text(each.parts, outside, out_); break;
    case external_kind::function:
      parts_text(each.parts, outside, out_);
      statement(*each.body, outside, out_);
      break;
    case external_kind::task:  // functions may be declared with it
      out_.go_to(each.task->place);
      out_.add("typedef struct " + each.task->name + " {");
      for (const task_field& field : each.task->fields) out_.add(" " + declared_as(*field.what, field.what->name, false) + ";");
      out_.add(" } " + each.task->name + ";");
      break;
    case external_kind::task_block: break;
    case external_kind::worker_data:
      out_.go_to(each.first);
      out_.add("static struct weft_worker_data");
      parts_text(each.parts, outside, out_);
      out_.add(" weft_data;");
      break;
    case external_kind::worker_init:
      out_.go_to(each.first);
      out_.add("static __attribute__((constructor)) void weft_worker_start(void)");
      statement(*each.body, outside, out_);
      break;
  }
}

void lowering::plain_construct(const node& of, const context& in, writer& to) {
  to.go_to(of.first);
  switch (of.kind) {
    case node_kind::do_two:
    case node_kind::wind:
      to.add(" {");
      for (const node* part : {of.one, of.two, of.three})
        if (part != nullptr) statement(*part, in, to);
      to.add(" }");
      break;
    case node_kind::do_many: {
      std::string const end = "weft_end" + std::to_string(next());
      to.add(" for (" + type_text(*of.index) + of.index->name + " = (");
      parts_text(of.low->parts, in, to);
      to.add("), " + end + " = (");
      parts_text(of.high->parts, in, to);
      to.add("); " + of.index->name + " < " + end + "; " + of.index->name + "++)");
      statement(*of.one, in, to);
      break;
    }
    case node_kind::catch_tag:
    case node_kind::throw_tag:
      throw syntax_error({severity::error, "E143",
                          std::string("'") + (of.kind == node_kind::throw_tag ? "throw" : "catch") + "' has no plain form",
                          "compile without --plain", of.first});
    default: to.add(" ;");  // a poll; a broadcast to other nodes
  }
}

std::string lowering::plain_pseudo(std::string_view name) {
  if (name == "WDATA" || name == "worker_data") return "weft_data";
  if (name == "PROBABILITY") return "1.0";
  return "0";  // WORKER_ID, EXITING, BACKTRACKING
}

}  // namespace tascell
