// See ring.hpp.
#include "trace/ring.hpp"

#include "os/vm.hpp"

namespace weft::trace {

bool ring::start(std::size_t bytes) {
  capacity_ = bytes / sizeof(record);
  places_ = static_cast<record*>(os::reserve(capacity_ * sizeof(record), os::page_bytes()));
  return places_ != nullptr;
}

void ring::start_in(void* memory, std::size_t bytes) {
  capacity_ = bytes / sizeof(record);
  places_ = static_cast<record*>(memory);
}

void ring::stop() {
  if (places_ != nullptr) os::release(places_, capacity_ * sizeof(record));
  places_ = nullptr;
}

}  // namespace weft::trace
