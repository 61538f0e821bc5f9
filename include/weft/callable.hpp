// What Weft can call: the concepts that a function of a thread, of a fork or of a task must
// satisfy. The compiler's error names the one that is not satisfied.
#pragma once

#include <weft/detail/cxx20.hpp>

#include <functional>
#include <type_traits>
#include <utility>

namespace weft {

// The function of a child (a fork, a task of a group, a part of weft::invoke): it is called without
// arguments.
template <class Function>
concept child_function = requires(Function& function) { std::invoke(function); };

// The function of a weft::thread or weft::async, with its arguments: a copy of it is called once,
// with copies of them.
template <class Function, class... Arguments>
concept thread_function = requires(std::decay_t<Function> function, std::decay_t<Arguments>... arguments) {
  std::invoke(std::move(function), std::move(arguments)...);
};

}  // namespace weft
