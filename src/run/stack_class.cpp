// See stack_class.hpp.
#include "run/stack_class.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "base/align.hpp"
#include "base/assert.hpp"
#include "os/file.hpp"
#include "os/vm.hpp"
#include "worker/seam.hpp"

namespace weft::sched {

namespace {

constexpr std::size_t M = std::size_t{1} << 20;
constexpr std::size_t usual_fork_bytes = 8 * M;
constexpr std::size_t most_class_bytes = 1024 * M;
constexpr std::size_t fork_stacks_wanted = 64;  // in a quarter of RLIMIT_AS, where RLIMIT_STACK leaves the size open
constexpr std::size_t most_fork_stacks = 10'000;
constexpr std::size_t kept_of_idle_bytes = 64 * 1024;  // that an idle stack may hold: mem::trim

// The soft limit; SIZE_MAX: there is none.
template <class Kind>
std::size_t limit_of(Kind kind) {
  rlimit limit;
  if (getrlimit(kind, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
  return limit.rlim_cur;
}

// Where main's stack is as good as unlimited: as large as the address space allows.
std::size_t largest_fork_bytes() {
  const std::size_t share = limit_of(RLIMIT_AS) / 4 / fork_stacks_wanted / M * M;
  if (share > most_class_bytes) return most_class_bytes;
  return share > usual_fork_bytes ? share : usual_fork_bytes;
}

std::size_t usual_bytes_of_forks(const runtime* rt) {
  std::size_t bytes = limit_of(RLIMIT_STACK);
  if (bytes > most_class_bytes) bytes = largest_fork_bytes();
  // An OS thread with a larger stack than the system's may have been adopted.
  const bool is_large = rt->main_bytes > bytes && rt->main_bytes <= most_class_bytes;
  return is_large ? rt->main_bytes : bytes;
}

// A quarter of the memory that there is; where that is little, 512 MiB or a half.
std::size_t usual_cache_bytes() {
  constexpr std::size_t little = 512 * M;
  const std::size_t memory = os::usable_memory_bytes();
  return std::max(memory / 4, std::min(memory / 2, little));
}

// The depot counts a page for each stack, also where an idle one may hold more.
std::size_t large_ones_in(std::size_t cache_bytes) { return cache_bytes / kept_of_idle_bytes * os::page_bytes(); }

std::size_t usual_large_ones() { return large_ones_in(usual_cache_bytes()); }

// A stack's header and colour lie within a page.
std::size_t slot_bytes_for(std::size_t usable_bytes) {
  const std::size_t page = os::page_bytes();
  return base::round_up(usable_bytes, page) + page;
}

void start_depot(runtime* rt, unsigned size_class, std::size_t stack_bytes, std::size_t most) {
  mem::stack_settings settings{};
  settings.stack_bytes = stack_bytes;
  settings.guard = rt->guard;
  settings.size_class = static_cast<std::uint8_t>(size_class);
  set_kept(rt, &settings);
  settings.memory = seam::stack_memory();
  settings.guards = &rt->mapped_guards;
  settings.guard_bytes = rt->settings.guard_bytes;
  settings.address_bytes = address_share();
  settings.most = most;
  settings.wide_slots = wide_slots_of(rt);
  depot_of(rt, size_class)->start(settings);
}

// Where the system counts memory when it is reserved, a large stack is not address space alone.
bool counts_reservations() {
  char mode[8];
  return os::read_text(mode, sizeof mode, "/proc/sys/vm/overcommit_memory") && mode[0] == '2';
}

void tell_small_fork_stacks(runtime* rt, const char* why) {
  if (rt->has_told_of_forks.exchange(true, base::relaxed)) return;
  base::report(
      "warning: forks that another worker takes get stacks of %zu KiB, not of %zu KiB: %s; a deep "
      "recursion may overflow them; raise that limit, or WEFT_STACK_SIZE, or lower "
      "WEFT_FORK_STACK_SIZE",
      rt->settings.stack_bytes / 1024, rt->settings.fork_stack_bytes / 1024, why);
}

// A worker's first look at the stacks of forks.
bool may_have_fork_stacks(runtime* rt) {
  const fork_stacks known = rt->fork_stacks_are.load(base::relaxed);
  if (known != fork_stacks::unknown) return known == fork_stacks::large;
  const bool are_counted = counts_reservations();
  rt->fork_stacks_are.store(are_counted ? fork_stacks::usual : fork_stacks::large, base::relaxed);
  constexpr char why[] = "the system counts reserved memory (vm.overcommit_memory is 2)";
  if (are_counted) tell_small_fork_stacks(rt, why);
  return !are_counted;
}

bool ensure_fork_stack(worker* w) {
  mem::few_stacks_cache& cache = w->sized_stacks[mem::fork_class - 1];
  if (!cache.is_empty()) [[likely]]
    return true;
  if (!may_have_fork_stacks(w->rt)) return false;
  if (cache.ensure_one()) return true;
  tell_small_fork_stacks(w->rt, "no more can be had (10,000 at most, in a quarter of RLIMIT_AS)");
  return false;
}

// Inside stack_sizes_lock. Whether a first stack of the new class can be had is seen at once.
status add_class(runtime* rt, std::size_t stack_bytes, unsigned* out) {
  const unsigned size_class = mem::fork_class + 1 + rt->stack_size_count;
  if (size_class == mem::stack_classes) return status::unsupported;
  start_depot(rt, size_class, stack_bytes, SIZE_MAX);
  mem::stack* first = nullptr;
  if (depot_of(rt, size_class)->take(&first, 1) != 1) {
    depot_of(rt, size_class)->stop();  // the next size begins anew there
    return status::nomem;
  }
  depot_of(rt, size_class)->give(&first, 1);
  ++rt->stack_size_count;
  *out = size_class;
  return status::ok;
}

}  // namespace

// A program that keeps few stacks does not read how much memory there is, which takes a dozen
// files.
void set_kept(const runtime* rt, mem::stack_settings* of) {
  constexpr std::size_t surely_there = 16 * M;
  const bool is_usual = !rt->settings.is_given(os::variable::stack_cache);
  const bool is_large = of->size_class != mem::default_class;
  const std::size_t bytes = is_usual ? surely_there : rt->settings.stack_cache_bytes;
  of->keep_bytes = is_large ? large_ones_in(bytes) : bytes;
  if (is_usual) of->more_keep_bytes = is_large ? usual_large_ones : usual_cache_bytes;
}

std::size_t address_share() {
  const std::size_t limit = limit_of(RLIMIT_AS);
  return limit == SIZE_MAX ? SIZE_MAX : limit / 4;
}

void start_fork_stacks(runtime* rt) {
  std::size_t& bytes = rt->settings.fork_stack_bytes;
  if (!rt->settings.is_given(os::variable::fork_stack_size)) bytes = usual_bytes_of_forks(rt);
  rt->fork_class = bytes > rt->settings.stack_bytes ? mem::fork_class : mem::default_class;
  rt->fork_lend_bytes = rt->lend_bytes;
  if (rt->fork_class == mem::default_class) return;
  const std::size_t slot_bytes = slot_bytes_for(bytes);
  if (rt->lend_bytes != PTRDIFF_MAX) rt->fork_lend_bytes = bytes - bytes / 4;
  const std::size_t guard = mem::guard_bytes(slot_bytes, rt->guard, mem::spread::dense, rt->settings.guard_bytes);
  const std::size_t share = address_share() / (slot_bytes + guard);
  start_depot(rt, mem::fork_class, slot_bytes, share < most_fork_stacks ? share : most_fork_stacks);
}

void stop_sized_stacks(runtime* rt) {
  for (mem::stack_depot& each : rt->sized_stacks) each.stop();
}

unsigned class_of_forks(const runtime* rt, const unit* forker) {
  const unsigned forkers = class_of(forker);
  if (forkers <= mem::fork_class) return rt->fork_class;
  const std::size_t usual = slot_bytes_for(rt->settings.fork_stack_bytes);
  return rt->sized_stacks[forkers - 1].stack_bytes() > usual ? forkers : rt->fork_class;
}

status find_class(runtime* rt, worker* w, std::size_t bytes, unsigned* out) {
  if (w != nullptr && w->asked_stack_bytes == bytes) [[likely]] {
    *out = w->asked_stack_class;
    return status::ok;
  }
  if (bytes > most_class_bytes) return status::unsupported;
  const std::size_t stack_bytes = slot_bytes_for(bytes);
  const queue::guard hold(rt->stack_sizes_lock);
  *out = mem::fork_class;
  const std::size_t whole = base::round_up(bytes, os::page_bytes());
  if (whole == rt->stack_depot.stack_bytes() && rt->stack_depot.keeps_size()) *out = mem::default_class;
  for (unsigned index = 0; *out == mem::fork_class && index < rt->stack_size_count; ++index) {
    const unsigned each = mem::fork_class + 1 + index;
    if (depot_of(rt, each)->stack_bytes() == stack_bytes) *out = each;
  }
  if (*out == mem::fork_class) {
    if (const status result = add_class(rt, stack_bytes, out); result != status::ok) return result;
  }
  if (w == nullptr) return status::ok;
  w->asked_stack_bytes = bytes;
  w->asked_stack_class = *out;
  // At hand where a unit can be entered only if it needs no memory: dispatch.cpp.
  if (*out != mem::default_class) static_cast<void>(w->sized_stacks[*out - 1].ensure_one());
  return status::ok;
}

bool ensure_stack_for(worker* w, const unit* one, unsigned* size_class) {
  *size_class = class_of(one);
  if (*size_class == mem::fork_class) {
    if (ensure_fork_stack(w)) return true;
    *size_class = mem::default_class;
  }
  if (*size_class == mem::default_class) return w->stacks.ensure_one();
  if (w->sized_stacks[*size_class - 1].ensure_one()) return true;
  if (!one->has(is_fork)) return false;
  tell_small_fork_stacks(w->rt, "there is no memory for one as large as its forker's");
  *size_class = mem::default_class;
  return w->stacks.ensure_one();
}

void trim_stacks(worker* w) {
  w->has_run_sized = false;
  const mem::stack* here = w->standing;
  if (here != nullptr && here->size_class != mem::default_class) mem::trim(here);
  for (mem::few_stacks_cache& each : w->sized_stacks) each.trim();
}

void empty_stack_caches(worker* w) {
  w->stacks.stop();
  for (mem::few_stacks_cache& each : w->sized_stacks) each.stop();
}

}  // namespace weft::sched
