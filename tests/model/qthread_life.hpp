// qthread_initialize and qthread_finalize for models: init.cpp and end.cpp as they are, over a core
// that consists of the main thread, one shepherd and its pool. The memory of the pool goes with the runtime. For
// one file of a program.
#pragma once

#include <cstdlib>
#include <new>

#include "qthread_world.hpp"

// Its variables outlive an execution that is left in the middle: the constructor of `life` sets them
// back.
#include "end.cpp"
#include "init.cpp"

struct weft_pool {
  weft::base::atomic<int> pushed{0};  // units, ever
};

namespace qthread_life {

// The body makes it before anything else.
struct life {
  qthread_world::unit main_task;
  weft::base::atomic<bool> core_runs{false};
  const qthread_world::flag* worker = nullptr;  // raised when the only one beside the main thread has ended

  life();
};
inline life* of_the_model;

inline life::life() {
  qthread_world::begin();
  of_the_model = this;
  weft::qthreads::has_bytes = false;
  weft::qthreads::is_changing = false;
  weft::qthreads::kept = nullptr;
  new (&weft::qthreads::lists_of_kept) weft::face::spinlock;
  weft::qthreads::the_runtime.store(nullptr, weft::base::relaxed);
}

}  // namespace qthread_life

// ---- the core -----------------------------------------------------------------------------------

extern "C" {

bool weft_is_initialized() { return qthread_life::of_the_model->core_runs.load(weft::base::relaxed); }
weft_status weft_ext_start(const weft_config*) {
  qthread_world::run_as(qthread_life::of_the_model->main_task);
  qthread_life::of_the_model->core_runs.store(true, weft::base::relaxed);
  return WEFT_OK;
}
// By a caller that is still known from an earlier life. No OS thread comes beside a program's start.
weft_status weft_ext_init(const weft_config* config) { return weft_ext_start(config); }
weft_status weft_worker_adopt(const weft_adopt_config*) { return WEFT_UNSUPPORTED; }
weft_status weft_worker_leave() { return WEFT_NOT_OWNER; }
const char* weft_last_error() { return ""; }
weft_status weft_finalize_with(weft_finalize_mode) {
  if (qthread_life::of_the_model->worker != nullptr) qthread_life::of_the_model->worker->await();
  qthread_life::of_the_model->core_runs.store(false, weft::base::relaxed);
  return WEFT_OK;
}
weft_status weft_finalize() { return weft_finalize_with(WEFT_DROP); }
weft_status weft_ext_reserve(std::size_t, std::size_t* offset) {
  *offset = offsetof(qthread_world::unit, fields);
  return WEFT_OK;
}
void* weft_ext_bytes(weft_thread* thread, std::size_t offset) { return reinterpret_cast<char*>(thread) + offset; }
void weft_ext_name_stack_setting(weft_function, const char*, std::size_t) {}
std::size_t weft_ext_stack_bytes() { return 0; }
weft_status weft_ext_thread_set_pool(weft_thread*, weft_pool*) { return WEFT_OK; }
std::uint64_t weft_thread_id(const weft_thread*) { return 1; }
weft_status weft_pool_create(weft_pool_kind, weft_pool_access, weft_pool** out) {
  *out = nullptr;
  return WEFT_OK;
}
weft_status weft_pool_attach(weft_pool*, unsigned) { return WEFT_OK; }
weft_status weft_pool_detach(weft_pool*, unsigned) { return WEFT_OK; }
weft_status weft_pool_destroy(weft_pool*) { return WEFT_OK; }
weft_status weft_worker_add(unsigned*) { return WEFT_NOMEM; }
weft_status weft_pin(int) { return WEFT_OK; }
void weft_ext_show_function(weft_function, std::size_t) {}
weft_status weft_ext_place_workers(const unsigned*, unsigned) { return WEFT_OK; }

// The low end of a logical thread's stack is not known.
int pthread_getattr_np(pthread_t, pthread_attr_t*) { return 1; }
// No OS thread ends before its runtime.
int pthread_setspecific(pthread_key_t, const void*) { return 0; }

}  // extern "C"

// ---- the face's other files ---------------------------------------------------------------------

namespace weft::qthreads {

layout::layout() = default;
layout::~layout() = default;
bool layout::place(unsigned, unsigned) const { return false; }
settings read_settings(const layout&) {
  settings all{};
  all.scheduler = scheduler_kind::nemesis;
  all.shepherds = 1;
  all.workers_each = 1;
  return all;
}
void children::forget_all() {}

bool make_shepherds(runtime* all) {
  static constinit children none_made{};
  all->shepherds = new (std::calloc(1, sizeof(shepherd))) shepherd{};
  all->shepherds[0].staying = new (std::malloc(sizeof(weft_pool))) weft_pool;
  all->workers = new (std::calloc(1, sizeof(worker))) worker{};
  all->workers[0].open = all->shepherds[0].staying;
  all->workers[0].made = &none_made;
  return true;
}
void stop_serving(runtime*) {}
void free_shepherds(runtime* all) {
  std::free(all->shepherds[0].staying);
  std::free(all->shepherds);
  std::free(all->workers);
}

}  // namespace weft::qthreads
