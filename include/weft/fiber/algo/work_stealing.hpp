// weft::fibers::algo::work_stealing: several workers run the fibers and steal from each other.
//
//   weft::fibers::use_scheduling_algorithm<weft::fibers::algo::work_stealing>(4);
//
// Boost.Fiber wants this call from as many OS threads as there are to be workers. Here main's call
// starts the workers, and the other OS threads may be there or not: their calls return once the
// workers run, and a fiber's mutex, condition_variable and future may be waited for on them. If as
// many others call and main does not, the last of them starts the workers. Asked
// for again with more workers, it adds them; it never takes workers away. In a program with a
// weft::runtime of its own it does nothing: the runtime's workers steal.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <concepts>
#include <cstdint>

#include <weft/fiber/detail/library.hpp>

namespace weft::fibers::algo {

class work_stealing {
 public:
  // workers: how many in all, main's OS thread included. suspend: in Boost whether idle workers
  // sleep; Weft's do (WEFT_WAIT_POLICY).
  template <std::integral Count>
  explicit work_stealing(Count workers, bool suspend = false) noexcept : workers_(static_cast<std::uint32_t>(workers)) {
    static_cast<void>(suspend);
  }

  // For use_scheduling_algorithm. Throws weft::error: invalid (0 workers, or more than 1024), again
  // (no OS thread could be had), no_memory, unsupported (on the last of so many OS threads, none of
  // which is main's, if there were fibers before; or an algorithm of the program's is in use). May
  // switch. Callable from a fiber or an OS thread.
  void weft_use() const {
    if (workers_ == 0) throw error(WEFT_INVALID, "weft::fibers::algo::work_stealing: at least 1 worker");
    if (detail::is(detail::stage::unused) && weft_is_initialized()) return;
    if (detail::is(detail::stage::by_algorithm)) {
      throw error(WEFT_UNSUPPORTED,
                  "weft::fibers::algo::work_stealing: another algorithm orders fibers already; ask for work stealing before it");
    }
    if (detail::is(detail::stage::in_order) && detail::is_main_os_thread()) detail::use();
    const bool is_others = detail::own_queue != nullptr && !detail::is_main_os_thread();
    if ((weft_self() != nullptr && !is_others) || (detail::is(detail::stage::unused) && detail::is_main_os_thread())) {
      detail::steal_with(workers_);
    } else {
      detail::wait_for_stealing(workers_);
    }
  }

 private:
  std::uint32_t workers_;
};

}  // namespace weft::fibers::algo
