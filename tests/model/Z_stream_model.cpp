// Protocol Z over faces/argobots/src/stream_life.cpp: a caller that finds a stream in the list and sees
// that its main scheduler is over finds it laid out.
// Built with faces/argobots/src/stream_life.cpp
#include "abt_world.hpp"
#include "environment.hpp"
#include "pool.hpp"
#include "scheduler.hpp"
#include "stream.hpp"

namespace {

using namespace abt_world::words;

struct making {
  unit main_thread{is_yieldable | is_main_scheduler};
  scheduler main{};
  pool root{};
  flag is_pushed;
  atomic<stream*> list{nullptr};
};
making* of_the_model;

}  // namespace

extern "C" {

weft_status weft_worker_add(unsigned* out) {
  *out = 1;
  return WEFT_OK;
}
weft_status weft_pool_attach(weft_pool*, unsigned) { return WEFT_OK; }
weft_status weft_ext_pool_push(weft_pool*, weft_thread*, weft_push_reason) {
  of_the_model->is_pushed.raise();
  return WEFT_OK;
}

}  // extern "C"

namespace weft::abt {

int create_basic_pool(ABT_pool_kind, ABT_pool_access, bool, pool** out) {
  *out = &of_the_model->root;
  return ABT_SUCCESS;
}
int make_unit(const unit_plan&, weft_thread** out) {
  *out = of_the_model->main_thread.self;
  return ABT_SUCCESS;
}
ABT_thread_state state_of(const weft_thread* thread) {
  check(thread == of_the_model->main_thread.self, "its main scheduler's");
  return ABT_THREAD_STATE_TERMINATED;
}
// From here on others find it.
bool take_rank(stream* one, int) {
  of_the_model->list.store(one, std::memory_order_release);
  return true;
}

}  // namespace weft::abt

namespace {

void found_while_made() {
  abt_world::begin();
  making all;
  of_the_model = &all;
  stream* made = nullptr;
  threads(thread{"maker",
                 [&] { check(create_stream(&all.main, ABT_XSTREAM_ANY_RANK, false, &made) == ABT_SUCCESS, "there is memory"); }},
          thread{"main scheduler",
                 [&] {
                   all.is_pushed.await();
                   end_main_scheduler(all.list.load(std::memory_order_acquire));
                 }},
          thread{"looks", [&] {
                   if (const stream* const found = all.list.load(std::memory_order_acquire); found != nullptr) state_of(found);
                 }});
}

constexpr bounds quick{.preemptions = 2, .weak = 2, .executions = 20'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 300'000};

const model m1{"Z a stream found while it is made", {.at_least = 5, .quick = quick, .deep = deep}, found_while_made};

}  // namespace
