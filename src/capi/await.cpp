// await.h and word.h: checks arguments, lays records out in the caller's memory, calls src/sync.
#include <weft/await.h>
#include <weft/polled.h>
#include <weft/word.h>

#include <new>

#include "capi/failing.hpp"
#include "capi/handles.hpp"
#include "capi/points.hpp"
#include "run/awaiter.hpp"
#include "sync/await.hpp"
#include "sync/word.hpp"
#include "worker/local.hpp"

using namespace weft::capi;
namespace sched = weft::sched;

namespace {

namespace sync = weft::sync;  // not the function of the C library

// What lies in the opaque words of an awaiter.
struct inside {
  sched::awaiter core;
  alignas(sched::await_record) unsigned char own[sizeof(sched::await_record)];  // of one that waits at one object
};
static_assert(sizeof(inside) <= sizeof weft_awaiter::opaque && alignof(inside) <= alignof(weft_awaiter));
static_assert(sizeof(sched::await_record) <= sizeof weft_await_case::opaque);
// await.h: the first word is 0 before an awaiter is armed first.
static_assert(offsetof(inside, core) == 0 && offsetof(sched::awaiter, state) == 0 && sched::unarmed == 0);
static_assert(int{WEFT_AWAIT_POLLED} + 1 == sync::await_kinds);

inside* inside_of(weft_awaiter* one) { return reinterpret_cast<inside*>(one->opaque); }

weft_awaiter* around(sched::awaiter* core) {
  return reinterpret_cast<weft_awaiter*>(reinterpret_cast<char*>(core) - offsetof(weft_awaiter, opaque));
}

// What the winner gives.
void read_winner(weft_awaiter* one, size_t count) {
  const sched::await_record* winner = inside_of(one)->core.winner;
  one->winner = winner != nullptr ? winner->number : count;
  if (winner != nullptr) one->value = winner->value;
}

// The number of the record of an awaiter that was given no case at all.
constexpr unsigned no_case = ~0u;

size_t count_of(const sched::awaiter* core) {
  size_t count = 0;
  for (const sched::await_record* each = core->records; each != nullptr; each = each->following) {
    if (each->number != no_case) ++count;
  }
  return count;
}

void call_ready(sched::awaiter* core, weft::status result) {
  weft_awaiter* const one = around(core);
  read_winner(one, core->winner != nullptr ? 0 : count_of(core));
  one->ready(one, code(result));
}

// bytes: a power of two.
bool is_aligned(const void* word, size_t bytes) { return (reinterpret_cast<uintptr_t>(word) & (bytes - 1)) == 0; }

// What the address of each kind's object is a multiple of; 0: there is no object.
constexpr unsigned char alignments[] = {0, 1, 1, 1, 1, 1, 1, 8, 8, 8, 1, 1, 1, 4, 8, 8, 1, 1, 1, 1, 1};
static_assert(sizeof alignments == sync::await_kinds && alignments[WEFT_AWAIT_FEB_READ] == 8 &&
              alignments[WEFT_AWAIT_FEB_WRITE] == 8 && alignments[WEFT_AWAIT_FEB_OVERWRITE] == 8 &&
              alignments[WEFT_AWAIT_WORD_4] == 4 && alignments[WEFT_AWAIT_WORD_8] == 8);

bool is_valid(const void* object, weft_await_kind kind) {
  if (static_cast<unsigned>(kind) >= sync::await_kinds) return false;
  const size_t alignment = alignments[kind];
  if (alignment != 0 && (object == nullptr || !is_aligned(object, alignment))) return false;
  return kind != WEFT_AWAIT_POLLED || static_cast<const weft_polled*>(object)->is_done != nullptr;
}

sched::await_record* lay_out(void* memory, sched::awaiter* whose, const void* object, uint64_t value, size_t number) {
  auto* const one = new (memory) sched::await_record(whose, object);
  one->value = value;
  one->number = static_cast<unsigned>(number);
  return one;
}

// Of the cases, or of the awaiter's own one.
weft_status arm(weft_awaiter* awaiter, const weft_await_case* cases, size_t count, const weft_await_kind* kind_of_own,
                bool* waits) {
  if (awaiter->deadline_ns != WEFT_FOREVER && sched::local::current_runtime() == nullptr) return no_runtime();
  sched::awaiter* const core = &inside_of(awaiter)->core;
  core->call = call_ready;
  const auto kind_of = [&](const sched::await_record* one) {
    return static_cast<sync::await_kind>(kind_of_own != nullptr ? *kind_of_own : cases[one->number].kind);
  };
  bool is_waiting = false;
  const weft::status result = sync::arm_all(core, kind_of, awaiter->deadline_ns, &is_waiting);
  if (is_waiting) {
    *waits = true;  // the awaiter may be gone
    return WEFT_OK;
  }
  if (result != weft::status::ok) {
    if (result == weft::status::timeout || result == weft::status::ended) awaiter->winner = count;
    return code(result);
  }
  read_winner(awaiter, count);
  *waits = false;
  return WEFT_OK;
}

// As arm, of one that waits at one object, without a deadline, and not for a thread.
weft_status arm_alone(weft_awaiter* awaiter, weft_await_kind kind, bool* waits) {
  sched::awaiter* const core = &inside_of(awaiter)->core;
  core->call = call_ready;
  bool is_waiting;
  const weft::status result = sync::arm_alone(core, static_cast<sync::await_kind>(kind), &is_waiting);
  if (result != weft::status::ok) return code(result);
  if (!is_waiting) read_winner(awaiter, 1);  // otherwise the awaiter may be gone
  *waits = is_waiting;
  return WEFT_OK;
}

constexpr call_errors awaiting{
    .call = "weft_ext_await", .argument = "awaiter", .busy = {"object", "another caller joins the thread"}};
constexpr call_errors awaiting_any{
    .call = "weft_ext_await_any", .argument = "awaiter", .busy = {"cases", "another caller joins the thread of a case"}};

weft_status refusal_of(const call_errors& of, weft_awaiter* awaiter, const bool* waits) {
  if (!pass_point()) return told(WEFT_UNSUPPORTED, of);
  if (awaiter == nullptr) return refuse_null(of);
  if (awaiter->ready == nullptr) return weft::fail(WEFT_INVALID, of.call, of.argument, "its ready is null", awaiter);
  if (waits == nullptr) return weft::fail_on_null(of.call, "waits");
  if (!sched::is_armed(&inside_of(awaiter)->core)) return WEFT_OK;
  if constexpr (weft::config::checked) {
    weft::base::panic("awaiter %p is armed twice: its ready has not come, and it was not cancelled", static_cast<void*>(awaiter));
  }
  return weft::fail(WEFT_BUSY, of.call, of.argument, "it is armed already", awaiter);
}

// name: of the argument that they are, or are in.
[[gnu::cold, gnu::noinline]] weft_status refuse_object(const call_errors& of, const char* name, const void* object,
                                                       weft_await_kind kind) {
  if (static_cast<unsigned>(kind) >= sync::await_kinds)
    return weft::fail(WEFT_INVALID, of.call, name, "kind %d is not a value of weft_await_kind", nullptr,
                      static_cast<uint64_t>(kind));
  if (object == nullptr) return weft::fail_on_null(of.call, name);
  if (kind == WEFT_AWAIT_POLLED) return weft::fail(WEFT_INVALID, of.call, name, "its is_done is null", object);
  return weft::fail(WEFT_INVALID, of.call, name, "the address of the word is not a multiple of %u", object, alignments[kind]);
}

weft_status refusal_of(const call_errors& of, const char* name, void* object, weft_await_kind kind) {
  if (!is_valid(object, kind)) return refuse_object(of, name, object, kind);
  if (kind != WEFT_AWAIT_THREAD) return WEFT_OK;
  if (sched::local::current_runtime() == nullptr) return no_runtime(of);
  static_cast<void>(live_unit(static_cast<weft_thread*>(object), "weft_ext_await"));
  return WEFT_OK;
}

[[gnu::cold, gnu::noinline]] weft_status refuse_word(const call_errors& of, const void* word, size_t size) {
  if (word == nullptr) return refuse_null(of);
  if (size != 4 && size != 8) return weft::fail(WEFT_INVALID, of.call, "size", "it is %u; 4 and 8 are possible", nullptr, size);
  return weft::fail(WEFT_INVALID, of.call, of.argument, "its address is not a multiple of size, %u", word, size);
}

bool is_word(const void* word, size_t size) { return word != nullptr && (size == 4 || size == 8) && is_aligned(word, size); }

}  // namespace

weft_status weft_ext_await(weft_awaiter* awaiter, void* object, weft_await_kind kind, bool* waits) {
  constexpr const call_errors& of = awaiting;
  if (const weft_status problem = refusal_of(of, awaiter, waits); problem != WEFT_OK) return problem;
  if (const weft_status problem = refusal_of(of, "object", object, kind); problem != WEFT_OK) return problem;
  inside* const mine = inside_of(awaiter);
  mine->core.records = lay_out(mine->own, &mine->core, object, awaiter->value, 0);
  if (awaiter->deadline_ns == WEFT_FOREVER && kind != WEFT_AWAIT_THREAD) [[likely]]
    return told(arm_alone(awaiter, kind, waits), of, awaiter);
  return told(arm(awaiter, nullptr, 1, &kind, waits), of, awaiter);
}

weft_status weft_ext_await_any(weft_awaiter* awaiter, weft_await_case* cases, size_t count, bool* waits) {
  constexpr const call_errors& of = awaiting_any;
  if (const weft_status problem = refusal_of(of, awaiter, waits); problem != WEFT_OK) return problem;
  if (cases == nullptr && count != 0)
    return weft::fail(WEFT_INVALID, of.call, "cases", "it is null, and count is %u", nullptr, count);
  for (size_t each = 0; each < count; ++each) {
    const weft_status problem = refusal_of(of, "cases", cases[each].object, cases[each].kind);
    if (problem != WEFT_OK) return problem;
  }
  inside* const mine = inside_of(awaiter);
  sched::awaiter* const core = &mine->core;
  if (count == 0) {
    constexpr weft_await_kind nothing = WEFT_AWAIT_DEADLINE;
    core->records = lay_out(mine->own, core, nullptr, awaiter->value, no_case);
    return told(arm(awaiter, nullptr, 0, &nothing, waits), of, awaiter);
  }
  sched::await_record* following = nullptr;
  for (size_t each = count; each-- > 0;) {
    sched::await_record* const one = lay_out(cases[each].opaque, core, cases[each].object, cases[each].value, each);
    one->following = following;
    following = one;
  }
  core->records = following;
  return told(arm(awaiter, cases, count, nullptr, waits), of, awaiter);
}

bool weft_ext_await_cancel(weft_awaiter* awaiter) {
  if (awaiter == nullptr || !pass_point()) return false;
  return sched::cancel(&inside_of(awaiter)->core);
}

weft_status weft_word_wait(const void* word, size_t size, uint64_t expected, uint64_t deadline_ns) {
  static constexpr call_errors of{
      .call = "weft_word_wait", .argument = "word", .again = {"word", "it has another value than the expected %u"}};
  if (!is_word(word, size)) return refuse_word(of, word, size);
  if (!pass_point()) return told(WEFT_UNSUPPORTED, of);
  return told(sync::wait_at_word(word, size == 8, expected, deadline_ns), of, word, expected);
}

size_t weft_word_wake(const void* word, size_t count) {
  return word != nullptr && pass_point() ? sync::wake_at_word(word, count) : 0;
}
