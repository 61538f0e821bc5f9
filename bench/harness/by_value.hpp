// Ways to add up two parts that are values: their functions are trivially copyable, at most 40
// bytes large, hold no addresses, and return what can be added. So forks carry them whole, and on
// ranks they move (docs/guide/ranks.md). A kernel's text over a Way is
// kernels/<kernel>/by_value.hpp.
//
// What a kernel only reads, and no fork has room for, is made before the measured time, by each
// rank for itself.
#pragma once

#include <optional>

#include <weft/fork.hpp>

#include "harness/kernel.hpp"

namespace bench {

struct values_one_by_one {
  template <class First, class Second>
  [[gnu::always_inline]] static auto sum(First first, Second second) noexcept {
    auto const one = first();
    return one + second();
  }
};

struct values_as_forks {
  template <class First, class Second>
  [[gnu::always_inline]] static auto sum(First first, Second second) noexcept {
    auto later = weft::fork(second);
    auto const one = first();
    return one + later.join();
  }
};

// This process's own input of a kernel.
template <class Input>
inline std::optional<Input> own_input;

struct by_value_kernel {
  const kernel* of;
  void (*prepare)(const kernel_input& input);  // by each process; null: there is nothing to be made
  kernel_body run;
};

}  // namespace bench
