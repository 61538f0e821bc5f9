// What Weft can call: the concepts that a function of a thread, of a fork or of a task must
// satisfy. The compiler's error names the one that is not satisfied.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <functional>
#include <type_traits>
#include <utility>

namespace weft {

// A function that a child can run (a fork, a task of a group, a part of weft::invoke). It is called
// without arguments.
template <class Function>
concept child_function = requires(Function& function) { std::invoke(function); };

// A function that a weft::thread or weft::async can run, with its arguments. A copy of the function
// is called once, with copies of the arguments.
template <class Function, class... Arguments>
concept thread_function = requires(std::decay_t<Function> function, std::decay_t<Arguments>... arguments) {
  std::invoke(std::move(function), std::move(arguments)...);
};

}  // namespace weft
