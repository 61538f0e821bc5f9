// See rules.hpp.
#include "unwind/rules.hpp"

#include "unwind/cursor.hpp"

namespace weft::unwind {
namespace {

// DW_CFA_*, DWARF 5, table 7.29. The first three carry their operand in the lower six bits.
namespace operation {
constexpr unsigned advance = 0x40, offset = 0x80, restore = 0xc0;
constexpr unsigned nop = 0x00, set_location = 0x01, advance1 = 0x02, advance2 = 0x03, advance4 = 0x04;
constexpr unsigned offset_extended = 0x05, restore_extended = 0x06, undefined = 0x07, same_value = 0x08, in_register = 0x09;
constexpr unsigned remember = 0x0a, restore_remembered = 0x0b;
constexpr unsigned cfa = 0x0c, cfa_register = 0x0d, cfa_offset = 0x0e, cfa_expression = 0x0f;
constexpr unsigned expression = 0x10, offset_extended_signed = 0x11, cfa_signed = 0x12, cfa_offset_signed = 0x13;
constexpr unsigned value_offset = 0x14, value_offset_signed = 0x15, value_expression = 0x16;
// gcc's and AArch64's
constexpr unsigned toggle_signature = 0x2d, arguments_bytes = 0x2e, negative_offset = 0x2f;
}  // namespace operation

class machine {
 public:
  machine(memory* from, const function_entry& function, std::uintptr_t code, row* out)
      : memory_(from), function_(function), wanted_(code), location_(function.begin), row_(out) {}

  bool run() {
    if (!run(function_.shared)) return false;
    initial_ = *row_;
    return run(function_.own);
  }

  // All rows, up to the function's end.
  bool measure(std::uint64_t stack_pointer, extent* out) {
    stack_pointer_ = stack_pointer;
    extent_ = out;
    const bool is_right = run();
    measure_row();
    return is_right;
  }

 private:
  // Compilers nest no deeper than one.
  static constexpr unsigned most_remembered = 3;

  bool run(const program& which) {
    cursor at(memory_, which.begin, which.end);
    while (!at.is_at_end() && !is_there_) step(&at);
    return !at.has_failed();
  }

  void step(cursor* at) {
    const unsigned code = at->byte();
    const unsigned operand = code & 0x3f;
    switch (code & 0xc0) {
      case operation::advance: return advance(operand);
      case operation::offset: return set(at, operand, rule_kind::saved, unsigned_offset(at));
      case operation::restore: return restore(at, operand);
      default: break;
    }
    if (code >= operation::cfa && code <= operation::cfa_expression) return define_cfa(at, code);
    if (code == operation::cfa_signed || code == operation::cfa_offset_signed) return define_cfa(at, code);
    if (code <= operation::advance4) return go(at, code);
    define_register(at, code);
  }

  // ---- the location ----

  void advance(std::uint64_t units) { go_to(location_ + units * function_.code_factor); }

  void go_to(std::uintptr_t next) {
    measure_row();
    if (next > wanted_) {
      is_there_ = true;
    } else {
      location_ = next;
    }
  }

  void go(cursor* at, unsigned code) {
    switch (code) {
      case operation::nop: return;
      case operation::set_location: return go_to(at->pointer(function_.pointers, 0));
      case operation::advance1: return advance(at->byte());
      case operation::advance2: return advance(at->fixed<std::uint16_t>());
      default: return advance(at->fixed<std::uint32_t>());
    }
  }

  void measure_row() {
    if (extent_ == nullptr) return;
    if (row_->cfa_expression != 0 || row_->cfa_register != stack_pointer_) {
      extent_->is_whole = false;
    } else if (row_->cfa_offset > extent_->bytes) {
      extent_->bytes = row_->cfa_offset;
    }
  }

  // ---- the CFA ----

  void define_cfa(cursor* at, unsigned code) {
    const bool has_register = code == operation::cfa || code == operation::cfa_register || code == operation::cfa_signed;
    if (has_register) row_->cfa_register = at->uleb();
    switch (code) {
      case operation::cfa:
      case operation::cfa_offset: row_->cfa_offset = static_cast<std::int64_t>(at->uleb()); break;
      case operation::cfa_signed:
      case operation::cfa_offset_signed: row_->cfa_offset = at->sleb() * function_.data_factor; break;
      case operation::cfa_expression: row_->cfa_expression = expression(at); return;
      default: break;
    }
    if (has_register) row_->cfa_expression = 0;
  }

  // ---- registers ----

  void define_register(cursor* at, unsigned code) {
    switch (code) {
      case operation::remember: return remember(at);
      case operation::restore_remembered: return restore_remembered(at);
      case operation::arguments_bytes: static_cast<void>(at->uleb()); return;
      case operation::toggle_signature: return;  // signatures are taken off everything: arch::plain_code
      default: break;
    }
    const std::uint64_t which = at->uleb();
    switch (code) {
      case operation::offset_extended: return set(at, which, rule_kind::saved, unsigned_offset(at));
      case operation::offset_extended_signed: return set(at, which, rule_kind::saved, at->sleb() * function_.data_factor);
      case operation::negative_offset: return set(at, which, rule_kind::saved, -unsigned_offset(at));
      case operation::value_offset: return set(at, which, rule_kind::offset, unsigned_offset(at));
      case operation::value_offset_signed: return set(at, which, rule_kind::offset, at->sleb() * function_.data_factor);
      case operation::restore_extended: return restore(at, which);
      case operation::undefined: return set(at, which, rule_kind::undefined, 0);
      case operation::same_value: return set(at, which, rule_kind::same, 0);
      case operation::in_register: return set(at, which, rule_kind::moved, static_cast<std::int64_t>(at->uleb()));
      case operation::expression: return set(at, which, rule_kind::saved_as_told, static_cast<std::int64_t>(expression(at)));
      case operation::value_expression: return set(at, which, rule_kind::as_told, static_cast<std::int64_t>(expression(at)));
      default: at->fail();
    }
  }

  std::int64_t unsigned_offset(cursor* at) const { return static_cast<std::int64_t>(at->uleb()) * function_.data_factor; }

  // Where it stands, with its length before it.
  static std::uintptr_t expression(cursor* at) {
    const std::uintptr_t begin = at->at();
    at->skip(at->uleb());
    return begin;
  }

  // Those of vectors and the like have higher numbers: they are not asked for.
  void set(const cursor* at, std::uint64_t which, rule_kind kind, std::int64_t value) {
    if (which < arch::dwarf::count && !at->has_failed()) row_->rules[which] = {kind, value};
  }

  void restore(const cursor* at, std::uint64_t which) {
    if (which < arch::dwarf::count && !at->has_failed()) row_->rules[which] = initial_.rules[which];
  }

  void remember(cursor* at) {
    if (remembered_count_ == most_remembered) return at->fail();
    remembered_[remembered_count_++] = *row_;
  }

  void restore_remembered(cursor* at) {
    if (remembered_count_ == 0) return at->fail();
    *row_ = remembered_[--remembered_count_];
  }

  memory* memory_;
  const function_entry& function_;
  std::uintptr_t wanted_;
  std::uintptr_t location_;
  bool is_there_ = false;
  extent* extent_ = nullptr;  // null: one row is wanted
  std::uint64_t stack_pointer_ = 0;
  row* row_;
  row initial_;
  unsigned remembered_count_ = 0;
  row remembered_[most_remembered];
};

}  // namespace

bool find_row(memory* from, const function_entry& function, std::uintptr_t code, row* out) {
  *out = {};
  return machine(from, function, code, out).run();
}

bool find_extent(memory* from, const function_entry& function, std::uint64_t stack_pointer, extent* out) {
  *out = {};
  row last;
  return machine(from, function, UINTPTR_MAX, &last).measure(stack_pointer, out);
}

}  // namespace weft::unwind
