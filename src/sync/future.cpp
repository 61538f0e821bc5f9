// See future.hpp.
#include "sync/future.hpp"

namespace weft::sync {

status future::set(void* value) {
  if (!is_set_.claim()) return status::busy;
  value_ = value;
  is_set_.set();
  return status::ok;
}

}  // namespace weft::sync
