// See clock.hpp.
#include "trace/clock.hpp"

#include <cstring>

#include "os/file.hpp"

namespace weft::trace {

namespace {

// A counter that the kernel found unsteady is not on its list of clock sources.
bool kernel_trusts_cycles() {
  char sources[256];
  if (!os::read_text(sources, sizeof sources, "/sys/devices/system/clocksource/clocksource0/available_clocksource")) return false;
  return std::strstr(sources, "tsc") != nullptr || std::strstr(sources, "arch_sys_counter") != nullptr;
}

}  // namespace

void clock::start() {
  uses_cycles_ = kernel_trusts_cycles();
  first_ns_ = os::now_ns();
  first_stamp_ = stamp();
}

void clock::calibrate() {
  const std::uint64_t steps = stamp() - first_stamp_, ns = os::now_ns() - first_ns_;
  ns_a_step_ = uses_cycles_ && steps != 0 ? static_cast<double>(ns) / static_cast<double>(steps) : 1;
}

}  // namespace weft::trace
