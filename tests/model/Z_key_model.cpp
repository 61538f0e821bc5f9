// Protocol Z over faces/argobots/src/key.cpp: a caller that reads a unit's value by key sees what
// it points to, no value is lost when several set some at a time, and all go with the unit.
// Built with faces/argobots/src/key.cpp
#include "abt_world.hpp"
#include "environment.hpp"
#include "key.hpp"

namespace {

using namespace abt_world::words;

constexpr std::uint32_t lists = 2;

int destroyed;

struct keys {
  unit owner{is_yieldable};
  unit_fields* of = &owner.fields;
  key first{1, count}, second{2, count}, like_second{2 + lists, count};
  int texts[3] = {0, 0, 0};

  keys() {
    abt_world::begin();
    settings_in_force.key_table_size = lists;
    destroyed = 0;
  }
  // Writes a text and lets the value point to it.
  void set(const key& which, int index) {
    texts[index] = index + 1;
    check(set_value(of, &which, &texts[index]) == ABT_SUCCESS, "there is memory");
  }
  // 0: it is not set yet.
  int get(const key& which) const {
    const void* const value = value_of(of, &which);
    return value != nullptr ? *static_cast<const int*>(value) : 0;
  }
  static void count(void*) { ++destroyed; }
};

void check_that_all_go(keys& shared, int values) {
  check(has_values(shared.of), "some were set");
  free_values(shared.of);
  check(!has_values(shared.of) && destroyed == values, "each destroyed once");
}

void first_value_is_read() {
  keys shared;
  threads(thread{"setter", [&] { shared.set(shared.first, 0); }}, thread{"reader", [&] {
                                                                           const int seen = shared.get(shared.first);
                                                                           check(seen == 0 || seen == 1,
                                                                                 "none, or what was written before");
                                                                         }});
  check_that_all_go(shared, 1);
}

void second_value_is_read() {
  keys shared;
  shared.set(shared.first, 0);
  threads(thread{"setter", [&] { shared.set(shared.second, 1); }}, thread{"reader", [&] {
                                                                            const int seen = shared.get(shared.second);
                                                                            check(seen == 0 || seen == 2,
                                                                                  "none, or what was written before");
                                                                          }});
  check_that_all_go(shared, 2);
}

void value_is_set_again() {
  keys shared;
  shared.set(shared.first, 0);
  shared.set(shared.second, 0);
  threads(thread{"setter", [&] { shared.set(shared.second, 1); }}, thread{"reader", [&] {
                                                                            const int seen = shared.get(shared.second);
                                                                            check(seen == 1 || seen == 2,
                                                                                  "what was written before either");
                                                                          }});
  check_that_all_go(shared, 2);
}

void two_want_the_first_place() {
  keys shared;
  threads(thread{"a", [&] { shared.set(shared.first, 0); }}, thread{"b", [&] { shared.set(shared.second, 1); }});
  check(shared.get(shared.first) == 1 && shared.get(shared.second) == 2, "both are there");
  check_that_all_go(shared, 2);
}

void two_make_the_table() {
  keys shared;
  shared.set(shared.first, 0);
  threads(thread{"a", [&] { shared.set(shared.second, 1); }}, thread{"b", [&] { shared.set(shared.like_second, 2); }});
  check(shared.get(shared.second) == 2 && shared.get(shared.like_second) == 3, "both are there");
  check_that_all_go(shared, 3);
}

void two_set_the_same_key() {
  keys shared;
  shared.set(shared.first, 0);
  threads(thread{"a", [&] { shared.set(shared.second, 1); }}, thread{"b", [&] { shared.set(shared.second, 2); }});
  check(shared.get(shared.second) > 1, "one of them");
  check_that_all_go(shared, 2);
}

// While another thread reads; the table is there.
void two_add_to_one_list() {
  keys shared;
  key between{3, keys::count};
  shared.set(shared.first, 0);
  check(set_value(shared.of, &between, &shared.texts[0]) == ABT_SUCCESS, "there is memory");
  threads(thread{"a", [&] { shared.set(shared.second, 1); }}, thread{"b", [&] { shared.set(shared.like_second, 2); }},
          thread{"reader", [&] {
                   const int seen = shared.get(shared.second);
                   check(seen == 0 || seen == 2, "none, or what was written before");
                 }});
  check(shared.get(shared.second) == 2 && shared.get(shared.like_second) == 3, "both are there");
  check_that_all_go(shared, 4);
}

constexpr bounds quick{.preemptions = 2, .weak = 2, .executions = 20'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 300'000};

const model m1{"Z key: the first value is read", {.at_least = 5, .quick = quick, .deep = deep}, first_value_is_read};
const model m2{"Z key: a second value is read", {.at_least = 10, .quick = quick, .deep = deep}, second_value_is_read};
const model m7{"Z key: a value is set again", {.at_least = 3, .quick = quick, .deep = deep}, value_is_set_again};
const model m3{"Z key: two want the first place", {.at_least = 10, .quick = quick, .deep = deep}, two_want_the_first_place};
const model m4{"Z key: two make the table", {.at_least = 20, .quick = quick, .deep = deep}, two_make_the_table};
const model m5{"Z key: two set the same one", {.at_least = 20, .quick = quick, .deep = deep}, two_set_the_same_key};
const model m6{"Z key: two add to one list", {.at_least = 100, .quick = quick, .deep = deep}, two_add_to_one_list};

}  // namespace
