// See frames.hpp. Nothing after a call keeps it from becoming a jump but what it does to `keeps`.
#include "frames.hpp"

#include <cstdlib>
#include <cstring>

#ifndef FRAMES_NAMESPACE
#define FRAMES_NAMESPACE without_pointers
#endif

namespace FRAMES_NAMESPACE {

void plain(call_chain* chain) {
  go_on(chain);
  chain->keeps = chain->keeps + 1;
}

void keeps_values(call_chain* chain) {
  const int a = chain->keeps, b = chain->keeps, c = chain->keeps, d = chain->keeps, e = chain->keeps, f = chain->keeps,
            g = chain->keeps;
  go_on(chain);
  chain->keeps = a + 2 * b + 3 * c + 5 * d + 7 * e + 11 * f + 13 * g;
}

void has_array(call_chain* chain) {
  volatile char array[5000];
  array[17] = 1;
  go_on(chain);
  chain->keeps = array[17];
}

void has_variable_array(call_chain* chain) {
  const auto bytes = static_cast<std::size_t>(chain->keeps & 15) * 100 + 100;
  auto* array = static_cast<volatile char*>(__builtin_alloca(bytes));
  array[bytes - 1] = 1;
  go_on(chain);
  chain->keeps = array[bytes - 1];
}

// More than the stack is aligned to, with a size that is not known: gcc finds the caller's frame by
// an expression.
void aligns_its_stack(call_chain* chain) {
  struct alignas(128) wide {
    volatile char bytes[128];
  };
  const auto bytes = static_cast<std::size_t>(chain->keeps & 15) * 100 + 100;
  auto* array = static_cast<volatile char*>(__builtin_alloca(bytes));
  wide local;
  local.bytes[5] = 1;
  array[0] = 1;
  go_on(chain);
  chain->keeps = local.bytes[5] + array[0];
}

// Its tables remember the state before the first way out.
void returns_early(call_chain* chain) {
  if (chain->next == nullptr) return;
  const int a = chain->keeps, b = chain->keeps;
  if (a == b + 1) {
    chain->keeps = 5;
    return;
  }
  go_on(chain);
  chain->keeps = a * b;
}

void calls_itself(call_chain* chain) {
  if (chain->depth == 0) {
    go_on(chain);
  } else {
    --chain->depth;
    calls_itself(chain);
  }
  chain->keeps = chain->keeps + 1;
}

// The call is its last instruction: the return address lies in the next function. ASan, which was
// not told of the switch, takes what does not return for a sign that it may forget the stack.
__attribute__((no_sanitize("address"))) void never_returns(call_chain* chain) {
  struct endless {
    [[noreturn]] __attribute__((noinline, no_sanitize("address"))) static void go(call_chain* inner) {
      go_on(inner);
      std::abort();
    }
  };
  endless::go(chain);
}

}  // namespace FRAMES_NAMESPACE
