// Protocols O and A: a worker is removed while its thread is in a blocking region and the region
// guard gives the worker to another OS thread. Over src/life/workers.cpp, hosts.cpp,
// region_guard.cpp and blocking.cpp: the removal ends, whichever OS thread runs the worker last; the
// thread goes on where it is, or is made ready once elsewhere; each OS thread ends and is joined,
// and none touches the worker's record once another worker may be made of it.
// Built with src/life/workers.cpp src/life/removal.cpp src/worker/runtime.cpp src/run/ready.cpp src/run/idle.cpp
// Built with src/run/wake.cpp src/run/choose.cpp src/place/pool.cpp src/place/serving.cpp
// Built with src/run/awaiter.cpp src/run/wait.cpp src/run/resume.cpp src/unit/timer.cpp
#include <cerrno>

#include "life/removal.hpp"
#include "workers_world.hpp"

namespace {

int error_of[core_world::most_threads];

}  // namespace

#undef errno
#define errno error_of[explorer::current_thread()]

#include "life/blocking.cpp"
#include "life/hosts.cpp"
#include "life/region_guard.cpp"
#include "run/carrier.hpp"
#include "run/choose.hpp"
#include "run/enter.hpp"
#include "run/idle.hpp"

namespace weft::os {

alignas(sched::hosts) unsigned char hosts_memory[sizeof(sched::hosts)];

void* reserve(std::size_t bytes, std::size_t) {
  using core_world::the;
  if (bytes == sizeof(sched::hosts)) return hosts_memory;
  return bytes == sizeof(sched::worker) && the.records < core_world::most_workers ? the.worker_memory[the.records++] : nullptr;
}
void release(void*, std::size_t) {}

os_thread own[core_world::most_threads];  // of logical threads
os_thread this_thread() { return own[explorer::current_thread()]; }

// The guard's, which the model runs itself, and those of os_threads.
status start_thread(os_thread* out, void* (*function)(void*), void* argument, std::size_t stack_bytes) {
  if (stack_bytes == sched::region_guard_stack_bytes) return status::ok;
  if (os_threads::in_use == os_threads::there) return status::again;
  const unsigned index = os_threads::in_use++;
  os_threads::slot& next = os_threads::at(index);
  next.function = function;
  next.argument = argument;
  next.at.store(os_threads::started, base::release);
  out->handle = index + 1;
  return status::ok;
}
void name_this_thread(const char*) {}

base::atomic<int> joins[os_threads::most];
void join_thread(os_thread which) {
  const auto index = static_cast<unsigned>(which.handle) - 1;
  joins[index].fetch_add(1, base::relaxed);
  while (os_threads::at(index).at.load(base::acquire) != os_threads::ended) arch::pause();
}

}  // namespace weft::os

namespace weft::sched {

blocking_call calls[core_world::most_threads];
blocking_call* this_blocking_call() { return &calls[explorer::current_thread()]; }

// As the real one ends: on the stack of the OS thread that runs the worker now.
void carrier_entry(void* transfer, void*) {
  auto* w = static_cast<worker*>(transfer);
  arrive(w);
  for (;;) {
    unit* one = find_own(w);
    if (one == nullptr) one = idle(w);
    if (one == nullptr) break;
    one->function(one->argument);
    w = local::current_worker();
  }
  enter(w);
  fiber::jump_to(w->origin, w->origin_side, w);
}

unit* leave_in_place(worker* w, unit*) {
  w->current = nullptr;
  return nullptr;
}
luggage::luggage(const runtime*, const unit*, void*, const arch::fp_control&) : carries_(false) {}
void luggage::unpack(worker*, const unit*) const {}
status sleep_until(std::uint64_t) { return status::ok; }

}  // namespace weft::sched

namespace {

using namespace workers_world;

struct in_region : job {
  in_region() { one.function = call; }
  static void call(void* given) {
    auto* const self = static_cast<in_region*>(given);
    worker* const w = local::current_worker();
    w->current = &self->one;
    check(w->stacks.ensure_one(), "as each carrier keeps one");
    check(begin_blocking(nullptr) == status::ok, "a region");
    weft::arch::pause();  // others may run, which is no preemption
    check(end_blocking() == status::ok, "it ends");
    check(local::current_worker() == w && w->current == &self->one, "the thread goes on here");
    w->current = nullptr;
    ++self->runs;
  }
};

void run_os_thread(unsigned index) {
  weft::os::own[explorer::current_thread()].handle = index + 1;
  os_threads::run(index);
}

// As the start of the next worker in its slot.
void use_again(worker* w) {
  w->os_thread = {};
  w->origin = {};
  w->standing = nullptr;
  w->current = nullptr;
}

void removed_in_a_region() {
  make(2);
  weft::fiber::switches_are_real = true;
  explorer::reset_fibers();
  for (base::atomic<int>& each : weft::os::joins) new (&each) base::atomic<int>{0};
  for (blocking_call& each : calls) new (&each) blocking_call;
  the.rt->settings.blocking_ns = 0;
  the.rt->settings.blocking_threads = 1;
  add();
  in_region what;
  send(what);
  base::atomic<bool> has_guard_ended{false};
  threads(thread{"worker 1", [] { run_os_thread(0); }},
          thread{"guard, then spare",
                 [&] {
                   seen_call seen[core_world::most_workers] = {};
                   look_at_all(hosts_of(the.rt), seen);
                   os_threads::close();
                   has_guard_ended.store(true, base::release);
                   run_os_thread(1);
                 }},
          thread{"remover", [&] {
                   worker* const gone = worker_in_slot(the.rt, 1);
                   check(remove_worker(1) == status::ok, "it goes");
                   use_again(gone);
                   while (!has_guard_ended.load(base::acquire)) weft::arch::pause();  // as the finalizer
                   stop_spares(the.rt);
                 }});
  worker* const left = the.workers[0];
  local::set_worker(left);
  const unit* const found = find_own(left);
  if (what.runs == 0) {
    check(found == &what.one, "made ready elsewhere");
    check(find_own(left) == nullptr, "once");
  } else {
    check(found == nullptr && what.runs == 1, "run once");
  }
  for (unsigned each = 0; each < 2; ++each) {
    const bool is_started = os_threads::at(each).at.load(base::relaxed) == os_threads::ended;
    check(weft::os::joins[each].load(base::relaxed) == (is_started ? 1 : 0), "each OS thread that was started is joined once");
  }
  explorer::outcome(what.runs);
  check(the.rt->worker_count.load(base::relaxed) == 1, "the other is left");
}

constexpr explorer::bounds quick{.preemptions = 2, .weak = 0, .executions = 12'000};
constexpr explorer::bounds deep{.preemptions = 2, .weak = 1, .impatience = 1, .executions = 10'000'000};

const model m1{
    "O a worker goes while it is given", {.at_least = 50, .quick = quick, .deep = deep, .outcomes = "0 1"}, removed_in_a_region};

}  // namespace
