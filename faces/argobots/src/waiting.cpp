#include "waiting.hpp"

#include <sched.h>

#include "runtime.hpp"
#include "unit.hpp"

namespace weft::abt {

namespace {

constexpr int busy_rounds = 50;
constexpr int polite_rounds = 200;
constexpr std::int64_t second_ns = 1'000'000'000;

weft_mutex private_waits_lock = WEFT_MUTEX_UNFAIR_INIT;

// Saturates: programs write "for ever" as the largest time.
std::int64_t in_ns(const timespec& time) {
  std::int64_t seconds_ns;
  std::int64_t sum;
  if (__builtin_mul_overflow(static_cast<std::int64_t>(time.tv_sec), second_ns, &seconds_ns) ||
      __builtin_add_overflow(seconds_ns, static_cast<std::int64_t>(time.tv_nsec), &sum)) {
    return time.tv_sec < 0 ? INT64_MIN : INT64_MAX;
  }
  return sum;
}

}  // namespace

// ---- cancellation ----

bool was_cancelled(weft_thread* self) { return self != nullptr && is_initialized() && has_to_end(fields_of(self)); }

void end_if_cancelled(weft_thread* self) {
  if (was_cancelled(self)) exit_unit(fields_of(self));
}

// ---- mutexes ----

weft_status try_for_a_while(weft_mutex* lock) {
  for (int round = 0; round < polite_rounds; ++round) {
    if (const weft_status result = weft_mutex_try_lock(lock); result != WEFT_BUSY) return result;
    if (round >= busy_rounds) sched_yield();
  }
  return WEFT_BUSY;
}

weft_status lock_by_trying(weft_mutex* lock) {
  struct attempts {
    weft_mutex* lock;
    weft_status result;
  } mine{lock, try_for_a_while(lock)};
  if (mine.result != WEFT_BUSY) return mine.result;
  const auto attempt = [](void* argument) {
    auto* const it = static_cast<attempts*>(argument);
    it->result = weft_mutex_try_lock(it->lock);
    return it->result != WEFT_BUSY;
  };
  const weft_status refused = weft_ext_try_until(attempt, &mine, "mutex");
  return refused == WEFT_OK ? mine.result : refused;
}

// ---- private waits ----

private_waits::access::access() { static_cast<void>(lock_anywhere(&private_waits_lock)); }
private_waits::access::~access() { static_cast<void>(weft_mutex_unlock(&private_waits_lock)); }

void private_waits::add(private_wait* one) {
  private_wait* last = first_.load(std::memory_order_relaxed);
  one->next = nullptr;
  one->is_listed = true;
  if (last == nullptr) return first_.store(one, std::memory_order_relaxed);
  while (last->next != nullptr) last = last->next;
  last->next = one;
}

bool private_waits::remove(private_wait* one) {
  if (!one->is_listed) return false;
  private_wait* before = first_.load(std::memory_order_relaxed);
  if (before == one) {
    first_.store(one->next, std::memory_order_relaxed);
  } else {
    while (before->next != one) before = before->next;
    before->next = one->next;
  }
  one->is_listed = false;
  return true;
}

private_wait* private_waits::take_first() {
  private_wait* const first = first_.load(std::memory_order_relaxed);
  if (first != nullptr) {
    static_cast<void>(remove(first));
    first->next = nullptr;
  }
  return first;
}

private_wait* private_waits::take_all() {
  private_wait* const first = first_.exchange(nullptr, std::memory_order_relaxed);
  for (private_wait* one = first; one != nullptr; one = one->next) one->is_listed = false;
  return first;
}

void wake(private_wait* taken) {
  while (taken != nullptr) {
    private_wait* const next = taken->next;  // it goes with its owner
    static_cast<void>(weft_event_set(&taken->event));
    taken = next;
  }
}

weft_status wait_until(private_waits* list, private_wait* mine, std::uint64_t deadline_ns) {
  const weft_status result = weft_event_wait_until(&mine->event, deadline_ns);
  if (result != WEFT_TIMEOUT) return result;
  {
    const private_waits::access inside;
    if (list->remove(mine)) return WEFT_TIMEOUT;
  }
  return weft_event_wait(&mine->event);  // its taker is about to set it
}

// ---- time ----

std::uint64_t deadline_at(const timespec& realtime) {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const std::int64_t then_ns = in_ns(realtime);
  const std::int64_t now_ns = in_ns(now);
  if (then_ns <= now_ns) return 0;
  return then_ns == INT64_MAX ? WEFT_FOREVER : weft_deadline_in(static_cast<std::uint64_t>(then_ns - now_ns));
}

}  // namespace weft::abt
