// What scenes that run in a child (child.hpp) share: they start Weft, make named threads, and wait.
// They are outside of namespace weft, whose functions reports do not take for the program's.
#pragma once

#include <doctest/doctest.h>

#include <time.h>
#include <weft/weft.h>

#include <string>

#include "child.hpp"

namespace scene {

inline void start(unsigned workers, weft_locality locality = WEFT_LOCALITY_STEAL) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  config.locality = locality;
  NEED(weft_init(&config) == WEFT_OK);
}

// name null: none.
inline weft_thread* make(weft_function function, void* argument, const char* name) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.name = name;
  weft_thread* made = nullptr;
  NEED(weft_thread_create(function, argument, &attr, &made) == WEFT_OK);
  return made;
}

// The OS thread sleeps.
inline void sleep_ms(long ms) {
  timespec left{ms / 1000, ms % 1000 * 1'000'000};
  while (nanosleep(&left, &left) != 0) continue;
}

// How often `what` stands in text.
inline int count(const std::string& text, const char* what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

// The scene comes to its end.
template <class Scene>
void expect_well(Scene scene) {
  const weft::test::child_end end = weft::test::run_in_child([scene] {
    scene();
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}

}  // namespace scene
