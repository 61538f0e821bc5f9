#include "sync/await.hpp"

#include <doctest/doctest.h>

#include "sync/event.hpp"

namespace {

using weft::status;
using weft::sched::armed_as;
using weft::sched::await_record;
using weft::sched::awaiter;
using weft::sched::forever;
using weft::sync::await_kind;
using weft::sync::event;

// An awaiter of two cases, of which the first waits for an event. The second is about to be armed.
struct half_armed {
  event object;
  awaiter whole;
  await_record first{&whole, &object};
  await_record second{&whole, nullptr};

  half_armed() {
    first.following = &second;
    second.number = 1;
    whole.records = &first;
    whole.call = [](awaiter*, status) { FAIL("ready of an awaiter whose wait is over when it is armed"); };
    weft::sched::begin_arming(&whole, weft::sched::arming);
    armed_as what{};
    REQUIRE(weft::sync::arm(&first, await_kind::event, &what) == status::ok);
    REQUIRE(what == armed_as::waits);
  }

  status end(status problem) {
    bool waits = true;
    const status result = weft::sync::end_arming(&whole, problem, forever, &waits);
    CHECK_FALSE(waits);
    CHECK_FALSE(weft::sched::is_armed(&whole));
    return result;
  }
};

TEST_CASE("a case that cannot be armed ends the call, and no case waits any more") {
  half_armed one;
  CHECK(one.end(status::busy) == status::busy);
  CHECK_FALSE(one.first.is_linked());
  one.object.set();
}

TEST_CASE("what came before a case that cannot be armed is the awaiter's, and the call succeeds") {
  for (const status problem : {status::invalid, status::busy, status::nomem}) {
    half_armed one;
    one.object.set();
    CHECK(one.end(problem) == status::ok);
    CHECK(one.whole.winner == &one.first);
  }
}

TEST_CASE("a case whose thread was dropped meanwhile ends the call by that, and not by the end of the clock") {
  half_armed one;
  CHECK_FALSE(weft::sched::end_dropped_awaiter(&one.first));
  CHECK(one.end(status::ok) == status::ended);
  half_armed other;
  CHECK_FALSE(weft::sched::end_awaiter(&other.first));
  CHECK(other.end(status::ok) == status::not_initialized);
}

}  // namespace
