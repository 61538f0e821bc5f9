// See expression.hpp.
#include "unwind/expression.hpp"

#include "unwind/cursor.hpp"

namespace weft::unwind {
namespace {

// DW_OP_*, DWARF 5, table 7.9.
namespace operation {
constexpr unsigned dereference = 0x06;
constexpr unsigned constant1u = 0x08, constant1s = 0x09, constant2u = 0x0a, constant2s = 0x0b, constant4u = 0x0c,
                   constant4s = 0x0d;
constexpr unsigned constant8u = 0x0e, constant8s = 0x0f, constant_u = 0x10, constant_s = 0x11;
constexpr unsigned duplicate = 0x12, drop = 0x13, swap = 0x16;
constexpr unsigned bit_and = 0x1a, minus = 0x1c, bit_or = 0x21, plus = 0x22, plus_constant = 0x23, shift_left = 0x24,
                   shift_right = 0x25;
constexpr unsigned equal = 0x29, at_least = 0x2a, above = 0x2b, at_most = 0x2c, below = 0x2d, unequal = 0x2e;
constexpr unsigned literal0 = 0x30, literal31 = 0x4f, base_register0 = 0x70, base_register31 = 0x8f, base_register = 0x92;
constexpr unsigned nop = 0x96;
}  // namespace operation

class machine {
 public:
  machine(memory* from, const arch::registers& registers, cursor* at) : memory_(from), registers_(registers), at_(at) {}

  void push(std::uintptr_t value) {
    if (depth_ == most_values) return at_->fail();
    values_[depth_++] = value;
  }

  std::uintptr_t pop() {
    if (depth_ != 0) return values_[--depth_];
    at_->fail();
    return 0;
  }

  void step() {
    const unsigned code = at_->byte();
    if (code >= operation::literal0 && code <= operation::literal31) return push(code - operation::literal0);
    if (code >= operation::base_register0 && code <= operation::base_register31) {
      return push_register(code - operation::base_register0);
    }
    if (code >= operation::constant1u && code <= operation::constant_s) return push_constant(code);
    if (code >= operation::bit_and && code <= operation::unequal && code != operation::plus_constant) return combine(code);
    change_top(code);
  }

 private:
  static constexpr unsigned most_values = 16;

  void push_register(std::uint64_t which) {
    const std::int64_t offset = at_->sleb();
    if (which >= arch::dwarf::count || !registers_.has(static_cast<unsigned>(which))) return at_->fail();
    push(registers_.get(static_cast<unsigned>(which)) + static_cast<std::uintptr_t>(offset));
  }

  void push_constant(unsigned code) {
    switch (code) {
      case operation::constant1u: return push(at_->byte());
      case operation::constant1s: return push(static_cast<std::uintptr_t>(at_->fixed<std::int8_t>()));
      case operation::constant2u: return push(at_->fixed<std::uint16_t>());
      case operation::constant2s: return push(static_cast<std::uintptr_t>(at_->fixed<std::int16_t>()));
      case operation::constant4u: return push(at_->fixed<std::uint32_t>());
      case operation::constant4s: return push(static_cast<std::uintptr_t>(at_->fixed<std::int32_t>()));
      case operation::constant8u:
      case operation::constant8s: return push(at_->fixed<std::uint64_t>());
      case operation::constant_u: return push(at_->uleb());
      default: return push(static_cast<std::uintptr_t>(at_->sleb()));
    }
  }

  // Comparisons are of signed values.
  void combine(unsigned code) {
    const std::uintptr_t right = pop();
    const std::uintptr_t left = pop();
    const auto compared = static_cast<std::intptr_t>(left);
    const auto with = static_cast<std::intptr_t>(right);
    constexpr unsigned bits = 8 * sizeof left;
    switch (code) {
      case operation::bit_and: return push(left & right);
      case operation::bit_or: return push(left | right);
      case operation::plus: return push(left + right);
      case operation::minus: return push(left - right);
      case operation::shift_left: return push(right < bits ? left << right : 0);
      case operation::shift_right: return push(right < bits ? left >> right : 0);
      case operation::equal: return push(left == right);
      case operation::unequal: return push(left != right);
      case operation::at_least: return push(compared >= with);
      case operation::above: return push(compared > with);
      case operation::at_most: return push(compared <= with);
      case operation::below: return push(compared < with);
      default: at_->fail();
    }
  }

  void change_top(unsigned code) {
    switch (code) {
      case operation::nop: return;
      case operation::base_register: return push_register(at_->uleb());
      case operation::drop: static_cast<void>(pop()); return;
      default: break;
    }
    const std::uintptr_t top = pop();
    switch (code) {
      case operation::duplicate: push(top); return push(top);
      case operation::plus_constant: return push(top + at_->uleb());
      case operation::dereference: return dereference(top);
      case operation::swap: return swap(top);
      default: at_->fail();
    }
  }

  void dereference(std::uintptr_t from) {
    std::uintptr_t value = 0;
    if (!memory_->read(from, &value)) at_->fail();
    push(value);
  }

  void swap(std::uintptr_t top) {
    const std::uintptr_t below = pop();
    push(top);
    push(below);
  }

  memory* memory_;
  const arch::registers& registers_;
  cursor* at_;
  unsigned depth_ = 0;
  std::uintptr_t values_[most_values];
};

}  // namespace

bool evaluate(memory* from, std::uintptr_t at, const arch::registers& registers, const std::uintptr_t* first,
              std::uintptr_t* out) {
  cursor head(from, at, UINTPTR_MAX);
  const std::uint64_t bytes = head.uleb();
  cursor body(from, head.at(), head.at() + bytes);
  machine run(from, registers, &body);
  if (head.has_failed() || bytes > UINT16_MAX) return false;
  if (first != nullptr) run.push(*first);
  while (!body.is_at_end()) run.step();  // no operation goes back: it ends
  *out = run.pop();
  return !body.has_failed();
}

}  // namespace weft::unwind
