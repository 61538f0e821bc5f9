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

void lowering::plain_loop(const node& of, const context& in, writer& to) {
  std::string const number = std::to_string(next());
  std::string const end = "weft_end" + number;
  std::string const step = "weft_step" + number;
  std::string const& index = of.index->name;
  to.add(" {");
  if (of.step != nullptr) {
    to.add(" const long long " + step + " = (");
    parts_text(of.step->parts, in, to);
    std::string const where = of_.from->files[of.how.place.file].name + ":" + std::to_string(of.how.place.line);
    to.add("); if (" + step +
           " < 1) { extern int dprintf(int, const char *__restrict, ...); dprintf(2, \"%s: the step of this loop is " +
           "%lld, and must be at least 1: loops go upwards\\n\", " + quoted(where) + ", " + step + "); __builtin_abort(); }");
  }
  to.add(" for (" + type_text(*of.index) + index + " = (");
  parts_text(of.low->parts, in, to);
  to.add("), " + end + " = (");
  parts_text(of.high->parts, in, to);
  to.add("); " + index + " < " + end + "; ");
  if (of.step == nullptr)
    to.add(index + "++)");
  else
    to.add(index + " = (" + type_text(*of.index) + ")((unsigned long long)" + end + " - (unsigned long long)" + index +
           " > (unsigned long long)" + step + " ? " + index + " + " + step + " : " + end + "))");
  statement(*of.one, in, to);
  to.add(" }");
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
    case node_kind::do_many: plain_loop(of, in, to); break;
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
