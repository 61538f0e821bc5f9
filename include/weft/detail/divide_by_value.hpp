// Loops whose parts are values, for a library whose forks move their forkers to other processes
// (weft_forks_move). Used by the C loops of the core too, hence without the C++ library.
//
// A part carries all that it needs in the bytes of a fork, and its outcome comes back in them. The
// earlier half is the fork's child, which such a library runs at once: one rank alone runs the
// parts in their order, and a thief takes the forker, which goes on with the later and largest
// part. How far a part is divided is said in divide.hpp; a forker that finds itself on another
// rank was stolen.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <bit>
#include <concepts>
#include <cstring>
#include <type_traits>

#include <weft/hot.h>
#include <weft/runtime.h>

namespace weft::detail {

template <class T>
concept fork_value =
    std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T> && alignof(T) <= 16 && sizeof(T) <= WEFT_FORK_BYTES;

// Nothing that a part does may throw.
template <class Part>
concept value_part = fork_value<Part> && fork_value<typename Part::outcome> &&
                     requires(Part part, const Part& look, const typename Part::outcome& one, unsigned parts) {
                       { look.is_divisible() } -> std::same_as<bool>;
                       { part.split() } -> std::same_as<Part>;  // the later half; the part keeps the earlier one
                       part.divide_into(parts);                 // begins anew with the right to so many parts
                       { look.run() } -> std::same_as<typename Part::outcome>;
                       { look.append(one, one) } -> std::same_as<typename Part::outcome>;  // the earlier outcome first
                     };

template <fork_value T>
T read_value(const void* from) noexcept {
  struct {
    unsigned char at[sizeof(T)];
  } bytes;
  std::memcpy(bytes.at, from, sizeof(T));
  return std::bit_cast<T>(bytes);
}

template <value_part Part>
typename Part::outcome divide_by_value(Part part) noexcept;

// A fork's child.
template <value_part Part>
void run_value_part(void* work) noexcept {
  const typename Part::outcome outcome = divide_by_value(read_value<Part>(work));
  std::memcpy(work, &outcome, sizeof outcome);
}

template <value_part Part>
typename Part::outcome divide_in_place(Part part, Part later) noexcept {
  const typename Part::outcome earlier = divide_by_value(part);
  return part.append(earlier, divide_by_value(later));
}

template <value_part Part>
typename Part::outcome divide_by_value(Part part) noexcept {
  if (!part.is_divisible()) return part.run();
  Part later = part.split();
  const int rank = weft_worker_self();
  weft_forked* const forked = weft_fork(run_value_part<Part>, &part, sizeof part);
  if (forked == nullptr) return divide_in_place(part, later);
  if (weft_worker_self() != rank) later.divide_into(2 * weft_worker_count());
  const typename Part::outcome outcome = divide_by_value(later);
  if (weft_fork_take_back(forked)) return part.append(divide_by_value(part), outcome);
  return part.append(read_value<typename Part::outcome>(forked->work), outcome);
}

}  // namespace weft::detail
