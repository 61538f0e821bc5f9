// See report.hpp.
#include "see/report.hpp"

#include <errno.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "os/fault.hpp"
#include "os/peek.hpp"
#include "os/signal.hpp"
#include "os/thread.hpp"
#include "run/fork.hpp"
#include "run/wait.hpp"
#include "see/naming.hpp"
#include "unit/waiter.hpp"
#include "worker/clock.hpp"
#include "worker/extras.hpp"
#include "worker/glance.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"
#include "worker/seam.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

// ---- text ----

void text::put(char one) {
  if (used_ == room) flush();
  buffer_[used_++] = one;
  constexpr std::size_t room_for_a_line = 300;
  if (one == '\n' && used_ + room_for_a_line > room) flush();
}

void text::flush() {
  if (take_ != nullptr) {
    buffer_[used_] = '\0';
    take_(buffer_);
    used_ = 0;
    return;
  }
  const bool must_fail = fd_ != STDERR_FILENO && os::fault::fails(os::call::write);  // see fault.hpp about stderr
  std::size_t done = 0;
  while (done < used_) {
    const ssize_t written = must_fail ? -1 : write(fd_, buffer_ + done, used_ - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      has_failed_ = true;
      break;
    }
    done += static_cast<std::size_t>(written);
  }
  used_ = 0;
}

text& text::operator<<(const char* words) {
  while (*words != '\0') put(*words++);
  return *this;
}

text& text::operator<<(std::uint64_t number) {
  char digits[24];
  std::size_t at = sizeof digits;
  digits[--at] = '\0';
  do {
    digits[--at] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  return *this << digits + at;
}

text& text::address(const void* value) {
  const auto number = reinterpret_cast<std::uintptr_t>(value);
  int shift = 60;
  while (shift > 0 && (number >> shift & 15) == 0) shift -= 4;
  *this << "0x";
  for (; shift >= 0; shift -= 4) put("0123456789abcdef"[number >> shift & 15]);
  return *this;
}

text& text::bytes(std::uint64_t value) {
  constexpr const char* units[] = {" bytes", " KiB", " MiB", " GiB"};
  unsigned unit = 0;
  while (unit < 3 && value >= 1024 && value % 1024 == 0) {
    value /= 1024;
    ++unit;
  }
  return *this << value << units[unit];
}

text& text::interval(std::uint64_t ns) {
  constexpr std::uint64_t ms = 1'000'000;
  if (ns < 100 * ms) return *this << ns / ms << " ms";
  const std::uint64_t tenths = ns / (100 * ms);
  return *this << tenths / 10 << "." << tenths % 10 << " s";
}

text& text::count(std::uint64_t number, const char* one, const char* many) {
  return *this << number << " " << (number == 1 ? one : many);
}

// ---- units ----

namespace {

void read_wait(const waiter* record, unit_view* out) {
  alignas(waiter) unsigned char memory[sizeof(waiter)];
  if (record == nullptr || !os::peek(record, memory, sizeof memory)) return;
  const auto* copy = reinterpret_cast<const waiter*>(memory);
  if (copy->who != out->where || !os::peek_text(copy->what, out->what, sizeof out->what)) return;
  out->waits = true;
  out->object = copy->object;
  out->since_ns = copy->since_ns;
  out->record = record;
  out->is_endless = copy->deadline_ns == forever;
  out->is_holder_address = copy->is_holder_address != 0;
  if (copy->holder != nullptr && !os::peek(copy->holder, &out->holder, sizeof out->holder)) out->holder = 0;
}

void read_name(const details* extra, unit_view* out) {
  if (extra == nullptr || !os::peek_text(extra->name, out->name, sizeof out->name)) out->name[0] = '\0';
}

// As function_of.
unit::function_type read_function(const unit& copy) {
  const details* const extra = copy.has(is_known) ? copy.extra.load(base::relaxed) : nullptr;
  unit::function_type function = nullptr;
  const bool is_read = extra != nullptr && os::peek(&extra->function, &function, sizeof function);
  return is_read && function != nullptr ? function : copy.function;
}

// Slabs are never unmapped while the runtime lives: when the kernel does not copy, plain reading
// does.
__attribute__((no_sanitize("thread", "address"), noinline)) void copy_plainly(const unit* one, unsigned char* to) {
  const auto* from = reinterpret_cast<const volatile unsigned char*>(one);
  for (std::size_t index = 0; index < sizeof(unit); ++index) to[index] = from[index];
}

const char* word_of(unit_state state) {
  switch (state) {
    case unit_state::ready: return "ready";
    case unit_state::running: return "running";
    case unit_state::blocked: return "blocked";
    case unit_state::suspended: return "suspended";
    case unit_state::free: break;
  }
  return "unknown";
}

const char* kind_of(unsigned flags) {
  if ((flags & is_fork) != 0) return "fork ";
  return (flags & is_tasklet) != 0 ? "tasklet " : "thread ";
}

void describe_wait(text& out, const unit_view& one, std::uint64_t now_ns, names how) {
  if (std::strcmp(one.what, "join") == 0) {
    unit_view target;
    out << "waits for the end of ";
    if (look_at(static_cast<const unit*>(one.object), &target)) {
      identity(out, target, how);
    } else {
      out << "a thread";
    }
  } else {
    out << "waits for " << one.what;
    if (one.object != nullptr) out << " at ", out.address(one.object);
    unit_view holder;
    if (one.held_by != nullptr && look_at(one.held_by, &holder)) identity(out << ", held by ", holder, how);
  }
  if (now_ns > one.since_ns && one.since_ns != 0) out << ", for ", out.interval(now_ns - one.since_ns);
}

void describe_state(text& out, const unit_view& one) {
  if (one.awaits_turn) {
    out << "waits for its turn";
  } else if (one.has_ended) {
    out << "ended, not joined yet";
  } else if (one.state == unit_state::ready && !one.has_started) {
    out << "ready, not started yet";
  } else {
    out << word_of(one.state);
  }
  if (one.worker >= 0) out << " on worker " << static_cast<unsigned>(one.worker);
  if (one.lends_worker) out << ", in a blocking call";
  if (one.lack_place != 0)
    out << ", with which the worker waits: no OS thread is left for it (WEFT_BLOCKING_THREADS), place " << one.lack_place
        << " in the queue for one";
}

}  // namespace

bool is_builders_start(unit::function_type function) { return function != nullptr && function == seam::shown_bottom(); }

namespace {

// The function whose address lies at place; otherwise the one that is known.
unit::function_type function_at(const void* place, unit::function_type known) {
  unit::function_type behind = nullptr;
  return place != nullptr && os::peek(place, &behind, sizeof behind) && behind != nullptr ? behind : known;
}

}  // namespace

unit::function_type shown_function(const unit* one, unit::function_type function, void* argument) {
  function = function_at(copied_of(function, argument), function);
  if (!is_builders_start(function)) return function;
  return function_at(reinterpret_cast<const char*>(one) + seam::shown_offset(), function);
}

bool look_at(const unit* one, unit_view* out) {
  alignas(unit) unsigned char memory[sizeof(unit)];
  if (one == nullptr) return false;
  const bool is_copied = os::peek(one, memory, sizeof memory);
  if (!is_copied) copy_plainly(one, memory);
  const auto* copy = reinterpret_cast<const unit*>(memory);
  *out = {};
  out->where = one;
  out->state = copy->state.load(base::relaxed);
  out->flags = copy->flags.load(base::relaxed);
  const unit::function_type function = is_copied ? read_function(*copy) : copy->function;
  out->function = shown_function(one, function, copy->argument);
  out->has_ended = join_word::means_ended(copy->join.load(base::relaxed));
  out->is_borrowing = copy->join.load(base::relaxed) == join_word::lent;
  out->has_started = copy->has_parked();
  out->made_at = is_builders_start(function) ? nullptr : copy->maker();
  copied* const block = copied_of(function, copy->argument);
  out->argument = block != nullptr ? block->bytes() : copy->argument;
  out->home_worker = copy->home_worker;
  out->stack = copy->stack;
  if ((out->flags & is_known) != 0 || (out->flags & is_main) != 0) {
    out->id = copy->id.load(base::relaxed);
    if (is_copied) read_name(copy->extra.load(base::relaxed), out);
  }
  const bool may_wait = !out->has_ended && (out->state == unit_state::blocked || out->state == unit_state::suspended);
  const bool is_noted = !out->has_ended && out->state == unit_state::ready && !copy->has_parked();  // ext.h
  if (is_copied && (may_wait || is_noted)) read_wait(copy->waiting, out);
  out->runs_another = may_wait && copy->waiting == nullptr;
  const bool is_away = (may_wait && !out->runs_another) || (!out->has_ended && out->state == unit_state::ready);
  out->is_in_call = out->waits && std::strcmp(out->what, end_of_blocking_call) == 0;
  if (is_away && !out->is_in_call && copy->has_parked()) out->saved = copy->context.context().sp;
  return out->state != unit_state::free;
}

void look_at_runner(runtime* rt, unit_view* one) {
  if (one->state != unit_state::running) return;
  for (unsigned index = 0; index < rt->worker_slots.load(base::relaxed); ++index) {
    const worker* w = worker_in_slot(rt, index);
    if (w == nullptr || glance(w->current) != one->where) continue;
    one->worker = static_cast<int>(index);
    one->lends_worker = w->lent.seen() != nullptr;
    one->lack_place = one->lends_worker ? w->lack_place.load(base::relaxed) : 0;
    one->awaits_turn = w->rt->turns != nullptr && the_hooks.awaits_turn(w);
    if (one->awaits_turn) one->saved = glance(w->turn.sp);
    return;
  }
}

bool look_at_own(unit* one, unit_view* out) {
  static_cast<void>(id_of(one));
  if (!look_at(one, out)) return false;
  // Its details stay: needed where the kernel does not copy memory for look_at.
  if (const details* extra = one->has(is_known) ? details_if_any(one) : nullptr; extra != nullptr) {
    std::memcpy(out->name, extra->name, sizeof out->name);
  }
  return true;
}

text& identity(text& out, const unit_view& one, names how) {
  if ((one.flags & is_main) != 0) return out << "main";
  out << kind_of(one.flags);
  if (one.id != 0) {
    out << one.id;
  } else {
    out << "at ", out.address(one.where);
  }
  if (one.name[0] != '\0') out << " \"" << one.name << "\"";
  char what[256];
  write_what_runs(one, how, what, sizeof what);
  return out << " (" << what << ")";
}

void describe(text& out, const unit_view& one, std::uint64_t now_ns, names how) {
  identity(out, one, how) << ": ";
  if (one.waits) {
    describe_wait(out, one, now_ns, how);
  } else {
    describe_state(out, one);
  }
  name_maker(out, "; made in ", one, how) << "\n";
}

void panic_about(unit* one, const char* did, std::uint64_t number, const char* thing, const char* things) {
  {
    text out(STDERR_FILENO);
    out << "weft: fatal: ";
    unit_view view;
    if (look_at_own(one, &view)) identity(out, view, names::readable) << " ";
    out << did;
    out.count(number, thing, things) << "\n";
  }
  std::abort();
}

const worker* worker_with(const runtime* rt, int os_thread_id) {
  for (unsigned index = 0; index < rt->worker_slots.load(base::relaxed); ++index) {
    const worker* w = worker_in_slot(rt, index);
    if (w != nullptr && w->os_thread_id.load(base::relaxed) == os_thread_id) return w;
  }
  return nullptr;
}

void walk_units(runtime* rt, void (*each)(void* state, unit* one), void* state) {
  if (unit* main = main_of(rt); main != nullptr) each(state, main);
  constexpr std::size_t batch = 64;
  void* blocks[batch];
  std::size_t first = 0;
  for (std::size_t count = batch; count == batch; first += count) {
    count = rt->unit_depot.list(first, blocks, batch);
    for (std::size_t index = 0; index < count; ++index) each(state, static_cast<unit*>(blocks[index]));
  }
}

namespace {

struct errand {
  void (*body)(void* argument, names how);
  void* argument;
};

void* run_errand(void* memory) {
  os::name_this_thread("weft-report");
  const auto* todo = static_cast<errand*>(memory);
  todo->body(todo->argument, names::readable);
  return nullptr;
}

// A signal of the program goes to an OS thread that knows whether it holds the runtime.
bool start_helper(os::os_thread* helper, errand* todo) {
  constexpr std::size_t os_stack_bytes = 512 * 1024;  // the C++ library's demangler takes some hundred bytes a character
  const os::signals_held while_it_starts;
  return os::start_thread(helper, run_errand, todo, os_stack_bytes) == status::ok;
}

}  // namespace

void run_beside(void (*body)(void* argument, names how), void* argument) {
  errand todo{body, argument};
  os::os_thread helper;
  if (!start_helper(&helper, &todo)) return body(argument, names::raw);
  os::join_thread(helper);
}

}  // namespace weft::sched
