// The switch: what it keeps, where a fresh context starts, and that an unwinder finds its way.
#include "arch/context.hpp"

#include <doctest/doctest.h>
#include <unwind.h>

#include <cfenv>
#include <cstdint>
#include <vector>

namespace {

namespace arch = weft::arch;

// Two contexts that know each other: the test's own, and one on a stack of ours.
struct pair {
  alignas(64) unsigned char stack[64 * 1024];
  void* own = nullptr;    // saved while the other runs
  void* other = nullptr;  // saved while the test runs
  void (*body)(pair*) = nullptr;
  std::uintptr_t frame = 0;
  void* transfer = nullptr;

  void* top() { return stack + sizeof stack; }
  void* go(void* what) { return arch::switch_context(&own, other, what); }
  void* come_back(void* what) { return arch::switch_context(&other, own, what); }
};

[[noreturn]] void entry(void* transfer, void* argument) {
  auto* both = static_cast<pair*>(argument);
  both->transfer = transfer;
  both->frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  both->body(both);
  for (;;) both->come_back(nullptr);
}

void start(pair* both, void (*body)(pair*)) {
  both->body = body;
  both->other = arch::make_context(both->top(), entry, both);
}

TEST_CASE("a fresh context gets what is transferred, on its own stack, aligned as a call is") {
  static pair both;
  static int first, second, third;
  start(&both, [](pair* self) { CHECK(self->come_back(&second) == &third); });
  CHECK(both.go(&first) == &second);
  CHECK(both.transfer == &first);
  CHECK(both.frame > reinterpret_cast<std::uintptr_t>(both.stack));
  CHECK(both.frame < reinterpret_cast<std::uintptr_t>(both.top()));
  CHECK(both.frame % 16 == 0);  // the frame pointer's place on x86-64 and the stack pointer on aarch64 alike
  CHECK(both.go(&third) == nullptr);
}

// Enough live values that some are in callee-saved registers and some on the stack.
[[gnu::noinline]] std::uint64_t keep_values(pair* both, std::uint64_t seed, bool outside) {
  std::uint64_t a = seed, b = seed * 3, c = seed * 5, d = seed * 7, e = seed * 11, f = seed * 13, g = seed * 17, h = seed * 19;
  double x = static_cast<double>(seed) * 0.5, y = static_cast<double>(seed) * 0.25;
  for (int round = 0; round < 1000; ++round) {
    if (outside) {
      both->go(nullptr);
    } else {
      both->come_back(nullptr);
    }
    a += b;
    b ^= c;
    c += d;
    d ^= e;
    e += f;
    f ^= g;
    g += h;
    h ^= a;
    x = x * 0.5 + static_cast<double>(a % 16);
    y = y * 0.25 + x;
  }
  return a + b + c + d + e + f + g + h + static_cast<std::uint64_t>(x + y);
}

[[gnu::noinline]] std::uint64_t same_values(std::uint64_t seed) {
  std::uint64_t a = seed, b = seed * 3, c = seed * 5, d = seed * 7, e = seed * 11, f = seed * 13, g = seed * 17, h = seed * 19;
  double x = static_cast<double>(seed) * 0.5, y = static_cast<double>(seed) * 0.25;
  for (int round = 0; round < 1000; ++round) {
    a += b;
    b ^= c;
    c += d;
    d ^= e;
    e += f;
    f ^= g;
    g += h;
    h ^= a;
    x = x * 0.5 + static_cast<double>(a % 16);
    y = y * 0.25 + x;
  }
  return a + b + c + d + e + f + g + h + static_cast<std::uint64_t>(x + y);
}

std::uint64_t kept_on_the_other_side;

TEST_CASE("values live across a switch are kept on both sides") {
  static pair both;
  start(&both, [](pair* self) { kept_on_the_other_side = keep_values(self, 77, false); });
  CHECK(keep_values(&both, 1234567, true) == same_values(1234567));
  both.go(nullptr);
  CHECK(kept_on_the_other_side == same_values(77));
}

TEST_CASE("the FP control words are the OS thread's, unless they are saved and loaded") {
  static pair both;
  start(&both, [](pair*) { std::fesetround(FE_UPWARD); });
  const arch::fp_control before = arch::save_fp_control();
  REQUIRE(std::fegetround() == FE_TONEAREST);
  both.go(nullptr);
  CHECK(std::fegetround() == FE_UPWARD);
  const arch::fp_control upward = arch::save_fp_control();
  arch::load_fp_control(before);
  CHECK(std::fegetround() == FE_TONEAREST);
  arch::load_fp_control(upward);
  CHECK(std::fegetround() == FE_UPWARD);
  std::fesetround(FE_TONEAREST);
}

struct frames {
  std::vector<std::uintptr_t> stack_pointers;
  const pair* within;
  bool left = false;
};

_Unwind_Reason_Code note_frame(_Unwind_Context* context, void* argument) {
  auto* seen = static_cast<frames*>(argument);
  const std::uintptr_t sp = _Unwind_GetCFA(context);
  const auto low = reinterpret_cast<std::uintptr_t>(seen->within->stack);
  if (sp < low || sp > low + sizeof seen->within->stack + 16) seen->left = true;
  seen->stack_pointers.push_back(sp);
  return seen->stack_pointers.size() < 100 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

frames seen_frames;
_Unwind_Reason_Code how_it_ended;

[[gnu::noinline]] void unwind_deeper(pair* self, int depth) {
  if (depth == 0) {
    how_it_ended = _Unwind_Backtrace(note_frame, &seen_frames);
  } else {
    unwind_deeper(self, depth - 1);
  }
  asm volatile("" ::: "memory");  // no tail call
}

TEST_CASE("an unwinder ends at the entry of a context") {
  static pair both;
  seen_frames.within = &both;
  start(&both, [](pair* self) {
    unwind_deeper(self, 5);
    self->come_back(nullptr);
  });
  both.go(nullptr);
  CHECK(how_it_ended == _URC_END_OF_STACK);
  CHECK(seen_frames.stack_pointers.size() >= 7);
  CHECK(seen_frames.stack_pointers.size() < 100);
  CHECK_FALSE(seen_frames.left);  // it does not wander off the stack
}

}  // namespace
