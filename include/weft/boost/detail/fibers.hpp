// boost::fibers and boost::this_fiber: what needs no other form than Weft's.
#pragma once

#include <weft/detail/cxx20.hpp>

#include <weft/boost/detail/channels.hpp>
#include <weft/boost/detail/errors.hpp>
#include <weft/boost/detail/futures.hpp>
#include <weft/boost/detail/mutexes.hpp>
#include <weft/boost/detail/threads.hpp>
#include <weft/boost/detail/values.hpp>
#include <weft/fiber/all.hpp>

namespace boost {
namespace fibers {

// What is declared here by itself hides Weft's.
using namespace weft::fibers;

// What a fiber is to a scheduler. Values may be combined as bits.
enum class type {
  none = 0,
  main_context = 1 << 1,        // an OS thread's own flow of control
  dispatcher_context = 1 << 2,  // never seen here: Weft's idle loop is no fiber
  worker_context = 1 << 3,      // any other fiber
  pinned_context = main_context | dispatcher_context
};
// The bits of both.
constexpr type operator&(type left, type right) noexcept {
  return static_cast<type>(static_cast<int>(left) & static_cast<int>(right));
}
// The bits of either.
constexpr type operator|(type left, type right) noexcept {
  return static_cast<type>(static_cast<int>(left) | static_cast<int>(right));
}
// The bits of one of the two.
constexpr type operator^(type left, type right) noexcept {
  return static_cast<type>(static_cast<int>(left) ^ static_cast<int>(right));
}
// The other bits.
constexpr type operator~(type one) noexcept { return static_cast<type>(~static_cast<int>(one)); }
// Keeps the bits of both.
constexpr type& operator&=(type& left, type right) noexcept { return left = left & right; }
// Adds bits.
constexpr type& operator|=(type& left, type right) noexcept { return left = left | right; }
// Changes bits.
constexpr type& operator^=(type& left, type right) noexcept { return left = left ^ right; }

// A fiber as Boost's schedulers see it. Weft's have no use for it but its id.
class context {
 public:
  // The running fiber.
  static context* active() {
    weft::fibers::detail::use();
    return reinterpret_cast<context*>(weft_self());
  }
  // Its id.
  fiber::id get_id() const noexcept { return fiber::id(weft_thread_id(reinterpret_cast<const weft_thread*>(this))); }
};

}  // namespace fibers
namespace this_fiber {

using namespace weft::this_fiber;

}  // namespace this_fiber
}  // namespace boost
