// What a model is written with. A model is a constant at namespace scope; its body makes the shared
// objects, starts the threads, and checks what came of it. The explorer calls the body once for
// every execution, so the body keeps nothing between calls.
//
//   const explorer::model message_passing{"message passing", {.at_least = 2}, [] {
//     base::atomic<int> flag{0};
//     int data = 0;
//     explorer::threads(explorer::thread{"writer", [&] { data = 1; flag.store(1, base::release); }},
//                       explorer::thread{"reader", [&] { if (flag.load(base::acquire) != 0) explorer::check(data == 1, "data"); }});
//   }};
//
// Threads must not allocate: a pruned execution is left without unwinding.
#pragma once

#include <string>
#include <vector>

#include "explorer/execution.hpp"

namespace explorer {

struct expectations {
  long at_least = 1;                   // executions that finish; fewer means that the model does not say what it seems to say
  bounds quick = {};                   // in every test run
  bounds deep = {.preemptions = 100};  // make model; as it stands, everything without the reduction by sleep sets
  const char* outcomes = nullptr;      // the exact set, separated by blanks; for a cut exploration nothing outside of it
  const char* must_fail = nullptr;     // the kind of failure that must be found: the explorer's own tests
};

class model {
 public:
  model(const char* what, const expectations& wanted, void (*run_once)());

  const char* name;
  expectations expected;
  void (*body)();
};

const std::vector<const model*>& all_models();

template <class Body>
struct thread {
  const char* name;
  Body run;
};
template <class Body>
thread(const char*, Body) -> thread<Body>;

// Runs the threads from their beginnings to their ends. May be called again for another phase.
template <class... Body>
void threads(thread<Body>... each) {
  const start all[] = {start{each.name, [](void* object) { (*static_cast<Body*>(object))(); }, &each.run}...};
  run_threads(all, static_cast<int>(sizeof...(each)));
}

inline void check(bool condition, const char* what) {
  if (!condition) fail("assertion", what);
}

// The outcome of this execution: digits, usually.
template <class... Value>
void outcome(Value... values) {
  std::string text;
  ((text += std::to_string(values)), ...);
  record_outcome(text);
}

template <class Object>
void name(const Object& object, const char* text) {
  name_address(&object, text);
}

}  // namespace explorer

// For `using namespace` in a model.
namespace explorer::words {

using explorer::bounds;
using explorer::check;
using explorer::model;
using explorer::outcome;
using explorer::thread;
using explorer::threads;

}  // namespace explorer::words
