// The start and the end of a runtime: settings are read, memory and machine are made known, then
// what watches begins, then the workers; the end goes the same way back. Called by weft_init and
// weft_finalize alone, by one OS thread at a time (capi/runtime.cpp).
#include "life/start.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include <weft/version.h>

#include "base/assert.hpp"
#include "base/config.hpp"
#include "life/adopted.hpp"
#include "life/balance.hpp"
#include "life/blocking.hpp"
#include "life/drain.hpp"
#include "life/drop.hpp"
#include "life/hosts.hpp"
#include "life/second_init.hpp"
#include "life/workers.hpp"
#include "os/cpus.hpp"
#include "os/fence.hpp"
#include "os/heap.hpp"
#include "os/module.hpp"
#include "os/thread.hpp"
#include "os/vm.hpp"
#include "place/source.hpp"
#include "place/wait_for_work.hpp"
#include "run/end.hpp"
#include "run/fork.hpp"
#include "run/resume.hpp"
#include "run/stack_class.hpp"
#include "see/blame.hpp"
#include "see/deadlock.hpp"
#include "see/dump_signal.hpp"
#include "see/lookout.hpp"
#include "see/observers.hpp"
#include "see/overflow.hpp"
#include "see/stats.hpp"
#include "see/tracing.hpp"
#include "see/watchdog.hpp"
#include "see/watermark.hpp"
#include "seeded/turns.hpp"
#include "thread/key.hpp"
#include "thread/thread.hpp"
#include "unit/pool_record.hpp"
#include "worker/extras.hpp"
#include "worker/failure.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/outlived.hpp"
#include "worker/runtime.hpp"
#include "worker/seam.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

constinit base::atomic<bool> has_told_ignored{false};  // once a process

os::guard_kind chosen_guard(os::guard_choice choice) {
  switch (choice) {
    case os::guard_choice::automatic: return os::best_guard_kind();
    case os::guard_choice::marker: return os::guard_kind::marker;
    case os::guard_choice::mprotect: return os::guard_kind::mprotect_page;
    case os::guard_choice::canary: return os::guard_kind::canary;
    case os::guard_choice::none: return os::guard_kind::none;
  }
  return os::guard_kind::none;
}

// A number that the program gives is one that it needs; about policies the environment has the
// first word.
status read_config(runtime* rt, const weft_config* config) {
  if (const status result = read_environment(&rt->settings); result != status::ok) return result;
  os::settings& settings = rt->settings;
  if (settings.ignored != 0 && !has_told_ignored.exchange(true, base::relaxed)) os::report_ignored(settings);
  if (const status result = check_config(config); result != status::ok) return result;
  if (config != nullptr) {
    if (config->workers != 0) settings.workers = config->workers;
    if (config->stack_bytes != 0) settings.stack_bytes = config->stack_bytes;
    rt->has_asked_for_stacks = config->stack_bytes != 0;
    if (!settings.is_given(os::variable::wait_policy)) settings.wait_policy = config->wait_policy;
    if (!settings.is_given(os::variable::locality)) settings.locality = config->locality;
    if (!settings.is_given(os::variable::bind)) settings.bind = config->bind;
    if (config->topology != nullptr && !settings.is_given(os::variable::topology)) settings.topology = config->topology;
    rt->has_adopted_caller = !config->caller_outside;
  }
  // The same on every machine, so that a seed is worth the same.
  if (settings.workers == 0 && settings.schedule != nullptr) settings.workers = usual_virtual_workers;
  if (settings.workers == 0) settings.workers = os::default_worker_count();
  if (settings.workers > most_workers) {
    return refuse_workers(settings.workers);
  }
  if (settings.stack_bytes < WEFT_STACK_MIN) {
    base::report("stack size %zu is too small: at least %u bytes (WEFT_STACK_SIZE, or stack_bytes of weft_config)",
                 settings.stack_bytes, WEFT_STACK_MIN);
    return because(status::invalid, nullptr, "the stack size is %u; at least 16384 (WEFT_STACK_MIN) are needed",
                   settings.stack_bytes);
  }
  return status::ok;
}

void start_memory(runtime* rt) {
  rt->unit_bytes = sizeof(unit) + base::round_up(seam::reserved_bytes() + traced_bytes(rt), base::cache_line);
  const std::size_t stack_bytes = base::round_up(rt->settings.stack_bytes, os::page_bytes());
  rt->lend_bytes = stack_bytes - stack_bytes / 4;
  if (rt->settings.stack_report || rt->stack_sink.tell != nullptr) rt->lend_bytes = PTRDIFF_MAX;  // each unit's use is its own
  constexpr std::size_t mappings_a_guard = 2;                                                     // itself, and what it cuts off
  rt->mapped_guards.start(os::most_mappings() / 2 / mappings_a_guard);
  mem::stack_settings stacks{};
  stacks.stack_bytes = stack_bytes;
  stacks.guard = rt->guard;
  stacks.memory = seam::stack_memory();
  set_kept(rt, &stacks);
  stacks.guards = &rt->mapped_guards;
  stacks.guard_bytes = rt->settings.guard_bytes;
  stacks.address_bytes = address_share();
  stacks.may_shrink = !rt->settings.is_given(os::variable::stack_size) && !rt->has_asked_for_stacks;
  stacks.wide_slots = wide_slots_of(rt);
  rt->unit_depot.start(rt->unit_bytes);
  rt->stack_depot.start(stacks);
  rt->outside_units.start(&rt->unit_depot);
  start_copied(rt);
}

status start_machine(runtime* rt) {
  rt->machine = static_cast<os::topology*>(os::reserve(sizeof(os::topology), os::page_bytes()));
  rt->cpus = static_cast<std::uint16_t*>(os::allocate(2 * os::max_cpus * sizeof(std::uint16_t)));
  if (rt->machine == nullptr || rt->cpus == nullptr) return status::nomem;
  rt->cpu_count = os::allowed_cpus(rt->cpus, os::max_cpus);
  rt->placed_cpus = rt->cpus + os::max_cpus;
  rt->placed_cpu_count = seam::copy_placed_cpus(rt->placed_cpus);
  return os::read_topology(rt->machine, rt->settings.topology);
}

void free_domain_pools(runtime* rt) {
  for (unsigned index = 0; index < rt->domain_count.load(base::relaxed); ++index) {
    pool* const one = rt->domain_pools[index];
    if (one != nullptr) one->servers.clear();
    std::free(one);
  }
}

void free_runtime(runtime* rt) {
  free_workers(rt);
  free_shared_segments(rt);
  free_listeners(rt);
  free_lookout(rt);
  free_looks(rt);
  stop_turns(rt);
  stop_marks(rt);
  stop_trace(rt);
  free_retired_sources(rt);
  free_domain_pools(rt);
  rt->unit_depot.stop();
  stop_copied(rt);
  rt->stack_depot.stop();
  stop_sized_stacks(rt);
  if (rt->machine != nullptr) os::release(rt->machine, sizeof(os::topology));
  std::free(rt->cpus);
  os::release(rt, sizeof(runtime));
}

// Without memory no setting is to blame.
status refuse_setting(status result, const char* cause) {
  return result == status::invalid ? because(result, nullptr, cause) : result;
}

// What the libraries' names end in: until 1.0 each minor version may change the binary interface.
constexpr std::string_view library_names_begin = "libweft.so.";
constexpr std::string_view version = WEFT_VERSION;
constexpr std::string_view own_names_end =
    version.substr(0, version.find('.', WEFT_VERSION_MAJOR == 0 ? version.find('.') + 1 : 0));

std::uint64_t number_at(std::string_view text) {
  std::uint64_t value = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') break;
    value = 10 * value + static_cast<std::uint64_t>(digit - '0');
  }
  return value;
}

// Libraries of two minor versions share no symbol, and so would each have workers, handlers of
// signals, and threads that the other does not know.
status refuse_beside_another_version() {
  os::named_module other;
  if (!os::find_module_beside(library_names_begin, own_names_end, &other)) return status::ok;
  base::report("cannot start version " WEFT_VERSION
               ": %s is loaded in this process, too (file %s); "
               "build the program and all its libraries against one version (ldd says which of them needs it)",
               other.soname, other.file);
  std::string_view others_names_end = other.soname;
  others_names_end.remove_prefix(library_names_begin.size());
  const bool is_before_1_0 = others_names_end.starts_with("0.");
  if (is_before_1_0) others_names_end.remove_prefix(2);
  return because(status::unsupported, nullptr,
                 is_before_1_0 ? "libweft.so.0.%u is loaded, too, beside version " WEFT_VERSION
                               : "libweft.so.%u is loaded, too, beside version " WEFT_VERSION,
                 number_at(others_names_end));
}

status start_all(runtime* rt, const weft_config* config) {
  rt->has_adopted_caller = true;
  if (const status result = refuse_beside_another_version(); result != status::ok) return result;
  if (arch::has_shadow_stack()) {
    base::report(
        "cannot start: this process has shadow stacks (CET), under which stacks cannot be switched; "
        "run it with GLIBC_TUNABLES=glibc.cpu.x86_shstk=off");
    return because(status::unsupported, nullptr, "this process has shadow stacks (CET), under which stacks cannot be switched");
  }
  if (arch::has_split_stack()) {
    base::report(
        "cannot start: this program is compiled with -fsplit-stack, whose functions take stacks of threads for used-up ones; "
        "compile it without: Weft's stacks take memory only where they are touched (WEFT_STACK_SIZE)");
    return because(status::unsupported, nullptr, "this program is compiled with -fsplit-stack");
  }
  if (const status result = read_config(rt, config); result != status::ok) return result;
  // An OS thread that stays outside ends the runtime as the one whose record this is.
  if (!rt->has_adopted_caller && local::this_outside() == nullptr) return status::nomem;
  if (const status result = start_turns(rt); result != status::ok)
    return refuse_setting(result, "WEFT_SCHEDULE cannot be used, and a line on stderr says why");
  rt->counts_errors = starts_to_count_errors();
  rt->is_observed = seam::sink() != nullptr || rt->settings.trace != nullptr || rt->counts_errors;
  rt->is_special =
      rt->is_observed || rt->turns != nullptr || rt->settings.migrate || rt->settings.locality == WEFT_LOCALITY_DOMAIN;
  rt->tells_events.store(rt->is_observed, base::relaxed);
  if (const status result = set_listener(rt, seam::sink(), seam::sink_state()); result != status::ok) return result;
  if (!os::register_asymmetric_fence()) {
    base::report(
        "no membarrier(2) here: Weft needs Linux 4.14 or later, and a seccomp filter, if there is one, that lets it through");
    return because(status::unsupported, nullptr, "the kernel does not let this process call membarrier(2)");
  }
  rt->guard = chosen_guard(rt->settings.guard);
  rt->stack_sink = seam::stack_sink();
  rt->inspects_stacks = rt->settings.stack_report || rt->guard == os::guard_kind::canary || rt->stack_sink.tell != nullptr;
  rt->carried_address = seam::carried_address();
  rt->carried_bytes = seam::carried_bytes();
  rt->next_id.store(first_id(), base::relaxed);
  forget_failures_of_units();
  rt->alarms.clear();
  if (const status result = start_machine(rt); result != status::ok)
    return refuse_setting(result, "the topology cannot be used, and a line on stderr says why");
  start_memory(rt);
  os::read_inheritance(&rt->inherited);
  if (const status result = start_marks(rt); result != status::ok) return result;
  if (const status result = start_trace(rt); result != status::ok) return result;
  install_fault_handlers();
  add_threads_to_error_reports();
  if (const status result = start_workers(rt); result != status::ok) {
    stop_watchdog(rt);
    restore_fault_handlers();
    return result;
  }
  start_fork_stacks(rt);
  start_watchdog(rt);
  start_lookout(rt);
  start_dump_signal(rt);
  return status::ok;
}

// It may have left the OS thread of weft_init, which goes on from here, and waits meanwhile.
void bring_main_home(runtime* rt) {
  set_home(&rt->main_unit, nullptr);
  static_cast<void>(pin(0));
  await_os_thread(rt->main_os_thread_id);
}

// The adopted caller is a thread that ends with its runtime.
void end_main(runtime* rt) {
  note_return();
  details* extra = details_if_any(&rt->main_unit);
  if (extra != nullptr) run_key_destructors(&extra->keys, &extra->key_capacity);
  bring_main_home(rt);
}

// Coroutines that sleep are resumed, and end.
void end_sleeps(runtime* rt) {
  if (!end_awaits(rt)) return;
  while (!are_expiries_over(rt)) let_others_go_on(rt);
  drain(rt);
}

}  // namespace

status start(const weft_config* config, void (*finalize)()) {
  void* memory = os::reserve(sizeof(runtime), os::page_bytes());
  if (memory == nullptr) return status::nomem;
  auto* rt = new (memory) runtime;
  rt->number = local::count_start();
  rt->finalize = finalize;
  const status result = start_all(rt, config);
  if (result != status::ok) free_runtime(rt);
  return result;
}

namespace {

void begin_end(runtime* rt) {
  if (rt->has_adopted_caller) end_main(rt);
  rt->is_draining.store(true, base::relaxed);
  tell_all_watchers(rt);
}

// Afterwards the caller is an OS thread outside, and the last one that knows the runtime.
void stop_all(runtime* rt) {
  stop_dump_signal();
  stop_lookout(rt);
  stop_watchdog(rt);
  print_stats(rt);
  stop_region_guard(rt);
  stop_workers(rt);
  stop_spares(rt);
  stop_watchdog(rt);  // of a worker that was added meanwhile
  restore_fault_handlers();
  print_marks(rt);
  write_trace(rt);
}

}  // namespace

void finish(runtime* rt) {
  begin_end(rt);
  drain_with_adopted(rt);
  end_sleeps(rt);
  stop_all(rt);
  if constexpr (config::checked) check_balance(rt);
  local::set_runtime(nullptr);
  free_details(&rt->main_unit);
  leave_unjoined(rt);
  free_runtime(rt);
}

status finish_dropping(runtime* rt, forget_waits forget) {
  if (const status result = begin_drop(rt); result != status::ok) return result;
  begin_end(rt);
  await_switches(rt);
  stop_all(rt);
  end_awaits(rt);
  dropped_units dropped(rt);
  forget(dropped.waits());
  dropped.leave_all();
  local::set_runtime(nullptr);
  free_details(&rt->main_unit);
  leave_unjoined(rt);
  dropped.end_joins();
  free_runtime(rt);
  return status::ok;
}

}  // namespace weft::sched
