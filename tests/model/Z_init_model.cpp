// Protocol Z over faces/argobots/src/init.cpp: a caller that finds the runtime there, by asking or
// by initialising it as well, finds it laid out.
#include "abt_world.hpp"

// Its counts outlive an execution that is left in the middle: this file sets them back.
#include "init.cpp"

namespace {

using namespace abt_world::words;

struct program {
  unit primary{0};
  stream primary_stream{};
  scheduler main{};
  pool home{};
  ABT_pool served = handle_of(&home);
  settings wanted{};

  program();
};
program* of_the_model;

}  // namespace

// ---- the core: the caller that starts it becomes the primary ULT --------------------------------

extern "C" {

bool weft_is_initialized() { return false; }
weft_status weft_ext_init(const weft_config*) { return WEFT_INVALID; }
weft_status weft_ext_start(const weft_config*) {
  abt_world::run_as(of_the_model->primary);
  return WEFT_OK;
}
weft_status weft_finalize() { return WEFT_OK; }
weft_status weft_worker_adopt(const weft_adopt_config*) { return WEFT_UNSUPPORTED; }
weft_status weft_worker_leave() { return WEFT_OK; }
const char* weft_last_error() { return ""; }
weft_status weft_ext_reserve(std::size_t, std::size_t* offset) {
  *offset = offsetof(unit, fields);
  return WEFT_OK;
}
void weft_ext_show_function(weft_function, std::size_t) {}
void weft_ext_name_stack_setting(weft_function, const char*, std::size_t) {}
void weft_ext_leave_signals() {}
void* weft_ext_bytes(weft_thread* thread, std::size_t offset) { return reinterpret_cast<char*>(thread) + offset; }
weft_status weft_ext_thread_set_pool(weft_thread*, weft_pool*) { return WEFT_OK; }
std::size_t weft_ext_stack_bytes() { return 0; }
void weft_yield() {}
bool weft_thread_is_tasklet(const weft_thread*) { return false; }
weft_status weft_pin(int) { return WEFT_OK; }

}  // extern "C"

// ---- the face's other files ---------------------------------------------------------------------

namespace weft::abt {

std::ptrdiff_t distance_to_fields = 0;

void report(const char*, ...) {}
void run_bottom(void*) {}
const settings& read_settings() { return of_the_model->wanted; }
void start_affinity(const settings&) {}
void end_affinity() {}
void reset_pool_ids() {}
void free_kept_pools() {}
int start_dumps() { return ABT_SUCCESS; }
void end_dumps() {}
void take_default_stacks(std::size_t) {}
void print_config(std::FILE*) {}
int create_basic_scheduler(ABT_sched_predef, int, const ABT_pool*, ABT_sched_config, scheduler** out) {
  *out = &of_the_model->main;
  return ABT_SUCCESS;
}
void free_scheduler(scheduler*, bool) {}
int create_stream(scheduler*, int, bool, stream** out) {
  current_runtime()->first = &of_the_model->primary_stream;
  *out = &of_the_model->primary_stream;
  return ABT_SUCCESS;
}
pool* main_pool(stream*) { return &of_the_model->home; }
int associate_new_with_user_pool(weft_thread*, pool*) { return ABT_ERR_OTHER; }

}  // namespace weft::abt

namespace {

program::program() {
  abt_world::begin();
  of_the_model = this;
  weft::abt::count = 0;
  weft::abt::under_way = weft::abt::change::none;
  weft::abt::has_fields = false;
}

void check_that_it_is_laid_out() {
  const runtime* const all = current_runtime();
  check(all->primary_stream == &of_the_model->primary_stream && all->first == all->primary_stream, "the primary stream");
  check(fields_of(all->primary_thread)->home == &of_the_model->home, "the primary ULT");
}

void found_by_another() {
  program shared;
  threads(thread{"initialises", [&] { check(ABT_init(0, nullptr) == ABT_SUCCESS, "nothing is refused"); }},
          thread{"asks", [&] {
                   while (ABT_initialized() != ABT_SUCCESS) spin_hint();
                   check_that_it_is_laid_out();
                 }});
}

void initialised_by_two() {
  program shared;
  const auto initialise = [] {
    check(ABT_init(0, nullptr) == ABT_SUCCESS, "nothing is refused");
    check_that_it_is_laid_out();
  };
  threads(thread{"a", initialise}, thread{"b", initialise});
  check(weft::abt::count == 2, "both are counted");
}

constexpr bounds quick{.preemptions = 2, .weak = 2, .executions = 20'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 300'000};

const model m1{"Z the runtime is found by another", {.at_least = 5, .quick = quick, .deep = deep}, found_by_another};
const model m2{"Z the runtime is initialised by two", {.at_least = 10, .quick = quick, .deep = deep}, initialised_by_two};

}  // namespace
