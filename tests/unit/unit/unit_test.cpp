// The join word (protocol T) and the context word, one step at a time.
#include "unit/unit.hpp"
#include "unit/waiter.hpp"

#include <doctest/doctest.h>

namespace {

using weft::sched::unit;
using weft::sched::waiter;
namespace join_word = weft::sched::join_word;
namespace base = weft::base;

unit* fresh() {
  static unit one;
  one.join.store(join_word::open, base::relaxed);
  return &one;
}

TEST_CASE("a joiner before the end is found by it, one after the end finds it") {
  unit* one = fresh();
  waiter me("join", one);
  std::uintptr_t found = 99;
  CHECK_FALSE(join_word::has_ended(one));
  CHECK(join_word::wait_for(one, &me, &found));
  waiter second("join", one);
  CHECK_FALSE(join_word::wait_for(one, &second, &found));
  CHECK(found == reinterpret_cast<std::uintptr_t>(&me));
  CHECK(join_word::end(one) == reinterpret_cast<std::uintptr_t>(&me));
  CHECK(join_word::has_ended(one));

  one = fresh();
  CHECK(join_word::end(one) == join_word::open);
  CHECK(join_word::has_ended(one));
  CHECK_FALSE(join_word::wait_for(one, &me, &found));
  CHECK(join_word::means_ended(found));
}

TEST_CASE("what was made is told until the unit parks") {
  weft::sched::context_word word;
  word.set_maker(reinterpret_cast<const void*>(0x123456789abcu));
  CHECK_FALSE(word.is_saved());
  CHECK(word.maker() == reinterpret_cast<const void*>(0x123456789abcu));
  *word.slot() = &word;
  CHECK(word.is_saved());
}

TEST_CASE("a zero-filled unit is free") {
  alignas(unit) static unsigned char memory[sizeof(unit)];
  CHECK(reinterpret_cast<unit*>(memory)->state.load(base::relaxed) == weft::sched::unit_state::free);
}

}  // namespace
