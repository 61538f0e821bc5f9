// Protocol Z over faces/argobots/src/tool.cpp: the tool's callback is called with the argument that
// it was registered with, and sees what was done before that.
// Built with faces/argobots/src/tool.cpp
#include "abt_world.hpp"
#include "runtime.hpp"
#include "tool.hpp"

extern "C" weft_status weft_ext_set_event_sink(void (*)(void*, weft_event_kind, weft_thread*), void*) { return WEFT_OK; }

namespace {

using namespace abt_world::words;

constexpr std::uint64_t event = ABT_TOOL_EVENT_THREAD_JOIN;

struct listener {
  int line = 0;  // written before it is registered
};

struct tool {
  unit joined{is_yieldable};
  listener first, second;

  tool() {
    abt_world::begin();
    is_laid_out.store(true, std::memory_order_relaxed);
  }
  static void expects(int line, void* argument) {
    check(argument != nullptr && static_cast<listener*>(argument)->line == line, "its own argument, and what was written before");
  }
  static void first_callback(ABT_thread, ABT_xstream, std::uint64_t, ABT_tool_context, void* argument) { expects(1, argument); }
  static void second_callback(ABT_thread, ABT_xstream, std::uint64_t, ABT_tool_context, void* argument) { expects(2, argument); }

  void listen_first() {
    first.line = 1;
    check(ABT_tool_register_thread_callback(first_callback, event, &first) == ABT_SUCCESS, "there is a runtime");
  }
  void listen_second() {
    second.line = 2;
    check(ABT_tool_register_thread_callback(second_callback, event, &second) == ABT_SUCCESS, "there is a runtime");
  }
  void tell() const { tell_tool(event, joined.self); }
};

void registered_meanwhile() {
  tool shared;
  threads(thread{"registers", [&] { shared.listen_first(); }}, thread{"tells", [&] { shared.tell(); }});
}

void replaced_meanwhile() {
  tool shared;
  shared.listen_first();
  threads(thread{"replaces", [&] { shared.listen_second(); }}, thread{"tells", [&] { shared.tell(); }});
}

void taken_away_meanwhile() {
  tool shared;
  shared.listen_first();
  threads(thread{"takes away", [&] { static_cast<void>(ABT_tool_register_thread_callback(nullptr, 0, nullptr)); }},
          thread{"tells", [&] { shared.tell(); }});
}

void two_register() {
  tool shared;
  threads(thread{"first", [&] { shared.listen_first(); }}, thread{"second", [&] { shared.listen_second(); }},
          thread{"tells", [&] { shared.tell(); }});
  shared.tell();
}

constexpr bounds quick{.preemptions = 2, .weak = 2, .executions = 20'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 300'000};

const model m1{"Z tool: registered meanwhile", {.at_least = 5, .quick = quick, .deep = deep}, registered_meanwhile};
const model m2{"Z tool: replaced meanwhile", {.at_least = 20, .quick = quick, .deep = deep}, replaced_meanwhile};
const model m3{"Z tool: taken away meanwhile", {.at_least = 20, .quick = quick, .deep = deep}, taken_away_meanwhile};
const model m4{"Z tool: two register", {.at_least = 100, .quick = quick, .deep = deep}, two_register};

}  // namespace
