// Protocol A: the runtime's pointer, over src/worker/local.cpp. An OS thread that was there before
// weft_init, and was started without knowledge of the runtime, finds none or a whole one;
// reports hold it against its end.
// Built with src/worker/local.cpp
#include "core_world.hpp"

namespace {

using namespace core_world::words;

alignas(runtime) unsigned char memory[sizeof(runtime)];

runtime* begin() {
  auto* rt = reinterpret_cast<runtime*>(memory);
  rt->unit_bytes = 64;
  local::set_runtime(rt);
  return rt;
}

void end(runtime* rt) {
  local::set_runtime(nullptr);
  rt->unit_bytes = 0;
}

void found_by_another() {
  threads(thread{"starts it", [] { begin(); }}, thread{"was there before", [] {
                                                         const runtime* rt = local::current_runtime();
                                                         if (rt != nullptr) check(rt->unit_bytes == 64, "it is whole");
                                                       }});
}

void held_by_a_report() {
  threads(thread{"starts it and ends it", [] { end(begin()); }}, thread{"reports", [] {
                                                                          runtime* rt = nullptr;
                                                                          local::hold(&rt);
                                                                          if (rt != nullptr)
                                                                            check(rt->unit_bytes == 64, "it is whole");
                                                                          local::let_go();
                                                                        }});
}

constexpr bounds quick{.executions = 20'000};

const model m1{"A the runtime is found by another", {.at_least = 3, .quick = quick}, found_by_another};
const model m2{"A the runtime is held by a report", {.at_least = 5, .quick = quick}, held_by_a_report};

}  // namespace
