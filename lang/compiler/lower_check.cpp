// What the check mode compares: each record's operations name the parts of the workspace that its
// task takes, or its wind changes (weft_tascell_watch). Programs that run without the mode pay
// nothing for it.
#include <algorithm>
#include <set>

#include "lower.hpp"

namespace tascell {

namespace {

bool is_pointer(const symbol& variable) {
  return variable.form == shape::pointer || (variable.form == shape::array && variable.is_parameter);
}

// Whether the blocks go to what the pointer points to, so that its type is complete: p->, p[, *p.
bool is_followed(const std::vector<const node*>& blocks, const symbol& variable) {
  bool result = false;
  for (const node* each : blocks) {
    each_token(each, [&](const pieces& parts, size_t i) {
      if (parts[i].word.bound != &variable || i + 1 >= parts.size()) return;
      result = result || parts[i + 1].is("->") || (parts[i + 1].is("[") && variable.form != shape::plain);
    });
  }
  return result;
}

// Whether a member of it is used, so that it is a struct.
bool has_members(const std::vector<const node*>& blocks, const symbol& variable) {
  bool result = false;
  for (const node* each : blocks) {
    each_token(each, [&](const pieces& parts, size_t i) {
      result = result || (parts[i].word.bound == &variable && i + 1 < parts.size() && parts[i + 1].is("."));
    });
  }
  return result;
}

// Whether only constants and variables that the blocks do not write stand between the brackets from
// open to close, so that the element stays the same.
bool is_steady(const pieces& parts, size_t open, size_t close, const std::vector<const node*>& blocks) {
  for (size_t i = open + 1; i < close; i++) {
    if (!parts[i].is_token()) return false;
    const token& word = parts[i].word;
    bool const is_steady_word = word.is("+") || word.is("-") || word.is("*") || word.kind == token_kind::number ||
                                (word.kind == token_kind::identifier && !word.is_member && word.bound != nullptr &&
                                 word.bound->kind == symbol_kind::variable && word.bound->is_local &&
                                 word.bound->form == shape::plain && !writes(blocks, *word.bound));
    if (!is_steady_word) return false;
  }
  return close > open + 1;
}

bool is_function_pointer(const symbol& variable) {
  return std::ranges::any_of(variable.declarator, [](const piece& each) { return each.is("("); });
}

size_t closing_square(const pieces& parts, size_t open) {
  int depth = 0;
  for (size_t i = open; i < parts.size(); i++) {
    if (parts[i].is("[")) depth++;
    if (parts[i].is("]") && --depth == 0) return i;
  }
  return parts.size();
}

}  // namespace

void lowering::watch_one(const std::string& address, const std::string& bytes, const std::string& shown, const token& place,
                         writer& to) const {
  to.add(" { static const weft_tascell_place weft_place = {" + quoted(of_.from->files[place.file].name) + ", " + quoted(shown) +
         ", " + std::to_string(place.line) + "}; weft_tascell_watch(weft_worker, (const void *)(" + address +
         "), (unsigned long)(" + bytes + "), &weft_place); }");
}

void lowering::watch_object(const std::string& object, const std::string& shown, const token& place, writer& to) const {
  watch_one("&" + object, "sizeof(" + object + ")", shown, place, to);
}

// The elements that the tasks of a construct get from now on.
std::pair<std::string, std::string> lowering::watched_bounds(const node& of, const share_item& item, const context& in) const {
  context last = in;
  std::string const index = "weft_self->weft_index";
  std::string const end = "weft_self->weft_end";
  std::string const newest =
      of.step == nullptr ? "(" + end + " - 1)"
                         : "(" + index + " + (" + end + " - 1 - " + index + ") / weft_self->weft_step * weft_self->weft_step)";
  if (of.index != nullptr) last.names[of.index] = item.high == nullptr ? "(" + end + ")" : newest;
  return {plain_text(item.low->parts, in), plain_text((item.high == nullptr ? item.low : item.high)->parts, last)};
}

// What a task of share (…) gets by value.
void lowering::watch_shares(const node& of, const context& in, writer& to) const {
  for (const share_item& each : shares_of(of)) {
    const symbol& variable = *each.variable;
    std::string const name = name_in(in, variable);
    bool const is_by_address = name.starts_with("(*");
    if (each.is_object) {
      watch_object("(*" + name + ")", "*" + variable.name, variable.place, to);
    } else if (is_result_range(each) && (!each.is_inout || of.kind == node_kind::do_many)) {
      continue;  // the giver writes there, too
    } else if (each.low != nullptr) {
      auto const [low, high] = watched_bounds(of, each, in);
      std::string const has_any = of.index == nullptr ? "" : "weft_self->weft_index < weft_self->weft_end && ";
      to.add(" { long long weft_low = (" + low + "), weft_high = (" + high + "); if (" + has_any + "weft_low < weft_high)");
      watch_one(name + " + weft_low", "(unsigned long)(weft_high - weft_low) * sizeof *" + name, variable.name, variable.place,
                to);
      to.add(" }");
    } else if ((each.kind == share_kind::in || each.kind == share_kind::copy) && is_by_address && !variable.is_atomic) {
      watch_object(name, variable.name, variable.place, to);
    }
  }
}

// What the put of a task in full reads: arrays, structs, and what its pointers point to.
void lowering::watch_put(const node& of, const context& in, writer& to) const {
  for (const symbol* each : free_variables({of.how.put})) {
    std::string const name = name_in(in, *each);
    if (each == of.how.from || each == of.how.to || each == of.index || each->is_atomic) continue;
    if (is_pointer(*each)) {
      bool const is_object = is_followed({of.how.put}, *each) && !is_function_pointer(*each);
      if (is_object) watch_object("(*" + name + ")", "*" + each->name, each->place, to);
    } else if (name.starts_with("(*") && (is_array(*each) || has_members({of.how.put}, *each)) && !writes({of.one}, *each)) {
      watch_object(name, each->name, each->place, to);
    }
  }
}

// What a wind changes: whole variables and objects, and elements whose place stays the same.
void lowering::watch_changes(const node& of, const context& in, writer& to) const {
  std::vector<const node*> const blocks = {of.one, of.three};
  std::set<std::string> told;
  for (const symbol* each : free_variables(blocks)) {
    std::string const name = name_in(in, *each);
    if (each->is_atomic) continue;
    if (is_pointer(*each)) {
      bool const is_object = is_followed(blocks, *each) && !is_function_pointer(*each) && !writes(blocks, *each);
      if (is_object) watch_object("(*" + name + ")", "*" + each->name, each->place, to);
    } else if (name.starts_with("(*")) {
      watch_object(name, each->name, each->place, to);
    }
  }
  for (const node* block : blocks) {
    each_token(block, [&](const pieces& parts, size_t i) {
      const symbol* const used = parts[i].word.bound;
      bool const is_element = used != nullptr && used->kind == symbol_kind::variable && used->is_local && is_pointer(*used) &&
                              !used->is_atomic && i + 1 < parts.size() && parts[i + 1].is("[") && !writes(blocks, *used);
      if (!is_element) return;
      size_t const close = closing_square(parts, i + 1);
      if (close == parts.size() || !is_steady(parts, i + 1, close, blocks)) return;
      pieces const element(parts.begin() + static_cast<std::ptrdiff_t>(i),
                           parts.begin() + static_cast<std::ptrdiff_t>(close + 1));
      if (!told.insert(text_of(element)).second) return;
      watch_object("(" + plain_text(element, in) + ")", text_of(element), parts[i].word, to);
    });
  }
}

// The tokens on one line.
std::string lowering::plain_text(const pieces& parts, const context& in) const {
  std::string result;
  for (size_t i = 0; i < parts.size(); i++) {
    const symbol* const bound = parts[i].is_token() ? parts[i].word.bound : nullptr;
    result += bound == nullptr                     ? text_of({parts[i]})
              : bound->kind == symbol_kind::pseudo ? pseudo(parts, i)
                                                   : name_in(in, *bound);
    result += ' ';
  }
  return result;
}

// Writes NAME_watch, if there is something to name. Returns what the operations have in its place.
std::string lowering::watch_text(const node& of, const context& in, const std::string& name, writer& to) const {
  writer inside(*of_.from);
  if (of.kind == node_kind::wind) {
    watch_changes(of, in, inside);
  } else if (of.how.task != nullptr) {
    watch_put(of, in, inside);
  } else {
    watch_shares(of, in, inside);
  }
  if (inside.text().empty()) return "(void *)0";
  to.go_to(of.how.place);
  to.add(" static void " + name + "_watch(weft_tascell_record *weft_record, weft_tascell_worker *weft_worker) { struct " + name +
         " *weft_self = (struct " + name + " *)weft_record; (void)weft_self;");
  to.add(inside.text());
  to.add(" }");
  return name + "_watch";
}

}  // namespace tascell
