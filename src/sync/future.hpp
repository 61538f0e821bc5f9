// A value that is set once and read by many.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "sync/event.hpp"

namespace weft::sync {

class future {
 public:
  bool is_set() const { return is_set_.is_set(); }

  // Errors: busy (it is set, or another is about to set it).
  status set(void* value);

  sched::armed_as await(sched::await_record* one) { return is_set_.await(one); }

  // Errors: cannot_block, timeout.
  status get(std::uint64_t deadline_ns, void** value) {
    const status result = is_set_.wait("future", deadline_ns);
    if (result == status::ok) [[likely]]
      *value = value_;
    return result;
  }

 private:
  event is_set_;
  void* value_ = nullptr;  // of the one that has claimed is_set_, until it is set
};

}  // namespace weft::sync
