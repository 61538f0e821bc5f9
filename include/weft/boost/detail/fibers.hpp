// boost::fibers and boost::this_fiber: what needs no other form than Weft's.
#pragma once

#include <weft/detail/cxx20.hpp>

#include <weft/boost/detail/channels.hpp>
#include <weft/boost/detail/errors.hpp>
#include <weft/boost/detail/futures.hpp>
#include <weft/boost/detail/mutexes.hpp>
#include <weft/fiber/all.hpp>

namespace boost {
namespace fibers {

// What is declared here by itself hides Weft's.
using namespace weft::fibers;

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
