// Protocol Z over faces/argobots/src/request.cpp and thread_query.cpp: a unit's record of its
// migration is made once and seen laid out, and a unit that goes to another pool sees that pool.
// Built with faces/argobots/src/request.cpp faces/argobots/src/thread_query.cpp
#include "abt_world.hpp"
#include "pool.hpp"
#include "thread_attr.hpp"

namespace weft::abt {

placed_stack stack_of(const weft_thread*) { return {nullptr, 0}; }
std::size_t stack_bytes_of(const weft_thread*) { return 0; }

int associate(weft_thread* thread, pool* one) {
  explorer::check(one->id == 1, "the pool is laid out");
  fields_of(thread)->home = one;
  return ABT_SUCCESS;
}

}  // namespace weft::abt

namespace {

using namespace abt_world::words;

const migration* laid_out(unit& whose) {
  const migration* const record = migration_of(&whose.fields);
  check(record->callback == nullptr && record->argument == nullptr, "laid out");
  return record;
}

void record_wanted_by_two() {
  abt_world::begin();
  unit one{is_yieldable};
  const migration* seen[2] = {};
  threads(thread{"one", [&] { seen[0] = laid_out(one); }}, thread{"other", [&] { seen[1] = laid_out(one); }});
  check(seen[0] == seen[1], "one of them");
}

void record_looked_at() {
  abt_world::begin();
  unit one{is_yieldable};
  threads(thread{"makes it", [&] { static_cast<void>(laid_out(one)); }},
          thread{"looks", [&] {
                   ABT_thread_attr attr;
                   check(ABT_thread_get_attr(one.handle(), &attr) == ABT_SUCCESS, "there is memory");
                   check(attr_of(attr)->callback == nullptr, "none was set");
                 }});
}

void goes_to_another_pool() {
  abt_world::begin();
  unit one{is_yieldable};
  pool home{}, target{};
  one.fields.home = &home;
  threads(thread{"outside",
                 [&] {
                   target.id = 1;
                   check(request_migration(one.self, &target) == ABT_SUCCESS, "there is memory");
                 }},
          thread{"unit", [&] {
                   abt_world::run_as(one);
                   obey_migration(one.self, &one.fields);
                   const bool is_moved = one.fields.home == &target;
                   check(is_moved || one.fields.home == &home, "nowhere else");
                 }});
}

constexpr bounds quick{.preemptions = 2, .weak = 2, .executions = 20'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 300'000};

const model m1{"Z a record of migrations wanted by two", {.at_least = 10, .quick = quick, .deep = deep}, record_wanted_by_two};
const model m2{"Z a record of migrations looked at", {.at_least = 3, .quick = quick, .deep = deep}, record_looked_at};
const model m3{"Z a unit goes to another pool", {.at_least = 3, .quick = quick, .deep = deep}, goes_to_another_pool};

}  // namespace
