// See walk.hpp.
#include "unwind/walk.hpp"

#include "arch/context.hpp"
#include "os/module.hpp"
#include "unwind/expression.hpp"
#include "unwind/rules.hpp"
#include "unwind/tables.hpp"

namespace weft::unwind {
namespace {

using arch::registers;

constexpr std::uintptr_t no_place = 0;  // of a row that was not found

// One frame after the other, outwards.
class walker {
 public:
  walker(memory* from, known_rows* known, const registers& begin, std::uintptr_t code)
      : memory_(from), known_(known), registers_(begin), code_(code) {}

  std::uintptr_t code() const { return code_; }
  bool is_exact() const { return is_exact_; }
  std::uintptr_t stack_pointer() const { return registers_.get(arch::dwarf::stack_pointer); }

  // False: *why tells.
  bool step(ending* why) {
    // A call may be the last thing in its function: then its return address lies behind it.
    const std::uintptr_t inside = is_exact_ ? code_ : code_ - 1;
    found_row* found = known_ != nullptr ? known_->slot(inside) : &own_;
    if (inside != found->inside || inside == no_place) {
      if (!look_up(inside, found, why)) return false;
    }
    *why = ending::unreadable;
    std::uintptr_t cfa;
    return find_cfa(found->rules, &cfa, why) && leave(*found, cfa, why);
  }

 private:
  bool look_up(std::uintptr_t inside, found_row* out, ending* why) {
    out->inside = no_place;
    *why = ending::no_table;
    function_entry function;
    if (!find_module_of(inside) || !find_function(memory_, module_.eh_frame_hdr, inside, &function)) return false;
    *why = ending::unreadable;
    if (!find_row(memory_, function, inside, &out->rules)) return false;
    out->return_register = function.return_register;
    out->is_signal_frame = function.is_signal_frame;
    out->inside = inside;
    return true;
  }

  bool find_module_of(std::uintptr_t inside) {
    return (module_.holds(inside) || os::find_module(inside, &module_)) && module_.eh_frame_hdr != 0;
  }

  bool find_cfa(const row& rules, std::uintptr_t* out, ending* why) const {
    if (rules.cfa_expression != 0) return evaluate(memory_, rules.cfa_expression, registers_, nullptr, out);
    if (rules.cfa_register >= arch::dwarf::count) return false;
    if (!registers_.has(static_cast<unsigned>(rules.cfa_register))) {
      *why = ending::no_register;
      return false;
    }
    *out = registers_.get(static_cast<unsigned>(rules.cfa_register)) + static_cast<std::uintptr_t>(rules.cfa_offset);
    return true;
  }

  // To the caller.
  bool leave(const found_row& function, std::uintptr_t cfa, ending* why) {
    const row& rules = function.rules;
    if (function.return_register >= arch::dwarf::count) return false;
    const auto column = static_cast<unsigned>(function.return_register);
    if (rules.rules[column].kind == rule_kind::undefined) {
      *why = ending::bottom;
      return false;
    }
    const std::uintptr_t here = registers_.get(arch::dwarf::stack_pointer);
    registers caller;
    for (unsigned number = 0; number < arch::dwarf::count; ++number) restore(rules.rules[number], number, cfa, &caller);
    if (!caller.has(column)) {
      const rule_kind how = rules.rules[column].kind;
      if (how == rule_kind::same || how == rule_kind::moved) *why = ending::no_register;
      return false;
    }
    if (rules.rules[arch::dwarf::stack_pointer].kind == rule_kind::same) caller.set(arch::dwarf::stack_pointer, cfa);
    if (!caller.has(arch::dwarf::stack_pointer)) return false;
    // A handler may have run on another stack; elsewhere only a function that was interrupted, or
    // saved nothing, takes no room.
    const bool is_higher = cfa > here || (cfa == here && is_exact_);
    if (!is_higher && !function.is_signal_frame) return false;
    registers_ = caller;
    code_ = arch::plain_code(caller.get(column));
    is_exact_ = function.is_signal_frame;
    if (code_ == 0) *why = ending::bottom;
    return code_ != 0;
  }

  void restore(const rule& how, unsigned number, std::uintptr_t cfa, registers* caller) const {
    std::uintptr_t value = cfa + static_cast<std::uintptr_t>(how.value);
    switch (how.kind) {
      case rule_kind::undefined: return;
      case rule_kind::offset: break;
      case rule_kind::same:
        if (!registers_.has(number)) return;
        value = registers_.get(number);
        break;
      case rule_kind::moved:
        if (how.value < 0 || how.value >= arch::dwarf::count || !registers_.has(static_cast<unsigned>(how.value))) return;
        value = registers_.get(static_cast<unsigned>(how.value));
        break;
      case rule_kind::saved:
        if (!memory_->read(value, &value)) return;
        break;
      case rule_kind::saved_as_told:
      case rule_kind::as_told:
        if (!evaluate(memory_, static_cast<std::uintptr_t>(how.value), registers_, &cfa, &value)) return;
        if (how.kind == rule_kind::saved_as_told && !memory_->read(value, &value)) return;
        break;
    }
    caller->set(number, value);
  }

  memory* memory_;
  known_rows* known_;
  found_row own_;  // when nothing is kept
  registers registers_;
  std::uintptr_t code_;
  bool is_exact_ = true;  // code_ is the next instruction, not the one behind a call
  os::code_module module_;
};

}  // namespace

bool registers_of_context(memory* from, const void* stack_pointer, registers* out, std::uintptr_t* code) {
  namespace layout = arch::layout;
  std::uintptr_t frame[layout::frame_bytes / sizeof(std::uintptr_t)];
  const auto at = reinterpret_cast<std::uintptr_t>(stack_pointer);
  if (!from->read(at, &frame)) return false;
  *code = frame[0];
  out->set(arch::dwarf::entry, frame[layout::entry_slot]);
  out->set(arch::dwarf::argument, frame[layout::argument_slot]);
  out->set(arch::dwarf::stack_pointer, at + layout::frame_bytes);
  return true;
}

void walk(memory* from, known_rows* known, const registers& registers, std::uintptr_t code, backtrace* out) {
  walker at(from, known, registers, code);
  static_assert(most_frames <= 32, "a bit of `exact` for each");
  out->count = 0;
  out->exact = 0;
  do {
    if (out->count == most_frames) {
      out->why = ending::limit;
      return;
    }
    out->exact |= static_cast<std::uint32_t>(at.is_exact()) << out->count;
    out->code[out->count++] = at.code();
  } while (at.step(&out->why));
}

ending walk_all(memory* from, const registers& registers, std::uintptr_t code, bool (*visit)(void* state, const frame& one),
                void* state) {
  walker at(from, nullptr, registers, code);
  ending why = ending::limit;
  do {
    if (!visit(state, {at.code(), at.is_exact(), at.stack_pointer()})) return ending::limit;
  } while (at.step(&why));
  return why;
}

void walk_context(read_function read, known_rows* known, const void* stack_pointer, backtrace* out) {
  memory from(read);
  registers begin;
  std::uintptr_t code;
  *out = {};
  if (!registers_of_context(&from, stack_pointer, &begin, &code)) return;
  walk(&from, known, begin, code, out);
  out->exact &= ~std::uint32_t{1};  // it goes on behind the switch
}

}  // namespace weft::unwind
