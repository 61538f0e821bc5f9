// What runs a kernel's threads. A runtime is started before a variant's body is called and stopped after it, outside the measured time;
// the body is called by whom the runtime wants as its first caller (Weft's adopted main thread).
#pragma once

#include <span>
#include <string_view>

namespace bench {

struct runtime {
  std::string_view name;
  std::string_view title;
  bool is_parallel;                     // can have more than one worker
  unsigned (*start)(unsigned workers);  // 0: as many as the machine offers; returns how many there are. Throws std::runtime_error
  void (*stop)();
};

std::span<const runtime> all_runtimes();
const runtime* find_runtime(std::string_view name);  // null: no such runtime

}  // namespace bench
