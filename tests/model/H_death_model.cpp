// Protocol H over src/see/trace_end.cpp: an OS thread that was there before the trace, and was
// started without knowledge of it, finds none when it dies, or a whole one; and one of those that
// die has it. Nothing is written here: the trace is another process's.
// Built with src/see/trace_end.cpp
#include "core_world.hpp"
#include "os/peek.hpp"
#include "os/signal.hpp"
#include "os/vm.hpp"
#include "see/report.hpp"
#include "see/traced.hpp"
#include "see/tracing.hpp"
#include "trace/chrome.hpp"
#include "worker/hooks.hpp"

// Models do not die: no handlers.
extern "C" int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }
bool weft::os::set_signal_action(int, const struct sigaction*, struct sigaction*) { return false; }
bool weft::os::peek(const void*, void*, std::size_t) { return false; }

namespace weft::sched {

bool look_at(const unit*, unit_view*) { return false; }
bool look_at_own(unit*, unit_view*) { return false; }
void walk_units(runtime*, void (*)(void*, unit*), void*) {}
std::uint64_t id_of(unit*) { return 0; }
std::size_t seam::reserved_bytes() { return 0; }

}  // namespace weft::sched

bool weft::mem::slab_depot::can_be_listed() { return false; }

namespace {

using namespace core_world::words;

alignas(tracing) unsigned char memory[sizeof(tracing)];
alignas(weft::trace::recorder) unsigned char memory_of_records[sizeof(weft::trace::recorder)];

}  // namespace

void* weft::os::reserve(std::size_t, std::size_t) { return memory; }
void weft::os::release(void*, std::size_t) {}

namespace weft::trace {

status start(recorder** out, const char*, std::size_t) {
  *out = reinterpret_cast<recorder*>(memory_of_records);
  (*out)->process = 0;
  return status::ok;
}
status start_without_file(recorder**, const char*, std::size_t) { return status::nomem; }
bool output::open_again(const char*) { return false; }
void stop(recorder*) {}
void stop_recording(recorder*, bool) {}
bool write(recorder*, const record*, std::size_t, const char*, bool) {
  explorer::fail("assertion", "it is not this process's to write");
}

}  // namespace weft::trace

namespace {

void found_by_one_who_dies() {
  core_world::make(1);
  the.rt->settings.trace = the.rt->settings.trace_file = "trace.json";
  threads(thread{"starts it", [] { check(start_trace(the.rt) == status::ok, "there is memory"); }},
          thread{"dies", [] { write_trace_of_dying("a fault"); }});
}

const model m1{"H a trace is found by one who dies", {.at_least = 2}, found_by_one_who_dies};

}  // namespace
