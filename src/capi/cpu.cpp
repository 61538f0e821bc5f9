// ext_cpu.h: what the machine has, and which of it the workers are placed on.
#include <weft/ext_cpu.h>

#include "capi/failing.hpp"
#include "life/second_init.hpp"
#include "os/cpus.hpp"
#include "os/topology.hpp"
#include "os/vm.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/seam.hpp"

using namespace weft::capi;
namespace sched = weft::sched;
namespace os = weft::os;
using weft::status;

namespace {

constexpr char no_machine[] = "the topology of WEFT_TOPOLOGY cannot be used, and a line on stderr says why";

// The machine of the runtime, or the one that it would start on.
class machine_now {
 public:
  machine_now() {
    const sched::runtime* const rt = sched::local::current_runtime();
    if (rt == nullptr) {
      read();
      return;
    }
    machine_ = rt->machine;
    for (unsigned i = 0; i < rt->cpu_count; ++i) mask_[i] = rt->cpus[i];
    mask_count_ = rt->cpu_count;
  }
  ~machine_now() {
    if (read_ != nullptr) os::release(read_, sizeof(os::topology));
  }
  machine_now(const machine_now&) = delete;
  machine_now& operator=(const machine_now&) = delete;

  status state() const { return state_; }
  const os::topology& machine() const { return *machine_; }

  bool has(unsigned cpu) const {
    if (cpu >= os::max_cpus || !machine_->cpus[cpu].present) return false;
    if (machine_->source == os::topology_source::synthetic) return true;
    for (unsigned i = 0; i < mask_count_; ++i)
      if (mask_[i] == cpu) return true;
    return false;
  }

 private:
  void read() {
    os::settings settings;
    state_ = sched::read_environment(&settings);
    if (state_ != status::ok) return;
    machine_ = read_ = static_cast<os::topology*>(os::reserve(sizeof(os::topology), os::page_bytes()));
    state_ = read_ != nullptr ? os::read_topology(read_, settings.topology) : status::nomem;
    mask_count_ = os::allowed_cpus(mask_, os::max_cpus);
  }

  status state_ = status::ok;
  const os::topology* machine_ = nullptr;
  os::topology* read_ = nullptr;
  std::uint16_t mask_[os::max_cpus];
  unsigned mask_count_ = 0;
};

weft_ext_cpu describe(const os::topology& machine, unsigned cpu) {
  const auto in = [&](os::level at) { return unsigned{machine.group(cpu, at)}; };
  weft_ext_cpu found{cpu, in(os::level::core), in(os::level::cache), in(os::level::numa), in(os::level::package), {}};
  static_assert(sizeof found.around / sizeof *found.around == os::level_count);
  for (unsigned i = 0; i < os::level_count; ++i) found.around[i] = in(machine.by_nearness[i]);
  return found;
}

weft_status refuse_machine(status why, const call_errors& of) {
  if (why != status::invalid) return told(why, of);
  return weft::fail(WEFT_UNSUPPORTED, of.call, nullptr, no_machine);
}

}  // namespace

extern "C" {

weft_status weft_ext_cpus(weft_ext_cpu* out, unsigned capacity, unsigned* count) {
  static constexpr call_errors of{.call = "weft_ext_cpus", .argument = "count"};
  if (count == nullptr) return refuse_null(of);
  if (out == nullptr && capacity != 0) return weft::fail_on_null(of.call, "out");
  const machine_now now;
  if (now.state() != status::ok) return refuse_machine(now.state(), of);
  *count = 0;
  for (unsigned cpu = 0; cpu < os::max_cpus; ++cpu) {
    if (!now.has(cpu)) continue;
    if (*count < capacity) out[*count] = describe(now.machine(), cpu);
    ++*count;
  }
  return WEFT_OK;
}

weft_status weft_ext_worker_cpu(unsigned worker, weft_ext_cpu* out) {
  static constexpr call_errors of{.call = "weft_ext_worker_cpu", .argument = "out"};
  if (out == nullptr) return refuse_null(of);
  const sched::runtime* const rt = sched::local::current_runtime();
  if (rt == nullptr) return told(WEFT_NOT_INITIALIZED, of);
  if (worker >= sched::most_workers) return weft::fail(WEFT_INVALID, of.call, "worker", no_such_worker, nullptr, worker);
  *out = describe(*rt->machine, sched::cpu_of(rt, worker));
  return WEFT_OK;
}

weft_status weft_ext_place_workers(const unsigned* cpus, unsigned count) {
  static constexpr call_errors of{.call = "weft_ext_place_workers", .argument = "cpus"};
  if (count != 0 && cpus == nullptr) return refuse_null(of);
  if (count > os::max_cpus)
    return weft::fail(WEFT_INVALID, of.call, "count", "%u are more than the 1024 that are possible", nullptr, count);
  if (count != 0 && sched::local::current_runtime() != nullptr)
    return weft::fail(WEFT_BUSY, of.call, nullptr, "the runtime runs, and this is possible before weft_init alone");
  std::uint16_t numbers[os::max_cpus];
  if (count != 0) {
    const machine_now now;
    if (now.state() != status::ok) return refuse_machine(now.state(), of);
    for (unsigned i = 0; i < count; ++i) {
      if (!now.has(cpus[i]))
        return weft::fail(WEFT_INVALID, of.call, of.argument, "%u is no CPU that the process may use (weft_ext_cpus)", nullptr,
                          cpus[i]);
      numbers[i] = static_cast<std::uint16_t>(cpus[i]);
    }
  }
  sched::seam::place_workers(numbers, count);
  return WEFT_OK;
}

}  // extern "C"
