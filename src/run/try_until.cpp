// See try_until.hpp.
#include "run/try_until.hpp"

#include "arch/cpu.hpp"
#include "base/atomic.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/thread.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"

namespace weft::sched {

namespace {

constexpr int busy_rounds = 50;
constexpr int polite_rounds = 200;
constexpr std::uint64_t rest_ns = 50'000;

void begin_wait(outside* record, const char* what) {
  record->waits_for.store(what, base::relaxed);
  record->since_ns.store(os::coarse_ns(), base::relaxed);
  record->waits.store(record->waits.load(base::relaxed) + 1, base::relaxed);
  record->tried_ns.store(1, base::relaxed);  // before all that a look may ask for
  record->is_blocked.store(wait_kind::endless, base::relaxed);
}

void end_wait(outside* record) {
  record->is_blocked.store(wait_kind::none, base::relaxed);
  record->tried_ns.store(0, base::relaxed);
}

void rest(int round) {
  if (round < busy_rounds) return arch::pause();
  if (round < polite_rounds) return os::yield_cpu();
  base::atomic<std::uint32_t> bell{0};  // nothing rings it
  os::futex_wait_until(&bell, 0, os::now_ns() + rest_ns);
}

bool has_succeeded(bool (*attempt)(void* argument), void* argument, outside* record) {
  const std::uint64_t began_ns = os::now_ns();
  if (attempt(argument)) return true;
  if (record != nullptr) record->tried_ns.store(began_ns, base::relaxed);
  return false;
}

}  // namespace

void try_until(bool (*attempt)(void* argument), void* argument, const char* what) {
  outside* record = local::this_outside();
  if (record != nullptr) begin_wait(record, what);
  std::uint64_t look_ns = the_hooks.look_between_attempts(0, attempt, argument).next_ns;
  for (int round = 0; !has_succeeded(attempt, argument, record); ++round) {
    rest(round < polite_rounds ? round : polite_rounds);
    if (record == nullptr || os::now_ns() < look_ns) continue;
    const attempts_look found = the_hooks.look_between_attempts(look_ns, attempt, argument);
    if (found.has_succeeded) break;
    look_ns = found.next_ns;
  }
  if (record != nullptr) end_wait(record);
}

}  // namespace weft::sched
