// Protocol Z over faces/argobots/src/dump.cpp: the stream that prints sees what was asked for,
// after all others have stopped; they go on when it has, and the next dump begins when all of them
// have.
// Built with faces/argobots/src/dump.cpp
#include "abt_world.hpp"
#include "dump.hpp"
#include "runtime.hpp"

namespace {

using namespace abt_world::words;
using weft::abt::dump;

struct streams {
  runtime all{};
  stream each[2]{};
  std::uint32_t count;
  int stops[2] = {0, 0};  // by each, before it stops
  int prints = 0;
  int waits = 0;  // at the event, that have ended

  explicit streams(std::uint32_t how_many);
  // Until it has taken part so often.
  void run(int which, int times);
  // When the last dump is over.
  static void ask() {
    while (dump.load(std::memory_order_relaxed) != no_dump) spin_hint();
    check(ABT_info_trigger_print_all_thread_stacks(stderr, -1, nullptr, nullptr) == ABT_SUCCESS, "always");
  }
};
streams* of_the_model;

}  // namespace

extern "C" {

// Until something has changed: all have stopped.
weft_status weft_sleep_ns(std::uint64_t) {
  while (dump.load(std::memory_order_relaxed) / one_stream < of_the_model->count) spin_hint();
  return WEFT_OK;
}
// Two streams: one waits for the other. The event must not be reset meanwhile.
weft_status weft_event_wait(weft_event* event) {
  while (!weft_event_is_set(event)) spin_hint();
  ++of_the_model->waits;
  return WEFT_OK;
}
weft_status weft_event_reset(weft_event* event) {
  check(of_the_model->waits == of_the_model->prints * static_cast<int>(of_the_model->count - 1), "no thread waits");
  word_in(event).store(0, std::memory_order_relaxed);
  return WEFT_OK;
}
weft_status weft_dump(int) { return WEFT_OK; }
void weft_ext_source_notify(weft_source*) {}

}  // extern "C"

void weft::abt::print_stacks_of_all_streams(std::FILE*) {
  ++of_the_model->prints;
  for (std::uint32_t index = 0; index < of_the_model->count; ++index) {
    check(of_the_model->stops[index] == of_the_model->prints, "each has stopped for it");
  }
}

namespace {

streams::streams(std::uint32_t how_many) : count(how_many) {
  abt_world::begin();
  of_the_model = this;
  all.first = &each[0];
  if (count == 2) each[0].after = &each[1];
  the_runtime.store(&all, std::memory_order_relaxed);
}

void streams::run(int which, int times) {
  while (stops[which] < times) {
    while (!is_dump_wanted()) spin_hint();
    ++stops[which];
    take_part_in_dump();
    check(prints >= stops[which], "no thread goes on before it is printed");
  }
}

void one_stream_prints() {
  streams shared(1);
  threads(thread{"asks", [&] { streams::ask(); }}, thread{"stream", [&] { shared.run(0, 1); }});
  check(shared.prints == 1, "once");
}

void two_streams_stop() {
  streams shared(2);
  streams::ask();
  threads(thread{"a", [&] { shared.run(0, 1); }}, thread{"b", [&] { shared.run(1, 1); }});
  check(shared.prints == 1 && !is_dump_wanted(), "once");
}

// What was asked for before is not needed any more.
void asked_behind_a_dump() {
  streams shared(1);
  streams::ask();
  threads(thread{"stream", [&] { shared.run(0, 1); }}, thread{"asks", [&] { streams::ask(); }});
  check(is_dump_wanted(), "the second one");
}

void asked_again() {
  streams shared(2);
  streams::ask();
  threads(thread{"a",
                 [&] {
                   shared.run(0, 1);
                   streams::ask();
                   shared.run(0, 2);
                 }},
          thread{"b", [&] { shared.run(1, 2); }});
  check(shared.prints == 2, "each time");
}

constexpr bounds quick{.preemptions = 2, .weak = 2, .executions = 20'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 300'000};

const model m1{"Z dump: one stream prints", {.at_least = 5, .quick = quick, .deep = deep}, one_stream_prints};
const model m2{"Z dump: two streams stop", {.at_least = 20, .quick = quick, .deep = deep}, two_streams_stop};
const model m4{"Z dump: asked behind a dump", {.at_least = 5, .quick = quick, .deep = deep}, asked_behind_a_dump};
const model m3{"Z dump: asked again", {.at_least = 10, .quick = quick, .deep = deep}, asked_again};

}  // namespace
