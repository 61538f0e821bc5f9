// A runtime with a few workers, for models that include files of the scheduler as they are. Logical
// threads stand for workers (set_worker) or for OS threads outside. What a model does not include
// comes from core_stand_ins.cpp.
#pragma once

#include <new>

#include "explorer/explorer.hpp"
#include "life/start.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace core_world {

using weft::sched::runtime;
using weft::sched::worker;

inline constexpr unsigned most_workers = 3;
inline constexpr unsigned most_threads = 8;

struct world {
  alignas(runtime) unsigned char runtime_memory[sizeof(runtime)];
  alignas(worker) unsigned char worker_memory[most_workers][sizeof(worker)];
  unsigned records;  // of workers, in use
  runtime* rt;
  worker* workers[most_workers];
  weft::sched::delivery deliveries[most_threads];  // of logical threads that are no workers
};
inline world the;

// As start_one() in workers.cpp: the fields first, then the pointer.
inline void publish(unsigned index, std::memory_order pointer) {
  worker* w = new (the.worker_memory[the.records++]) worker;
  w->rt = the.rt;
  w->index = index;
  w->ready.start(static_cast<std::uint16_t>(index + 1));
  w->is_serving.store(true, weft::base::relaxed);
  the.workers[index] = w;
  the.rt->workers[index].store(w, pointer);
  the.rt->worker_slots.store(index + 1, weft::base::relaxed);
  the.rt->worker_count.store(index + 1, weft::base::relaxed);
}

// Without stealing, and every worker sleeps as soon as it finds nothing; the model changes what it
// wants otherwise.
inline void make(unsigned count) {
  the.rt = new (the.runtime_memory) runtime{};
  the.records = 0;
  for (weft::sched::delivery& each : the.deliveries) new (&each) weft::sched::delivery;
  the.rt->cpu_count = most_workers;
  the.rt->main_bytes = PTRDIFF_MAX;  // every stack has room for what is joined
  the.rt->settings.wait_policy = WEFT_WAIT_PASSIVE;
  the.rt->settings.locality = WEFT_LOCALITY_STRICT;
  for (unsigned i = 0; i < count; ++i) publish(i, weft::base::release);
}

}  // namespace core_world

// For `using namespace` in a model.
namespace core_world::words {

using namespace explorer::words;
using namespace weft::sched;
namespace base = weft::base;
using core_world::the;
using weft::status;

}  // namespace core_world::words
