// Lowering of do_many: its range, its polls, and how the range is divided.
#include "lower.hpp"

namespace tascell {

namespace {

// Whether the statement calls worker functions only inside of constructs.
bool calls_in_constructs_only(const node* of) {
  for (size_t i = 0; i < of->parts.size(); i++) {
    const piece& each = of->parts[i];
    if (each.is_token() && each.word.bound != nullptr && each.word.bound->is_worker) return false;
    bool const is_plain = each.child != nullptr && !is_construct(each.child->kind);
    if (is_plain && !calls_in_constructs_only(each.child)) return false;
    bool const is_throw_or_broadcast =
        each.child != nullptr && (each.child->kind == node_kind::throw_tag || each.child->kind == node_kind::broadcast);
    if (is_throw_or_broadcast && !calls_in_constructs_only(each.child)) return false;
  }
  return true;
}

bool polls_each(const node& of) { return of.how.poll != nullptr || !has_poll_or_call(of.one); }

}  // namespace

// weft_from: the first iteration that is given.
void lowering::range_text(const node& of, const context& in, writer& to) {
  std::string const type = type_text(*of.index);
  std::string const range = "(long long)weft_self->weft_index, (long long)weft_self->weft_end";
  if (of.how.split != nullptr) {
    to.add(" if (!(weft_self->weft_index < weft_self->weft_end)) return (void *)0; " + type + "weft_from = (" + type + ")(");
    parts_text(of.how.split->parts, in, to);
    to.add(")");
    if (of.step != nullptr)
      to.add("; weft_from = (" + type + ")weft_tascell_step_from(" + range + ", weft_self->weft_step, (long long)weft_from);");
    else
      to.add("; if (weft_from <= weft_self->weft_index) weft_from = (" + type + ")(weft_self->weft_index + 1);");
  } else if (of.step != nullptr) {
    to.add(" " + type + "weft_from = (" + type + ")weft_tascell_middle_step(" + range + ", weft_self->weft_step);");
  } else {
    to.add(" " + type + "weft_from = (" + type + ")weft_tascell_middle(" + range + ");");
  }
  to.add(" if (weft_from >= weft_self->weft_end) return (void *)0;");
}

void lowering::loop_value(const std::string& given, const node& written, const context& in, writer& to) {
  if (given.empty()) {
    to.add("(");
    parts_text(written.parts, in, to);
    to.add(");");
  } else {
    to.add(given + ";");
  }
}

// The loop begins with a copy of its first index: a load of what was just stored would delay it.
void lowering::loop_range_text(const node& of, const context& in, const loop_range& given, const loop_names& names, writer& to) {
  std::string const& record = names.record;
  to.add(" " + type_text(*of.index) + names.own("weft_first") + " = ");
  loop_value(given.low, *of.low, in, to);
  to.add(" " + record + ".weft_index = " + names.own("weft_first") + "; " + record + ".weft_end = ");
  loop_value(given.high, *of.high, in, to);
  if (of.step == nullptr) return;
  to.add(" const long long " + names.own("weft_step") + " = ");
  loop_value(given.step, *of.step, in, to);
  to.add(" if (" + names.own("weft_step") + " < 1) { static const weft_tascell_place weft_place = " + place_text(of.how.place) +
         "; weft_tascell_refuse_step(&weft_place, " + names.own("weft_step") + "); } " + record +
         ".weft_step = " + names.own("weft_step") + ";");
}

// poll(n): how many iterations are left until the next one.
void lowering::loop_polls(const node& of, const context& in, const loop_names& names, writer& to) {
  if (of.how.poll == nullptr) return;
  to.add(" unsigned long " + names.own("weft_interval") + " = (unsigned long)(");
  parts_text(of.how.poll->parts, in, to);
  to.add("), " + names.own("weft_left") + " = " + names.own("weft_interval") + ";");
}

void lowering::loop_body(const node& of, context with, const loop_names& names, writer& to) {
  std::string const& index = of.index->name;
  std::string const end = names.record + ".weft_end";
  std::string const next = of.step == nullptr ? index + "++"
                                              : index + " = (" + type_text(*of.index) + ")weft_tascell_next_step((long long)" +
                                                    index + ", (long long)" + end + ", " + names.own("weft_step") + ")";
  to.add(" for (" + type_text(*of.index) + index + " = " + names.own("weft_first") + "; " + index + " < " + end + "; " + next +
         ") {");
  std::string const store = " " + names.record + ".weft_index = " + index + ";";
  bool const stores_late = !polls_each(of) && calls_in_constructs_only(of.one);
  if (stores_late) with.store_index = store;
  if (!stores_late) to.add(store);
  std::string const poll = "weft_tascell_poll_again(weft_worker, " + with.up + ");";
  if (of.how.poll != nullptr) {
    std::string const left = names.own("weft_left");
    to.add(" if (" + left + "-- <= 1) { " + left + " = " + names.own("weft_interval") + "; " + poll + " }");
  } else if (polls_each(of)) {
    to.add(" " + poll);
  }
  statement(*of.one, with, to);
  to.add(" }");
}

void lowering::do_many(const node& of, const context& in, writer& to, const loop_range& given) {
  record_made const made = choice_record(of, in);
  std::string const number = std::to_string(next());
  loop_names const names = {"weft_r" + number, number};
  context with = under(in, made, "&" + names.record + ".weft_choice.record");
  with.above[of.index] = "($->weft_index)";
  to.go_to(of.first);
  to.add(" {" + in.store_index);
  begin_text(names.record, in, "choice", made, to);
  loop_range_text(of, in, given, names, to);
  to.add(" weft_tascell_poll(weft_worker, " + with.up + ");");
  loop_polls(of, in, names, to);
  std::string prologue;
  with.prologue = &prologue;
  size_t const before_loop = to.mark();
  loop_body(of, with, names, to);
  to.insert(before_loop, prologue);
  // All has begun: a request that comes while the worker joins finds nothing to divide.
  std::string const choice = names.record + ".weft_choice";
  to.add(" if (" + choice + ".given) { " + names.record + ".weft_index = " + names.record + ".weft_end; do {");
  join_text(of, in, to, choice);
  to.add(" } while (" + choice + ".given); } }");
}

}  // namespace tascell
